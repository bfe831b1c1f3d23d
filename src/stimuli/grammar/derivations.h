#pragma once
// What every grammar notation compiles to: all derivations of one test's minimal sets.
//
// They are an and-or graph without cycles. A leaf is a word, possibly the locus with its wrong
// forms; a choice is one of several sequences of nodes. Counting multiplies and adds over the
// graph, sampling walks it from a random rank, and expanding walks it once in constant memory, so
// that none of them depends on how many sentences there are. Rightmost words vary fastest.
//
//   Derivations d("simple_agreement", "de");
//   Derivations::Node noun = d.add_choice({{d.add_word("der Autor")}, {d.add_word("der Pilot")}});
//   Derivations::Node verb = d.add_locus("lacht", {"lachen"});
//   d.add_section({"sg", "simple_agreement", {}, d.add_choice({{noun, verb}})});

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "suite/item.h"

namespace minpair::stimuli {

// Exact up to the largest 128-bit number; what is larger stays there ("or more").
using Count = Wide;
inline constexpr Count kCountless = ~Count{0};
std::string count_digits(Count n);

using ItemSink = std::function<void(const suite::Item&)>;
using TextSink = std::function<void(std::string_view)>;  // large pieces of output

// How the words of a derivation become a line of text.
struct Style {
  bool capitalize = true;  // the first letter of the sentence
  bool attach = true;      // no space before , . ; : ? ! ) or after (
  bool period = false;     // " ." (or "." when attached) at the end
  bool eos = false;        // " <eos>" at the end
  bool operator==(const Style&) const = default;
};

// What stands in front of a sentence in text: the linguist's asterisk, or CLAMS's columns.
struct Labels {
  std::string_view right = "", wrong = "*";
};
inline constexpr Labels kClamsLabels{"True\t", "False\t"};

// Items that share a condition, a cluster and features. Sections of one condition are numbered
// through, in the order they were added.
struct Section {
  std::string condition;
  std::string cluster;
  std::vector<std::pair<std::string, suite::FeatureValue>> features;
  uint32_t root = 0;       // a Derivations::Node
  bool attracting = true;  // whether marked attractors count
  // Of a design: what its sentences are called (design.h). Either they are the right and the wrong
  // ones of the locus; or each has a root of its own, those after the first here, and the
  // derivations of one rank are an item.
  std::vector<std::string> names = {};
  std::vector<uint32_t> beside = {};
};

// A part of a wrong sentence: one of the right one's parts, or a word of its own.
struct Piece {
  static constexpr uint32_t kOwnWord = UINT32_MAX;
  uint32_t part = kOwnWord;  // counted from 0
  uint32_t form = 0;         // of the words in it that vary: 0 is the right one
  std::string word = {};
  bool operator==(const Piece&) const = default;
};
using Wrong = std::vector<Piece>;

// How many of each condition, and which. None: all.
struct Sample {
  uint64_t size = 0, seed = 0;
};
Sample parse_sample(std::string_view text);  // "1000", or "1000 7" with a seed

class Derivations {
 public:
  using Node = uint32_t;
  // A place in the sentence that a feature of the item is counted from.
  enum class Mark : uint8_t {
    before_subject,  // where `distance` (words between the subject and the locus) ends or ...
    subject,         // ... after it: starts
    attractor,       // after it: counted in `attractors` when between the subject and the locus
    distractor,      // after it: like the subject, so that it attracts nothing
    before,          // where an attractor, or a subject without `before_subject`, begins
    // A locus of several parts, whose wrong sentences have them otherwise. See add_parts.
    parts,
    next_part,
    parts_end,
  };

  Derivations(std::string test, std::string language);

  // Building. A node can be used any number of times, once it exists: so there are no cycles.
  // A text may have several words; an empty one leaves no trace.
  Node add_word(std::string text);
  // The right form and its wrong forms (none of them equal to it). At most one locus can be in a
  // derivation; with a locus somewhere, every derivation has one (checked by add_section). What a
  // design has instead counts as one.
  Node add_locus(std::string text, std::vector<std::string> wrong);
  Node add_mark(Mark mark);
  // A locus of several parts: this node, then the parts with the mark `next_part` between them,
  // then `parts_end`. In each wrong sentence they stand in another order, or some are left out,
  // have another form or other words beside them. No wrong one may have the words of the right one.
  // The words that vary inside are no loci.
  Node add_parts(const std::vector<Wrong>& wrong);
  Node add_varied(std::string text, std::vector<std::string> forms);
  Node add_choice(const std::vector<std::vector<Node>>& alternatives);
  // Throws when a sentence could be longer than a few thousand words, has two loci, or none where
  // others have one. A section without sentences is left out.
  void add_section(Section section);

