#include "model/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace minpair::model {
namespace {

// What a decoder goes on to see of the encoder, at a token that it does not read itself.
constexpr Part kOnlyEncoded{kSharing + 1, true};

void copy_rows(const nn::Matrix& from, size_t row, nn::Matrix& to, size_t at, size_t count = 1) {
  std::memcpy(to.row(at), from.row(row), count * from.columns() * sizeof(float));
}

}  // namespace

Gaps::Gaps(const Batch& batch, tokenizer::TokenId mask, const std::string& kind) {
  std::vector<uint32_t> row_of(batch.ids.size()), sentence_of(batch.ids.size());
  for (const nn::Sequence& s : batch.sequences) {
    const size_t first = ids.size();
    size_t gap = kNone;
    for (size_t i = s.query; i < s.query + s.queries; ++i) {
      const bool masked = batch.ids[i] == mask;
      const bool begins = masked && (i == s.query || batch.ids[i - 1] != mask);
      if (begins && gap != kNone)
        throw bad_input(fmt::format(
            "a model of {}'s kind fills one gap at a time, this sentence has more", kind));
      if (begins) gap = ids.size();
      if (!masked || begins) {
        ids.push_back(batch.ids[i]);
        tokens.push_back(uint32_t(i));
      }
      row_of[i] = uint32_t(ids.size() - 1);
      sentence_of[i] = uint32_t(sentences.size());
    }
    if (s.query >= batch.late.first) {
      const uint32_t* copy = &batch.late.copy[s.query - batch.late.first];
      twin_of.push_back(sentence_of[*copy]);
      for (size_t i = first; i < ids.size(); ++i) {
        late.layer.push_back(batch.late.layer[s.query - batch.late.first]);
        late.copy.push_back(row_of[*copy] + uint32_t(i - first));
      }
    } else {
      late.first = uint32_t(ids.size());
    }
    gap_of.push_back(gap);
    sentences.push_back({first, ids.size() - first, first, ids.size() - first});
  }
}

std::span<const nn::Sequence> Gaps::sentences_of(size_t rows) const {
  return {sentences.begin(), std::ranges::lower_bound(sentences, rows, {}, &nn::Sequence::query)};
}

std::span<const nn::Sequence> Lines::own_of(size_t rows) const {
  return {own.begin(), std::ranges::lower_bound(own, rows, {}, &nn::Sequence::query)};
}

std::span<const nn::Sequence> Lines::across_of(size_t rows) const {
  return std::span(across).first(own_of(rows).size());
}

nn::View Lines::seen_by(size_t rows, const nn::Matrix& encoded) const {
  const auto seen = across_of(rows);
  const size_t count = seen.empty() ? 0 : seen.back().key + seen.back().keys;
  return {encoded.data(), count, encoded.columns()};
}

void GapFiller::set_layers(size_t encoders, size_t decoders, size_t decoder_heads,
                           query::ModelInfo& info) {
  encoders_ = encoders, decoders_ = decoders;
  info.encoder_layers = uint32_t(encoders);
  info.decoder_heads = uint32_t(decoder_heads);
  info.layers = uint32_t(encoders + decoders);
}

uint32_t GapFiller::place_of(std::span<const tokenizer::TokenId> ids, uint32_t position) const {
  while (position > 0 && ids[position] == mask_ && ids[position - 1] == mask_) --position;
  return position;
}

void GapFiller::check_asked(std::span<const tokenizer::TokenId> ids, uint32_t position) const {
  if (ids[position] == mask_ && place_of(ids, position) == position) return;
  throw bad_input(
      fmt::format("a model of {}'s kind answers only about the first token of a gap", kind_))
      .hint("methods that mask what they score do: pll, pll-word-l2r");
}

