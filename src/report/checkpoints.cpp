#include "report/checkpoints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "report/labels.h"

namespace minpair::report {
namespace {

constexpr double kFinal = std::numeric_limits<double>::infinity();
constexpr double kMuch = 50;  // from the first step to the last: more is drawn by logarithms

constexpr std::string_view kBetween = "/@-_. ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view without_end(std::string_view text, std::string_view letters) {
  return text.substr(0, text.find_last_not_of(letters) + 1);
}

struct Numbered {
  std::string training;
  double step = 0;
  std::string said;
};

// The number behind a word that begins at `at`: "step-1000", "chck_10M".
std::optional<Numbered> number_at(std::string_view name, size_t at) {
  static constexpr std::array<std::string_view, 7> kWords = {
      "checkpoint", "iteration", "epoch", "step", "ckpt", "chck", "iter"};
  for (std::string_view word : kWords) {
    if (!name.substr(at).starts_with(word)) continue;
    size_t from = at + word.size();
    if (from < name.size() && std::string_view("-_=").find(name[from]) != name.npos) ++from;
    size_t end = from;
    while (end < name.size() && is_digit(name[end])) ++end;
    uint64_t digits = 0;
    if (std::from_chars(name.data() + from, name.data() + end, digits).ec != std::errc()) continue;
    double step = double(digits);
    std::string said = std::to_string(digits);
    for (auto [letter, times] : {std::pair{'K', 1e3}, {'M', 1e6}, {'B', 1e9}})
      if (end < name.size() && (name[end] == letter || name[end] == letter + 32)) {
        step *= times;
        said += letter;
        ++end;
        break;
      }
    if (end < name.size() && is_letter(name[end])) continue;
    // What was read by then tells no trainings apart, as OLMo's "-tokens5B"; a seed does.
    std::string_view rest = name.substr(end);
    if (rest.starts_with("-tokens")) rest = {};
    std::string_view before = without_end(name.substr(0, at), kBetween);
    if (before.ends_with("global"))
      before = without_end(before.substr(0, before.size() - 6), kBetween);
    return Numbered{std::string(before) + std::string(rest), step, said};
  }
  return std::nullopt;
}

// The last such number of a name.
std::optional<Numbered> numbered(std::string_view name) {
  for (size_t at = name.size(); at-- > 0;)
    if (at == 0 || !is_letter(name[at - 1]))
      if (auto found = number_at(name, at)) return found;
  return std::nullopt;
}

// The end of a name that says something; a seed alone does not.
std::string short_name(const std::string& name) {
  size_t at = name.rfind('/');
  if (at != name.npos && at > 0 && without_seed(name.substr(at + 1)).empty())
    at = name.rfind('/', at - 1);
  return name.substr(at + 1);
}

}  // namespace

bool is_only_a_step(const std::string& name) {
  const auto found = numbered(name);
  return found && found->training.empty();
}

std::vector<Training> trainings_among(const std::vector<std::string>& models) {
  std::map<std::string, std::vector<Stage>> found;
  std::vector<std::string> names;
  for (size_t i = 0; i < models.size(); ++i) {
    names.emplace_back(without_end(models[i], "/"));
    if (auto n = numbered(names[i])) found[n->training].push_back({i, n->step, n->said});
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name =
        names[i].ends_with("@main") ? names[i].substr(0, names[i].size() - 5) : names[i];
    if (auto at = found.find(name); at != found.end()) at->second.push_back({i, kFinal, "final"});
  }
  std::map<std::string, int> titles;
  for (const auto& [name, stages] : found) ++titles[short_name(name)];
  std::vector<Training> trainings;
  for (auto& [name, stages] : found) {
    if (stages.size() < 2) continue;
    std::stable_sort(stages.begin(), stages.end(),
                     [](const Stage& a, const Stage& b) { return a.step < b.step; });
    std::string title = titles[short_name(name)] > 1 ? name : short_name(name);
    trainings.push_back({title.empty() ? "checkpoints" : title, std::move(stages)});
  }
  return trainings;
}

std::vector<double> step_positions(const std::vector<double>& steps) {
  double least = kFinal, most = 0;  // of those that have a logarithm
  for (double s : steps)
    if (s > 0 && s < kFinal) least = std::min(least, s), most = std::max(most, s);
  const bool by_logarithm = least < kFinal && most / least > kMuch;
  auto place = [&](double s) { return by_logarithm ? std::log(s) : s; };
  const double begin = by_logarithm ? std::log(least) : 0, end = most > 0 ? place(most) : 1;
  // What has no place of its own stands one gap before or after the others.
  const double gap = (end - begin) / double(std::max<size_t>(steps.size(), 4));
  std::vector<double> at;
  for (double s : steps)
    at.push_back(s == kFinal ? end + gap : s <= 0 && by_logarithm ? begin - gap : place(s));
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  const double from = at.empty() ? 0 : *low, width = at.empty() ? 0 : *high - *low;
  for (double& x : at) x = width > 0 ? (x - from) / width : 0.5;
  return at;
}

std::map<std::string, StageOf> stages_of(const std::vector<NamedRun>& runs) {
  std::vector<std::string> names, labels;
  for (const NamedRun& named : runs)
    if (std::find(labels.begin(), labels.end(), named.label) == labels.end()) {
      names.push_back(named.run.model.name);
      labels.push_back(named.label);
    }
  std::map<std::string, StageOf> stages;
  std::vector<double> steps;
  for (const Training& t : trainings_among(names))
    for (const Stage& s : t.stages) {
      stages[labels[s.model]] = {t.title, s.step, 0, s.said};
      steps.push_back(s.step);
    }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const std::vector<double> at = step_positions(steps);
  for (auto& [label, stage] : stages)
    stage.at = at[size_t(std::find(steps.begin(), steps.end(), stage.step) - steps.begin())];
  return stages;
}

}  // namespace minpair::report
