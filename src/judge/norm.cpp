#include "judge/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/counts.h"
#include "base/error.h"
#include "base/rows.h"
#include "base/text.h"

namespace minpair::judge {
namespace {

struct Known {
  const char* name;
  NormKind kind;
  double a;
  size_t parameters;
};
constexpr Known kKnown[] = {{"power", NormKind::power, 0.5, 1},
                            {"log-length", NormKind::log_length, 1, 1},
                            {"slor", NormKind::slor, 1, 0},
                            {"morcela", NormKind::morcela, 1, 2}};

const Known* known(std::string_view name) {
  for (const Known& k : kKnown)
    if (name.substr(0, name.find(':')) == k.name) return &k;
  return nullptr;
}

bool is_mark(char c) {
  return std::string_view(".,;:!?()[]{}\"'").find(c) != std::string_view::npos;
}

// "(lacht)," is ( lacht ) ,
std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts, after;
  while (word.size() > 1 && is_mark(word.front())) {
    parts.push_back(word.substr(0, 1));
    word.remove_prefix(1);
  }
  while (word.size() > 1 && is_mark(word.back())) {
    after.push_back(word.substr(word.size() - 1));
    word.remove_suffix(1);
  }
  parts.push_back(word);
  parts.insert(parts.end(), after.rbegin(), after.rend());
  return parts;
}

}  // namespace

bool is_norm(std::string_view name) { return known(name) != nullptr; }

Norm find_norm(std::string_view name) {
  const Known* k = known(name);
  if (!k) throw wrong_call(fmt::format("there is no normalisation '{}'", name));
  Norm norm{k->kind, k->a, 0, std::string(name)};
  norm.fitted = name == "morcela:fit";
  if (norm.fitted) return norm;
  std::vector<std::string_view> parts = split(name, ':');
  if (parts.size() - 1 > k->parameters)
    throw wrong_call(
        fmt::format("'{}': {} takes {}", name, k->name, counted(k->parameters, "number")));
  for (size_t i = 1; i < parts.size(); ++i) {
    std::string text(parts[i]);
    char* end = nullptr;
    (i == 1 ? norm.a : norm.b) = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      throw wrong_call(fmt::format("'{}': '{}' is not a number", name, text));
  }
  return norm;
}

double value(const Norm& norm, const Measured& s) {
  switch (norm.kind) {
    case NormKind::power:
      return s.logprob / std::pow(std::max(s.tokens, 1.0), norm.a);
    case NormKind::log_length:
      return s.logprob / std::log(s.tokens + norm.a);
    default:
      return (s.logprob - norm.a * s.unigram + norm.b) / std::max(s.words, 1.0);
  }
}

Unigrams Unigrams::read(const std::filesystem::path& file) {
  Unigrams table;
  RowReader rows(file, '\t', false);
  for (std::vector<std::string> cells; rows.next(cells);) {
    const char* number = cells.size() == 2 ? cells[1].c_str() : "";
    char* end = nullptr;
    double count = std::strtod(number, &end);
    if (end == number || *end || !(count > 0) || !std::isfinite(count))
      throw bad_input("a word, a tab and how often it occurs are needed")
          .at(rows.name(), rows.line());
    table.counts_[cells[0]] += count;
    table.total_ += count;
  }
  if (table.counts_.empty()) throw bad_input("there are no words in it").at(file.string());
  return table;
}

Unigrams::Sum Unigrams::of(std::string_view text) const {
  Sum sum;
  for (std::string_view word : words(text))
    for (std::string_view part : parts_of(word)) {
      auto at = counts_.find(part);
      sum.unknown += at == counts_.end();
      sum.logprob += std::log((at == counts_.end() ? 1 : at->second) / total_);
      ++sum.words;
    }
  return sum;
}

double Unigrams::count(std::string_view word) const {
  for (std::string_view part : parts_of(word))
    if (part.size() > 1 || (part.size() == 1 && !is_mark(part[0]))) {
      auto at = counts_.find(part);
      return at == counts_.end() ? 0 : at->second;
    }
  return 0;
}

}  // namespace minpair::judge
