// Newman et al. 2021: in the place of the locus, over all lemmas of which the vocabulary has
// forms with its features and others. Equally weighted: for how many lemmas does the right form
// win? Weighted by the model: how much of the probability goes to right forms?

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/error.h"
#include "method/cloze.h"
#include "method/methods.h"

namespace minpair::method {
namespace {

class LemmaQuestion : public WordQuestion {
 public:
  LemmaQuestion(std::shared_ptr<const WordsOfPart> part, Hash128 identity,
                const stimuli::Bundle& bundle)
      : WordQuestion(std::move(part), identity, judge::WordScore::Kind::lemmas) {
    gather([&](uint32_t w) { return can_be(w, bundle) ? 0 : 1; });
  }
  // A word that can be both, or neither, is on no side.
  LemmaQuestion(std::shared_ptr<const WordsOfPart> part, Hash128 identity,
                const std::vector<stimuli::Bundle>& first,
                const std::vector<stimuli::Bundle>& second)
      : WordQuestion(std::move(part), identity, judge::WordScore::Kind::lemmas) {
    gather([&](uint32_t w) {
      const bool one = can_be_any(w, first), other = can_be_any(w, second);
      return one == other ? 2 : one ? 0 : 1;
    });
  }

  query::ClassRecords reduce(std::span<const float> logits) const override {
    WordProbabilities p(*part_, logits);
    double mass[2] = {0, 0}, wins[2] = {0, 0};
    for (const Lemma& lemma : lemmas_) {
      double right = best_of(p, lemma.right), wrong = best_of(p, lemma.wrong);
      wins[0] += right > wrong;
      wins[1] += wrong > right;
    }
    for (size_t side = 0; side < 2; ++side)
      for (uint32_t w : forms_[side]) mass[side] += p.sum(w);
    query::ClassRecords sides;
    for (size_t side = 0; side < 2; ++side) {
      BestWords best;
      for (uint32_t w : forms_[side]) best.see(w, p.sum(w));
      sides.push_back({{float(std::log(mass[side] / (mass[0] + mass[1]))),
                        float(wins[side] / double(lemmas_.size()))},
                       best.words()});
    }
    return sides;
  }

 protected:
  struct Lemma {
    std::vector<uint32_t> right, wrong;
  };

  template <class Side>
  void gather(const Side& side_of) {
    std::vector<int> side(part_->words.size());
    std::vector<bool> used(part_->words.size());
    for (uint32_t w = 0; w < side.size(); ++w) side[w] = side_of(w);
    for (const auto& [name, words] : part_->lemmas) {
      Lemma lemma;
      for (uint32_t w : words)
        if (side[w] < 2) (side[w] == 0 ? lemma.right : lemma.wrong).push_back(w);
      if (lemma.right.empty() || lemma.wrong.empty()) continue;
      for (uint32_t w : words) used[w] = side[w] < 2;
      lemmas_.push_back(std::move(lemma));
    }
    // A form may belong to several lemmas; its probability counts once.
    for (uint32_t w = 0; w < used.size(); ++w)
      if (used[w]) forms_[side[w]].push_back(w);
    counts_[0] = counts_[1] = uint32_t(lemmas_.size());
  }

  static double best_of(const WordProbabilities& p, const std::vector<uint32_t>& words) {
    double best = 0;
    for (uint32_t w : words) best = std::max(best, p.sum(w));
    return best;
  }

  std::vector<Lemma> lemmas_;
  std::vector<uint32_t> forms_[2];
};

// The cut-off curves: only what lies within the first part of the probability. A lemma counts for
// EW when one of its forms does, for MW each form counts for itself; from the bottom, lemmas count
// whose forms all do. Between two ranks the score is interpolated.
class CutQuestion : public LemmaQuestion {
 public:
  CutQuestion(const LemmaQuestion& lemmas, Cut cut,
              std::shared_ptr<const std::vector<tokenizer::TokenId>> ids)
      : LemmaQuestion(lemmas), cut_(cut), ids_(std::move(ids)) {
    const double sizes[] = {double(cut.bottom), cut.mass};
    identity_ = hash128({reinterpret_cast<const char*>(sizes), sizeof sizes},
                        lemmas.identity().low ^ lemmas.identity().high);
  }
  std::span<const tokenizer::TokenId> ids() const override { return *ids_; }

