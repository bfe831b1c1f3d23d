#pragma once
// The sentence that is being derived, and the walk over all of them. The text before the word that
// changes is kept, so that a sentence costs little more than its last words.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/natural.h"
#include "stimuli/grammar/derivations.h"

namespace minpair::stimuli {

// The full stop and the mark of the end, as far as the style has them and the text does not.
std::string ending_of(std::string_view text, const Style& style, std::string_view language);
// The words with the spaces that people write between them.
std::string attach_words(std::string_view text, std::string_view language);

class Walker {
 public:
  explicit Walker(const Derivations& derivations);

  // Calls `emit()` for every derivation of the node, in order.
  template <class Emit>
  void all(Derivations::Node root, const Emit& emit) {
    start();
    Derivations::Node sequence[1] = {root};
    walk({sequence, sequence + 1, nullptr}, emit);
  }
  // Calls `emit(rank)` for those of these ranks, which are sorted and all below the node's count.
  template <class Emit>
  void some(Derivations::Node root, std::span<const Count> ranks, const Emit& emit) {
    if (ranks.empty()) return;
    start();
    const Count size = derivations_.count_of(root);
    Derivations::Node sequence[1] = {root};
    const Rest rest{sequence, sequence + 1, nullptr};
    // Dividing 64 bits takes a fraction of the time.
    if (size <= UINT64_MAX)
      Some<uint64_t, Emit>{*this, ranks.data(), ranks.data() + ranks.size(), emit}.walk(
          rest, 0, uint64_t(size));
    else
      Some<Count, Emit>{*this, ranks.data(), ranks.data() + ranks.size(), emit}.walk(rest, 0, size);
  }
  // Makes the derivation of this rank the current one.
  void one(Derivations::Node root, Count rank) {
    start();
    descend(root, rank);
  }

  // The current sentence, and what stands at the locus in each of the wrong ones.
  std::string_view text() const { return {text_.data(), now_.bytes}; }
  Span locus() const { return locus_; }  // bytes of text()
  size_t wrong_count() const { return wrong_count_; }
  std::string_view wrong(size_t i) const {
    if (of_parts_) return wrong_parts_[i];
    return form_of(words_[wrong_first_ + i], locus_first_, false);
  }
  // What comes behind the right sentence, and behind a wrong one.
  std::string ending() const { return ending_of(text(), style_, language()); }
  std::string ending(size_t wrong_one) const {
    const std::string_view behind = text().substr(locus_.end);
    return ending_of(behind.empty() ? wrong(wrong_one) : behind, style_, language());
  }

  bool has_subject() const { return subject_ >= 0; }
  unsigned distance() const;    // words between the subject and the locus
  unsigned attractors() const;  // marked ones between the subject and the locus
  // Subject and distractors, in the order in which they end; bytes of text(), maybe a space first.
  struct Role {
    bool subject;
    Span span;
  };
  const std::vector<Role>& roles() const { return roles_; }
  // Where a stretch of text() is in a wrong sentence; nothing where it is torn apart there.
  std::optional<Span> in_wrong(size_t i, Span span) const;

 private:
  // A word in its forms.
  struct Word {
    std::string inside, first;  // in a sentence, at its beginning: a space, then the word
    uint32_t words;
    Beside beside;
  };
  struct Place {
    uint32_t bytes = 0, words = 0;
    bool first = true;  // no letter yet
    Joiner joiner = {};
    uint32_t steps = 0;  // words in a locus of parts
  };
  // A word in a locus of parts, and where it stands in the sentence.
  struct Step {
    const Derivations::Data* node;
    Span span;
  };
  struct MovedStep {
    size_t step;
    Span span;
  };
  // What is still to be derived: the rest of this sequence, then that of the ones around it.
  struct Rest {
    const Derivations::Node *next, *end;
    const Rest* around;
  };

  void start();
  void add_word(const Derivations::Data& node);
  void descend(Derivations::Node root, Count rank);
  Word prepare(const std::string& written) const;

  template <class Emit>
  void walk(Rest rest, const Emit& emit) {
    const Rest* at = &rest;
    while (at->next == at->end) {
      at = at->around;
      if (!at) return emit();
    }
    const Derivations::Data& node = derivations_.nodes_[*at->next];
    Rest after{at->next + 1, at->end, at->around};
    Place before = now_;
    switch (node.kind) {
      case Derivations::Kind::word:
      case Derivations::Kind::locus:
        add_word(node);
        walk(after, emit);
        now_ = before;
        break;
      case Derivations::Kind::mark:
        with_mark(node, [&] { walk(after, emit); });
        break;
      case Derivations::Kind::choice:
        for (uint32_t i = 0; i < node.length; ++i) {
          const auto& a = derivations_.alternatives_[node.first + i];
          const Derivations::Node* sequence = derivations_.sequence_.data() + a.first;
          const Derivations::Data* only = a.length == 1 ? &derivations_.nodes_[*sequence] : nullptr;
          if (only && only->kind <= Derivations::Kind::locus) {  // spares a step for every word
            add_word(*only);
            walk(after, emit);
            now_ = before;
          } else {
            walk({sequence, sequence + a.length, &after}, emit);
          }
        }
    }
  }

