#pragma once
// Scores and outcomes as compact bytes, and back. Reading throws on anything malformed.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/criterion.h"
#include "judge/verdict.h"

namespace minpair::store {

// `distance`: how many pieces apart the two words of an agreement are, where the item says which
// they are.
std::string pack_scores(const std::vector<judge::SentenceScore>& sentences,
                        std::optional<uint32_t> distance = {});
std::vector<judge::SentenceScore> unpack_scores(std::string_view bytes);
std::optional<uint32_t> unpack_distance(std::string_view bytes);

// One verdict for each view, by its index.
using Verdicts = std::array<judge::Verdict, judge::kViews>;
// Two bits a view; zeros for the views that the run lacks.
uint32_t pack_outcomes(const Verdicts& verdicts, const std::vector<judge::View>& views);
judge::Outcome unpack_outcome(uint32_t packed, const judge::View& view);

// What the views of the results file show of an item, under the run's own view.
struct Shown {
  std::optional<double> margin;
  std::string by_sentence;  // a JSON list of scores
  std::string by_region;    // for each sentence a list of surprisals in bits; "": no regions
};
Shown shown_by_views(const judge::Judge& judge, const suite::Item& item,
                     const std::vector<judge::SentenceScore>& sentences, const judge::View& view);

}  // namespace minpair::store
