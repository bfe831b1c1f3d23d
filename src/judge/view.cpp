#include "judge/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace minpair::judge {
namespace {

constexpr const char* kNames[] = {"sum",         "mean",  "word",         "char",        "byte",
                                  "probability", "logit", "equal-weight", "model-weight"};
constexpr size_t kOfSentences = 5;  // each with and without special tokens
constexpr std::string_view kNoSpecial = "-no-special";

}  // namespace

size_t index_of(const View& view) {
  size_t unit = size_t(view.unit);
  return unit >= kOfSentences || !view.special ? unit + kOfSentences : unit;
}

View view_at(size_t index) {
  if (index >= 2 * kOfSentences) return {Unit(index - kOfSentences), true};
  return {Unit(index % kOfSentences), index < kOfSentences};
}

std::string name_of(const View& view) {
  return std::string(kNames[size_t(view.unit)]) + (view.special ? "" : std::string(kNoSpecial));
}

View find_view(std::string_view name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < kViews; ++i) {
    if (name_of(view_at(i)) == name) return view_at(i);
    known.push_back(name_of(view_at(i)));
  }
  std::string guess = closest(name, known);
  throw wrong_call(fmt::format("there is no normalisation '{}'", name))
      .hint(guess.empty()
                ? "there are sum, mean, word, char, byte, each also with '-no-special'; for "
                  "clozes probability, logit, equal-weight, model-weight"
                : fmt::format("did you mean '{}'?", guess));
}

std::vector<View> family_of(const View& view) {
  if (view.unit == Unit::probability || view.unit == Unit::logit)
    return {{Unit::probability}, {Unit::logit}};
  if (graded(view)) return {{Unit::equal_weight}, {Unit::model_weight}};
  std::vector<View> all;
  for (size_t i = 0; i < 2 * kOfSentences; ++i) all.push_back(view_at(i));
  return all;
}

bool same_family(const View& a, const View& b) { return family_of(a) == family_of(b); }

bool graded(const View& view) {
  return view.unit == Unit::equal_weight || view.unit == Unit::model_weight;
}

}  // namespace minpair::judge
