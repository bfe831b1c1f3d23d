#include "papers/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "stats/stats.h"

namespace minpair::papers {

using Rows = std::vector<uint32_t>;

struct Formula::Node {
  enum class Kind { number, text, column, call, aggregate } kind = Kind::number;
  double number = 0;
  std::string name;  // of a text, column, operator or function
  std::vector<std::unique_ptr<Node>> parts;
  std::unique_ptr<Node> where;
  std::vector<std::vector<std::string>> by;  // one after the other
};

namespace {

using Node = Formula::Node;
constexpr int kDeepest = 100;  // brackets in brackets
constexpr size_t kLongest = 10'000;
using Numbers = std::vector<double>;

const std::map<std::string, double (*)(const Numbers&)> kAggregates = {
    {"mean", [](const Numbers& x) { return x.empty() ? std::nan("") : stats::mean(x); }},
    {"sum", [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); }},
    {"count", [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); }},
    {"sd", [](const Numbers& x) { return stats::standard_deviation(x); }},
    {"min", [](const Numbers& x) { return *std::min_element(x.begin(), x.end()); }},
    {"max", [](const Numbers& x) { return *std::max_element(x.begin(), x.end()); }},
    {"median",
     [](const Numbers& x) {
       Numbers sorted = x;
       std::sort(sorted.begin(), sorted.end());
       size_t n = sorted.size();
       return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
     }},
};
bool of_two(const std::string& name) { return name == "pearson" || name == "spearman"; }
bool is_aggregate(const std::string& name) { return kAggregates.contains(name) || of_two(name); }

