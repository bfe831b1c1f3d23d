// Derivations as items, as text and as JSON lines.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>

#include "base/error.h"
#include "stimuli/grammar/design.h"
#include "stimuli/grammar/walker.h"
#include "suite/json_text.h"
#include "suite/suite.h"

namespace minpair::stimuli {

// Numbers the items of each condition through all its sections.
class Numbering {
 public:
  explicit Numbering(const Derivations& derivations) {
    for (const auto& [condition, count] : derivations.count_by_condition())
      width_[condition] = std::max<size_t>(4, count_digits(count).size());
    for (const Section& s : derivations.sections()) {
      prefix_.push_back(derivations.prefix() + derivations.test() + "/" +
                        (s.condition.empty() ? "" : s.condition + "/"));
      first_.push_back(next_[s.condition]);
      next_[s.condition] += derivations.count_of(s);
    }
  }
  const std::string& prefix(size_t section) const { return prefix_[section]; }
  Count first(size_t section) const { return first_[section]; }
  size_t width(const std::string& condition) const { return width_.at(condition); }
  std::string digits(const Derivations& derivations, size_t section, Count rank) const {
    std::string digits = count_digits(first_[section] + rank + 1);
    const size_t wide = width(derivations.sections()[section].condition);
    if (digits.size() < wide) digits.insert(0, wide - digits.size(), '0');
    return digits;
  }
  std::string id(const Derivations& derivations, size_t section, Count rank) const {
    return prefix_[section] + digits(derivations, section, rank);
  }

 private:
  std::map<std::string, Count> next_;
  std::map<std::string, size_t> width_;
  std::vector<std::string> prefix_;
  std::vector<Count> first_;
};

namespace {

// The regions of the right sentence, or where they are in a wrong one.
std::vector<suite::Region> regions_of(const Walker& walker, std::optional<size_t> wrong) {
  std::vector<suite::Region> regions;
  for (const Walker::Role& role : walker.roles()) {
    Span span = role.span;
    while (span.begin < span.end && walker.text()[span.begin] == ' ') ++span.begin;
    if (span.empty()) continue;
    const std::optional<Span> there = wrong ? walker.in_wrong(*wrong, span) : span;
    if (there) regions.push_back({role.subject ? "subject" : "attractor", *there});
  }
  std::ranges::stable_sort(regions, {}, [](const suite::Region& r) { return r.span.begin; });
  return regions;
}

void fill(suite::Item& item, const Derivations& derivations, const Section& section,
          const Walker& walker) {
  item.test = derivations.test();
  item.language = derivations.language();
  item.condition = section.condition;
  item.cluster = section.cluster;
  item.features = section.features;
  if (walker.has_subject()) {
    item.features.emplace_back("distance", double(walker.distance()));
    item.features.emplace_back("attractors", double(section.attracting ? walker.attractors() : 0));
  }
  std::string_view text = walker.text();
  Span locus = walker.locus();
  item.sentences.resize(1 + walker.wrong_count());
  item.sentences[0].text.assign(text).append(walker.ending());
  item.sentences[0].locus = locus;
  item.sentences[0].grammatical = true;
  for (size_t i = 0; i < walker.wrong_count(); ++i) {
    suite::Sentence& s = item.sentences[i + 1];
    s.text.assign(text.substr(0, locus.begin)) += walker.wrong(i);
    s.locus = {locus.begin, s.text.size()};
    s.text.append(text.substr(locus.end)).append(walker.ending());
    s.grammatical = false;
  }
  for (size_t i = 0; i < item.sentences.size(); ++i) {
    suite::Sentence& s = item.sentences[i];
    s.name.clear();
    s.context.clear();
    s.regions.clear();
    if (derivations.names_roles() && !derivations.design())
      s.regions = regions_of(walker, i == 0 ? std::nullopt : std::optional(i - 1));
  }
}

// The item of this rank. A design whose sentences have roots of their own goes from one to the
// next.
void derive(suite::Item& item, const Derivations& derivations, const Section& section,
            Walker& walker, Count rank) {
  walker.one(section.root, rank);
  fill(item, derivations, section, walker);
  for (Derivations::Node other : section.beside) {
    walker.one(other, rank);
    item.sentences.emplace_back().text = walker.text();
  }
  if (!section.names.empty()) make_design(item, section.names, derivations.style());
}

void add_sentences(std::string& to, const suite::Item& item) {
  for (const suite::Sentence& s : item.sentences) to += s.text + "\n";
}

void needs_locus(const Derivations& derivations) {
  if (derivations.has_locus()) return;
  throw bad_input(
      fmt::format("{} has no locus, so it has sentences but no minimal pairs", derivations.test()))
      .hint("state the locus, or write the sentences as --format text");
}

// Collects output and hands it on in large pieces.
class Buffer {
 public:
  explicit Buffer(const TextSink& sink) : sink_(sink), bytes_(kSize) {}

