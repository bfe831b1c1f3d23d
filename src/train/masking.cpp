#include "train/masking.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace minpair::train {

namespace {

constexpr int64_t kCls = 2, kSep = 3, kMask = 4;

// Rows that are filled from the front, each sentence into the first with room.
class Packer {
 public:
  Packer(int64_t rows, int64_t width)
      : rows_(rows),
        width_(width),
        ids_(torch::zeros({rows, width}, torch::kInt64)),
        positions_(torch::zeros({rows, width}, torch::kInt64)),
        sentence_(torch::zeros({rows, width}, torch::kInt64)),
        filled_(static_cast<size_t>(rows), 0) {}

  // The flat place of the sentence's [CLS], or -1 when it fits nowhere.
  int64_t add(std::span<const int32_t> sentence) {
    const auto length = static_cast<int64_t>(sentence.size()) + 2;
    for (int64_t row = 0; row < rows_; ++row) {
      int64_t& filled = filled_[static_cast<size_t>(row)];
      if (filled + length > width_) continue;
      const int64_t at = row * width_ + filled;
      write(sentence, at);
      filled += length;
      pieces_ += length;
      return at;
    }
    return -1;
  }

  void hide(int64_t place, int64_t target) {
    ids_.data_ptr<int64_t>()[place] = kMask;
    read_.push_back(place);
    targets_.push_back(target);
  }

  PackedBatch finish() const {
    PackedBatch out;
    out.batch.ids = ids_;
    out.batch.positions = positions_;
    out.batch.same_sentence = (sentence_.unsqueeze(1) != sentence_.unsqueeze(2))
                                  .to(torch::kFloat32)
                                  .mul_(-10000.0)
                                  .unsqueeze(1);
    out.batch.read = torch::tensor(read_, torch::kInt64);
    out.batch.targets = torch::tensor(targets_, torch::kInt64);
    out.pieces = pieces_;
    return out;
  }

 private:
  void write(std::span<const int32_t> sentence, int64_t at) {
    ++sentences_;
    const auto length = static_cast<int64_t>(sentence.size()) + 2;
    for (int64_t i = 0; i < length; ++i) {
      ids_.data_ptr<int64_t>()[at + i] = i == 0            ? kCls
                                         : i == length - 1 ? kSep
                                                           : sentence[static_cast<size_t>(i - 1)];
      positions_.data_ptr<int64_t>()[at + i] = i;
      sentence_.data_ptr<int64_t>()[at + i] = sentences_;
    }
  }

  int64_t rows_, width_;
  torch::Tensor ids_, positions_, sentence_;
  std::vector<int64_t> filled_, read_, targets_;
  int64_t pieces_ = 0, sentences_ = 0;
};

}  // namespace

std::vector<double> piece_shares(const PieceText& text, size_t vocabulary) {
  std::vector<double> out(vocabulary, 0.0);
  for (const int32_t id : text.ids) out[static_cast<size_t>(id)] += 1.0;
  for (double& share : out) share /= double(std::max<size_t>(text.ids.size(), 1));
  return out;
}

Masker::Masker(const std::vector<std::string>& vocab, const PieceText& text,
               const corpus::Endings& endings, const MaskingOptions& options)
    : options_(options) {
  const std::set<std::string> all(endings.all.begin(), endings.all.end());
  const std::vector<double> share = piece_shares(text, vocab.size());
  for (size_t i = 0; i < vocab.size(); ++i) {
    const std::string& piece = vocab[i];
    const bool continues = piece.starts_with("##");
    const std::string bare = continues ? piece.substr(2) : "";
    continues_.push_back(continues);
    ending_.push_back(all.contains(bare));
    const double rare = std::min(1.0, std::sqrt(options.frequent / std::max(share[i], 1e-9)));
    weight_.push_back(endings.agreeing.contains(bare) ? options.agreeing_weight : rare);
  }
}

// Words with a key each: the smallest keys are a sample without replacement by weight
// (Efraimidis and Spirakis 2006).
std::vector<Masker::Word> Masker::words_of(std::span<const int32_t> sentence,
                                           Random& random) const {
  std::vector<Word> words;
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (i > 0 && continues_[static_cast<size_t>(sentence[i])])
      words.back().end = i + 1;
    else
      words.push_back({i, i + 1, 0.0});
  }
  for (Word& word : words) {
    const double weight = std::max(weight_[static_cast<size_t>(sentence[word.begin])],
                                   weight_[static_cast<size_t>(sentence[word.end - 1])]);
    word.key = -std::log(1.0 - random.uniform()) / weight;
  }
  std::stable_sort(words.begin(), words.end(),
                   [](const Word& a, const Word& b) { return a.key < b.key; });
  return words;
}

void Masker::choose(std::span<const int32_t> sentence, Random& random,
                    std::vector<size_t>& places) const {
  const std::vector<Word> words = words_of(sentence, random);
  const auto wanted = static_cast<size_t>(options_.words * double(words.size()) + random.uniform());
  const size_t chosen = std::max<size_t>(1, wanted);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [begin, end, key] = words[i];
    const size_t size = end - begin;
    if (i >= chosen) {
      if (size > 1 && ending_[static_cast<size_t>(sentence[end - 1])] &&
          random.uniform() < options_.endings)
        places.push_back(end - 1);
    } else if (size == 1 || random.uniform() < options_.whole) {
      for (size_t k = begin; k < end; ++k) places.push_back(k);
    } else {
      places.push_back(random.uniform() < 0.6 ? end - 1 : begin + random.below(size));
    }
  }
}

PackedBatch pack_batch(const PieceText& text, std::span<const uint32_t> order, size_t& at,
                       int64_t rows, int64_t width, const Masker& masker, Random& random) {
  Packer packer(rows, width);
  std::vector<size_t> places;
  for (; at < order.size(); ++at) {
    const auto sentence = text.sentence(order[at]);
    const int64_t begin = packer.add(sentence);
    if (begin < 0) break;
    places.clear();
    masker.choose(sentence, random, places);
    for (const size_t place : places)
      packer.hide(begin + 1 + static_cast<int64_t>(place), sentence[place]);
  }
  return packer.finish();
}

}  // namespace minpair::train
