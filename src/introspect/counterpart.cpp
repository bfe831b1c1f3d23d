#include "introspect/counterpart.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "stimuli/stimuli.h"

namespace minpair::introspect {
namespace {

const suite::Sentence& sentence_of(const suite::Item& item, bool right) {
  return item.sentences[item.sentences[0].grammatical == right ? 0 : 1];
}

std::string_view form_of(const suite::Item& item, bool right) {
  const suite::Sentence& sentence = sentence_of(item, right);
  return slice(sentence.text, sentence.locus);
}

// What counterparts share; of one that is looked for, the forms may have changed places.
std::string key_of(const suite::Item& item, bool swapped) {
  std::string key;
  for (std::string_view part :
       {std::string_view(item.test), std::string_view(item.language),
        std::string_view(item.cluster), form_of(item, !swapped), form_of(item, swapped)})
    key.append(part) += '\0';
  return key;
}

// Parts of "sg_pl" that differ.
size_t conditions_apart(const suite::Item& a, const suite::Item& b) {
  std::vector<std::string_view> x = split(a.condition, '_'), y = split(b.condition, '_');
  if (x.size() != y.size()) return SIZE_MAX;
  size_t apart = 0;
  for (size_t i = 0; i < x.size(); ++i) apart += x[i] != y[i];
  return apart;
}

// Words outside the locus, without the marks at their ends; an empty one stands for the locus.
std::vector<Span> words_of(const suite::Sentence& sentence) {
  std::vector<Span> words;
  auto add = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end;) {
      const size_t stop = std::min(sentence.text.find(' ', i), end);
      size_t last = stop;
      while (last > i &&
             std::string_view(".,;:!?").find(sentence.text[last - 1]) != std::string::npos)
        --last;
      if (last > i) words.push_back({i, last});
      i = stop + 1;
    }
  };
  add(0, sentence.locus.begin);
  words.push_back({sentence.locus.begin, sentence.locus.begin});
  add(sentence.locus.end, sentence.text.size());
  return words;
}

struct Difference {
  size_t words = 0, letters = 0;
  Span here, there;
  auto operator<=>(const Difference& other) const {
    return std::pair(words, letters) <=> std::pair(other.words, other.letters);
  }
  bool operator==(const Difference& other) const { return (*this <=> other) == 0; }
};

// None where the sentences have different numbers of words, or all the same ones.
std::optional<Difference> difference(const suite::Sentence& a, const suite::Sentence& b) {
  const std::vector<Span> x = words_of(a), y = words_of(b);
  if (x.size() != y.size()) return {};
  Difference all;
  bool first = true;  // still in the first run of words that differ
  for (size_t i = 0; i < x.size(); ++i) {
    const std::string_view here = slice(a.text, x[i]), there = slice(b.text, y[i]);
    if (x[i].empty() != y[i].empty()) return {};
    if (here == there) {
      first &= all.words == 0;
      continue;
    }
    // Endings are no replacement: Haus and Häusern are nearer than Haus and Autos.
    const auto [shorter, longer] = std::minmax({here.size(), there.size()});
    all.letters += edit_distance(here, there) - (longer - shorter);
    if (++all.words == 1) all.here = x[i], all.there = y[i];
    if (first) all.here.end = x[i].end, all.there.end = y[i].end;
  }
  if (all.words == 0) return {};
  return all;
}

// Published stimuli may state what stands before the locus instead (the format feature-circuits).
std::optional<Counterpart> stated(const suite::Item& item, Swap swap) {
  const std::string before = suite::feature_text(item, "patch_prefix");
  if (before.empty() || swap != Swap::subject || item.design || !suite::is_pair(item)) return {};
  Counterpart found;
  found.item = item;
  found.item.id += "/patch";
  found.item.sentences.clear();
  for (bool right : {true, false}) {
    const suite::Sentence& form = sentence_of(item, !right);  // what was wrong is right there
    suite::Sentence& sentence = found.item.sentences.emplace_back(form);
    sentence.grammatical = right;
    sentence.regions.clear();
    sentence.text = before + " " + form.text.substr(form.locus.begin);
    sentence.locus = {before.size() + 1, before.size() + 1 + form.locus.size()};
  }
  const auto differs = difference(sentence_of(item, true), sentence_of(found.item, true));
  if (!differs) found.excluded = Reason::stated_has_other_words;
  if (differs) found.here = differs->here, found.there = differs->there;
  return found;
}

std::vector<Counterpart> nearest(std::span<const suite::Item> items,
                                 const engine::SuiteSource& whole, Swap swap) {
  std::vector<Counterpart> found(items.size());
  std::vector<std::optional<Difference>> best(items.size());
  std::unordered_map<std::string, std::vector<size_t>> looking;
  for (size_t i = 0; i < items.size(); ++i) {
    found[i].excluded = Reason::no_counterpart;
    if (!items[i].design && suite::is_pair(items[i]))
      looking[key_of(items[i], swap == Swap::subject)].push_back(i);
  }
  auto items_of_suite = whole.open();
  for (suite::Item item; items_of_suite->next(item);) {
    if (item.design || !suite::is_pair(item)) continue;
    auto those = looking.find(key_of(item, false));
    if (those == looking.end()) continue;
    for (size_t i : those->second) {
      const size_t apart = conditions_apart(items[i], item);
      if (apart > 1 || (apart == 0 && swap == Swap::attractor)) continue;
      auto differs = difference(sentence_of(items[i], true), sentence_of(item, true));
      if (!differs || (best[i] && *best[i] < *differs)) continue;
      const bool again = best[i] && *best[i] == *differs;
      best[i] = differs;
      found[i] = {item, differs->here, differs->there,
                  again ? Reason::several_counterparts : Reason::none};
    }
  }
  return found;
}

}  // namespace

engine::SuiteSource whole_suite(const suite::Suite& suite) {
  engine::SuiteSource source = suite_with_roles(suite);
  if (suite.path != "-" && stimuli::from_grammars(suite))
    source.open = [suite] { return stimuli::open_items(suite, {.whole = true, .roles = true}); };
  return source;
}

std::vector<Counterpart> find_counterparts(std::span<const suite::Item> items,
                                           const engine::SuiteSource& whole, Swap swap) {
  std::vector<Counterpart> found = nearest(items, whole, swap);
  // Where the true counterpart is missing, the nearest one has other words: then another item is
  // nearer to it.
  std::vector<suite::Item> theirs;
  for (const Counterpart& one : found)
    if (one.excluded == Reason::none) theirs.push_back(one.item);
  const std::vector<Counterpart> back = nearest(theirs, whole, swap);
  size_t next = 0;
  for (size_t i = 0; i < items.size(); ++i)
    if (found[i].excluded == Reason::none && back[next++].item.id != items[i].id)
      found[i].excluded = Reason::no_counterpart;
  for (size_t i = 0; i < items.size(); ++i)
    if (std::optional<Counterpart> own = stated(items[i], swap)) found[i] = std::move(*own);
  return found;
}

}  // namespace minpair::introspect