  void add(std::string_view s) {
    if (s.size() > bytes_.size() - used_) {
      flush();
      if (s.size() > bytes_.size()) return sink_(s);
    }
    std::memcpy(bytes_.data() + used_, s.data(), s.size());
    used_ += s.size();
  }
  void add(char c) { add(std::string_view(&c, 1)); }
  void number(uint64_t n) {
    fmt::format_int digits(n);
    add({digits.data(), digits.size()});
  }
  void flush() {
    if (used_) sink_({bytes_.data(), used_});
    used_ = 0;
  }

 private:
  static constexpr size_t kSize = 1 << 16;
  const TextSink& sink_;
  std::vector<char> bytes_;
  size_t used_ = 0;
};

// One sentence a line.
void add_sentences(Buffer& out, const Walker& walker, const Labels& labels) {
  std::string_view text = walker.text(), ending = walker.ending();
  Span locus = walker.locus();
  out.add(labels.right);
  out.add(text);
  out.add(ending);
  out.add('\n');
  for (size_t i = 0; i < walker.wrong_count(); ++i) {
    out.add(labels.wrong);
    out.add(text.substr(0, locus.begin));
    out.add(walker.wrong(i));
    out.add(text.substr(locus.end));
    out.add(ending);
    out.add('\n');
  }
}

// Decimal digits that count up, for ids.
class Counter {
 public:
  Counter(Count first, size_t width) : digits_(count_digits(first)) {
    if (digits_.size() < width) digits_.insert(0, width - digits_.size(), '0');
  }
  std::string_view next() {
    for (size_t i = digits_.size(); i-- > 0;) {
      if (digits_[i] != '9') {
        ++digits_[i];
        return digits_;
      }
      digits_[i] = '0';
    }
    return digits_.insert(0, 1, '1');
  }

