// Regressions over the rows of a table, written as R writes them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "papers/database.h"
#include "stats/mixed.h"
#include "stats/stats.h"

namespace minpair::papers {
namespace {

using Term = std::vector<std::string>;  // columns that are multiplied; none: the constant

// correct / n ~ x * kind + (1 + x | suite:item)
struct Model {
  std::string response;
  std::string trials;  // of a response that counts right answers
  std::vector<Term> fixed;
  struct Random {
    std::vector<Term> terms;
    std::string group;  // columns, with a colon between them
  };
  std::vector<Random> random;
};

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

Model parsed(const std::string& text) {
  Model model;
  const size_t tilde = text.find('~');
  if (tilde == text.npos) throw bad_input(fmt::format("fit: '{}' has no ~", text));
  const std::vector<std::string> response = names_in(text.substr(0, tilde), '/');
  model.response = response[0];
  if (response.size() == 2) model.trials = response[1];
  std::string fixed = text.substr(tilde + 1);
  for (size_t open; (open = fixed.find('(')) != fixed.npos;) {
    const size_t bar = fixed.find('|', open), close = fixed.find(')', open);
    if (close == fixed.npos || bar > close)
      throw bad_input(fmt::format("fit: '{}': a random term is (columns | group)", text));
    model.random.push_back(
        {terms_of(fixed.substr(open + 1, bar - open - 1)),
         fmt::format("{}", fmt::join(names_in(fixed.substr(bar + 1, close - bar - 1), ':'), ":"))});
    fixed.erase(open, close + 1 - open);
  }
  model.fixed = terms_of(fixed);
  return model;
}

// Columns of a design matrix.
struct Coded {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
};

class Regression {
 public:
  Regression(const Model& model, const Result& data) : model_(model), data_(data) {
    if (data.rows.empty()) throw bad_input("fit: no row is left for the regression");
  }

  nlohmann::ordered_json result(bool restricted) const {
    stats::MixedData data;
    data.rows = data_.rows.size();
    std::vector<std::string> names;
    data.x = matrix(model_.fixed, names);
    data.columns = names.size();
    data.y = numbers(model_.response);
    if (!model_.trials.empty()) data.trials = numbers(model_.trials);
    data.restricted = restricted;
    std::vector<std::vector<std::string>> random_names;
    for (const Model::Random& random : model_.random) {
      stats::RandomTerm& term = data.random.emplace_back();
      term.z = matrix(random.terms, random_names.emplace_back());
      term.columns = random_names.back().size();
      term.level = groups(random.group);
    }
    const stats::MixedFit fit = stats::fit_mixed(data);
    if (!fit.converged) throw bad_input("fit: the regression does not converge");

    nlohmann::ordered_json all;
    for (size_t i = 0; i < names.size(); ++i) {
      all["estimate." + names[i]] = fit.estimates[i];
      if (!fit.standard_errors.empty()) all["se." + names[i]] = fit.standard_errors[i];
    }
    for (size_t t = 0; t < model_.random.size(); ++t)
      for (size_t i = 0; i < fit.deviations[t].size(); ++i)
        all[fmt::format("sd.{}.{}", model_.random[t].group, random_names[t][i])] =
            fit.deviations[t][i];
    if (model_.trials.empty()) all["sd.residual"] = fit.residual_deviation;
    all["log_likelihood"] = fit.log_likelihood;
    all["parameters"] = fit.parameters;
    all["AIC"] = fit.aic();
    all["rows"] = data.rows;
    if (model_.random.empty() && model_.trials.empty()) all["R2"] = explained(data.y, fit);
    return all;
  }

 private:
  const Model& model_;
  const Result& data_;

  size_t column(const std::string& name) const {
    const auto at = std::ranges::find(data_.columns, name);
    if (at != data_.columns.end()) return size_t(at - data_.columns.begin());
    throw unknown_name(fmt::format("fit: there is no column '{}'", name), name, data_.columns);
  }

  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> all;
    for (const auto& row : data_.rows) {
      all.push_back(number_of(row[column(name)]));
      if (std::isnan(all.back()))
        throw bad_input(fmt::format("fit: column '{}': '{}' is not a number", name,
                                    text_of(row[column(name)])));
    }
    return all;
  }

  // A column of numbers, or for texts one of ones and zeros for every text but the first.
  Coded coded(const std::string& name) const {
    const size_t at = column(name);
    std::set<std::string> levels;
    for (const auto& row : data_.rows)
      if (std::holds_alternative<std::string>(row[at])) levels.insert(text_of(row[at]));
    if (levels.empty()) return {{name}, {numbers(name)}};
    levels.erase(levels.begin());
    Coded coded;
    for (const std::string& level : levels) {
      coded.names.push_back(name + "." + level);
      std::vector<double>& column = coded.columns.emplace_back();
      for (const auto& row : data_.rows) column.push_back(text_of(row[at]) == level);
    }
    return coded;
  }

  Coded coded(const Term& term) const {
    Coded product{{""}, {std::vector<double>(data_.rows.size(), 1)}};
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
    for (size_t row = 0; row < data_.rows.size(); ++row)
      for (const auto& column : columns) all.push_back(column[row]);
    return all;
  }

  std::vector<uint32_t> groups(const std::string& group) const {
    std::map<std::string, uint32_t> known;
    std::vector<uint32_t> all;
    for (const auto& row : data_.rows) {
      std::string key;
      for (const std::string& name : names_in(group, ':'))
        key += text_of(row[column(name)]) + '\x1f';
      all.push_back(known.try_emplace(key, uint32_t(known.size())).first->second);
    }
    return all;
  }

  static double explained(const std::vector<double>& y, const stats::MixedFit& fit) {
    const double n = double(y.size()), deviation = stats::standard_deviation(y);
    return 1 -
           fit.residual_deviation * fit.residual_deviation * n / (deviation * deviation * (n - 1));
  }
};

}  // namespace

std::string fit_as_json(Database& database, const std::string& model, const std::string& table,
                        bool restricted) {
  std::string quoted = table;
  for (size_t at = 0; (at = quoted.find('"', at)) != quoted.npos; at += 2) quoted.insert(at, "\"");
  const Result data = database.query({fmt::format("select * from \"{}\"", quoted), 0});
  return json_text(Regression(parsed(model), data).result(restricted));
}

}  // namespace minpair::papers
