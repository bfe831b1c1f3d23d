#include "suite/formula.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "suite/cursor.h"

namespace minpair::suite {
namespace {

using Kind = Formula::Kind;

constexpr std::string_view kMetrics[] = {"sum", "mean", "median", "range", "max", "min"};

std::optional<Metric> metric_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kMetrics); ++i)
    if (kMetrics[i] == name) return Metric(i);
  return {};
}

class Parser {
 public:
  Parser(std::string_view text, Metric metric)
      : at_(text, "formula", "docs/suite-format.md has the notation"), metric_(metric) {}

  Formula parse() {
    uint32_t whole = choice();
    if (!at_.at_end()) at_.fail("an operator is missing here, or there is a bracket too many");
    if (!is_truth(whole)) at_.fail("this is a number of bits: compare it with another by < or >");
    return std::move(formula_);
  }

 private:
  std::string name() {
    std::optional<std::string> quoted = at_.quoted('"');
    return quoted ? *quoted : at_.name();
  }

  bool is_truth(uint32_t node) const { return formula_.says_true_or_false(formula_.nodes[node]); }
  uint32_t add(Formula::Node node) {
    formula_.nodes.push_back(std::move(node));
    return uint32_t(formula_.nodes.size() - 1);
  }
  uint32_t joined(Kind kind, uint32_t left, uint32_t right) {
    bool truths = kind == Kind::both || kind == Kind::either;
    if (is_truth(left) != truths || is_truth(right) != truths)
      at_.fail(truths ? "'and' and 'or' join comparisons, not numbers"
                      : "only numbers can be compared or added, not comparisons");
    Formula::Node node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    return add(std::move(node));
  }

  uint32_t choice() {
    uint32_t left = comparison();
    for (;;) {
      if (at_.take("&") || at_.take_words({"and"}))
        left = joined(Kind::both, left, comparison());
      else if (at_.take("|") || at_.take_words({"or"}))
        left = joined(Kind::either, left, comparison());
      else
        return left;
    }
  }

  std::optional<Kind> comparing() {
    if (at_.take("<") || at_.take_words({"is", "less", "surprising", "than"})) return Kind::less;
    if (at_.take(">") || at_.take_words({"is", "more", "surprising", "than"})) return Kind::greater;
    if (at_.take("=") || at_.take_words({"is", "as", "surprising", "as"})) return Kind::close;
    return {};
  }

  uint32_t comparison() {
    uint32_t left = sum();
    while (std::optional<Kind> kind = comparing()) left = joined(*kind, left, sum());
    return left;
  }

  uint32_t sum() {
    uint32_t left = term();
    for (;;) {
      if (at_.take("+"))
        left = joined(Kind::plus, left, term());
      else if (at_.take("-"))
        left = joined(Kind::minus, left, term());
      else
        return left;
    }
  }

  uint32_t term() {
    if (at_.at_end()) at_.fail("something is missing here");
    if (at_.peek() == '(') {
      size_t mark = at_.rest().find_first_of(";()[]%", 1);
      if (mark != std::string_view::npos && at_.rest()[mark] == ';') return score(mark);
    }
    for (auto [open, close] : {std::pair{"(", ")"}, {"[", "]"}})
      if (at_.take(open)) {
        if (++depth_ > Cursor::kDeepest) at_.fail("too many brackets in brackets");
        uint32_t inside = choice();
        if (!at_.take(close)) at_.fail(fmt::format("'{}' is missing here", close));
        --depth_;
        return inside;
      }
    return in_words();
  }

  // (region;%sentence%)
  uint32_t score(size_t semicolon) {
    Formula::Node node;
    node.kind = Kind::score;
    node.metric = metric_;
    node.region = trim(at_.rest().substr(1, semicolon - 1));
    if (node.region.empty()) at_.fail("the region is missing");
    at_.skip(semicolon + 1);
    constexpr std::string_view kBetween = "a sentence's name is written between two %";
    std::optional<std::string> sentence = at_.quoted('%', kBetween);
    if (!sentence) at_.fail(std::string(kBetween));
    node.sentence = trim(*sentence);
    if (node.sentence.empty()) at_.fail("the sentence's name is missing");
    if (!at_.take(")")) at_.fail("')' is missing here");
    return add(std::move(node));
  }

  // "verb in match", "mean of verb in match", "match", "0.5"
  uint32_t in_words() {
    Formula::Node node;
    node.kind = Kind::score;
    node.metric = metric_;
    bool quoted = at_.peek() == '"';
    std::string first = quoted ? "" : at_.number();
    if (first.empty()) first = name();
    if (first.empty()) at_.fail("a region, a sentence or a number is missing here");
    if (std::optional<Metric> own = metric_named(first); own && !quoted && at_.take_words({"of"})) {
      node.metric = *own;
      first = name();
    }
    if (at_.take_words({"in"})) {
      node.region = first;
      node.sentence = name();
      if (node.sentence.empty()) at_.fail("the sentence's name is missing");
      return add(std::move(node));
    }
    double number = 0;
    auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), number);
    if (!quoted && error == std::errc() && end == first.data() + first.size()) {
      node.kind = Kind::number;
      node.number = number;
    } else {
      node.region = "*";
      node.sentence = first;
    }
    return add(std::move(node));
  }

  Cursor at_;
  Metric metric_;
  int depth_ = 0;
  Formula formula_;
};

}  // namespace

std::string_view name_of(Metric metric) { return kMetrics[size_t(metric)]; }

Formula parse_formula(std::string_view text, std::string_view metric) {
  std::optional<Metric> known = metric.empty() ? Metric::sum : metric_named(metric);
  if (!known) {
    std::vector<std::string> names(std::begin(kMetrics), std::end(kMetrics));
    throw bad_input(fmt::format("there is no metric '{}'", metric))
        .hint(fmt::format("there are {}", join(names, ", ")));
  }
  return Parser(text, *known).parse();
}

}  // namespace minpair::suite
