#pragma once
// Views: which number of a scored sentence counts. All are computed from the log-probabilities of
// its tokens, never by a second run.
//
//   View view = find_view("mean-no-special");    // {Unit::token, false}
//   std::string name = name_of(view);            // "mean-no-special"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::judge {

// For sentences: the sum of the tokens' log-probabilities, divided by how many of these there are.
// For clozes over many words: their mean probability or mean logit; for clozes over lemmas: every
// lemma equal, or by its probability.
enum class Unit : uint8_t {
  sum,
  token,
  word,
  character,
  byte,
  probability,
  logit,
  equal_weight,
  model_weight
};

struct View {
  Unit unit = Unit::sum;
  bool special = true;  // count [CLS], [SEP], ... as well; of sentences only
  bool operator==(const View&) const = default;
};

constexpr size_t kViews = 14;
size_t index_of(const View& view);  // 0 to kViews-1
View view_at(size_t index);
std::string name_of(const View& view);  // "mean", "mean-no-special"
View find_view(std::string_view name);  // throws with did-you-mean
// The views that a run has whose own view is `view`: sentences ten, clozes two.
std::vector<View> family_of(const View& view);
bool same_family(const View& a, const View& b);
// Does an item count by its share instead of as right or wrong?
bool graded(const View& view);

}  // namespace minpair::judge
