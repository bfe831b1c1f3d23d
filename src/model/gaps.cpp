#include "model/gaps.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace minpair::model {

Gaps::Gaps(const Batch& batch, std::span<const uint32_t> rows, tokenizer::TokenId mask,
           const std::string& kind) {
  size_t row = 0;
  for (const nn::Sequence& s : batch.sequences) {
    const size_t first = ids.size();
    size_t gap = SIZE_MAX, at = 0;
    for (size_t i = s.query; i < s.query + s.queries; ++i) {
      const bool masked = batch.ids[i] == mask;
      const bool begins = masked && (i == s.query || batch.ids[i - 1] != mask);
      if (begins && gap != SIZE_MAX)
        throw bad_input(fmt::format(
            "a model of {}'s kind fills one gap at a time, this sentence has more", kind));
      if (begins) gap = i, at = ids.size();
      if (!masked || begins) ids.push_back(batch.ids[i]);
    }
    for (; row < rows.size() && rows[row] < s.query + s.queries; ++row) {
      if (rows[row] != gap)
        throw bad_input(
            fmt::format("a model of {}'s kind answers only about the first token of a gap", kind))
            .hint("methods that mask what they score do: pll, pll-word-l2r");
      sentence_of.push_back(sentences.size());
      gap_of.push_back(at);
    }
    sentences.push_back({first, ids.size() - first, first, ids.size() - first});
  }
}

const nn::Matrix& GapFiller::forward(const Batch& batch, std::span<const uint32_t> rows,
                                     const Watch& watch) {
  begin(batch.ids.size(), {});
  gaps_ = Gaps(batch, rows, mask_, kind_);
  encode();
  begin(batch.ids.size(), watch);
  keep(rows, {});
  decode(rows.size());
  take();
  finish(out_);
  see(Site::output, 0, out_);
  return out_;
}

const nn::Matrix& GapFiller::head(const nn::View& hidden) {
  head_.resize(hidden.rows, hidden.columns);
  for (size_t i = 0; i < hidden.rows; ++i)
    std::memcpy(head_.row(i), hidden.row(i), hidden.columns * sizeof(float));
  return head_;
}

void GapFiller::take() {
  out_.resize(ends_.size(), hidden_.columns());
  for (size_t r = 0; r < out_.rows(); ++r)
    std::memcpy(out_.row(r), hidden_.row(ends_[r]), out_.columns() * sizeof(float));
}

void GapFiller::show(Site site, size_t layer) {
  if (!watched()) return;
  take();
  see(site, layer, out_);
  for (size_t r = 0; r < out_.rows(); ++r)
    std::memcpy(hidden_.row(ends_[r]), out_.row(r), out_.columns() * sizeof(float));
}

}  // namespace minpair::model
