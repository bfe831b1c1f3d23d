#pragma once
// A suite's items, wherever they come from: its own files, a foreign format's, or grammars.
//
//   suite::Suite suite = suite::find_suite("de-agreement");
//   auto items = open_items(suite);
//   for (suite::Item item; items->next(item);) ...

#include <memory>

#include "stimuli/grammar/grammar.h"
#include "suite/suite.h"

namespace minpair::stimuli {

// Whether grammars make the items. A folder with .jsonl files has them already.
bool from_grammars(const suite::Suite& suite);

// The manifest beside the items, with what the grammars that make them add.
suite::Manifest manifest_of(const suite::Suite& suite);

// `options` matter only to grammars, but for the language. Throws if columns are named and it is
// not a list.
std::unique_ptr<suite::ItemStream> open_items(const suite::Suite& suite,
                                              const GrammarOptions& options = {});

// What a file that was opened is read as, for people: "pairs: good = Satz, bad = Stern". Empty for
// a suite of our own and for grammars, which nobody could take for anything else.
std::string read_as(const suite::Suite& suite, suite::ItemStream& items);

}  // namespace minpair::stimuli
