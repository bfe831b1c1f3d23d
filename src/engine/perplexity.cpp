#include "engine/perplexity.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "engine/windows.h"
#include "method/text.h"

namespace minpair::engine {
double Perplexity::per_token() const {
  return scored ? std::exp(-log_probability / double(scored)) : 0;
}
double Perplexity::per_word() const {
  return words ? std::exp(-log_probability / double(words)) : 0;
}

Perplexity perplexity(query::Model& model, const std::filesystem::path& file,
                      const PerplexityOptions& options,
                      const std::function<void(uint64_t tokens)>& tick) {
  const query::ModelInfo& info = model.info();
  if (info.kind == query::ModelInfo::Kind::masked)
    throw wrong_call("a masked model has no perplexity")
        .hint("pseudo-log-likelihoods of sentences are the method 'pll'");
  const tokenizer::Tokenizer& tokenizer = model.tokenizer();
  // Recurrent models read one text without end: a sentence ends with what the next one begins
  // after.
  bool carried = info.kind == query::ModelInfo::Kind::recurrent &&
                 info.end_from != query::EdgeFrom::end_option;
  tokenizer::TokenId end = info.end < 0 && carried ? info.start : info.end;
  Perplexity result;
  Windows windows(model, options.overlap, [&](std::span<const query::Record> records) {
    result.log_probability += logits_of(records[0]).logprob();
    ++result.scored;
  });
  bool first = true;
  uint64_t tokens = 0;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (!valid_utf8(line))
      throw bad_input("this line is not UTF-8").at(lines.name(), lines.line_number());
    if (trim(line).empty()) continue;
    ++result.lines;
    result.words += words(line).size() + (end >= 0 ? 1 : 0);
    bool alone = options.by_line || info.kind == query::ModelInfo::Kind::ngram;
    if ((first || alone) && info.start >= 0) windows.add(info.start);
    first = false;
    const suite::Text text{std::string(line)};
    for (tokenizer::TokenId id :
         method::encoded(text, tokenizer, info, {.start = false, .end = false}).ids) {
      if (id == tokenizer.special().unk) ++result.unknown;
      windows.add(id);
      ++tokens;
    }
    if (end >= 0) windows.add(end);
    if (alone) windows.finish();
    if (tick) tick(tokens);
  }
  windows.finish();
  windows.ask();
  return result;
}

}  // namespace minpair::engine
