#include "stimuli/treebank/lexicon.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace minpair::stimuli {
namespace {

bool agreeing_part(std::string_view pos) {
  static constexpr std::string_view parts[] = {"VERB", "NOUN", "PRON", "ADJ", "DET", "AUX"};
  return std::find(std::begin(parts), std::end(parts), pos) != std::end(parts);
}

// Calls `found` with lemma, form and tags of every well-formed line; returns how many were not.
template <class Found>
uint64_t each_unimorph_line(const std::filesystem::path& file, Found found) {
  uint64_t malformed = 0;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() < 3 || columns[1].empty() || columns[2].empty())
      ++malformed;
    else
      found(columns[0], columns[1], columns[2]);
  }
  return malformed;
}

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

Hash128 hash_of(const Word& w) {
  static thread_local std::string key;
  key.assign(w.form);
  for (std::string_view part : {w.lemma, w.upos, w.feats}) key.append(1, '\t').append(part);
  return hash128(key);
}

// "Case=Nom|Number=Sing" without its number, and the number.
std::string without(std::string_view feats, std::string_view key, std::string_view* value) {
  std::string rest;
  for (std::string_view pair : split(feats, '|')) {
    if (pair.starts_with(key)) {
      if (value) *value = pair.substr(key.size());
      continue;
    }
    if (!rest.empty()) rest += '|';
    rest += pair;
  }
  return rest;
}

// UniMorph tags without those of one feature; `value` gets the feature's index.
std::string without_tag(std::string_view tags, Feature feature, FeatureIndex* value) {
  std::string rest;
  for (std::string_view tag : split(tags, ';')) {
    Bundle one;
    parse_unimorph_features(tag, one);
    if (one[feature] != 0) {
      *value = one[feature];
      continue;
    }
    rest += tag;
    rest += ';';
  }
  return rest;
}

// Content words of a nonce sentence are replaced by others of the same shape.
std::string shape(std::string_view form) {
  size_t at = 0;
  std::string first;
  if (form.empty()) return "";
  append_utf8(first, next_character(form, at));
  return lower(first) == first ? "a" : "A";
}

}  // namespace

void Lexicon::add(LexiconEntry entry) {
  if (entry.form.empty() || entry.form == "_" || entry.bundle.empty()) return;
  entries_.insert(std::move(entry));
}

void Lexicon::add(const Tree& tree) {
  for (const Word& w : tree.words) {
    if (!agreeing_part(w.upos)) continue;
    Bundle core = core_values(w.bundle);
    if (core.empty() || !seen_.insert(hash_of(w)).second) continue;
    add({lower(w.form), std::string(w.lemma), std::string(w.upos), core});
  }
}

uint64_t Lexicon::add_unimorph(const std::filesystem::path& file) {
  return each_unimorph_line(
      file, [&](std::string_view lemma, std::string_view form, std::string_view tags) {
        Bundle bundle;
        std::string_view pos = parse_unimorph_features(tags, bundle);
        if (!pos.empty())
          add({lower(form), std::string(lemma), std::string(pos), core_values(bundle)});
      });
}

void write_lexicons(const std::map<std::string, Lexicon>& lexicons,
                    const std::filesystem::path& file) {
  AtomicFile out(file);
  out.write("language\tform\tlemma\tpos\tnumber\tgender\tcase\tperson\n");
  for (const auto& [language, lexicon] : lexicons)
    for (const LexiconEntry& e : lexicon.entries()) {
      std::string line = fmt::format("{}\t{}\t{}\t{}", language, e.form, e.lemma, e.pos);
      for (Feature f : all_features) line += fmt::format("\t{}", value_name(f, e.bundle[f]));
      out.write(line + "\n");
    }
  out.commit();
}

void read_lexicons(const std::filesystem::path& file, const EachEntry& each) {
  LineReader lines(file);
  LexiconEntry e;
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || lines.line_number() == 1) continue;
    std::vector<std::string_view> c = split(line, '\t');
    if (c.size() != 8)
      throw bad_input(
          "eight columns are needed: language, form, lemma, pos, number, gender, case, person")
          .at(lines.name(), lines.line_number());
    e.form = c[1];
    e.lemma = c[2];
    e.pos = c[3];
    for (Feature f : all_features) {
      std::string_view value = c[4 + size_t(f)];
      e.bundle.value[size_t(f)] = value_index(f, value);
      if (!value.empty() && e.bundle[f] == 0)
        throw bad_input(fmt::format("'{}' is not a value of {}", value, name_of(f)))
            .at(lines.name(), lines.line_number());
    }
    each(c[0], e);
  }
}

void Inflections::add(const Tree& tree) {
  for (const Word& w : tree.words) {
    if (w.form.empty() || w.form == "_" || w.feats == "_") continue;
    treebank_[key_of(w.lemma, w.upos)].push_back({std::string(w.feats), lower(w.form)});
    if (w.upos == "NOUN" || w.upos == "VERB" || w.upos == "ADJ")
      alike_[key_of(w.upos, w.feats) + shape(w.form)].emplace_back(w.form);
  }
}

uint64_t Inflections::add_unimorph(const std::filesystem::path& file) {
  return each_unimorph_line(
      file, [&](std::string_view lemma, std::string_view form, std::string_view tags) {
        Bundle ignored;
        std::string_view pos = parse_unimorph_features(tags, ignored);
        if (!pos.empty()) unimorph_[key_of(lemma, pos)].push_back({std::string(tags), lower(form)});
      });
}

void Inflections::finish() {
  auto tidy = [](auto& table) {
    for (auto& [key, list] : table) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  };
  tidy(treebank_);
  tidy(unimorph_);
  tidy(alike_);
}

std::vector<std::string> Inflections::other_forms(const Word& word, Feature feature) const {
  std::set<std::string> same, other;
  std::string own = lower(word.form);
  if (auto hit = treebank_.find(key_of(word.lemma, word.upos)); hit != treebank_.end()) {
    std::string_view mine;
    std::string rest = without(word.feats, ud_key(feature), &mine);
    for (const Cell& c : hit->second) {
      std::string_view theirs;
      if (without(c.feats, ud_key(feature), &theirs) != rest || theirs.empty()) continue;
      (theirs == mine ? same : other).insert(c.form);
    }
  }
  // An auxiliary of the treebank is a verb in UniMorph.
  std::string_view pos = word.upos == "AUX" ? "VERB" : word.upos;
  if (auto hit = unimorph_.find(key_of(word.lemma, pos)); hit != unimorph_.end()) {
    std::set<std::string> rests;  // of the cells that hold this very form with this very value
    for (const Cell& c : hit->second) {
      FeatureIndex value = 0;
      std::string rest = without_tag(c.feats, feature, &value);
      if (c.form == own && value == word.bundle[feature]) rests.insert(rest);
    }
    for (const Cell& c : hit->second) {
      FeatureIndex value = 0;
      std::string rest = without_tag(c.feats, feature, &value);
      if (value == 0 || !rests.contains(rest)) continue;
      (value == word.bundle[feature] ? same : other).insert(c.form);
    }
  }
  std::vector<std::string> forms;
  for (const std::string& f : other)
    if (f != own && !same.contains(f)) forms.push_back(f);
  return forms;
}

const std::vector<std::string>* Inflections::words_like(const Word& word) const {
  auto hit = alike_.find(key_of(word.upos, word.feats) + shape(word.form));
  return hit == alike_.end() ? nullptr : &hit->second;
}

}  // namespace minpair::stimuli
