#include "suite/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/names.h"
#include "suite/cursor.h"
#include "suite/json_text.h"

namespace minpair::suite {
namespace {

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::optional<double> number_in(const Filter::Value& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return parse_number(std::get<std::string_view>(value));
}

struct Field {
  std::string_view name;
  std::string Item::*text;
};
constexpr Field kFields[] = {{"id", &Item::id},
                             {"test", &Item::test},
                             {"condition", &Item::condition},
                             {"language", &Item::language},
                             {"cluster", &Item::cluster}};

Filter::Value value_of(const Item& item, const std::string& name) {
  for (const Field& field : kFields)
    if (field.name == name) return std::string_view(item.*field.text);
  const FeatureValue* feature = find_feature(item, name);
  if (!feature) return {};
  if (const double* number = std::get_if<double>(feature)) return *number;
  return std::string_view(std::get<std::string>(*feature));
}

}  // namespace

class FilterParser {
 public:
  explicit FilterParser(Filter& filter)
      : at_(filter.text_, "filter", "for example: --where \"attractors > 0 and condition = sg_pl\"",
            wrong_call),
        filter_(filter) {}

  void parse() {
    choice();
    if (!at_.at_end()) at_.fail("'and' or 'or' is missing here, or there is a ')' too many");
  }

 private:
  using Kind = Filter::Kind;

  size_t add(Filter::Node node) {
    filter_.nodes_.push_back(std::move(node));
    return filter_.nodes_.size() - 1;
  }

  size_t choice() {
    size_t left = combination();
    while (at_.take_words({"or"}))
      left = add({.kind = Kind::either, .left = left, .right = combination()});
    return left;
  }

  size_t combination() {
    size_t left = negation();
    while (at_.take_words({"and"}))
      left = add({.kind = Kind::both, .left = left, .right = negation()});
    return left;
  }

  size_t negation() {
    bool negated = false;
    while (at_.take_words({"not"})) negated = !negated;
    const size_t inside = at_.take("(") ? brackets() : comparison();
    return negated ? add({.kind = Kind::negation, .left = inside}) : inside;
  }

  size_t brackets() {
    if (++depth_ > Cursor::kDeepest) at_.fail("too many brackets in brackets");
    const size_t inside = choice();
    if (!at_.take(")")) at_.fail("')' is missing here");
    --depth_;
    return inside;
  }

  size_t comparison() {
    Filter::Node node{.kind = Kind::equal, .name = named()};
    if (at_.take_words({"in"})) {
      if (!at_.take("(")) at_.fail("'(' is missing here: in (a, b)");
      do node.literals.push_back(literal());
      while (at_.take(","));
      if (!at_.take(")")) at_.fail("')' or ',' is missing here");
      return add(std::move(node));
    }
    bool negated = false;
    if (at_.take("!=")) {
      negated = true;
    } else if (at_.take("<=")) {
      node.kind = Kind::less_equal;
    } else if (at_.take(">=")) {
      node.kind = Kind::less_equal;
      node.swapped = true;
    } else if (at_.take("<")) {
      node.kind = Kind::less;
    } else if (at_.take(">")) {
      node.kind = Kind::less;
      node.swapped = true;
    } else if (!at_.take("==") && !at_.take("=")) {
      at_.fail("a comparison is missing here: =, !=, <, <=, >, >= or in");
    }
    node.literals.push_back(literal());
    if (node.kind != Kind::equal && !node.literals[0].number)
      at_.fail(
          fmt::format("<, <=, > and >= compare numbers, and '{}' is none", node.literals[0].text));
    const size_t compared = add(std::move(node));
    return negated ? add({.kind = Kind::negation, .left = compared}) : compared;
  }

  size_t named() {
    std::optional<std::string> quoted = at_.quoted('"');
    std::string name = quoted ? *quoted : at_.name();
    if (name.empty()) at_.fail("the name of a feature is missing here");
    auto found = std::find(filter_.names_.begin(), filter_.names_.end(), name);
    if (found == filter_.names_.end()) found = filter_.names_.insert(found, std::move(name));
    return size_t(found - filter_.names_.begin());
  }

