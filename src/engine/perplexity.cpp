#include "engine/perplexity.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "engine/running_text.h"

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
  RunningText running(model, options.by_line);
  Perplexity result;
  Windows windows(model, options.overlap, [&](std::span<const query::Record> records) {
    result.log_probability += logits_of(records[0]).logprob();
    ++result.scored;
  });
  uint64_t tokens = 0;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (!valid_utf8(line))
      throw bad_input("this line is not UTF-8").at(lines.name(), lines.line_number());
    if (trim(line).empty()) continue;
    ++result.lines;
    result.words += words(line).size() + (running.end() >= 0 ? 1 : 0);
    for (tokenizer::TokenId id : running.next(line, windows).ids) {
      if (id == model.tokenizer().special().unk) ++result.unknown;
      windows.add(id);
      ++tokens;
    }
    if (running.end() >= 0) windows.add(running.end());
    if (running.alone()) windows.finish();
    if (tick) tick(tokens);
  }
  windows.finish();
  windows.ask();
  return result;
}

}  // namespace minpair::engine