  query::ClassRecords reduce(std::span<const float> logits) const override {
    std::vector<float> own;
    for (tokenizer::TokenId id : part_->targets) own.push_back(logits[size_t(id)]);
    const WordProbabilities p(*part_, own);
    const Ranks ranks = ranks_of(logits);
    const Scores before = scores(p, ranks.of, ranks.last),
                 with = scores(p, ranks.of, ranks.last + 1);
    auto between = [&](double a, double b) {
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
      return a + ranks.beyond * (b - a);
    };
    query::ClassRecords sides = LemmaQuestion::reduce(own);
    for (size_t side = 0; side < 2; ++side) {
      sides[side].figures[0] = float(std::log(between(before.mass[side], with.mass[side])));
      sides[side].figures[1] = float(between(before.wins[side], with.wins[side]));
    }
    return sides;
  }

 private:
  struct Ranks {
    std::vector<uint32_t> of;  // of each word: that of its most probable piece
    uint32_t last = 0;         // where the cut goes through
    double beyond = 0;         // how much of that rank lies within it
  };
  struct Scores {
    double mass[2], wins[2];  // shares of the two sides; NaN where nothing counts
  };

  Ranks ranks_of(std::span<const float> logits) const {
    std::vector<uint32_t> order(logits.size()), rank(logits.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return logits[a] > logits[b]; });
    if (cut_.bottom) std::reverse(order.begin(), order.end());
    const double largest = *std::max_element(logits.begin(), logits.end());
    double all = 0, sum = 0;
    for (float z : logits) all += std::exp(double(z) - largest);
    Ranks ranks;
    for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    for (; ranks.last < order.size(); ++ranks.last) {
      const double own = std::exp(double(logits[order[ranks.last]]) - largest) / all;
      ranks.beyond = own > 0 ? (cut_.mass - sum) / own : 0;
      if ((sum += own) >= cut_.mass) break;
    }
    for (uint32_t w = 0; w < part_->words.size(); ++w) {
      uint32_t best = cut_.bottom ? 0 : UINT32_MAX;
      for (tokenizer::TokenId id : part_->words[w].pieces)
        best = cut_.bottom ? std::max(best, rank[size_t(id)]) : std::min(best, rank[size_t(id)]);
      ranks.of.push_back(best);
    }
    return ranks;
  }

  // With the words of a rank below `end`.
  Scores scores(const WordProbabilities& p, const std::vector<uint32_t>& rank, uint32_t end) const {
    double mass[2] = {0, 0}, wins[2] = {0, 0}, count = 0;
    std::vector<bool> counted(part_->words.size());
    auto within = [&](uint32_t w) { return rank[w] < end; };
    for (const Lemma& lemma : lemmas_) {
      const bool all =
          std::ranges::all_of(lemma.right, within) && std::ranges::all_of(lemma.wrong, within);
      const bool any =
          std::ranges::any_of(lemma.right, within) || std::ranges::any_of(lemma.wrong, within);
      if (cut_.bottom ? !all : !any) continue;
      const double right = best_of(p, lemma.right), wrong = best_of(p, lemma.wrong);
      ++count;
      wins[0] += right > wrong;
      wins[1] += wrong > right;
      for (const auto* forms : {&lemma.right, &lemma.wrong})
        for (uint32_t w : *forms) counted[w] = within(w);
    }
    for (size_t side = 0; side < 2; ++side)
      for (uint32_t w : forms_[side])
        if (counted[w]) mass[side] += p.sum(w);
    const double sum = mass[0] + mass[1];
    return {{mass[0] / sum, mass[1] / sum}, {wins[0] / count, wins[1] / count}};
  }

