#include "suite/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "base/hash_table.h"
#include "base/natural.h"
#include "suite/formats/support.h"
#include "suite/lint_design.h"

namespace minpair::suite {

namespace fs = std::filesystem;

namespace {

constexpr Check kDuplicateItem{"duplicate_item", Severity::warning, "the same item again"};
constexpr Check kDuplicateId{"duplicate_id", Severity::error, "an id that was there before"};
constexpr Check kShared{"shared_item", Severity::warning, "also in another test"};
constexpr Check kBothWays{"labelled_both_ways", Severity::warning,
                          "a sentence is grammatical here and ungrammatical elsewhere"};
constexpr Check kIdentical{"identical_sentences", Severity::warning,
                           "a good and a bad sentence are the same"};
constexpr Check kNoBad{"no_ungrammatical", Severity::error, "no sentence is ungrammatical"};
constexpr Check kOutside{"difference_outside_locus", Severity::warning,
                         "sentences differ outside the locus"};
constexpr Check kMaskIndex{"wrong_mask_index", Severity::warning,
                           "the stated indexMASK is not the locus"};
constexpr Check kCaseName{"wrong_case_name", Severity::warning,
                          "the stated case is not the name of the file"};
constexpr Check kUnbalanced{"unbalanced_conditions", Severity::warning,
                            "the test's conditions differ in size"};
constexpr Check kNotNfc{"not_nfc", Severity::warning, "text is not in Unicode's form NFC"};
constexpr Check kSpaces{"stray_spaces", Severity::warning,
                        "double, leading, trailing or unusual spaces"};
constexpr Check kNoFinal{"no_final_punctuation", Severity::warning,
                         "no punctuation at the end of a sentence"};
constexpr Check kDoubled{"doubled_mark", Severity::warning,
                         "a full stop behind another mark at the end of a sentence"};
constexpr Check kNoCapital{"no_capital", Severity::warning,
                           "no capital at the beginning of a sentence with a final mark"};
constexpr Check kSpaceBefore{"space_before_punctuation", Severity::note,
                             "a space before punctuation, as in tokenised text"};
constexpr Check kUnknown{"unknown_locus", Severity::warning,
                         "a form at the locus is not in the vocabulary"};
constexpr Check kUnequal{"unequal_pieces", Severity::warning,
                         "the sentences have different numbers of pieces"};

Hash128 content_hash(const Item& item, std::string& buffer) {
  buffer.clear();
  for (const Sentence& s : item.sentences) {
    buffer += s.grammatical ? '+' : '-';
    if (!s.context.empty()) (buffer += s.context) += '\n';
    buffer += s.text;
    buffer += '\0';
  }
  return hash128(buffer);
}

bool good_equals_bad(const Item& item) {
  std::set<std::pair<std::string_view, std::string_view>> good;
  for (const Sentence& s : item.sentences)
    if (s.grammatical) good.emplace(s.text, s.context);
  return std::ranges::any_of(item.sentences, [&](const Sentence& s) {
    return !s.grammatical && good.contains({s.text, s.context});
  });
}

// The index counts the words of the masked sentence, from the end when negative.
bool mask_index_wrong(const Item& item) {
  const FeatureValue* value = find_feature(item, "indexMASK");
  const double* stated = value ? std::get_if<double>(value) : nullptr;
  if (!stated) return false;
  const Sentence& s = item.sentences[0];
  double place = double(locus_word(s));
  double count = double(words(s.text).size());
  return place < 0 || (*stated < 0 ? count + *stated : *stated) != place;
}

bool is_full_stop(char32_t c) { return c == '.' || c == U'。' || c == U'।' || c == U'۔'; }

bool ends_in_mark(char32_t c) {
  return std::u32string_view(U".?!,;:。।۔؟").find(c) != std::u32string_view::npos && c != 0;
}

// What is not as a person would write it, in the item's language.
struct Looks {
  bool stray_space = false, space_before_mark = false, doubled = false;
  bool no_final = false, no_capital = false;
};

Looks looks_of(std::string_view text, std::string_view language) {
  Looks found;
  const bool french = language == "fr" || language.starts_with("fr-");
  bool after_space = true;  // as if one stood before: a leading space is stray
  char32_t before = 0, last = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_character(text, at);
    const bool space = is_space(c);
    const bool usual = c == ' ' || c == 0x3000 || (french && (c == 0xA0 || c == 0x202F));
    if (space && (after_space || !usual)) found.stray_space = true;
    if (after_space && begin > 0 && is_punctuation(c))
      found.space_before_mark |= beside(text.substr(begin, at - begin), language).closes;
    after_space = space;
    if (space) continue;
    before = std::exchange(last, c);
  }
  found.stray_space |= after_space && !text.empty();
  found.doubled = is_full_stop(last) && ends_in_mark(before) && !text.ends_with("...");
  found.no_final = !missing_stop(text, language).empty();
  found.no_capital = ends_sentence(text) && lacks_capital(text);
  return found;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; });
}

}  // namespace

