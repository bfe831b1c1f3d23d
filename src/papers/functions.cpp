// What SQLite lacks. Unlike its own, these aggregates refuse what is missing and what is no number.

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "papers/database.h"
#include "stats/mixed.h"
#include "stats/stats.h"

namespace minpair::papers {
namespace {

using Numbers = std::vector<double>;
constexpr size_t kMostValues = 100'000'000;

struct Aggregate {
  const char* name;
  int arguments;
  double (*value)(const Numbers& x, const Numbers& y);
};
constexpr Aggregate kAggregates[] = {
    {"mean", 1, [](const Numbers& x, const Numbers&) { return stats::mean(x); }},
    {"sum", 1,
     [](const Numbers& x, const Numbers&) { return std::accumulate(x.begin(), x.end(), 0.0); }},
    {"sd", 1, [](const Numbers& x, const Numbers&) { return stats::standard_deviation(x); }},
    {"median", 1,
     [](const Numbers& x, const Numbers&) {
       Numbers sorted = x;
       std::sort(sorted.begin(), sorted.end());
       const size_t n = sorted.size();
       return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
     }},
    {"pearson", 2, [](const Numbers& x, const Numbers& y) { return stats::pearson(x, y).r; }},
    {"spearman", 2, [](const Numbers& x, const Numbers& y) { return stats::spearman(x, y).r; }},
};

struct Function {
  const char* name;
  int arguments;
  double (*value)(const double* x);
};
constexpr Function kFunctions[] = {
    {"ln", 1, [](const double* x) { return std::log(x[0]); }},
    {"log10", 1, [](const double* x) { return std::log10(x[0]); }},
    {"sqrt", 1, [](const double* x) { return std::sqrt(x[0]); }},
    {"student_p", 2, [](const double* x) { return stats::student_two_sided_p(x[0], x[1]); }},
    {"chi_square_p", 2,
     [](const double* x) { return stats::chi_square_p(x[0], uint64_t(std::max(x[1], 1.0))); }},
    {"exact_low", 2, [](const double* x) { return stats::exact_interval(x[0], x[1]).low; }},
    {"exact_high", 2, [](const double* x) { return stats::exact_interval(x[0], x[1]).high; }},
};

// Nothing is thrown through SQLite.
template <typename Action>
void guarded(sqlite3_context* context, Action action) try {
  action();
} catch (const std::exception& e) {
  sqlite3_result_error(context, e.what(), -1);
}

double number_in(sqlite3_value* value, const char* function) {
  const double number = number_of(value_of(value));
  if (std::isnan(number))
    throw bad_input(
        sqlite3_value_type(value) == SQLITE_NULL
            ? fmt::format("{}: a value is missing", function)
            : fmt::format("{}: '{}' is not a number", function, text_of(value_of(value))));
  return number;
}

// What an aggregate has seen so far; `gone` values have left the window.
struct Seen {
  Numbers x, y;
  size_t gone = 0;
};

Seen** seen_by(sqlite3_context* context, int bytes) {
  return static_cast<Seen**>(sqlite3_aggregate_context(context, bytes));
}

void step(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    Seen** seen = seen_by(context, sizeof(Seen*));
    if (!seen) return sqlite3_result_error_nomem(context);
    if (!*seen) *seen = new Seen;
    if ((*seen)->x.size() == kMostValues) throw bad_input("too many values");
    const auto* aggregate = static_cast<const Aggregate*>(sqlite3_user_data(context));
    for (int i = 0; i < count; ++i)
      (i == 0 ? (*seen)->x : (*seen)->y).push_back(number_in(values[i], aggregate->name));
  });
}

void leave(sqlite3_context* context, int, sqlite3_value**) { ++(*seen_by(context, 0))->gone; }

void value(sqlite3_context* context) {
  guarded(context, [&] {
    const auto* aggregate = static_cast<const Aggregate*>(sqlite3_user_data(context));
    Seen** seen = seen_by(context, 0);
    Numbers x, y;
    if (seen && *seen) {
      const auto gone = std::ptrdiff_t((*seen)->gone);
      x.assign((*seen)->x.begin() + gone, (*seen)->x.end());
      if (!(*seen)->y.empty()) y.assign((*seen)->y.begin() + gone, (*seen)->y.end());
    }
    if (x.empty() && std::string_view(aggregate->name) != "sum")
      sqlite3_result_null(context);
    else
      sqlite3_result_double(context, aggregate->value(x, y));
  });
}

void finish(sqlite3_context* context) {
  value(context);
  if (Seen** seen = seen_by(context, 0)) {
    delete *seen;
    *seen = nullptr;
  }
}

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    const auto* function = static_cast<const Function*>(sqlite3_user_data(context));
    double x[2] = {};
    for (int i = 0; i < count; ++i) {
      if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;  // nothing, as SQLite's own do
      x[i] = number_in(values[i], function->name);
    }
    sqlite3_result_double(context, function->value(x));
  });
}

// number('1.5'): unlike a cast, it refuses what is not a number.
void number(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    const Value value = value_of(values[0]);
    double x = number_of(value);
    if (std::holds_alternative<std::monostate>(value)) return;
    if (std::isnan(x) && !parse_number(text_of(value), x)) number_in(values[0], "number");
    sqlite3_result_double(context, x);
  });
}

void lower_case(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    const std::string text = lower(text_of(value_of(values[0])));
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  });
}

void fit(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    auto& database = *static_cast<Database*>(sqlite3_user_data(context));
    const bool restricted = count == 3 && text_of(value_of(values[2])) == "reml";
    if (count == 3 && !restricted) throw bad_input("fit: the third argument can only be 'reml'");
    const std::string json = fit_as_json(database, text_of(value_of(values[0])),
                                         text_of(value_of(values[1])), restricted);
    sqlite3_result_text64(context, json.data(), json.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  });
}

}  // namespace

void add_functions(Database& database) {
  constexpr int kPlain = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  sqlite3* db = database.handle();
  for (const Aggregate& a : kAggregates)
    sqlite3_create_window_function(db, a.name, a.arguments, kPlain, const_cast<Aggregate*>(&a),
                                   step, finish, value, leave, nullptr);
  for (const Function& f : kFunctions)
    sqlite3_create_function_v2(db, f.name, f.arguments, kPlain, const_cast<Function*>(&f), call,
                               nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(db, "number", 1, kPlain, nullptr, number, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(db, "lower", 1, kPlain, nullptr, lower_case, nullptr, nullptr,
                             nullptr);
  for (const int arguments : {2, 3})
    sqlite3_create_function_v2(db, "fit", arguments, SQLITE_UTF8, &database, fit, nullptr, nullptr,
                               nullptr);
}

}  // namespace minpair::papers
