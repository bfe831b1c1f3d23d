#pragma once
// Where in what a model reads a part of the sentence stands: the subject, its attractor, the locus.
//
//   Part subject = part_of(item, contrast_of(item, model), model, "subject");

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "introspect/contrast.h"

namespace minpair::introspect {

// The bytes of the right sentence that each token of a contrast stands for: empty for special
// tokens and those of a context. No spans at all where the locus changes how the words around it
// are cut.
std::vector<Span> spans_of(const suite::Item& item, const Contrast& contrast,
                           const query::Model& model);

const suite::Sentence& right_of(const suite::Item& item);  // of a pair

struct Part {
  std::vector<uint32_t> positions;  // of its tokens, ascending
  std::string word;
  Reason missing = Reason::none;  // why there is none
};

// "locus": where the model is asked. "last": the last token before the locus. "other": the other
// word of an agreement, which suites from treebanks name. Any other role is the region of that
// name, of which the last word is taken: the noun of a noun phrase.
Part part_of(const suite::Item& item, const Contrast& contrast, const query::Model& model,
             std::string_view role);

// Where the model is asked: of masked models the gap, if they say nothing before it about it.
uint32_t asked_at(const Contrast& contrast, const query::Model& model);

// The bytes of a role in the right sentence: a region, or "other". Empty: there are none.
Span span_of_role(const suite::Item& item, std::string_view role);

// Throws when this is no role, nor a region of any of these items.
void check_role(const std::string& role, const engine::SuiteSource& suite,
                const engine::Selection& selection);

}  // namespace minpair::introspect
