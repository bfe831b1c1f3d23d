#include "suite/formula.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace minpair::suite {
namespace {

using Kind = Formula::Kind;

constexpr std::string_view kMetrics[] = {"sum", "mean", "median", "range", "max", "min"};
constexpr int kDeepest = 200;  // brackets in brackets

std::optional<Metric> metric_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kMetrics); ++i)
    if (kMetrics[i] == name) return Metric(i);
  return {};
}

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c < 0;
}

class Parser {
 public:
  Parser(std::string_view text, Metric metric) : text_(text), metric_(metric) {}

  Formula parse() {
    uint32_t whole = choice();
    if (!at_end()) fail("an operator is missing here, or there is a bracket too many");
    if (!is_truth(whole)) fail("this is a number of bits: compare it with another by < or >");
    return std::move(formula_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw bad_input(fmt::format("in the formula '{}', character {}: {}", text_,
                                count_characters(text_.substr(0, at_)) + 1, what))
        .hint("docs/suite-format.md has the notation");
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // Whole words, one after the other; nothing is taken where one is missing.
  bool take_words(std::initializer_list<std::string_view> words) {
    size_t before = at_;
    for (std::string_view word : words)
      if (name() != word) {
        at_ = before;
        return false;
      }
    return true;
  }

  // A hyphen inside is part of the name: a minus has spaces around it.
  std::string name() {
    if (take('"')) {
      size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) fail("the name that begins here has no end");
      std::string quoted(text_.substr(at_, end - at_));
      at_ = end + 1;
      return quoted;
    }
    skip_space();
    size_t begin = at_;
    while (at_ < text_.size() && (name_character(text_[at_]) ||
                                  (text_[at_] == '-' && at_ > begin && at_ + 1 < text_.size() &&
                                   name_character(text_[at_ + 1]))))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool is_truth(uint32_t node) const { return formula_.says_true_or_false(formula_.nodes[node]); }
  uint32_t add(Formula::Node node) {
    formula_.nodes.push_back(std::move(node));
    return uint32_t(formula_.nodes.size() - 1);
  }
  uint32_t joined(Kind kind, uint32_t left, uint32_t right) {
    bool truths = kind == Kind::both || kind == Kind::either;
    if (is_truth(left) != truths || is_truth(right) != truths)
      fail(truths ? "'and' and 'or' join comparisons, not numbers"
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
      if (take('&') || take_words({"and"}))
        left = joined(Kind::both, left, comparison());
      else if (take('|') || take_words({"or"}))
        left = joined(Kind::either, left, comparison());
      else
        return left;
    }
  }

  std::optional<Kind> comparing() {
    if (take('<') || take_words({"is", "less", "surprising", "than"})) return Kind::less;
    if (take('>') || take_words({"is", "more", "surprising", "than"})) return Kind::greater;
    if (take('=') || take_words({"is", "as", "surprising", "as"})) return Kind::close;
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
      if (take('+'))
        left = joined(Kind::plus, left, term());
      else if (take('-'))
        left = joined(Kind::minus, left, term());
      else
        return left;
    }
  }

  uint32_t term() {
    if (at_end()) fail("something is missing here");
    if (text_[at_] == '(') {
      size_t mark = text_.find_first_of(";()[]%", at_ + 1);
      if (mark != std::string_view::npos && text_[mark] == ';') return score(mark);
    }
    for (auto [open, close] : {std::pair{'(', ')'}, {'[', ']'}})
      if (take(open)) {
        if (++depth_ > kDeepest) fail("too many brackets in brackets");
        uint32_t inside = choice();
        if (!take(close)) fail(fmt::format("'{}' is missing here", close));
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
    node.region = trim(text_.substr(at_ + 1, semicolon - at_ - 1));
    if (node.region.empty()) fail("the region is missing");
    at_ = semicolon + 1;
    if (!take('%')) fail("a sentence's name is written between two %");
    size_t end = text_.find('%', at_);
    if (end == std::string_view::npos) fail("a sentence's name is written between two %");
    node.sentence = trim(text_.substr(at_, end - at_));
    if (node.sentence.empty()) fail("the sentence's name is missing");
    at_ = end + 1;
    if (!take(')')) fail("')' is missing here");
    return add(std::move(node));
  }

  // "verb in match", "mean of verb in match", "match", "0.5"
  uint32_t in_words() {
    Formula::Node node;
    node.kind = Kind::score;
    node.metric = metric_;
    bool quoted = text_[at_] == '"';
    std::string first = name();
    if (first.empty()) fail("a region, a sentence or a number is missing here");
    if (std::optional<Metric> own = metric_named(first); own && !quoted && take_words({"of"})) {
      node.metric = *own;
      first = name();
    }
    if (take_words({"in"})) {
      node.region = first;
      node.sentence = name();
      if (node.sentence.empty()) fail("the sentence's name is missing");
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

  std::string_view text_;
  Metric metric_;
  size_t at_ = 0;
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