void GapFiller::lay_lines(const Batch& batch) {
  lines_ = {};
  std::vector<uint32_t> line_of(gaps_.sentences.size());
  const size_t first_late = gaps_.sentences.size() - gaps_.twin_of.size();
  for (size_t s = 0; s < gaps_.sentences.size(); ++s) {
    if (s == first_late) lines_.late.first = uint32_t(lines_.ids.size());
    if (gaps_.gap_of[s] == Gaps::kNone) continue;
    const nn::Sequence& sentence = gaps_.sentences[s];
    const std::vector<tokenizer::TokenId> read = read_before(s);
    const size_t first = lines_.ids.size(), count = read.size();
    line_of[s] = uint32_t(lines_.own.size());
    lines_.ids.insert(lines_.ids.end(), read.begin(), read.end());
    for (size_t i = 0; i < count; ++i) {
      const size_t token = std::max<size_t>(i, 1) + 1 >= count
                               ? gaps_.gap_of[s]
                               : sentence.query + std::max<size_t>(i, 1) - 1;
      lines_.tokens.push_back(gaps_.tokens[token]);
    }
    lines_.own.push_back({first, count, first, count});
    lines_.across.push_back({first, count, sentence.query, sentence.queries});
    if (s < first_late) continue;
    const uint32_t layer = batch.late.layer[gaps_.tokens[sentence.query] - batch.late.first];
    const size_t twin = lines_.own[line_of[gaps_.twin_of[s - first_late]]].query;
    for (size_t i = 0; i < count; ++i) {
      lines_.late.layer.push_back(std::max(layer, uint32_t(encoders_)));
      lines_.late.copy.push_back(uint32_t(twin + i));
    }
  }
  if (gaps_.twin_of.empty()) lines_.late.first = uint32_t(lines_.ids.size());
}

const nn::Matrix& GapFiller::forward(const Batch& batch, std::span<const uint32_t> rows,
                                     const Watch& watch) {
  gaps_ = Gaps(batch, mask_, kind_);
  lay_lines(batch);
  embed();
  begin(gaps_.tokens, watch);
  see_encoded(Site::embeddings, 0);
  encode();
  complete();
  begin(lines_.tokens, watch);
  if (!lines_.own.empty()) decode();
  for (size_t l = 0; lines_.own.empty() && l < decoders_; ++l) see_decoded(l);
  out_.resize(rows.size(), encoded_.columns());
  std::fill_n(out_.data(), out_.rows() * out_.columns(), 0.0f);  // where nothing is asked
  for (size_t line = 0; line < lines_.own.size(); ++line) {
    const size_t last = lines_.own[line].query + lines_.own[line].queries - 1;
    auto asked = std::ranges::lower_bound(rows, lines_.tokens[last]);
    if (asked != rows.end() && *asked == lines_.tokens[last])
      copy_rows(hidden_, last, out_, size_t(asked - rows.begin()));
  }
  keep(rows, {});
  finish(out_);
  see(Site::output, 0, out_);
  return out_;
}

void GapFiller::complete() {
  const size_t before = encoded_.rows();
  if (before == gaps_.ids.size()) return;
  nn::Matrix all(gaps_.ids.size(), encoded_.columns());
  copy_rows(encoded_, 0, all, 0, before);
  for (size_t i = before; i < all.rows(); ++i)
    copy_rows(encoded_, gaps_.late.copy[i - gaps_.late.first], all, i);
  std::swap(encoded_, all);
}

void GapFiller::see_encoded(Site site, size_t layer) {
  if (!watched()) return;
  see(site, layer, encoded_, kEncoded);
  std::vector<uint32_t> rows, begins;  // of the decoder, which has read nothing yet
  for (uint32_t i = 0; i < lines_.tokens.size(); ++i)
    (i + 1 < lines_.tokens.size() && lines_.tokens[i] == lines_.tokens[i + 1] ? begins : rows)
        .push_back(i);
  for (bool is_start : {false, true}) {
    std::vector<uint32_t> tokens;
    for (uint32_t i : is_start ? begins : rows) tokens.push_back(lines_.tokens[i]);
    see_some(site, layer, hidden_, is_start ? begins : rows, tokens,
             {is_start ? kSharing : kDecodedBeside.number, false});
  }
}

void GapFiller::see_decoded(size_t layer) {
  if (!watched()) return;
  see(Site::residual, of_decoder(layer), hidden_, kDecoded);
  // What it goes on to see of the encoder: a token's state where it does not read the token.
  std::vector<uint32_t> all, rows, tokens;
  for (uint32_t i = 0; i < gaps_.tokens.size(); ++i) {
    all.push_back(i);
    if (std::ranges::binary_search(lines_.tokens, gaps_.tokens[i])) continue;
    rows.push_back(i);
    tokens.push_back(gaps_.tokens[i]);
  }
  see_some(Site::residual, of_decoder(layer), encoded_, all, gaps_.tokens, kEncodedBeside);
  see_some(Site::residual, of_decoder(layer), encoded_, rows, tokens, kOnlyEncoded);
}

}  // namespace minpair::model
