#include "stimuli/treebank/lexicon.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace minpair::stimuli {
namespace {

bool agreeing_part(std::string_view pos) {
  static constexpr std::string_view parts[] = {"VERB", "NOUN", "PRON", "ADJ", "DET", "AUX"};
  return std::find(std::begin(parts), std::end(parts), pos) != std::end(parts);
}

Hash128 hash_of(const Word& w) {
  static thread_local std::string key;
  key.assign(w.form);
  for (std::string_view part : {w.lemma, w.upos, w.feats}) key.append(1, '\t').append(part);
  return hash128(key);
}

}  // namespace

uint64_t each_unimorph_line(
    const std::filesystem::path& file,
    const std::function<void(std::string_view, std::string_view, std::string_view)>& found) {
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

void Lexicon::add(LexiconEntry entry) {
  if (entry.form.empty() || marked(entry.form) || entry.bundle.empty()) return;
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

namespace {

// "idx,sing,plur,freq": verbs of any language, a lemma a line.
class VerbList {
 public:
  static std::optional<VerbList> begun_by(std::string_view line) {
    std::vector<std::string_view> names = split(line, ',');
    VerbList list;
    list.width_ = names.size();
    for (size_t number = 0; number < 2; ++number) {
      auto at = std::find(names.begin(), names.end(), number == 0 ? "sing" : "plur");
      if (at == names.end()) return {};
      list.columns_[number] = size_t(at - names.begin());
    }
    return list;
  }
  void read(std::string_view line, const Where& where, const EachEntry& each) const {
    std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != width_)
      throw bad_input(fmt::format("{} columns are needed, as in the first line", width_)).at(where);
    for (size_t number = 0; number < 2; ++number) {
      LexiconEntry e{lower(cells[columns_[number]]), std::to_string(where.line), "VERB", {}};
      e.bundle.value[size_t(Feature::number)] =
          value_index(Feature::number, number == 0 ? "Sing" : "Plur");
      if (!e.form.empty()) each("", e);
    }
  }

 private:
  size_t width_ = 0, columns_[2] = {0, 0};
};

}  // namespace

void read_lexicons(const std::filesystem::path& file, const EachEntry& each) {
  LineReader lines(file);
  LexiconEntry e;
  std::optional<VerbList> verbs;
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() == 1) verbs = VerbList::begun_by(line);
    if (line.empty() || lines.line_number() == 1) continue;
    if (verbs) {
      verbs->read(line, {lines.name(), lines.line_number()}, each);
      continue;
    }
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

}  // namespace minpair::stimuli
