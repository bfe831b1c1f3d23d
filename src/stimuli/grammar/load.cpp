// Which files are grammars, and in which order.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/text.h"
#include "stimuli/grammar/design.h"
#include "stimuli/grammar/grammar.h"

namespace minpair::stimuli {

namespace fs = std::filesystem;

namespace {

void apply_options(Derivations& derivations, const GrammarOptions& options) {
  Style& style = derivations.style();
  style.capitalize = options.capitalize.value_or(style.capitalize);
  style.attach = options.attach.value_or(style.attach);
  style.period = options.period.value_or(style.period);
  style.eos = options.eos.value_or(style.eos);
  derivations.keep_conditions(
      [&](const std::string& c) { return all_or_among(options.conditions, c); });
  if (!options.vocabulary.empty()) {
    std::unordered_set<std::string> known;
    LineReader reader(options.vocabulary);
    for (std::string_view line; reader.next(line);) known.emplace(trim(line));
    derivations.keep_words([&](std::string_view w) { return known.count(std::string(w)) > 0; });
  }
  if (!options.whole) derivations.keep_sample();
  if (options.roles) derivations.name_roles();
}

std::string text_of(const fs::path& path) { return read_file(path, 1 << 26); }

std::string common_of(const fs::path& path) {
  fs::path common = path.parent_path() / "common.avg";
  return fs::exists(common) ? text_of(common) : "";
}

Derivations load_file(const fs::path& path, const GrammarOptions& options) {
  Derivations derivations =
      path.extension() == ".avg"
          ? read_avg(text_of(path), common_of(path), path.string(), options)
          : read_cfg(text_of(path), path.string(), path.parent_path(), options);
  if (derivations.count() == 0)
    throw bad_input("the grammar has no sentences")
        .at(path.string())
        .hint(options.depth
                  ? "give a larger --depth"
                  : "what is tied, kept apart or passed over as syncretic may leave nothing");
  apply_options(derivations, options);
  return derivations;
}

// A name that no grammar has would lose its title and its place without a word.
void check_manifest(const suite::Manifest& manifest, const std::vector<std::string>& grammars,
                    const fs::path& folder) {
  for (const suite::TestInfo& test : manifest.tests) {
    if (std::find(grammars.begin(), grammars.end(), test.name) != grammars.end()) continue;
    const std::string guess = closest(test.name, grammars);
    throw bad_input(fmt::format("there is no grammar for the test '{}'", test.name))
        .at((folder / "manifest.json").string())
        .hint(guess.empty() ? "a test has the name of its file"
                            : fmt::format("did you mean '{}'?", guess));
  }
}

// In the order of the manifest, then of the names.
std::vector<fs::path> grammars_in(const fs::path& folder, const suite::Manifest& manifest) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_of(folder))
    if (is_grammar(entry)) files.push_back(entry);
  auto place = [&](const fs::path& p) {
    const suite::TestInfo* test = manifest.find(p.stem().string());
    return test ? size_t(test - manifest.tests.data()) : manifest.tests.size();
  };
  std::sort(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) {
    return std::pair(place(a), a.stem().string()) < std::pair(place(b), b.stem().string());
  });
  return files;
}

// The folders of a suite for several languages: one for each, in the order of the manifest.
std::vector<fs::path> folders_of_languages(const fs::path& folder,
                                           const suite::Manifest& manifest) {
  std::vector<fs::path> folders;
  for (const std::string& language : manifest.languages)
    if (fs::is_directory(folder / language)) folders.push_back(folder / language);
  return folders;
}

fs::path place_of(const fs::path& given) {
  return fs::exists(given) ? given : find_shipped("suites", given.string());
}

struct Folders {
  suite::Manifest manifest;
  std::vector<fs::path> folders;
  bool several = false;  // one for each language
};

Folders folders_of(const fs::path& path) {
  Folders f;
  if (fs::exists(path / "manifest.json")) f.manifest = suite::read_manifest(path / "manifest.json");
  f.folders = folders_of_languages(path, f.manifest);
  f.several = !f.folders.empty();
  if (!f.several) f.folders.push_back(path);
  return f;
}

void add_criteria(const fs::path& file, std::vector<suite::Criterion>& all) {
  std::vector<StatedCriterion> stated =
      file.extension() == ".avg" ? avg_criteria(text_of(file), common_of(file), file.string())
                                 : cfg_criteria(text_of(file), file.string(), file.parent_path());
  for (StatedCriterion& s : stated) {
    if (s.criterion.test.empty()) s.criterion.test = file.stem().string();
    if (std::find(all.begin(), all.end(), s.criterion) == all.end())
      all.push_back(std::move(s.criterion));
  }
}

}  // namespace

fs::path manifest_of_grammars(const fs::path& given) {
  fs::path manifest = place_of(given) / "manifest.json";
  return fs::exists(manifest) ? manifest : fs::path();
}

bool is_grammar(const fs::path& file) {
  return (file.extension() == ".cfg" || file.extension() == ".avg") && file.stem() != "common";
}

std::vector<suite::Criterion> criteria_of_grammars(const fs::path& given) {
  const fs::path path = place_of(given);
  std::vector<suite::Criterion> all;
  if (!fs::is_directory(path)) {
    add_criteria(path, all);
    return all;
  }
  const Folders f = folders_of(path);
  for (const fs::path& folder : f.folders)
    for (const fs::path& file : grammars_in(folder, f.manifest)) add_criteria(file, all);
  return all;
}

std::vector<Derivations> load_derivations(const fs::path& given, const GrammarOptions& options) {
  fs::path path = place_of(given);
  if (path.empty())
    throw bad_input(fmt::format("there is no grammar or suite '{}'", given.string()))
        .hint("'minpair list suites' shows the shipped ones");
  std::vector<Derivations> tests;
  if (!fs::is_directory(path)) {
    tests.push_back(load_file(path, options));
    return tests;
  }
  const auto [manifest, folders, several] = folders_of(path);
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    GrammarOptions inner = options;
    if (inner.language.empty() && several) inner.language = folder.filename().string();
    if (inner.language.empty() && manifest.languages.size() == 1)
      inner.language = manifest.languages[0];
    for (const fs::path& f : grammars_in(folder, manifest)) {
      names.push_back(f.stem().string());
      if (!all_or_among(options.tests, f.stem().string())) continue;
      tests.push_back(load_file(f, inner));
      if (several) tests.back().set_prefix(folder.filename().string() + "/");
    }
  }
  if (names.empty())
    throw bad_input("there is no grammar in this folder")
        .at(path.string())
        .hint("grammars are files that end in .cfg or .avg");
  check_manifest(manifest, names, path);
  if (tests.empty()) throw wrong_call(fmt::format("no grammar in {} has that test", path.string()));
  return tests;
}

}  // namespace minpair::stimuli