std::string words_at_locus(const Item& item) {
  std::set<std::string> words;
  for (const Sentence& s : item.sentences) words.insert(lower(slice(s.text, s.locus)));
  return join({words.begin(), words.end()}, " ");
}

struct Linter::Impl {
  struct Cell {
    std::string test, condition, file;
    uint64_t items = 0;
  };
  struct Trouble {
    const Check* check;
    size_t cell;
    std::string other;
    uint64_t items = 0;
    std::string example_id, example;
  };

  Impl(Segmenter segmenter, const std::vector<Criterion>& criteria)
      : segment(std::move(segmenter)), design(criteria) {}

  Segmenter segment;
  DesignLint design;
  std::vector<Cell> cells;
  std::unordered_map<std::string, size_t> cell_places, trouble_places;
  std::vector<Trouble> troubles;
  std::vector<std::string> tests;
  static constexpr size_t kEnough = 6;  // clusters
  struct Clusters {                     // of a test
    std::set<std::string> names;        // no more than enough
    uint64_t items = 0;
  };
  std::vector<Clusters> clusters;
  uint64_t in_no_cluster = 0;
  std::vector<SinglePieceSets> single_piece;
  std::unordered_map<std::string, size_t> test_places, single_piece_places;
  HashTable contents;  // of items, with the first test that has them
  HashTable shared;    // of items with each further test that has them
  HashTable ids, sentences;
  uint64_t items = 0, items_with_errors = 0;
  std::string key, buffer;
  std::vector<LintPiece> pieces;

  bool add(const Item& item) {
    ++items;
    size_t test = test_of(item.test), cell = cell_of(item);
    ++cells[cell].items;
    see_cluster(item, clusters[test]);
    bool error = false;
    auto found = [&](const Check& check, const Sentence& s, const std::string& other = {}) {
      report(check, cell, item.id, s.text, other);
      error |= check.severity == Severity::error;
    };
    const bool identical = !item.cloze && !item.design && good_equals_bad(item);
    if (identical) found(kIdentical, item.sentences[0]);
    bool is_new = check_repeats(item, uint32_t(test), identical, found);
    check_sets(item, found);
    check_texts(item, found);
    design.check(item, found);
    if (segment) check_pieces(item, found);
    items_with_errors += error;
    return is_new;
  }

  size_t test_of(const std::string& name) {
    auto [place, is_new] = test_places.try_emplace(name, tests.size());
    if (is_new) {
      tests.push_back(name);
      clusters.emplace_back();
    }
    return place->second;
  }

  void see_cluster(const Item& item, Clusters& of_test) {
    if (item.cluster.empty()) ++in_no_cluster;
    ++of_test.items;
    if (of_test.names.size() >= kEnough) return;
    std::string name = item.cluster.empty() ? words_at_locus(item) : item.cluster;
    if (name.empty()) name = fmt::format("\n{}", of_test.items);  // its own
    of_test.names.insert(std::move(name));
  }

