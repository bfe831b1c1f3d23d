// Regressions over released tables, written as R writes them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "papers/formula.h"
#include "stats/mixed.h"
#include "stats/stats.h"

namespace minpair::papers {
namespace {

using Term = std::vector<std::string>;  // columns that are multiplied; none: the constant

struct Model {
  std::string response;
  std::vector<Term> fixed;
  struct Random {
    std::vector<Term> terms;
    std::vector<std::string> groups;
  };
  std::vector<Random> random;
};

std::string name_of(const Term& term) {
  return term.empty() ? "intercept" : fmt::format("{}", fmt::join(term, ":"));
}

// a * b is a + b + a:b.
void add_product(const std::string& text, std::vector<Term>& terms) {
  std::vector<Term> all = {{}};
  for (std::string_view factor : split(text, '*')) {
    Term inside;
    for (std::string_view column : split(factor, ':')) inside.emplace_back(trim(column));
    for (size_t i = 0, n = all.size(); i < n; ++i) {
      Term more = all[i];
      more.insert(more.end(), inside.begin(), inside.end());
      all.push_back(more);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Term& a, const Term& b) { return a.size() < b.size(); });
  for (const Term& term : all)
    if (!term.empty() && std::find(terms.begin(), terms.end(), term) == terms.end())
      terms.push_back(term);
}

std::vector<Term> terms_of(const std::string& text) {
  std::vector<Term> terms = {{}};
  for (std::string_view part : split(text, '+'))
    if (const std::string one(trim(part)); one != "1") add_product(one, terms);
  return terms;
}

Model parsed(const std::string& text) {
  Model model;
  const size_t tilde = text.find('~');
  if (tilde == text.npos) throw bad_input(fmt::format("'{}' has no ~", text));
  model.response = trim(std::string_view(text).substr(0, tilde));
  std::string fixed = text.substr(tilde + 1);
  for (size_t open; (open = fixed.find('(')) != fixed.npos;) {
    const size_t bar = fixed.find('|', open), close = fixed.find(')', open);
    if (close == fixed.npos || bar > close)
      throw bad_input(fmt::format("'{}': a random term is (columns | group)", text));
    Model::Random& random = model.random.emplace_back();
    random.terms = terms_of(fixed.substr(open + 1, bar - open - 1));
    for (std::string_view group :
         split(std::string_view(fixed).substr(bar + 1, close - bar - 1), ':'))
      random.groups.emplace_back(trim(group));
    const size_t plus = fixed.rfind('+', open);
    fixed.erase(plus == fixed.npos ? open : plus, close + 1 - (plus == fixed.npos ? open : plus));
  }
  model.fixed = terms_of(trim(fixed).empty() ? "1" : fixed);
  return model;
}

// A column of numbers, or for texts one of ones and noughts for every text but the first.
struct Coded {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
};

class Regression {
 public:
  Regression(const Frame& frame, const Fit& fit)
      : frame_(frame), fit_(fit), model_(parsed(fit.model)) {
    std::vector<double> wanted(frame.rows(), 1);
    if (!fit.where.empty()) wanted = Formula::parse(fit.where).each(frame);
    for (size_t r = 0; r < frame.rows(); ++r)
      if (wanted[r] != 0) rows_.push_back(r);
    if (rows_.empty()) throw bad_input("no row is left for the regression").at(frame.where());
  }

  Frame result() {
    const stats::MixedFit whole = fitted(model_.fixed);
    for (size_t i = 0; i < names_.size(); ++i) {
      say("estimate." + names_[i], whole.estimates[i]);
      if (!whole.standard_errors.empty()) say("se." + names_[i], whole.standard_errors[i]);
    }
    for (size_t t = 0; t < model_.random.size(); ++t)
      for (size_t i = 0; i < whole.deviations[t].size(); ++i)
        say(fmt::format("sd.{}.{}", fmt::join(model_.random[t].groups, ":"), random_names_[t][i]),
            whole.deviations[t][i]);
    if (fit_.trials.empty()) say("sd.residual", whole.residual_deviation);
    say("log_likelihood", whole.log_likelihood);
    say("AIC", whole.aic());
    say("rows", double(rows_.size()));
    if (model_.random.empty() && fit_.trials.empty()) say("R2", explained(whole));
    for (const std::string& left_out : fit_.without) compare(whole, left_out);
    Frame out;
    for (const auto& [name, value] : said_) out.add_column(name);
    std::vector<std::string> cells;
    for (const auto& [name, value] : said_) cells.push_back(fmt::format("{}", value));
    out.add_row(cells);
    return out;
  }

 private:
  const Frame& frame_;
  const Fit& fit_;
  Model model_;
  std::vector<size_t> rows_;
  std::vector<std::string> names_;                      // of the fixed effects
  std::vector<std::vector<std::string>> random_names_;  // of each term's
  std::vector<std::pair<std::string, double>> said_;

  void say(const std::string& name, double value) { said_.emplace_back(name, value); }

