#include "stimuli/grammar/paradigm.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/rows.h"
#include "base/text.h"

namespace minpair::stimuli {
namespace {

struct Dimension {
  std::string_view name;
  std::string_view tags;  // between spaces
};

// The UniMorph schema, as far as inflection tables use it.
constexpr Dimension kDimensions[] = {
    {"pos",
     " n propn adj pro clf art det v adv aux v.ptcp v.msdr v.cvb adp comp conj num part intj "},
    {"number", " sg pl du tri pauc grpl "},
    {"case", " nom acc dat gen erg abs voc ins com loc abl all ess transl prt term be "},
    {"gender", " masc fem neut "},
    {"person", " 0 1 2 3 4 "},
    {"tense", " prs pst fut "},
    {"mood", " ind sbjv imp cond real irr pot opt "},
    {"aspect", " ipfv pfv prf prog hab iter "},
    {"voice", " act mid pass antip "},
    {"definiteness", " def indf spec nspec "},
    {"comparison", " cmpr sprl eqt ab rl "},
    {"finiteness", " fin nfin "},
    {"polarity", " pos neg "},
    {"politeness", " form infm pol elev humb "},
    {"animacy", " anim inan hum nhum "},
    {"valency", " intr tr ditr refl recp caus appl "},
};

constexpr std::pair<std::string_view, std::string_view> kShortNames[] = {
    {"num", "number"},  {"gen", "gender"},       {"per", "person"},
    {"pers", "person"}, {"def", "definiteness"}, {"anim", "animacy"}};

constexpr size_t kMostCells = 64;  // that one line can stand for

// One tag of a bundle, as name and alternatives.
std::pair<std::string, std::vector<std::string>> read_tag(std::string_view tag) {
  std::string text = lower(tag);
  if (size_t equals = text.find('='); equals != text.npos)
    return {full_feature_name(text.substr(0, equals)), {text.substr(equals + 1)}};
  std::string_view inner = text;
  if (inner.size() > 2 && inner.front() == '{' && inner.back() == '}')
    inner = inner.substr(1, inner.size() - 2);
  std::vector<std::string> values;
  std::string name;
  for (std::string_view v : split(inner, '/')) {
    std::string n = feature_of_tag(v);
    if (n.empty() || (!name.empty() && n != name)) return {"", {std::string(v)}};
    name = n;
    values.emplace_back(v);
  }
  return {name, values};
}

// Every way to choose one value for each feature.
std::vector<Features> read_bundle(std::string_view bundle, const Where& where) {
  std::vector<Features> all(1);
  uint64_t column = where.column;
  for (std::string_view tag : split(bundle, ';')) {
    Where here = where;
    here.column = column;
    column += count_characters(tag) + 1;
    auto [name, values] = read_tag(trim(tag));
    if (name.empty() || values[0].empty())
      throw bad_input(fmt::format("'{}' is not a feature of UniMorph", trim(tag)))
          .at(here)
          .hint("write a feature of your own as name=value");
    if (all[0].contains(name)) throw bad_input(fmt::format("{} is given twice", name)).at(here);
    if (all.size() * values.size() > kMostCells)
      throw bad_input("too many alternatives in one line").at(here);
    std::vector<Features> more;
    for (const Features& f : all)
      for (const std::string& v : values) (more.emplace_back(f))[name] = v;
    all = std::move(more);
  }
  return all;
}

}  // namespace

void Paradigms::read(std::string_view table, const std::string& name) {
  uint64_t number = 0;
  table = without_mark(table);
  if (!valid_utf8(table)) throw bad_input("the table is not UTF-8").at(name);
  for (std::string_view line : split(table, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trim(line).empty() || line[0] == '#') continue;
    std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() != 3)
      throw bad_input(fmt::format("{}; a paradigm has lemma, form and features",
                                  counted(columns.size(), "column")))
          .at(name, number)
          .hint("put one tab between the columns");
    std::string lemma(trim(columns[0])), form(trim(columns[1]));
    if (lemma.empty() || form.empty())
      throw bad_input("a lemma or a form is empty").at(name, number, 1);
    if (form == "''") {
      form.clear();
      has_empty_ = true;
    }
    uint64_t column = count_characters(columns[0]) + count_characters(columns[1]) + 3;
    for (Features& f : read_bundle(columns[2], {name, number, column, {}}))
      cells_[lemma].push_back({form, std::move(f)});
  }
}

void Paradigms::read_file(const std::filesystem::path& file) {
  read(minpair::read_file(file, 1 << 28), file.string());
}

const std::vector<Cell>* Paradigms::find(const std::string& lemma) const {
  auto it = cells_.find(lemma);
  return it == cells_.end() ? nullptr : &it->second;
}

std::vector<std::string> Paradigms::lemmas() const {
  std::vector<std::string> all;
  for (const auto& [lemma, cells] : cells_) all.push_back(lemma);
  return all;
}

std::string feature_of_tag(std::string_view tag) {
  if (tag.empty() || tag.find(' ') != tag.npos) return "";
  std::string spaced = fmt::format(" {} ", lower(tag));
  for (const Dimension& d : kDimensions)
    if (d.tags.find(spaced) != d.tags.npos) return std::string(d.name);
  if (spaced.starts_with(" lgspec")) return "language-specific";
  return "";
}

std::string full_feature_name(std::string_view name) {
  std::string low = lower(name);
  for (const auto& [short_name, full] : kShortNames)
    if (low == short_name) return std::string(full);
  return low;
}

bool is_inherent(std::string_view feature) {
  if (feature == "pos" || feature == "gender" || feature == "animacy" || feature == "valency")
    return true;
  return std::none_of(std::begin(kDimensions), std::end(kDimensions),
                      [&](const Dimension& d) { return d.name == feature; });
}

std::string features_text(const Features& features) {
  std::string text;
  for (const auto& [name, value] : features)
    if (!value.empty()) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

}  // namespace minpair::stimuli
