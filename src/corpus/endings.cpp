#include "corpus/endings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/text.h"

namespace minpair::corpus {

namespace fs = std::filesystem;

namespace {

constexpr size_t kShortestStem = 3;
// A form so much more frequent than the other belongs to another word: `einen` is none of `eint`.
constexpr uint64_t kTooFrequent = 1000;

uint64_t count_of(const WordCounts& counts, const std::string& word) {
  const auto it = counts.find(word);
  return it == counts.end() ? 0 : it->second;
}

bool starts_lower(std::string_view word) {
  size_t end = 0;
  const char32_t c = next_character(word, end);
  return is_letter(c) && lower(word.substr(0, end)) == word.substr(0, end);
}

bool allows(const Endings::Forms& forms, std::string_view stem) {
  if (forms.after.empty()) return true;
  const bool found = std::any_of(forms.after.begin(), forms.after.end(),
                                 [&](const std::string& end) { return stem.ends_with(end); });
  return found != forms.negated;
}

Endings::Forms parse_forms(const std::vector<std::string_view>& fields) {
  Endings::Forms forms{std::string(fields[1]), std::string(fields[2]), {}, false};
  forms.negated = fields.size() > 3 && fields[3] == "not-after";
  for (size_t i = 4; i < fields.size(); ++i) forms.after.emplace_back(fields[i]);
  return forms;
}

// False: no such line.
bool add_line(const std::vector<std::string_view>& fields, Endings& endings) {
  const std::string_view kind = fields[0];
  const size_t n = fields.size();
  if (kind == "ending" && (n == 2 || (n == 3 && fields[2] == "agrees"))) {
    endings.all.emplace_back(fields[1]);
    if (n == 3) endings.agreeing.emplace(fields[1]);
  } else if (kind == "forms" &&
             (n == 3 || (n > 4 && (fields[3] == "after" || fields[3] == "not-after")))) {
    endings.forms.push_back(parse_forms(fields));
  } else if (kind == "no-stem" && n == 2) {
    endings.no_stems.emplace(fields[1]);
  } else if (kind == "lower-case" && n == 1) {
    endings.lower_case = true;
  } else {
    return false;
  }
  return true;
}

// Stems that one of the pairs of forms shows, without those that another speaks against.
std::set<std::string> find_stems(const WordCounts& counts, const Endings& endings,
                                 uint64_t min_count) {
  std::set<std::string> stems, refused = endings.no_stems;
  for (const auto& [word, count] : counts) {
    if (count < min_count || (endings.lower_case && !starts_lower(word))) continue;
    for (const Endings::Forms& forms : endings.forms) {
      if (!word.ends_with(forms.one) || word.size() < forms.one.size() + kShortestStem) continue;
      const std::string stem = word.substr(0, word.size() - forms.one.size());
      if (!allows(forms, stem)) continue;
      const uint64_t other = count_of(counts, stem + forms.other);
      if (other > kTooFrequent * count)
        refused.insert(stem);
      else if (other >= min_count)
        stems.insert(stem);
    }
  }
  for (const std::string& stem : refused) stems.erase(stem);
  return stems;
}

}  // namespace

fs::path find_endings(const std::string& name) {
  if (fs::exists(name)) return name;
  fs::path shipped = find_shipped("languages", name + ".endings");
  if (shipped.empty())
    throw bad_input(fmt::format("there are no endings '{}'", name))
        .hint("name a file, or a language that has one in languages/: de");
  return shipped;
}

Endings read_endings(const fs::path& file) {
  Endings endings;
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> fields = split(line, '\t');
    const bool empty = std::any_of(fields.begin(), fields.end(), [](auto f) { return f.empty(); });
    if (empty || !add_line(fields, endings))
      throw bad_input(
          "this line is none of: ending E [agrees]; forms E E [after S ...]; no-stem S; "
          "lower-case")
          .at(file.string(), lines.line_number())
          .hint("fields are separated by one tab; languages/de.endings is an example");
  }
  if (endings.all.empty() || endings.forms.empty())
    throw bad_input("endings need at least one 'ending' and one pair of 'forms'")
        .at(file.string())
        .hint("languages/de.endings is an example");
  return endings;
}

StemCuts cut_endings(const WordCounts& counts, const Endings& endings, uint64_t min_count) {
  StemCuts cuts;
  for (const std::string& stem : find_stems(counts, endings, min_count))
    for (const std::string& ending : endings.all) {
      const std::string word = stem + ending;
      if (count_of(counts, word) == 0) continue;
      const auto [it, fresh] = cuts.emplace(word, stem.size());
      if (!fresh) it->second = std::min(it->second, stem.size());
    }
  return cuts;
}

}  // namespace minpair::corpus