  // As walk(), past the derivations that are not asked for.
  template <class Number, class Emit>
  struct Some {
    Walker& walker;
    const Count *next, *end;
    const Emit& emit;

    // What is still to be derived has the ranks from `first` on, `size` of them; one is asked for.
    void walk(Rest rest, Number first, Number size) {
      const Rest* at = &rest;
      while (at->next == at->end) {
        at = at->around;
        if (!at) return emit(*next++);
      }
      const Derivations& derivations = walker.derivations_;
      const Derivations::Data& node = derivations.nodes_[*at->next];
      const Rest after{at->next + 1, at->end, at->around};
      const Place before = walker.now_;
      if (node.kind == Derivations::Kind::mark)
        return walker.with_mark(node, [&] { walk(after, first, size); });
      if (node.kind != Derivations::Kind::choice) {
        walker.add_word(node);
        walk(after, first, size);
        walker.now_ = before;
        return;
      }
      const Number behind = size / Number(node.count), last = first + (size - 1);
      for (const auto* a = &derivations.alternatives_[node.first];; ++a) {
        Number own = Number(a->count) * behind;
        const Number wanted = Number(*next);
        if (node.even && wanted - first >= own) {
          const Number skipped = (wanted - first) / own;
          a += skipped;
          first += skipped * own;
        }
        for (; wanted - first >= own; own = Number(a->count) * behind) {
          first += own;
          ++a;
        }
        const Derivations::Node* sequence = derivations.sequence_.data() + a->first;
        const Derivations::Data* only = a->length == 1 ? &derivations.nodes_[*sequence] : nullptr;
        if (only && only->kind <= Derivations::Kind::locus) {
          walker.add_word(*only);
          walk(after, first, own);
          walker.now_ = before;
        } else {
          walk({sequence, sequence + a->length, &after}, first, own);
        }
        if (next == end || Number(*next) > last) return;
        first += own;
      }
    }
  };

  template <class Inner>
  void with_mark(const Derivations::Data& node, const Inner& inner) {
    const Derivations::Mark mark = node.mark;
    if (mark >= Derivations::Mark::parts) return with_part(node, inner);
    const auto marks = std::tuple(subject_, before_subject_, attractors_.size());
    const bool open = !begins_.empty(), ends = put_mark(mark);
    inner();
    if (!ends) {
      begins_.pop_back();
    } else {
      if (open) begins_.push_back(roles_.back().span.begin);
      roles_.pop_back();
    }
    std::tie(subject_, before_subject_) = std::tie(std::get<0>(marks), std::get<1>(marks));
    attractors_.resize(std::get<2>(marks));
  }
  template <class Inner>
  void with_part(const Derivations::Data& node, const Inner& inner) {
    const auto before = std::tuple(in_parts_, parts_place_, now_.steps);
    put_part(node);
    inner();
    std::tie(in_parts_, parts_place_, now_.steps) = before;
    if (node.mark != Derivations::Mark::parts_end) parts_.pop_back();
  }
  static std::string_view form_of(const Word& word, bool first, bool space) {
    const std::string& form = first ? word.first : word.inside;
    return form.empty() ? std::string_view() : std::string_view(form).substr(space ? 0 : 1);
  }
  // The word as it is behind the place, which moves past it; `space`: the bytes of that in front.
  static std::string_view put(const Word& word, Place& place, uint32_t& space);
  const std::string& language() const { return derivations_.language(); }
  void put_part(const Derivations::Data& node);
  void end_parts();
  bool put_mark(Derivations::Mark mark);  // true: a role ends here; false: one begins

  const Derivations& derivations_;
  Style style_;
  std::vector<Word> words_;
  std::string text_;  // only its first now_.bytes count
  Place now_;
  Span locus_;
  uint32_t wrong_first_ = 0, wrong_count_ = 0;
  uint32_t locus_word_ = 0, locus_words_ = 0;
  bool locus_first_ = false;
  int64_t subject_ = -1, before_subject_ = -1;  // words up to its end, and before it
  std::vector<uint32_t> attractors_;
  std::vector<size_t> begins_;  // of the roles that have not yet ended
  std::vector<Role> roles_;
  // A locus of several parts: its words, where the parts begin among them, and the wrong ones.
  const Derivations::Data* in_parts_ = nullptr;
  Place parts_place_;
  std::vector<Step> steps_;
  std::vector<uint32_t> parts_;
  std::vector<std::string> wrong_parts_;
  std::vector<std::vector<MovedStep>> moved_;
  bool of_parts_ = false;
};

}  // namespace minpair::stimuli
