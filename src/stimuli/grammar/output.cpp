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
#include "suite/suite.h"

namespace minpair::stimuli {

// Numbers the items of each condition through all its sections.
class Numbering {
 public:
  explicit Numbering(const Derivations& derivations) {
    const auto all = derivations.count_by_condition();
    const std::map<std::string, Count> counts(all.begin(), all.end());
    std::map<std::string, Count> next;
    for (const Section& s : derivations.sections()) {
      prefix_.push_back(derivations.prefix() + derivations.test() + "/" +
                        (s.condition.empty() ? "" : s.condition + "/"));
      first_.push_back(next[s.condition]);
      width_.push_back(std::max<size_t>(4, count_digits(counts.at(s.condition)).size()));
      next[s.condition] += derivations.count_of(s);
    }
  }
  void number(suite::Item& item, size_t section, Count rank) const {
    const std::string digits = count_digits(first_[section] + rank + 1);
    item.id = prefix_[section];
    item.id.append(width_[section] - std::min(width_[section], digits.size()), '0').append(digits);
  }

 private:
  std::vector<std::string> prefix_;
  std::vector<size_t> width_;
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

// What all items of a section have.
void begin_section(suite::Item& item, const Derivations& derivations, const Section& section) {
  item.test = derivations.test();
  item.language = derivations.language();
  item.condition = section.condition;
  item.cluster = section.cluster;
  item.features = section.features;
}

void fill(suite::Item& item, const Derivations& derivations, const Section& section,
          const Walker& walker) {
  const size_t own = section.features.size();
  if (!walker.has_subject() || item.features.size() == own) {
    item.features.resize(own);
    if (walker.has_subject())
      for (const char* name : {"distance", "attractors"}) item.features.emplace_back(name, 0.0);
  }
  if (walker.has_subject()) {
    item.features[own].second = double(walker.distance());
    item.features[own + 1].second = double(section.attracting ? walker.attractors() : 0);
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
    s.text.append(text.substr(locus.end)).append(walker.ending(i));
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
  begin_section(item, derivations, section);
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
  std::string_view text = walker.text();
  Span locus = walker.locus();
  out.add(labels.right);
  out.add(text);
  out.add(walker.ending());
  out.add('\n');
  for (size_t i = 0; i < walker.wrong_count(); ++i) {
    out.add(labels.wrong);
    out.add(text.substr(0, locus.begin));
    out.add(walker.wrong(i));
    out.add(text.substr(locus.end));
    out.add(walker.ending(i));
    out.add('\n');
  }
}

// Items as JSON lines, handed on in large pieces.
class JsonLines {
 public:
  explicit JsonLines(const TextSink& sink) : sink_(sink) {}
  void add(const suite::Item& item) {
    suite::append_json_line(lines_, item);
    if (lines_.size() >= kPiece) flush();
  }
  void flush() {
    if (!lines_.empty()) sink_(lines_);
    lines_.clear();
  }

 private:
  static constexpr size_t kPiece = 1 << 16;
  const TextSink& sink_;
  std::string lines_;
};

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
  Walker walker(*this);
  Numbering numbering(*this);
  suite::Item item;
  for (size_t s = 0; s < sections_.size(); ++s) {
    Count rank = 0;
    auto give = [&] {
      numbering.number(item, s, rank++);
      sink(item);
    };
    begin_section(item, *this, sections_[s]);
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
  explicit Impl(const Derivations& d) : derivations(d), walker(d), numbering(d) {}
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
  impl_->numbering.number(item, s, rank);
}

void Derivations::sample(uint64_t n, Random& random, const ItemSink& sink) const {
  needs_locus(*this);
  Walker walker(*this);
  Numbering numbering(*this);
  suite::Item item;
  by_section(*this, sample_ranks(count(), n, random), [&](size_t s, std::span<const Count> ranks) {
    auto give = [&](Count rank) {
      numbering.number(item, s, rank);
      sink(item);
    };
    begin_section(item, *this, sections_[s]);
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
  Walker walker(*this);
  by_section(*this, sample_ranks(count(), n, random), [&](size_t s, std::span<const Count> ranks) {
    walker.some(sections_[s].root, ranks, [&](Count) { add_sentences(out, walker, labels); });
  });
  out.flush();
}

void Derivations::sample_jsonl(uint64_t n, Random& random, const TextSink& sink) const {
  JsonLines out(sink);
  sample(n, random, [&](const suite::Item& item) { out.add(item); });
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
  Walker walker(*this);
  for (const Section& section : sections_)
    walker.all(section.root, [&] { add_sentences(out, walker, labels); });
  out.flush();
}

void Derivations::write_jsonl(const TextSink& sink) const {
  JsonLines out(sink);
  expand([&](const suite::Item& item) { out.add(item); });
  out.flush();
}

}  // namespace minpair::stimuli