  Cut cut_;
  std::shared_ptr<const std::vector<tokenizer::TokenId>> ids_;
};

// A pair is asked the same question as a cloze: its own words say which forms are right.
class LemmaPairs : public WordMethod {
 public:
  explicit LemmaPairs(judge::MethodInfo info, Cut cut = {})
      : WordMethod(&VocabularyWords::lemma_pairs, std::move(info)), cut_(cut) {}
  bool supports(const query::ModelInfo&) const override { return true; }
  Questions questions(const suite::Item& item, std::vector<SentenceTokens>,
                      const MethodContext& context) const override {
    const bool pair = context.words && !item.cloze && suite::is_pair(item);
    MaskedSentence m =
        pair ? without_locus(item.sentences[0], context) : masked_sentence(item, context);
    if (m.excluded != Reason::none) return excluded(m.excluded);
    auto word = [&](size_t s) { return slice(item.sentences[s].text, item.sentences[s].locus); };
    VocabularyWords::Question question =
        pair ? context.words->lemma_pairs_like(item.language, suite::feature_text(item, "pos"),
                                               word(0), word(1))
             // Without words, masked_sentence() throws. NOLINTNEXTLINE(clang-analyzer-*)
             : context.words->lemma_pairs(item.language, m.pos, m.bundle);
    if (pair && !question) return excluded(Reason::no_features);
    if (cut_ != Cut{}) question = context.words->cut(question, cut_);
    return about(std::move(m), std::move(question), context);
  }

 private:
  Cut cut_;
};

// Of a pair, also which sentence is right.
judge::Reads pair_reads() {
  judge::Reads reads = cloze_reads();
  reads.grammatical = true;
  return reads;
}

judge::MethodInfo info_called(const std::string& name) {
  return {name,
          "a cloze or a pair: the right forms of all lemmas against their other forms, lemmas "
          "weighted equally or by the model",
          "Newman, Ang, Gong and Hewitt 2021, Refining Targeted Syntactic Evaluation of Language "
          "Models",
          {judge::Unit::equal_weight},
          judge::Ties::wrong,
          judge::MethodInfo::Scope::locus,
          true,
          pair_reads()};
}

// "top0.9"
Cut parse_cut(std::string_view text) {
  Cut cut;
  cut.bottom = text.starts_with("bottom");
  const std::string_view number = text.substr(cut.bottom                ? 6
                                              : text.starts_with("top") ? 3
                                                                        : text.size());
  const char* end = number.data() + number.size();
  if (std::from_chars(number.data(), end, cut.mass).ptr != end || number.empty() ||
      !(cut.mass > 0 && cut.mass < 1))
    throw wrong_call(fmt::format("lemma-pairs: '{}' is not a part of the probability", text))
        .hint("for example lemma-pairs:top0.9 or lemma-pairs:bottom0.5");
  return cut;
}

}  // namespace

std::shared_ptr<const WordQuestion> make_lemma_pairs(std::shared_ptr<const WordsOfPart> part,
                                                     Hash128 identity,
                                                     const stimuli::Bundle& bundle) {
  return std::make_shared<LemmaQuestion>(std::move(part), identity, bundle);
}

std::shared_ptr<const WordQuestion> make_lemma_pairs(std::shared_ptr<const WordsOfPart> part,
                                                     Hash128 identity,
                                                     const std::vector<stimuli::Bundle>& first,
                                                     const std::vector<stimuli::Bundle>& second) {
  return std::make_shared<LemmaQuestion>(std::move(part), identity, first, second);
}

std::shared_ptr<const WordQuestion> make_cut(
    const WordQuestion& lemmas, Cut cut,
    std::shared_ptr<const std::vector<tokenizer::TokenId>> ids) {
  return std::make_shared<CutQuestion>(dynamic_cast<const LemmaQuestion&>(lemmas), cut,
                                       std::move(ids));
}

MINPAIR_METHOD(lemma_pairs, LemmaPairs, info_called("lemma-pairs"))

const Method& lemma_pairs_within(std::string_view cut) {
  static std::mutex turn;
  static std::map<Cut, std::unique_ptr<const LemmaPairs>> all;
  const Cut wanted = parse_cut(cut);
  std::lock_guard lock(turn);
  std::unique_ptr<const LemmaPairs>& method = all[wanted];
  if (!method)
    method = std::make_unique<const LemmaPairs>(
        info_called(fmt::format("lemma-pairs:{}{}", wanted.bottom ? "bottom" : "top", wanted.mass)),
        wanted);
  return *method;
}

}  // namespace minpair::method
