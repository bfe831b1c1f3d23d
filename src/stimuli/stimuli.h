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

// `options` matter only to grammars.
std::unique_ptr<suite::ItemStream> open_items(const suite::Suite& suite,
                                              const GrammarOptions& options = {});

// The same for a typed list whose columns are named here: "good=Satz,bad=Falsch". Throws if it is
// not a list.
std::unique_ptr<suite::ItemStream> open_list(const suite::Suite& suite, const std::string& columns);

}  // namespace minpair::stimuli