  std::vector<double> numbers(const std::string& name) const {
    const std::vector<double>& all = frame_.numbers(frame_.column(name));
    std::vector<double> own;
    for (size_t r : rows_) {
      if (std::isnan(all[r]))
        throw bad_input(fmt::format("column '{}': '{}' is not a number", name,
                                    frame_.text(frame_.column(name), r)))
            .at(frame_.place(r));
      own.push_back(all[r]);
    }
    return own;
  }

  Coded coded(const std::string& name) const {
    const size_t at = frame_.column(name);
    const std::vector<double>& all = frame_.numbers(at);
    if (std::any_of(rows_.begin(), rows_.end(), [&](size_t r) { return !std::isnan(all[r]); }))
      return {{name}, {numbers(name)}};
    std::set<std::string> levels;
    for (size_t r : rows_) levels.insert(frame_.text(at, r));
    std::string first = *levels.begin();
    for (const auto& [column, reference] : fit_.reference)
      if (column == name) first = reference;
    if (!levels.contains(first))
      throw bad_input(fmt::format("column '{}' never has '{}'", name, first)).at(frame_.where());
    levels.erase(first);
    Coded coded;
    for (const std::string& level : levels) {
      coded.names.push_back(name + "." + level);
      std::vector<double>& column = coded.columns.emplace_back();
      for (size_t r : rows_) column.push_back(frame_.text(at, r) == level);
    }
    return coded;
  }

  Coded coded(const Term& term) const {
    Coded product{{""}, {std::vector<double>(rows_.size(), 1)}};
    for (const std::string& name : term) {
      const Coded one = coded(name);
      Coded next;
      for (size_t i = 0; i < product.names.size(); ++i)
        for (size_t j = 0; j < one.names.size(); ++j) {
          next.names.push_back(product.names[i] + (product.names[i].empty() ? "" : ":") +
                               one.names[j]);
          std::vector<double>& column = next.columns.emplace_back();
          for (size_t r = 0; r < rows_.size(); ++r)
            column.push_back(product.columns[i][r] * one.columns[j][r]);
        }
      product = std::move(next);
    }
    if (term.empty()) product.names = {"intercept"};
    return product;
  }

  // Rows × columns.
  std::vector<double> matrix(const std::vector<Term>& terms,
                             std::vector<std::string>& names) const {
    std::vector<std::vector<double>> columns;
    names.clear();
    for (const Term& term : terms) {
      Coded one = coded(term);
      names.insert(names.end(), one.names.begin(), one.names.end());
      columns.insert(columns.end(), one.columns.begin(), one.columns.end());
    }
    std::vector<double> all;
    for (size_t r = 0; r < rows_.size(); ++r)
      for (const auto& column : columns) all.push_back(column[r]);
    return all;
  }

  std::vector<uint32_t> groups(const std::vector<std::string>& columns) const {
    std::map<std::string, uint32_t> known;
    std::vector<uint32_t> all;
    for (size_t r : rows_) {
      std::string key;
      for (const std::string& name : columns) key += frame_.text(frame_.column(name), r) + '\x1f';
      all.push_back(known.try_emplace(key, uint32_t(known.size())).first->second);
    }
    return all;
  }

  stats::MixedFit fitted(const std::vector<Term>& fixed) {
    stats::MixedData data;
    data.rows = rows_.size();
    data.x = matrix(fixed, names_);
    data.columns = names_.size();
    data.y = numbers(model_.response);
    if (!fit_.trials.empty()) data.trials = numbers(fit_.trials);
    data.restricted = fit_.restricted;
    random_names_.clear();
    for (const Model::Random& random : model_.random) {
      stats::RandomTerm& term = data.random.emplace_back();
      term.z = matrix(random.terms, random_names_.emplace_back());
      term.columns = random_names_.back().size();
      term.level = groups(random.groups);
    }
    stats::MixedFit fit = stats::fit_mixed(data);
    if (!fit.converged)
      throw bad_input(fmt::format("'{}' does not converge", fit_.model)).at(frame_.where());
    return fit;
  }

  void compare(const stats::MixedFit& whole, const std::string& left_out) {
    std::vector<Term> fixed;
    for (const Term& term : model_.fixed)
      if (name_of(term) != left_out) fixed.push_back(term);
    if (fixed.size() == model_.fixed.size())
      throw bad_input(fmt::format("'{}' has no term '{}' to leave out", fit_.model, left_out));
    const stats::MixedFit less = fitted(fixed);
    const double chi_square = 2 * (whole.log_likelihood - less.log_likelihood);
    const uint64_t freedom = whole.parameters - less.parameters;
    say("log_likelihood.without." + left_out, less.log_likelihood);
    say("AIC.without." + left_out, less.aic());
    say("chi2.without." + left_out, chi_square);
    say("p.without." + left_out, stats::chi_square_p(chi_square, freedom));
  }

  double explained(const stats::MixedFit& fit) const {
    const std::vector<double> y = numbers(model_.response);
    const double n = double(y.size()), deviation = stats::standard_deviation(y);
    return 1 -
           fit.residual_deviation * fit.residual_deviation * n / (deviation * deviation * (n - 1));
  }
};

}  // namespace

Frame fitted(const Frame& frame, const Fit& fit) { return Regression(frame, fit).result(); }

}  // namespace minpair::papers
