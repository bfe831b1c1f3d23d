#include "stats/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"

namespace minpair::stats {
namespace {

std::vector<std::string> names_in(std::string_view text, char separator) {
  std::vector<std::string> names;
  for (std::string_view part : split(text, separator)) names.emplace_back(trim(part));
  return names;
}

// a * b is a + b + a:b.
void add_product(std::string_view text, std::vector<Term>& terms) {
  std::vector<Term> all = {{}};
  for (std::string_view factor : split(text, '*')) {
    const Term inside = names_in(factor, ':');
    for (size_t i = 0, n = all.size(); i < n; ++i) {
      Term more = all[i];
      more.insert(more.end(), inside.begin(), inside.end());
      all.push_back(more);
    }
  }
  std::ranges::stable_sort(all, {}, &Term::size);
  for (const Term& term : all)
    if (!term.empty() && std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
}

std::vector<Term> terms_of(std::string_view text) {
  std::vector<Term> terms = {{}};
  for (const std::string& part : names_in(text, '+'))
    if (part != "1" && !part.empty()) add_product(part, terms);
  return terms;
}

// Columns of a design matrix.
struct Coded {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
};

class Design {
 public:
  explicit Design(const Columns& data) : data_(data), rows_(data.begin()->second.size()) {}
  size_t rows() const { return rows_; }

  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> all;
    for (const auto& value : column(name)) {
      const auto* number = std::get_if<double>(&value);
      if (!number || std::isnan(*number))
        throw bad_input(fmt::format("fit: column '{}': '{}' is not a number", name, text(value)));
      all.push_back(*number);
    }
    return all;
  }

  // Rows × columns.
  std::vector<double> matrix(const std::vector<Term>& terms,
                             std::vector<std::string>& names) const {
    std::vector<std::vector<double>> columns;
    for (const Term& term : terms) {
      const Coded one = coded(term);
      names.insert(names.end(), one.names.begin(), one.names.end());
      columns.insert(columns.end(), one.columns.begin(), one.columns.end());
    }
    std::vector<double> all;
    for (size_t row = 0; row < rows_; ++row)
      for (const auto& column : columns) all.push_back(column[row]);
    return all;
  }

  std::vector<uint32_t> groups(const std::string& group) const {
    std::map<std::string, uint32_t> known;
    std::vector<uint32_t> all;
    for (size_t row = 0; row < rows_; ++row) {
      std::string key;
      for (const std::string& name : names_in(group, ':')) key += text(column(name)[row]) + '\x1f';
      all.push_back(known.try_emplace(key, uint32_t(known.size())).first->second);
    }
    return all;
  }

 private:
  const Columns& data_;
  size_t rows_;

  static std::string text(const Column::value_type& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    const double number = std::get<double>(value);
    return std::isnan(number) ? "" : fmt::format("{}", number);
  }

  const Column& column(const std::string& name) const {
    if (auto at = data_.find(name); at != data_.end()) return at->second;
    std::vector<std::string> known;
    for (const auto& [other, column] : data_) known.push_back(other);
    throw unknown_name(fmt::format("fit: there is no column '{}'", name), name, known);
  }

  // A column of numbers, or for texts one of ones and zeros for every text but the first.
  Coded coded(const std::string& name) const {
    const Column& own = column(name);
    std::set<std::string> levels;
    for (const auto& value : own)
      if (std::holds_alternative<std::string>(value)) levels.insert(text(value));
    if (levels.empty()) return {{name}, {numbers(name)}};
    levels.erase(levels.begin());
    Coded coded;
    for (const std::string& level : levels) {
      coded.names.push_back(name + "." + level);
      std::vector<double>& column = coded.columns.emplace_back();
      for (const auto& value : own) column.push_back(text(value) == level);
    }
    return coded;
  }

  Coded coded(const Term& term) const {
    Coded product{{""}, {std::vector<double>(rows_, 1)}};
    for (const std::string& name : term) {
      const Coded one = coded(name);
      Coded next;
      for (size_t i = 0; i < product.names.size(); ++i)
        for (size_t j = 0; j < one.names.size(); ++j) {
          next.names.push_back(product.names[i] + (product.names[i].empty() ? "" : ":") +
                               one.names[j]);
          std::ranges::transform(product.columns[i], one.columns[j],
                                 std::back_inserter(next.columns.emplace_back()),
                                 std::multiplies());
        }
      product = std::move(next);
    }
    if (term.empty()) product.names = {"intercept"};
    return product;
  }
};

bool contains(const Term& whole, const Term& part) {
  return std::ranges::all_of(
      part, [&](const std::string& name) { return std::ranges::find(whole, name) != whole.end(); });
}

}  // namespace

std::string name_of(const Term& term) { return fmt::format("{}", fmt::join(term, ":")); }

Formula::Formula(const std::string& text) {
  const size_t tilde = text.find('~');
  if (tilde == text.npos) throw bad_input(fmt::format("fit: '{}' has no ~", text));
  const std::vector<std::string> left = names_in(text.substr(0, tilde), '/');
  response = left[0];
  if (left.size() == 2) trials = left[1];
  std::string rest = text.substr(tilde + 1);
  for (size_t open; (open = rest.find('(')) != rest.npos;) {
    const size_t bar = rest.find('|', open), close = rest.find(')', open);
    if (close == rest.npos || bar > close)
      throw bad_input(fmt::format("fit: '{}': a random term is (columns | group)", text));
    random.push_back(
        {terms_of(rest.substr(open + 1, bar - open - 1)),
         fmt::format("{}", fmt::join(names_in(rest.substr(bar + 1, close - bar - 1), ':'), ":"))});
    rest.erase(open, close + 1 - open);
  }
  fixed = terms_of(rest);
}

std::vector<std::string> Formula::columns() const {
  std::set<std::string> all = {response};
  if (!trials.empty()) all.insert(trials);
  for (const Term& term : fixed) all.insert(term.begin(), term.end());
  for (const Random& r : random) {
    for (const Term& term : r.terms) all.insert(term.begin(), term.end());
    for (std::string& name : names_in(r.group, ':')) all.insert(std::move(name));
  }
  return {all.begin(), all.end()};
}

std::vector<Term> Formula::droppable() const {
  std::vector<Term> all;
  for (const Term& term : fixed)
    if (!term.empty() && std::ranges::none_of(fixed, [&](const Term& other) {
          return other != term && contains(other, term);
        }))
      all.push_back(term);
  return all;
}

Formula Formula::without(const Term& term) const {
  Formula less = *this;
  std::erase(less.fixed, term);
  return less;
}

FormulaFit fit_formula(const Formula& formula, const Columns& columns, const FitOptions& options) {
  if (columns.empty() || columns.begin()->second.empty())
    throw bad_input("fit: no row is left for the regression");
  const Design design(columns);
  FormulaFit result;
  MixedData data;
  result.rows = data.rows = design.rows();
  data.x = design.matrix(formula.fixed, result.fixed);
  data.columns = result.fixed.size();
  result.response = data.y = design.numbers(formula.response);
  if (!formula.trials.empty()) data.trials = design.numbers(formula.trials);
  data.restricted = options.restricted;
  data.errors = options.errors;
  for (const Formula::Random& random : formula.random) {
    FormulaFit::Random& own = result.random.emplace_back();
    RandomTerm& term = data.random.emplace_back();
    own.group = random.group;
    term.z = design.matrix(random.terms, own.effects);
    term.columns = own.effects.size();
    term.level = design.groups(random.group);
    own.groups = 1 + *std::ranges::max_element(term.level);
  }
  result.fit = fit_mixed(data);
  if (!result.fit.converged) throw bad_input("fit: the regression does not converge");
  return result;
}

}  // namespace minpair::stats