  Filter::Literal literal() {
    for (char quote : {'\'', '"'})
      if (std::optional<std::string> text = at_.quoted(quote)) return {std::move(*text), {}};
    const std::string sign = at_.take("-") ? "-" : "";
    std::string text = sign + at_.name();
    if (text == sign) at_.fail("a value is missing here");
    std::optional<double> number = parse_number(text);
    return {std::move(text), number};
  }

  Cursor at_;
  Filter& filter_;
  int depth_ = 0;
};

Filter::Filter(std::string_view text) : text_(trim(text)) {
  if (text_.empty()) return;
  FilterParser(*this).parse();
  truths_.resize(nodes_.size());
}

Filter::Truth Filter::compare(Node& node, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return Truth::unknown;
  auto truth = [](bool holds) { return holds ? Truth::yes : Truth::no; };
  const std::optional<double> number = number_in(value);
  const std::string_view* text = std::get_if<std::string_view>(&value);
  if (node.kind == Kind::equal) {
    node.fits = true;
    std::string digits;
    if (!text) append_json_number(digits, *number);
    const std::string_view shown = text ? *text : digits;
    return truth(std::any_of(node.literals.begin(), node.literals.end(), [&](const Literal& l) {
      return shown == l.text || (l.number && number && *l.number == *number);
    }));
  }
  if (!number) {
    if (node.misfit.empty()) node.misfit = *text;
    return Truth::unknown;
  }
  node.fits = true;
  const double a = node.swapped ? *node.literals[0].number : *number;
  const double b = node.swapped ? *number : *node.literals[0].number;
  return truth(node.kind == Kind::less ? a < b : a <= b);
}

bool Filter::holds(std::span<const Value> values) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const Truth left = truths_[node.left], right = truths_[node.right];
    switch (node.kind) {
      case Kind::negation:
        truths_[i] = Truth(2 - int(left));
        break;
      case Kind::both:
        truths_[i] = std::min(left, right);
        break;
      case Kind::either:
        truths_[i] = std::max(left, right);
        break;
      default:
        truths_[i] = compare(node, values[node.name]);
    }
  }
  const bool held = nodes_.empty() || truths_.back() == Truth::yes;
  held_ |= held;
  return held;
}

bool Filter::holds(const Item& item) {
  if (nodes_.empty()) return true;
  std::vector<Value> values;
  for (const std::string& name : names_) values.push_back(value_of(item, name));
  const bool held = holds(values);
  if (missing_) {
    missing_ = std::any_of(nodes_.begin(), nodes_.end(),
                           [](const Node& node) { return !node.literals.empty() && !node.fits; });
    for (const auto& [name, value] : item.features) known_.insert(name);
  }
  return held;
}

void Filter::check(const std::vector<std::string>& known) const {
  for (const Node& node : nodes_) {
    if (node.literals.empty() || node.fits) continue;
    const std::string& name = names_[node.name];
    if (!node.misfit.empty())
      throw wrong_call(
          fmt::format("in the filter '{}': '{}' is never a number, but '{}', for example", text_,
                      name, node.misfit))
          .hint(fmt::format("compare it with = or in: {} = '{}'", name, node.misfit));
    std::vector<std::string> names(known_.begin(), known_.end());
    names.insert(names.end(), known.begin(), known.end());
    for (const Field& field : kFields) names.emplace_back(field.name);
    throw unknown_name(fmt::format("in the filter '{}': no item has a feature '{}'", text_, name),
                       name, names);
  }
  if (!nodes_.empty() && !held_)
    throw wrong_call(fmt::format("no item satisfies '{}'", text_))
        .hint("features and their values: in the suite's items, or as columns of 'minpair export'");
}

}  // namespace minpair::suite