  SinglePieceSets& single_piece_of(const Item& item) {
    key.assign(item.test).append(1, '\0').append(item.language);
    auto [place, is_new] = single_piece_places.try_emplace(key, single_piece.size());
    if (is_new) single_piece.push_back({item.test, item.language, 0, 0});
    return single_piece[place->second];
  }

  size_t cell_of(const Item& item) {
    std::string file = feature_text(item, "file");
    key.assign(item.test).append(1, '\0').append(item.condition).append(1, '\0').append(file);
    auto [place, is_new] = cell_places.try_emplace(key, cells.size());
    if (is_new) cells.push_back({item.test, item.condition, file, 0});
    return place->second;
  }

  void report(const Check& check, size_t cell, const std::string& id, const std::string& text,
              const std::string& other) {
    key.assign(check.name).append(1, '\0').append(std::to_string(cell)).append(1, '\0');
    key += other;
    auto [place, is_new] = trouble_places.try_emplace(key, troubles.size());
    if (is_new) troubles.push_back({&check, cell, other, 0, id, text});
    ++troubles[place->second].items;
  }

  // False when the item was in this test before.
  template <class Found>
  bool check_repeats(const Item& item, uint32_t test, bool identical, Found found) {
    const Sentence& first = item.sentences[0];
    bool is_new;
    ids.find(hash128(item.id), 0, is_new);
    if (!is_new) found(kDuplicateId, first);
    for (const Sentence& s : item.sentences) {
      if (item.cloze || item.design) break;
      uint32_t label = s.grammatical ? 1 : 2;
      uint32_t& seen = sentences.find(
          hash128(s.context.empty() ? s.text : s.context + "\n" + s.text), label, is_new);
      seen |= label;
      if (seen == 3 && !identical) found(kBothWays, s);
    }
    const Hash128 content = content_hash(item, buffer);
    const uint32_t first_test = contents.find(content, test, is_new);
    if (is_new) return true;
    if (first_test != test) {
      append_key(buffer, test, 4);
      shared.find(hash128(buffer), 0, is_new);
    }
    if (!is_new) {
      found(kDuplicateItem, first);
      return false;
    }
    found(kShared, first, tests[first_test]);
    return true;
  }

  template <class Found>
  void check_sets(const Item& item, Found found) {
    const Sentence& first = item.sentences[0];
    if (!item.cloze && !item.design) {
      if (std::all_of(item.sentences.begin(), item.sentences.end(),
                      [](const Sentence& s) { return s.grammatical; }))
        found(kNoBad, first);
      if (differs_outside_locus(item)) found(kOutside, item.sentences[1]);
    }
    if (mask_index_wrong(item)) found(kMaskIndex, first);
    const FeatureValue *stated = find_feature(item, "case"), *file = find_feature(item, "file");
    if (stated && file && *stated != *file) found(kCaseName, first);
  }

  template <class Found>
  void check_texts(const Item& item, Found found) {
    const Sentence* not_nfc = nullptr;
    const std::pair<const Check*, bool Looks::*> checks[] = {
        {&kSpaces, &Looks::stray_space},
        {&kNoFinal, &Looks::no_final},
        {&kDoubled, &Looks::doubled},
        {&kNoCapital, &Looks::no_capital},
        {&kSpaceBefore, &Looks::space_before_mark}};
    const Sentence* with[std::size(checks)] = {};
    for (const Sentence& s : item.sentences) {
      if (!is_ascii(s.text) && !is_nfc(s.text)) not_nfc = &s;
      const Looks looks = looks_of(s.text, item.language);
      for (size_t i = 0; i < std::size(checks); ++i)
        if (looks.*checks[i].second) with[i] = &s;
    }
    if (not_nfc) found(kNotNfc, *not_nfc);
    for (size_t i = 0; i < std::size(checks); ++i)
      if (with[i]) found(*checks[i].first, *with[i]);
  }

