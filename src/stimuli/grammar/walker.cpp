#include "stimuli/grammar/walker.h"

#include <algorithm>

#include "base/natural.h"
#include "base/text.h"
#include "stimuli/grammar/design.h"

namespace minpair::stimuli {
namespace {

// A comma is none.
uint32_t count_words(std::string_view text) {
  const std::vector<std::string_view> all = words(text);
  return uint32_t(std::count_if(all.begin(), all.end(), has_word));
}

}  // namespace

std::string ending_of(std::string_view text, const Style& style, std::string_view language) {
  std::string ending;
  if (style.period) {
    ending = missing_stop(text, language);
    if (!ending.empty() && !style.attach) ending = " " + ending;
  }
  if (style.eos) ending += " <eos>";
  return ending;
}

std::string attach_words(std::string_view text, std::string_view language) {
  std::string attached;
  Joiner joiner;
  for (std::string_view word : words(text)) {
    if (joiner.space_before(beside(word, language))) attached += ' ';
    attached += word;
  }
  return attached;
}

Walker::Walker(const Derivations& derivations)
    : derivations_(derivations), style_(derivations.design() ? kMarkedWords : derivations.style()) {
  words_.reserve(derivations.words_.size());
  for (const std::string& w : derivations.words_) words_.push_back(prepare(w));
}

// A locus of several words can have commas inside.
Walker::Word Walker::prepare(const std::string& written) const {
  const std::string text = style_.attach ? attach_words(written, language()) : written;
  if (text.empty()) return {{}, {}, 0, {}};
  return {" " + text, " " + (style_.capitalize ? capitalized(text, language()) : text),
          count_words(text), style_.attach ? beside(text, language()) : Beside{}};
}

std::string_view Walker::put(const Word& word, Place& place, uint32_t& space) {
  space = 0;
  if (word.inside.empty()) return {};
  space = place.joiner.space_before(word.beside);
  const std::string_view form = form_of(word, place.first, space != 0);
  if (word.words > 0) place.first = false;
  return form;
}

void Walker::start() {
  now_ = {};
  subject_ = before_subject_ = -1;
  attractors_.clear();
  begins_.clear();
  roles_.clear();
  locus_ = {};
  wrong_count_ = 0;
  in_parts_ = nullptr;
  of_parts_ = false;
}

void Walker::add_word(const Derivations::Data& node) {
  const Word& word = words_[node.first];
  const bool first = now_.first;
  uint32_t begin = now_.bytes, space;
  const std::string_view form = put(word, now_, space);
  now_.bytes += uint32_t(form.size());
  if (text_.size() < now_.bytes) text_.resize(2 * now_.bytes);
  std::copy(form.begin(), form.end(), text_.begin() + begin);
  if (in_parts_) {
    steps_.resize(now_.steps++);
    steps_.push_back({&node, {begin + space, now_.bytes}});
  } else if (node.kind == Derivations::Kind::locus) {
    of_parts_ = false;
    locus_ = {begin + space, now_.bytes};
    locus_first_ = first;
    locus_word_ = now_.words;
    locus_words_ = word.words;
    wrong_first_ = node.first + 1;
    wrong_count_ = node.length;
  }
  now_.words += word.words;
}

void Walker::put_part(const Derivations::Data& node) {
  if (node.mark == Derivations::Mark::parts_end) return end_parts();
  if (node.mark == Derivations::Mark::parts) {
    in_parts_ = &node;
    parts_place_ = now_;
    now_.steps = 0;
    parts_.clear();
  }
  parts_.push_back(now_.steps);
}

// What the words are together, and what becomes of them in the wrong sentences.
void Walker::end_parts() {
  const auto& wrong = derivations_.rearranged_[in_parts_->first];
  wrong_parts_.assign(wrong.size(), {});
  moved_.assign(wrong.size(), {});
  for (size_t i = 0; i < wrong.size(); ++i) {
    std::string& whole = wrong_parts_[i];
    Place at = parts_place_;
    auto add = [&](const Word& word, size_t step) {
      uint32_t space;
      const std::string_view form = put(word, at, space);
      if (form.empty()) return;
      const bool begins = whole.empty();  // then the space is no part of the locus
      const size_t begin = whole.size() + (begins ? 0 : space);
      whole.append(form.substr(begins ? space : 0));
      moved_[i].push_back({step, {begin, whole.size()}});
    };
    for (const auto& piece : wrong[i]) {
      if (piece.part == Piece::kOwnWord) {
        add(words_[piece.word], SIZE_MAX);
        continue;
      }
      const size_t end = piece.part + 1 < parts_.size() ? parts_[piece.part + 1] : now_.steps;
      for (size_t s = parts_[piece.part]; s < end; ++s) {
        const Derivations::Data& node = *steps_[s].node;
        const bool varies = node.kind == Derivations::Kind::locus;
        add(words_[node.first + (varies ? piece.form : 0)], s);
      }
    }
  }
  const size_t first = size_t(std::find_if(steps_.begin(), steps_.begin() + now_.steps,
                                           [](const Step& s) { return !s.span.empty(); }) -
                              steps_.begin());
  const size_t begin = first < now_.steps ? steps_[first].span.begin : now_.bytes;
  locus_ = {begin, now_.bytes};
  locus_first_ = parts_place_.first;
  locus_word_ = parts_place_.words;
  locus_words_ = now_.words - parts_place_.words;
  wrong_count_ = uint32_t(wrong.size());
  of_parts_ = true;
  in_parts_ = nullptr;
}

std::optional<Span> Walker::in_wrong(size_t i, Span span) const {
  const ptrdiff_t longer = ptrdiff_t(wrong(i).size()) - ptrdiff_t(locus_.end - locus_.begin);
  auto behind = [&](size_t byte) { return size_t(ptrdiff_t(byte) + longer); };
  if (span.end <= locus_.begin) return span;
  if (span.begin >= locus_.end) return Span{behind(span.begin), behind(span.end)};
  if (span.begin <= locus_.begin && span.end >= locus_.end)
    return Span{span.begin, behind(span.end)};
  if (!of_parts_ || span.begin < locus_.begin || span.end > locus_.end) return {};
  Span found;
  size_t last = 0;
  for (size_t m = 0; m < moved_[i].size(); ++m) {
    const MovedStep& moved = moved_[i][m];
    if (moved.step == SIZE_MAX || steps_[moved.step].span.begin < span.begin ||
        steps_[moved.step].span.end > span.end)
      continue;
    if (!found.empty() && m != last + 1) return {};
    if (found.empty()) found.begin = locus_.begin + moved.span.begin;
    found.end = locus_.begin + moved.span.end;
    last = m;
  }
  if (found.empty()) return {};
  return found;
}

bool Walker::put_mark(Derivations::Mark mark) {
  using Mark = Derivations::Mark;
  if (mark == Mark::before_subject) before_subject_ = now_.words;
  if (mark == Mark::before_subject || mark == Mark::before) {
    begins_.push_back(now_.bytes);
    return false;
  }
  if (mark == Mark::subject) subject_ = now_.words;
  if (mark == Mark::attractor) attractors_.push_back(now_.words);
  const bool open = !begins_.empty();  // else it stands for no words
  roles_.push_back({mark == Mark::subject, {open ? begins_.back() : now_.bytes, now_.bytes}});
  if (open) begins_.pop_back();
  return true;
}

void Walker::descend(Derivations::Node root, Count rank) {
  const Derivations::Data& node = derivations_.nodes_[root];
  if (node.kind == Derivations::Kind::mark) {
    if (node.mark >= Derivations::Mark::parts)
      put_part(node);
    else
      put_mark(node.mark);
    return;
  }
  if (node.kind != Derivations::Kind::choice) return add_word(node);
  const auto* a = &derivations_.alternatives_[node.first];
  while (rank >= a->count) rank -= (a++)->count;
  Count below = a->count;  // how many derivations the words from here on have
  for (uint32_t i = 0; i < a->length; ++i) {
    Derivations::Node child = derivations_.sequence_[a->first + i];
    below /= derivations_.nodes_[child].count;
    descend(child, rank / below);
    rank %= below;
  }
}

unsigned Walker::distance() const {
  int64_t locus_end = int64_t(locus_word_) + locus_words_;
  if (subject_ <= locus_word_) return unsigned(locus_word_ - subject_);
  int64_t begin = before_subject_ < 0 ? subject_ - 1 : before_subject_;
  return unsigned(std::max<int64_t>(0, begin - locus_end));
}

unsigned Walker::attractors() const {
  unsigned n = 0;
  for (uint32_t a : attractors_)
    n += subject_ <= locus_word_ ? a > subject_ && a <= locus_word_
                                 : a < subject_ && a > locus_word_ + locus_words_;
  return n;
}

}  // namespace minpair::stimuli
