#include "stimuli/treebank/inflections.h"

#include <algorithm>
#include <map>
#include <set>

#include "stimuli/treebank/lexicon.h"

namespace minpair::stimuli {
namespace {

constexpr uint32_t often = 20;         // seen so often, a form would have shown its other value
constexpr uint32_t many_endings = 12;  // forms that end alike and have one value

std::string key_of(std::string_view a, std::string_view b) {
  std::string key(a);
  key += '\t';
  key += b;
  return key;
}

std::string_view ud_key(Feature f) {
  static constexpr std::string_view keys[] = {"Number=", "Gender=", "Case=", "Person="};
  return keys[size_t(f)];
}

// An auxiliary of the treebank is a verb in UniMorph.
std::string_view part(std::string_view pos) { return pos == "AUX" ? "VERB" : pos; }

bool not_a_word_of_the_language(std::string_view feats) {
  for (std::string_view mark : {"Typo=Yes", "Foreign=Yes", "Abbr=Yes"})
    if (feats.find(mark) != std::string_view::npos) return true;
  return false;
}

bool is_vowel(char32_t c) {
  static constexpr std::u32string_view vowels = U"aeiouyàáâäæèéêëìíîïòóôöœùúûü";
  return vowels.find(c) != std::u32string_view::npos;
}

char32_t first_character(std::string_view text) {
  size_t at = 0;
  return text.empty() ? 0 : next_character(text, at);
}

// "le" is "l'" before a vowel, "a" is "an".
std::string before_vowel(const std::string& full) {
  if (full == "a") return "an";
  return full.substr(0, full.size() - 1) + "'";
}

size_t common_prefix(std::string_view a, std::string_view b) {
  return size_t(
      std::mismatch(a.begin(), a.begin() + long(std::min(a.size(), b.size())), b.begin()).first -
      a.begin());
}

// "musste", "mußten": two differences, one of them the spelling.
bool spelled_otherwise(std::string_view a, std::string_view b) {
  const size_t same = common_prefix(a, b);
  const std::string_view rest_a = a.substr(same), rest_b = b.substr(same);
  return (rest_a.starts_with("ss") && rest_b.starts_with("ß")) ||
         (rest_a.starts_with("ß") && rest_b.starts_with("ss"));
}

// Three letters of a longer word.
std::string_view tail_of(std::string_view form) {
  size_t length = count_characters(form);
  return length <= 3 ? "" : form.substr(byte_of_character(form, length - 3));
}

bool clash(const Bundle& a, const Bundle& b, Feature f) {
  return a[f] != 0 && b[f] != 0 && a[f] != b[f];
}

}  // namespace

// The word's own features without the varied one, as the treebank and as UniMorph write them.
struct Inflections::Rests {
  std::string treebank;
  std::set<std::string> unimorph;
  bool hold(const Cell& c) const {
    return c.listed() ? unimorph.contains(c.rest) : c.rest == treebank;
  }
};

bool elided(std::string_view form) {
  return form.size() > 1 && (form.ends_with("'") || form.ends_with("’"));
}

void Inflections::add(const Tree& tree) {
  if (tree.withheld()) return;
  for (const Word& w : tree.words) {
    if (w.form.empty() || marked(w.form)) continue;
    std::string form = lower(w.form);
    // A part of a longer token is a form only if it occurs alone, too.
    const SurfaceToken& token = tree.tokens[w.token];
    if (token.first == token.last) ++seen_[form];
    if (w.lemma == "_" || w.feats == "_" || not_a_word_of_the_language(w.feats)) continue;
    if (w.proper && w.upos == "NOUN") continue;  // "Aviva Investors"
    raw_[key_of(w.lemma, w.upos)].push_back({std::string(w.feats), std::move(form)});
  }
  add_onsets(tree);
}

void Inflections::add_onsets(const Tree& tree) {
  for (size_t i = 0; i + 1 < tree.words.size(); ++i) {
    const Word &w = tree.words[i], &next = tree.words[i + 1];
    const SurfaceToken& token = tree.tokens[w.token];
    if (w.form.empty() || w.form.size() > 4 || token.first != token.last) continue;
    std::string word = lower(next.form), form = lower(w.form);
    char32_t c = first_character(word);
    if (c != U'h' && !is_vowel(c)) continue;
    if (form.ends_with("’")) form.replace(form.size() - 3, 3, "'");
    if (elided(form) || (form == "an" && w.upos == "DET")) {
      elided_.insert(form);
      ++after_elided_[word];
    } else if (form.ends_with('e') || form.ends_with('a')) {  // "qui" is never elided
      ++after_full_[key_of(before_vowel(form), word)];
    }
  }
}

uint64_t Inflections::add_unimorph(const std::filesystem::path& file) {
  return each_unimorph_line(
      file, [&](std::string_view lemma, std::string_view form, std::string_view tags) {
        Bundle ignored;
        std::string_view pos = parse_unimorph_features(tags, ignored);
        if (pos.empty()) return;
        seen_[lower(form)] += 2;
        raw_unimorph_[key_of(lemma, pos)].push_back({std::string(tags), lower(form)});
      });
}

Inflections::Cell Inflections::cell(const std::string& feats, std::string form,
                                    uint32_t count) const {
  Cell c{{}, std::move(form), 0, 0, parse_ud_features(feats), count};
  for (std::string_view pair : split(feats, '|')) {
    if (pair.starts_with(ud_key(vary_))) {
      std::vector<std::string_view> values = split(pair.substr(ud_key(vary_).size()), ',');
      c.value = value_index(vary_, values[0]);
      if (values.size() > 1) c.second = value_index(vary_, values[1]);
    } else if (!pair.starts_with(ud_key(Feature::gender))) {
      c.rest.append(pair).append(1, '|');
    }
  }
  return c;
}

Inflections::Cell Inflections::unimorph_cell(const std::string& tags, std::string form) const {
  Cell c{{}, std::move(form), 0, 0, {}, 0};
  parse_unimorph_features(tags, c.bundle);
  for (std::string_view tag : split(tags, ';')) {
    Bundle one;
    parse_unimorph_features(tag, one);
    if (one[vary_] != 0)
      c.value = one[vary_];
    else if (one[Feature::gender] == 0)
      c.rest.append(tag).append(1, ';');
  }
  return c;
}

void Inflections::finish(Feature vary) {
  vary_ = vary;
  auto tidy = [&](auto& raw, auto make) {
    for (auto& [key, list] : raw) {
      std::sort(list.begin(), list.end());
      std::string pos = key.substr(key.rfind('\t') + 1);
      for (size_t i = 0, end; i < list.size(); i = end) {
        for (end = i + 1; end < list.size() && list[end] == list[i];) ++end;
        Cell c = make(list[i], uint32_t(end - i));
        forms_[key_of(c.form, part(pos))].push_back(c);
        lemmas_[key_of(key.substr(0, key.rfind('\t')), part(pos))].push_back(std::move(c));
      }
      list = {};
    }
    raw.clear();
  };
  tidy(raw_, [&](Raw& r, uint32_t n) { return cell(r.feats, r.form, n); });
  tidy(raw_unimorph_, [&](Raw& r, uint32_t) { return unimorph_cell(r.feats, r.form); });
  count_endings();
}

std::string Inflections::ending_key(std::string_view form, std::string_view pos,
                                    const Bundle& bundle) const {
  std::string_view tail = tail_of(form);
  if (tail.empty() || (pos != "NOUN" && pos != "VERB" && pos != "ADJ")) return "";
  std::string key(pos);
  if (pos != "VERB" && vary_ != Feature::gender) key += char('0' + bundle[Feature::gender]);
  if (pos == "NOUN" && vary_ != Feature::case_) key += char('0' + bundle[Feature::case_]);
  return key + std::string(tail);
}

void Inflections::count_endings() {
  for (const auto& [key, cells] : forms_) {
    std::string_view pos = std::string_view(key).substr(key.rfind('\t') + 1);
    if (std::string tail(tail_of(key.substr(0, key.rfind('\t')))); pos == "ADJ")
      ++tails_[tail].first;
    else if (pos == "NOUN")
      ++tails_[tail].second;
    std::set<std::pair<std::string, FeatureIndex>> once;
    for (const Cell& c : cells) {
      if (c.value == 0) continue;
      if (pos == "ADJ") declensions_[declension_key(c.form, c.bundle)] += c.count;
      std::string ending = ending_key(c.form, pos, c.bundle);
      if (ending.empty()) continue;
      once.emplace(ending, c.value);
      if (c.second != 0) once.emplace(ending, c.second);
    }
    for (const auto& [ending, value] : once) {
      std::vector<uint32_t>& counts = endings_[ending];
      if (counts.size() <= value) counts.resize(value + size_t{1});
      ++counts[value];
    }
  }
}

const Inflections::Cells& Inflections::cells_of(const Table& table, std::string_view a,
                                                std::string_view b) const {
  static const Cells none;
  auto hit = table.find(key_of(a, part(b)));
  return hit == table.end() ? none : hit->second;
}

bool Inflections::same_gender(FeatureIndex a, FeatureIndex b) const {
  return vary_ == Feature::gender || a == 0 || b == 0 || a == b;
}

bool Inflections::known(const std::string& lower_form) const {
  auto hit = seen_.find(lower_form);
  return hit != seen_.end() && hit->second > 1;
}

bool Inflections::like_adjective(const Word& noun) const {
  if (noun.upos != "NOUN") return false;
  std::string form = lower(noun.form);
  auto tail = tails_.find(std::string(tail_of(form)));
  return form.find_first_of("0123456789") != std::string::npos ||  // "der 32jährige"
         !cells_of(forms_, form, "ADJ").empty() ||
         (tail != tails_.end() && tail->second.first > tail->second.second);
}

bool Inflections::shows_case(const Word& word, FeatureIndex case_, FeatureIndex other) const {
  uint64_t mine = 0, others = 0;
  for (const Cell& c : cells_of(forms_, lower(word.form), word.upos)) {
    if (c.listed() || clash(c.bundle, word.bundle, Feature::number) ||
        clash(c.bundle, word.bundle, Feature::gender))
      continue;
    if (c.bundle[Feature::case_] == case_) mine += c.count;
    if (c.bundle[Feature::case_] == other) others += c.count;
  }
  // Nouns and adjectives seldom show it, and one that was seen a few times has not shown that it
  // does.
  const bool article = word.upos == "DET" || word.upos == "PRON";
  return mine >= (article ? 3 : often) && others * 20 <= mine;
}

std::string Inflections::declension_key(std::string_view form, const Bundle& bundle) const {
  const size_t length = count_characters(form);
  std::string key(form.substr(byte_of_character(form, length - std::min<size_t>(length, 2))));
  for (Feature f : {Feature::number, Feature::gender, Feature::case_}) key += char('0' + bundle[f]);
  return key;
}

bool Inflections::other_declension(const std::string& form, const Word& word) const {
  if (word.upos != "ADJ" || word.bundle[Feature::case_] == 0) return false;
  auto hit = declensions_.find(declension_key(form, word.bundle));
  return hit != declensions_.end() && hit->second >= many_endings;
}

bool Inflections::could_be_adjective(const Word& noun, const std::string& form) const {
  if (noun.upos != "NOUN" || cells_of(forms_, form, "ADJ").empty()) return false;
  auto hit = endings_.find(ending_key(form, "ADJ", noun.bundle));
  const size_t value = noun.bundle[vary_];
  return hit != endings_.end() && hit->second.size() > value && hit->second[value] > 0;
}

bool Inflections::vowel(std::string_view form) const {
  std::string word = lower(form);
  char32_t c = first_character(word);
  auto hit = after_elided_.find(word);
  uint32_t elided = hit == after_elided_.end() ? 0 : hit->second, full = 0;
  if (elided_.empty() || (c != U'h' && !is_vowel(c))) return false;
  for (const std::string& short_form : elided_)
    if (auto seen = after_full_.find(key_of(short_form, word)); seen != after_full_.end())
      full += seen->second;
  return elided + full > 0 ? elided > full : c != U'h' && c != U'y';
}

// How often the word's form has its own value, and how often another.
Inflections::Tally Inflections::tally(const Word& word, FeatureIndex gender) const {
  Tally t;
  FeatureIndex mine = word.bundle[vary_];
  bool pronoun = word.upos == "PRON", verb = part(word.upos) == "VERB";
  FeatureIndex shown = word.upos == "NOUN" ? word.bundle[Feature::gender] : gender;
  for (const Cell& c : cells_of(forms_, lower(word.form), word.upos)) {
    if (c.value == 0 || (!pronoun && !same_gender(c.bundle[Feature::gender], shown)) ||
        (pronoun && vary_ != Feature::case_ && clash(c.bundle, word.bundle, Feature::case_)) ||
        (verb && vary_ != Feature::person && clash(c.bundle, word.bundle, Feature::person)))
      continue;
    if (c.has(mine)) (c.listed() ? void(t.listed_mine = true) : void(t.mine += c.count));
    if (c.value != mine || c.second != 0)
      (c.listed() ? void(t.listed_other = true) : void(t.other += c.count));
  }
  return t;
}

bool Inflections::usually_so(const Word& word) const {
  Tally t = tally(word, word.bundle[Feature::gender]);
  return t.mine >= t.other;
}

// The lemma has another form for another value, all else equal.
bool Inflections::paired(const Word& word) const {
  if (word.upos != "NOUN" && part(word.upos) != "VERB") return false;
  std::string own = lower(word.form), rest = cell(std::string(word.feats), "", 1).rest;
  for (const Cell& c : cells_of(lemmas_, word.lemma, word.upos))
    if (c.value != 0 && !c.has(word.bundle[vary_]) && c.form != own && !c.listed() &&
        c.rest == rest && known(c.form))
      return true;
  return false;
}

bool Inflections::usual_ending(const Word& word) const {
  auto hit = endings_.find(ending_key(lower(word.form), part(word.upos), word.bundle));
  if (hit == endings_.end() || hit->second.size() <= word.bundle[vary_]) return false;
  uint32_t mine = hit->second[word.bundle[vary_]], all = 0;
  for (uint32_t n : hit->second) all += n;
  return mine >= many_endings && (all - mine) * 50 <= mine;
}

bool Inflections::shows_value(const Word& word, FeatureIndex gender) const {
  if (vary_ == Feature::gender && like_adjective(word)) return false;
  Tally t = tally(word, gender);
  if (t.listed_other || t.other * 20 > t.mine + t.other) return false;
  return t.listed_mine || t.mine >= often || paired(word) || usual_ending(word);
}

// Could the form stand here with the word's own value? Then it is not wrong.
bool Inflections::can_have(const std::string& form, const Word& word, const Place& place) const {
  static const FeatureIndex genitive = value_index(Feature::case_, "Gen");
  uint64_t mine = 0, other = 0;
  bool verb = part(word.upos) == "VERB";
  // Nothing tells the gender of a pronoun: "Das hat ...", "Die hat ...".
  bool any = word.upos == "PRON" || place.gender_is_open;
  FeatureIndex gender = any ? FeatureIndex{0} : place.gender;
  for (const Cell& c : cells_of(forms_, form, word.upos)) {
    FeatureIndex theirs = c.bundle[Feature::case_];
    if (c.value == 0 || !same_gender(c.bundle[Feature::gender], gender) ||
        (verb && vary_ != Feature::person && clash(c.bundle, word.bundle, Feature::person)))
      continue;
    if (vary_ != Feature::case_ && clash(c.bundle, word.bundle, Feature::case_) &&
        (theirs == genitive ? !place.after_noun : !place.case_is_open))
      continue;
    bool can = c.has(word.bundle[vary_]);
    if (can && c.listed()) return true;
    (can ? mine : other) += c.count;
  }
  return mine * 20 > mine + other;
}

// Adjectives and determiners share their lemma with other degrees and words (größeren, größten;
// mehrere, mehr): unless the features tell them apart, only the ending may differ.
bool Inflections::close_enough(const Word& word, const std::string& form, uint32_t count) const {
  bool determiner = word.upos == "DET";
  if ((word.upos != "ADJ" && !determiner) || word.feats.find("Degree=") != std::string_view::npos ||
      count == 0 || (determiner && count >= 5))
    return true;
  std::string own = lower(word.form);
  size_t same = common_prefix(own, form);
  return count_characters(std::string_view(own).substr(same)) <= 2 &&
         count_characters(std::string_view(form).substr(same)) <= 2;
}

std::string Inflections::usual_form(const Word& word, const Rests& rests, const Place& place,
                                    FeatureIndex value) const {
  std::string own = lower(word.form);
  std::map<std::string, uint32_t> counts;
  for (const Cell& c : cells_of(lemmas_, word.lemma, word.upos))
    if (c.value == value && c.second == 0 && rests.hold(c) &&
        same_gender(c.bundle[Feature::gender], word.bundle[Feature::gender]) &&
        same_gender(c.bundle[Feature::gender], place.gender))
      counts[c.form] += c.count;
  uint32_t top = 0;
  bool can_elide = false;
  for (const auto& [form, n] : counts) {
    if (!spelled_otherwise(own, form)) top = std::max(top, n);
    can_elide |= place.before_vowel && elided(form);
  }
  const std::pair<const std::string, uint32_t>* best = nullptr;
  for (const auto& entry : counts) {
    const auto& [form, n] = entry;
    if (form == own || n * 5 < top || elided(form) != can_elide || !known(form) ||
        spelled_otherwise(own, form) || other_declension(form, word) ||
        !close_enough(word, form, n) || can_have(form, word, place))
      continue;
    if (!best || n > best->second ||
        (n == best->second && common_prefix(form, own) > common_prefix(best->first, own)))
      best = &entry;
  }
  return best ? best->first : "";
}

std::vector<std::string> Inflections::other_forms(const Word& word, const Place& place) const {
  std::vector<std::string> forms;
  FeatureIndex mine = word.bundle[vary_];
  Tally t = tally(word, place.gender);
  if (word.lemma == "_" || t.mine * 20 < t.other) return forms;  // the tag itself is a mistake
  Rests rests{cell(std::string(word.feats), "", 1).rest, {}};
  for (const Cell& c : cells_of(lemmas_, word.lemma, word.upos))
    if (c.listed() && c.form == lower(word.form) && c.value == mine) rests.unimorph.insert(c.rest);
  Bundle other;
  for (FeatureIndex value = 1; !value_name(vary_, value).empty(); ++value) {
    other.value[size_t(vary_)] = value;
    if (value == mine || core_values(other).empty()) continue;
    if (std::string form = usual_form(word, rests, place, value); !form.empty())
      forms.push_back(std::move(form));
  }
  return forms;
}

}  // namespace minpair::stimuli
