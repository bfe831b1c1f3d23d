#include "engine/running_text.h"

#include <algorithm>

namespace minpair::engine {

RunningText::RunningText(const query::Model& model, bool by_line)
    : model_(model),
      alone_(by_line || model.info().kind == query::ModelInfo::Kind::ngram),
      end_(model.info().end) {
  const query::ModelInfo& info = model.info();
  // Recurrent models read one text without end: a sentence ends with what the next one begins
  // after.
  if (end_ < 0 && info.kind == query::ModelInfo::Kind::recurrent &&
      info.end_from != query::EdgeFrom::end_option)
    end_ = info.start;
}

method::Encoded RunningText::next(std::string_view text, Windows& windows) {
  if ((alone_ || first_) && model_.info().start >= 0) windows.add(model_.info().start, {});
  first_ = false;
  // A text goes on after the one before: pieces that know spaces must see one.
  const bool spaced = !alone_ && end_ < 0 && !windows.at_start() && model_.tokenizer().byte_level();
  method::Encoded e = method::encoded({(spaced ? " " : "") + std::string(text)}, model_.tokenizer(),
                                      model_.info(), {.start = false, .end = false});
  for (judge::TokenScore& t : e.tokens)
    t.span = {std::max<size_t>(t.span.begin, spaced) - spaced, t.span.end - spaced};
  return e;
}

}  // namespace minpair::engine