using Function = double (*)(const Numbers&);
struct Known {
  size_t takes;
  Function of;  // nullptr: of texts
};
const std::map<std::string, Known> kFunctions = {
    {"abs", {1, [](const Numbers& x) { return std::abs(x[0]); }}},
    {"ln", {1, [](const Numbers& x) { return std::log(x[0]); }}},
    {"log10", {1, [](const Numbers& x) { return std::log10(x[0]); }}},
    {"sqrt", {1, [](const Numbers& x) { return std::sqrt(x[0]); }}},
    {"student_p", {2, [](const Numbers& x) { return stats::student_two_sided_p(x[0], x[1]); }}},
    {"exact_low", {2, [](const Numbers& x) { return stats::exact_interval(x[0], x[1]).low; }}},
    {"exact_high", {2, [](const Numbers& x) { return stats::exact_interval(x[0], x[1]).high; }}},
    {"starts", {2, nullptr}},
    {"ends", {2, nullptr}},
    {"has", {2, nullptr}},
    {"alike", {2, nullptr}},
    {"length", {1, nullptr}},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Node> whole() {
    std::unique_ptr<Node> node = either();
    skip();
    if (at_ < text_.size()) throw wrong("this is not understood");
    return node;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;

  Error wrong(const std::string& what) const {
    return bad_input(fmt::format("{}, at '{}'", what, text_.substr(at_, 20)))
        .at(fmt::format("formula '{}'", text_));
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    bool word = std::isalpha(static_cast<unsigned char>(sign[0]));
    size_t end = at_ + sign.size();
    if (word && end < text_.size() && in_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
           static_cast<unsigned char>(c) >= 0x80;  // Größe
  }

  using Rule = std::unique_ptr<Node> (Parser::*)();

  std::unique_ptr<Node> chain(Rule part, std::initializer_list<const char*> operators) {
    std::unique_ptr<Node> left = (this->*part)();
    for (bool more = true; more;) {
      more = false;
      for (const char* sign : operators)
        if (!more && take(sign)) {
          auto node = std::make_unique<Node>();
          node->kind = Node::Kind::call;
          node->name = sign;
          node->parts.push_back(std::move(left));
          node->parts.push_back((this->*part)());
          left = std::move(node);
          more = true;
        }
    }
    return left;
  }

  std::unique_ptr<Node> either() {
    if (++depth_ > kDeepest) throw wrong("too many brackets in brackets");
    std::unique_ptr<Node> node = chain(&Parser::both, {"or"});
    --depth_;
    return node;
  }
  std::unique_ptr<Node> both() { return chain(&Parser::comparison, {"and"}); }
  std::unique_ptr<Node> comparison() {
    return chain(&Parser::sum, {"<=", ">=", "!=", "=", "<", ">"});
  }
  std::unique_ptr<Node> sum() { return chain(&Parser::product, {"+", "-"}); }
  std::unique_ptr<Node> product() { return chain(&Parser::single, {"*", "/"}); }

  std::unique_ptr<Node> single() {
    skip();
    if (at_ == text_.size()) throw wrong("something is missing");
    auto node = std::make_unique<Node>();
    char c = text_[at_];
    if (take("(")) {
      node = either();
      if (!take(")")) throw wrong("a closing bracket is missing");
    } else if (c == '"' || c == '`') {
      size_t end = text_.find(c, at_ + 1);
      if (end == text_.npos) throw wrong("a quote is not closed");
      node->kind = c == '"' ? Node::Kind::text : Node::Kind::column;
      node->name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) {
      size_t used = 0;
      try {
        node->number = std::stod(std::string(text_.substr(at_)), &used);
      } catch (const std::exception&) {
        throw wrong("a number is missing");
      }
      at_ += used;
    } else {
      named(*node);
    }
    return node;
  }

  void named(Node& node) {
    size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    if (end == at_) throw wrong("this is not understood");
    node.name = text_.substr(at_, end - at_);
    at_ = end;
    node.kind = Node::Kind::column;
    if (!take("(")) return;
    node.kind = is_aggregate(node.name) ? Node::Kind::aggregate : Node::Kind::call;
    do node.parts.push_back(either());
    while (take(","));
    if (node.kind == Node::Kind::aggregate) clauses(node);
    if (!take(")")) throw wrong("a closing bracket is missing");
    auto known = kFunctions.find(node.name);
    if (node.kind == Node::Kind::call && known == kFunctions.end())
      throw wrong(fmt::format("there is no function '{}'", node.name));
    size_t wanted = known != kFunctions.end() ? known->second.takes : of_two(node.name) ? 2 : 1;
    if (node.parts.size() != wanted) throw wrong(fmt::format("{} takes {}", node.name, wanted));
  }

  std::string column_name() {
    skip();
    if (at_ < text_.size() && text_[at_] == '`') return single()->name;
    size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    if (end == at_) throw wrong("a column is missing");
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  void clauses(Node& node) {
    while (take("by")) {
      node.by.emplace_back();
      do node.by.back().push_back(column_name());
      while (take(","));
    }
    if (take("where")) node.where = either();
  }
};

class Evaluation {
 public:
  explicit Evaluation(const Frame& frame) : frame_(frame) {}

  double over(const Node& node, const Rows& rows) {
    if (node.kind == Node::Kind::aggregate) return aggregate(node, rows);
    if (node.kind == Node::Kind::number) return node.number;
    if (node.kind != Node::Kind::call || of_texts(node))
      throw bad_input(fmt::format("'{}' is one value per row, but one number is wanted", node.name))
          .hint("say mean(...), sum(...) or the like");
    Numbers values;
    for (const auto& part : node.parts) values.push_back(over(*part, rows));
    return applied(node.name, values);
  }

  double at(const Node& node, uint32_t row) {
    if (node.kind == Node::Kind::number) return node.number;
    if (node.kind == Node::Kind::column) return number_at(node, row);
    if (node.kind == Node::Kind::aggregate) return inner(node)[row];
    if (node.kind != Node::Kind::call)
      throw bad_input(fmt::format("'{}' cannot be counted row by row", node.name));
    // What a first condition leaves out need not be a number.
    if (node.name == "and") return at(*node.parts[0], row) != 0 && at(*node.parts[1], row) != 0;
    if (node.name == "or") return at(*node.parts[0], row) != 0 || at(*node.parts[1], row) != 0;
    bool text = std::any_of(node.parts.begin(), node.parts.end(),
                            [](const auto& part) { return part->kind == Node::Kind::text; });
    if (node.name == "length") {
      auto only = text_at(*node.parts[0], row);
      if (!only) throw bad_input("length takes a text");
      return double(count_characters(*only));
    }
    if (text || of_texts(node)) {
      if (node.parts.size() < 2)
        throw bad_input(fmt::format("'{}' takes a number, not a text", node.name));
      auto a = text_at(*node.parts[0], row), b = text_at(*node.parts[1], row);
      if (!a || !b) throw bad_input("a text is compared with a number");
      if (node.name == "starts") return a->starts_with(*b);
      if (node.name == "ends") return a->ends_with(*b);
      if (node.name == "has") return a->find(*b) != std::string::npos;
      return (*a == *b) != (node.name == "!=");
    }
    Numbers values;
    for (const auto& part : node.parts) values.push_back(at(*part, row));
    return applied(node.name, values);
  }

 private:
  const Frame& frame_;
  std::unordered_map<const Node*, const Numbers*> columns_;
  std::map<const Node*, Numbers> inner_;  // aggregates inside others: a value per row

  static bool of_texts(const Node& node) {
    auto known = kFunctions.find(node.name);
    return known != kFunctions.end() && !known->second.of;
  }

  static double applied(const std::string& name, const Numbers& x) {
    if (auto known = kFunctions.find(name); known != kFunctions.end()) return known->second.of(x);
    switch (name[0]) {
      case '+':
        return x[0] + x[1];
      case '-':
        return x[0] - x[1];
      case '*':
        return x[0] * x[1];
      case '/':
        return x[0] / x[1];
      case '<':
        return name == "<=" ? x[0] <= x[1] : x[0] < x[1];
      case '>':
        return name == ">=" ? x[0] >= x[1] : x[0] > x[1];
      case '=':
        return x[0] == x[1];
      case '!':
        return x[0] != x[1];
      default:
        return name == "and" ? x[0] != 0 && x[1] != 0 : x[0] != 0 || x[1] != 0;
    }
  }

  std::optional<std::string> text_at(const Node& node, uint32_t row) {
    if (node.kind == Node::Kind::text) return node.name;
    if (node.kind == Node::Kind::column) return frame_.text(frame_.column(node.name), row);
    return std::nullopt;
  }

  double number_at(const Node& node, uint32_t row) {
    auto [known, fresh] = columns_.try_emplace(&node, nullptr);
    if (fresh) known->second = &frame_.numbers(frame_.column(node.name));
    double value = (*known->second)[row];
    if (!std::isnan(value)) return value;
    const std::string& cell = frame_.text(frame_.column(node.name), row);
    throw bad_input(fmt::format("column '{}': '{}' is not a number", node.name, cell))
        .at(frame_.place(row))
        .hint("leave such rows out with where");
  }

  double aggregate(const Node& node, const Rows& rows) {
    Rows chosen;
    for (uint32_t row : rows)
      if (!node.where || at(*node.where, row) != 0) chosen.push_back(row);
    if (chosen.empty() && node.name != "sum" && node.name != "count")
      throw bad_input(fmt::format("no row is left for {}", node.name)).at(frame_.where());
    std::vector<Numbers> columns(node.parts.size());
    for (size_t i = 0; i < node.parts.size(); ++i)
      for (uint32_t row : chosen) columns[i].push_back(at(*node.parts[i], row));
    for (Numbers& column : columns) {
      Rows of = chosen;
      for (const auto& by : node.by) column = group_means(column, of, by);
    }
    if (node.name == "pearson") return stats::pearson(columns[0], columns[1]).r;
    if (node.name == "spearman") return stats::spearman(columns[0], columns[1]).r;
    return kAggregates.at(node.name)(columns[0]);
  }

  // For every row: over the rows that are like it in the columns of `by`.
  const Numbers& inner(const Node& node) {
    auto [found, added] = inner_.try_emplace(&node);
    if (!added) return found->second;
    if (of_two(node.name) || node.by.size() > 1)
      throw bad_input(fmt::format("'{}' cannot stand inside another", node.name));
    std::map<std::string, Numbers> groups;
    std::vector<std::string> keys(frame_.rows());
    for (uint32_t row = 0; row < frame_.rows(); ++row) {
      keys[row] = node.by.empty() ? "" : key_of(row, node.by[0]);
      if (!node.where || at(*node.where, row) != 0)
        groups[keys[row]].push_back(at(*node.parts[0], row));
    }
    std::map<std::string, double> values;
    for (const auto& [key, group] : groups) values[key] = kAggregates.at(node.name)(group);
    Numbers all(frame_.rows(), std::nan(""));
    for (uint32_t row = 0; row < frame_.rows(); ++row)
      if (auto at = values.find(keys[row]); at != values.end()) all[row] = at->second;
    return inner_[&node] = std::move(all);
  }

  std::string key_of(uint32_t row, const std::vector<std::string>& by) const {
    std::string key;
    for (const std::string& name : by) key += frame_.text(frame_.column(name), row) + "\n";
    return key;
  }

  // `rows` are those of the values, and then the first one of each group.
  Numbers group_means(const Numbers& values, Rows& rows, const std::vector<std::string>& by) {
    std::map<std::string, std::pair<uint32_t, Numbers>> groups;
    for (size_t i = 0; i < rows.size(); ++i)
      groups.try_emplace(key_of(rows[i], by), rows[i], Numbers())
          .first->second.second.push_back(values[i]);
    Numbers means;
    rows.clear();
    for (const auto& [key, group] : groups) {
      rows.push_back(group.first);
      means.push_back(stats::mean(group.second));
    }
    return means;
  }
};

}  // namespace

Formula Formula::parse(std::string_view text) {
  if (text.size() > kLongest)
    throw bad_input(fmt::format("a formula of {} characters is too long", text.size()));
  Formula formula;
  formula.root_ = Parser(text).whole();
  return formula;
}

std::vector<double> Formula::each(const Frame& frame) const {
  Evaluation evaluation(frame);
  std::vector<double> values;
  for (uint32_t row = 0; row < frame.rows(); ++row) values.push_back(evaluation.at(*root_, row));
  return values;
}

double Formula::value(const Frame& frame) const {
  Rows rows(frame.rows());
  std::iota(rows.begin(), rows.end(), 0u);
  return Evaluation(frame).over(*root_, rows);
}

}  // namespace minpair::papers