  template <class Found>
  void check_pieces(const Item& item, Found found) {
    const Sentence* unknown = nullptr;
    bool all_single = true, unequal = false;
    size_t count = 0;
    for (const Sentence& s : item.sentences) {
      pieces.clear();
      segment(s.text, pieces);
      size_t at_locus = 0;
      for (const LintPiece& p : pieces)
        if (p.span.begin < s.locus.end && p.span.end > s.locus.begin) {
          ++at_locus;
          if (p.unknown) unknown = &s;
        }
      all_single &= at_locus == 1;
      unequal |= &s != item.sentences.data() && pieces.size() != count;
      count = pieces.size();
    }
    if (unknown) found(kUnknown, *unknown);
    if (unequal && !item.design) found(kUnequal, item.sentences[0]);
    SinglePieceSets& sets = single_piece_of(item);
    ++sets.sets;
    sets.single += all_single && !unknown;
  }

  // A test's conditions should be of one size.
  void check_balance() {
    std::map<std::string, std::map<std::string, uint64_t>> sizes;
    std::map<std::string, size_t> first_cells;
    for (size_t i = 0; i < cells.size(); ++i) {
      sizes[cells[i].test][cells[i].condition] += cells[i].items;
      first_cells.try_emplace(cells[i].test, i);
    }
    for (const auto& [test, conditions] : sizes) {
      auto by_size = [](const auto& a, const auto& b) { return a.second < b.second; };
      auto [least, most] = std::minmax_element(conditions.begin(), conditions.end(), by_size);
      if (least->second == most->second) continue;
      report(kUnbalanced, first_cells[test], "",
             least->first + " has " + std::to_string(least->second) + ", " + most->first + " has " +
                 std::to_string(most->second),
             "");
    }
  }

  LintReport finish() {
    check_balance();
    LintReport out;
    out.items = items;
    out.tests = tests.size();
    out.items_with_errors = items_with_errors;
    out.states_clusters = in_no_cluster < items || items == 0;
    for (size_t t = 0; t < tests.size(); ++t)
      if (clusters[t].items > 1 && clusters[t].names.size() < kEnough)
        out.few_clusters.push_back({tests[t], clusters[t].names.size()});
    for (const Trouble& t : troubles) {
      const Cell& cell = cells[t.cell];
      bool whole_test = t.check == &kUnbalanced;
      out.findings.push_back({t.check->name, t.check->message, t.check->severity, cell.test,
                              whole_test ? "" : cell.condition, whole_test ? "" : cell.file,
                              t.other, whole_test ? 0 : t.items, whole_test ? 0 : cell.items,
                              t.example_id, t.example});
    }
    std::stable_sort(out.findings.begin(), out.findings.end(),
                     [](const Finding& a, const Finding& b) {
                       return std::pair(a.severity, a.check) < std::pair(b.severity, b.check);
                     });
    if (segment) out.single_piece = single_piece;
    return out;
  }
};

Linter::Linter(Segmenter segmenter, const std::vector<Criterion>& criteria)
    : impl_(std::make_unique<Impl>(std::move(segmenter), criteria)) {}
Linter::~Linter() = default;

bool Linter::add(const Item& item) { return impl_->add(item); }
LintReport Linter::finish() { return impl_->finish(); }

Segmenter vocabulary_segmenter(const fs::path& file) {
  auto known = std::make_shared<std::unordered_set<std::string>>();
  LineReader lines(file);
  for (std::string_view line; lines.next(line);)
    if (!trim(line).empty()) known->emplace(trim(line));
  return [known](std::string_view text, std::vector<LintPiece>& pieces) {
    for (std::string_view word : words(text)) {
      size_t begin = size_t(word.data() - text.data());
      pieces.push_back({{begin, begin + word.size()}, !known->contains(std::string(word))});
    }
  };
}

}  // namespace minpair::suite