 private:
  std::string digits_;
};

// What is the same for all lines of a section.
struct LineParts {
  std::string before_id, after_id, features;
  bool attracting = true;
};

LineParts line_parts(const Derivations& derivations, const Section& section,
                     const std::string& prefix) {
  LineParts parts;
  parts.attracting = section.attracting;
  auto field = [](std::string& to, std::string_view key, const std::string& value) {
    if (value.empty()) return;
    to += key;
    suite::append_json_string(to, value);
  };
  field(parts.before_id, "{\"id\":", prefix);
  parts.before_id.pop_back();
  parts.after_id = "\"";
  field(parts.after_id, ",\"test\":", derivations.test());
  field(parts.after_id, ",\"condition\":", section.condition);
  field(parts.after_id, ",\"language\":", derivations.language());
  field(parts.after_id, ",\"cluster\":", section.cluster);
  parts.after_id += ",\"sentences\":[{\"text\":\"";
  for (const auto& [name, value] : section.features) {
    parts.features += ',';
    suite::append_json_feature(parts.features, name, value);
  }
  return parts;
}

void add_features(Buffer& out, const LineParts& parts, const Walker& walker) {
  if (parts.features.empty() && !walker.has_subject()) return;
  out.add(",\"features\":{");
  if (!parts.features.empty()) out.add(std::string_view(parts.features).substr(1));
  if (walker.has_subject()) {
    out.add(parts.features.empty() ? "\"distance\":" : ",\"distance\":");
    out.number(walker.distance());
    out.add(",\"attractors\":");
    out.number(parts.attracting ? walker.attractors() : 0);
  }
  out.add('}');
}

void add_line(Buffer& out, const LineParts& parts, std::string_view id, const Walker& walker) {
  std::string_view text = walker.text(), ending = walker.ending();
  Span locus = walker.locus();
  std::string_view before = text.substr(0, locus.begin), after = text.substr(locus.end);
  auto span = [&](size_t characters) {
    out.add("\",\"locus\":[");
    out.number(walker.locus_characters());
    out.add(',');
    out.number(walker.locus_characters() + characters);
  };
  out.add(parts.before_id);
  out.add(id);
  out.add(parts.after_id);
  out.add(text);
  out.add(ending);
  span(walker.form_characters());
  out.add("],\"grammatical\":true}");
  for (size_t i = 0; i < walker.wrong_count(); ++i) {
    out.add(",{\"text\":\"");
    out.add(before);
    out.add(walker.wrong(i));
    out.add(after);
    out.add(ending);
    span(walker.wrong_characters(i));
    out.add("],\"grammatical\":false}");
  }
  out.add(']');
  add_features(out, parts, walker);
  out.add("}\n");
}

void add_item(Buffer& out, std::string& line, const suite::Item& item) {
  line.clear();
  suite::append_json_line(line, item);
  out.add(line);
}

// Hands each section those of the ranks, counted over all sections, that are its own.
template <class Give>
void by_section(const Derivations& derivations, std::vector<Count> ranks, const Give& give) {
  Count first = 0;
  auto begin = ranks.begin();
  for (size_t s = 0; s < derivations.sections().size(); ++s) {
    const Count end = first + derivations.count_of(derivations.sections()[s]);
    auto last = begin;
    for (; last != ranks.end() && *last < end; ++last) *last -= first;
    give(s, std::span<const Count>(begin, last));
    begin = last;
    first = end;
  }
}

}  // namespace

void Derivations::expand(const ItemSink& sink) const {
  needs_locus(*this);
  Walker walker(*this, Walker::Escape::none);
  Numbering numbering(*this);
  suite::Item item;
  for (size_t s = 0; s < sections_.size(); ++s) {
    Count rank = 0;
    auto give = [&] {
      item.id = numbering.id(*this, s, rank++);
      sink(item);
    };
    if (design()) {
      const Count end = count_of(sections_[s]);
      while (rank < end) {
        derive(item, *this, sections_[s], walker, rank);
        give();
      }
    } else {
      walker.all(sections_[s].root, [&] {
        fill(item, *this, sections_[s], walker);
        give();
      });
    }
  }
}

struct DerivedItems::Impl {
  const Derivations& derivations;
  Walker walker;
  Numbering numbering;
  explicit Impl(const Derivations& d)
      : derivations(d), walker(d, Walker::Escape::none), numbering(d) {}
};

DerivedItems::DerivedItems(const Derivations& derivations) {
  needs_locus(derivations);
  impl_ = std::make_unique<Impl>(derivations);
}
DerivedItems::~DerivedItems() = default;
DerivedItems::DerivedItems(DerivedItems&&) noexcept = default;

void DerivedItems::at(Count rank, suite::Item& item) {
  const auto& sections = impl_->derivations.sections();
  size_t s = 0;
  for (; rank >= impl_->derivations.count_of(sections[s]); ++s)
    rank -= impl_->derivations.count_of(sections[s]);
  derive(item, impl_->derivations, sections[s], impl_->walker, rank);
  item.id = impl_->numbering.id(impl_->derivations, s, rank);
}

void Derivations::sample(uint64_t n, Random& random, const ItemSink& sink) const {
  needs_locus(*this);
  Walker walker(*this, Walker::Escape::none);
  Numbering numbering(*this);
  suite::Item item;
  by_section(*this, sample_ranks(count(), n, random), [&](size_t s, std::span<const Count> ranks) {
    auto give = [&](Count rank) {
      item.id = numbering.id(*this, s, rank);
      sink(item);
    };
    if (!design())
      return walker.some(sections_[s].root, ranks, [&](Count rank) {
        fill(item, *this, sections_[s], walker);
        give(rank);
      });
    for (Count rank : ranks) {
      derive(item, *this, sections_[s], walker, rank);
      give(rank);
    }
  });
}

void Derivations::sample_text(uint64_t n, Random& random, const TextSink& sink,
                              const Labels& labels) const {
  Buffer out(sink);
  if (design()) {
    sample(n, random, [&](const suite::Item& item) {
      std::string lines;
      add_sentences(lines, item);
      out.add(lines);
    });
    return out.flush();
  }
  Walker walker(*this, Walker::Escape::none);
  by_section(*this, sample_ranks(count(), n, random), [&](size_t s, std::span<const Count> ranks) {
    walker.some(sections_[s].root, ranks, [&](Count) { add_sentences(out, walker, labels); });
  });
  out.flush();
}

void Derivations::sample_jsonl(uint64_t n, Random& random, const TextSink& sink) const {
  needs_locus(*this);
  Buffer out(sink);
  if (design() || roles_) {
    std::string line;
    sample(n, random, [&](const suite::Item& item) { add_item(out, line, item); });
    return out.flush();
  }
  Walker walker(*this, Walker::Escape::json);
  Numbering numbering(*this);
  by_section(*this, sample_ranks(count(), n, random), [&](size_t s, std::span<const Count> ranks) {
    if (ranks.empty()) return;
    const LineParts parts = line_parts(*this, sections_[s], numbering.prefix(s));
    walker.some(sections_[s].root, ranks, [&](Count rank) {
      add_line(out, parts, numbering.digits(*this, s, rank), walker);
    });
  });
  out.flush();
}

void Derivations::write_text(const TextSink& sink, const Labels& labels) const {
  Buffer out(sink);
  if (design()) {
    expand([&](const suite::Item& item) {
      std::string lines;
      add_sentences(lines, item);
      out.add(lines);
    });
    return out.flush();
  }
  Walker walker(*this, Walker::Escape::none);
  for (const Section& section : sections_)
    walker.all(section.root, [&] { add_sentences(out, walker, labels); });
  out.flush();
}

void Derivations::write_jsonl(const TextSink& sink) const {
  needs_locus(*this);
  Buffer out(sink);
  if (design() || roles_) {
    std::string line;
    expand([&](const suite::Item& item) { add_item(out, line, item); });
    return out.flush();
  }
  Walker walker(*this, Walker::Escape::json);
  Numbering numbering(*this);
  for (size_t s = 0; s < sections_.size(); ++s) {
    const Section& section = sections_[s];
    LineParts parts = line_parts(*this, section, numbering.prefix(s));
    Counter counter(numbering.first(s), numbering.width(section.condition));
    walker.all(section.root, [&] { add_line(out, parts, counter.next(), walker); });
  }
  out.flush();
}

}  // namespace minpair::stimuli