  const std::string& test() const { return test_; }
  const std::string& language() const { return language_; }
  const std::vector<Section>& sections() const { return sections_; }
  bool has_locus() const { return has_locus_; }
  bool design() const { return !sections_.empty() && !sections_.front().names.empty(); }
  Style& style() { return style_; }
  const Style& style() const { return style_; }
  // Drops the sections whose condition does not satisfy `keep`.
  void keep_conditions(const std::function<bool(const std::string&)>& keep);
  // Drops the derivations with a word that is not `known`, in a wrong form too.
  void keep_words(const std::function<bool(std::string_view)>& known);
  // A grammar can ask for so many different derivations of each condition instead of all. The same
  // seed draws the same ones, whatever other conditions are kept.
  void ask_sample(Sample sample) { sample_ = sample; }
  void keep_sample();  // does nothing where no sample was asked for
  // Forms that are right and wrong at once, where the grammar asks to leave them out.
  void pass_over(const std::string& form) { syncretic_.insert(form); }
  const std::set<std::string>& syncretic() const { return syncretic_; }
  // What keep_words met and did not keep, sorted.
  const std::vector<std::string>& unknown_words() const { return unknown_words_; }
  // Items whose sentences have the regions "subject" and "attractor", where the grammar says them.
  void name_roles() { roles_ = true; }
  bool names_roles() const { return roles_; }
  // In front of ids and clusters, where a suite has the same tests for several languages.
  void set_prefix(const std::string& prefix);
  const std::string& prefix() const { return prefix_; }

  // In the order of first appearance; a derivation is an item (or a sentence without a locus).
  std::vector<std::pair<std::string, Count>> count_by_condition() const;
  Count count() const;
  Count count_of(const Section& section) const { return count_of(section.root); }
  Count count_of(Node node) const { return nodes_[node].count; }
  std::string_view word_of(Node node) const;                 // "" where it is no word
  std::string_view form_of(Node node, uint32_t form) const;  // also of a word that varies
  // The sequences a node chooses among, written out as far down as there is nothing to choose.
  std::vector<std::vector<Node>> alternatives_of(Node node) const;

  // Every item, in order. Ids are test/condition/number, the same for a sample and for all.
  void expand(const ItemSink& sink) const;
  // `n` different items (all when there are fewer), every set of n equally likely, in order.
  // Throws when there are too many to number.
  void sample(uint64_t n, Random& random, const ItemSink& sink) const;
  // The same straight into text, without making items: one sentence a line, labelled; or suite JSON
  // Lines.
  void write_text(const TextSink& sink, const Labels& labels = {}) const;
  void write_jsonl(const TextSink& sink) const;
  void sample_text(uint64_t n, Random& random, const TextSink& sink,
                   const Labels& labels = {}) const;
  void sample_jsonl(uint64_t n, Random& random, const TextSink& sink) const;

 private:
  friend class Walker;
  std::vector<Count> sample_ranks(Count total, uint64_t n, Random& random) const;

  std::string test_, language_, prefix_;
  Sample sample_;
  Style style_;
  bool has_locus_ = false, roles_ = false;
  std::vector<std::string> unknown_words_;
  std::set<std::string> syncretic_;

  enum class Kind : uint8_t { word, locus, mark, choice };
  struct Data {
    Kind kind;
    Mark mark{};
    uint8_t loci = 0;     // in every derivation below: 0, 1, or 2 for a mixture or more
    bool even = true;     // all alternatives have as many derivations
    uint32_t size = 0;    // steps of the longest derivation
    uint32_t first = 0;   // into words_ (wrong forms follow), alternatives_ or rearranged_
    uint32_t length = 0;  // wrong forms, or alternatives
    Count count = 0;
  };
  struct Alternative {
    uint32_t first, length;  // into sequence_
    Count count;
  };
  struct StoredPiece {
    uint32_t part, form, word;  // the last into words_
  };
  std::vector<Data> nodes_;
  std::vector<std::string> words_;
  std::vector<std::vector<std::vector<StoredPiece>>> rearranged_;  // by place and wrong sentence
  std::vector<Alternative> alternatives_;
  std::vector<Node> sequence_;
  std::vector<Section> sections_;

  void add_leaves(Node root, Count rank, std::vector<Node>& to) const;
  void add_certain(Node node, std::vector<Node>& to) const;
  void check_size(Node root) const;
  void keep_ranks(Section& section, const std::vector<Count>& ranks);
  void keep_known_designs(const std::function<bool(const std::string&)>& is_known);
};

// The items by rank, counted from 0 over all sections. The derivations must outlive it.
class DerivedItems {
 public:
  explicit DerivedItems(const Derivations& derivations);
  DerivedItems(DerivedItems&&) noexcept;
  ~DerivedItems();
  void at(Count rank, suite::Item& item);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minpair::stimuli
