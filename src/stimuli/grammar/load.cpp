// Which files are grammars, and in which order.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/text.h"
#include "stimuli/grammar/grammar.h"

namespace minpair::stimuli {
namespace {

bool is_grammar(const fs::path& p) {
  return (p.extension() == ".cfg" || p.extension() == ".avg") && p.stem() != "common";
}

void apply_options(Language& language, const GrammarOptions& options) {
  Style& style = language.style();
  style.capitalize = options.capitalize.value_or(style.capitalize);
  style.attach = options.attach.value_or(style.attach);
  style.period = options.period.value_or(style.period);
  style.eos = options.eos.value_or(style.eos);
  language.keep_conditions([&](const std::string& c) { return all_or_among(options.conditions, c); });
  if (!options.vocabulary.empty()) {
    std::unordered_set<std::string> known;
    LineReader reader(options.vocabulary);
    for (std::string_view line; reader.next(line);) known.emplace(trim(line));
    language.keep_words([&](std::string_view w) { return known.count(std::string(w)) > 0; });
  }
}

Language load_file(const fs::path& path, const GrammarOptions& options) {
  std::string text = read_file(path, 1 << 26);
  Language language = [&] {
    if (path.extension() != ".avg")
      return read_cfg(text, path.string(), path.parent_path(), options);
    fs::path common = path.parent_path() / "common.avg";
    return read_avg(text, fs::exists(common) ? read_file(common, 1 << 26) : "", path.string(),
                    options);
  }();
  apply_options(language, options);
  return language;
}

// In the order of the manifest, then of the names.
std::vector<fs::path> grammars_in(const fs::path& folder, const suite::Manifest& manifest) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_grammar(entry.path())) files.push_back(entry.path());
  auto place = [&](const fs::path& p) {
    const suite::TestInfo* test = manifest.find(p.stem().string());
    return test ? size_t(test - manifest.tests.data()) : manifest.tests.size();
  };
  std::sort(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) {
    return std::pair(place(a), a.stem().string()) < std::pair(place(b), b.stem().string());
  });
  return files;
}

// The items of grammars, one language after the other, by rank: nothing is kept.
class GrammarItems : public suite::ItemStream {
 public:
  explicit GrammarItems(std::vector<Language> languages) : languages_(std::move(languages)) {}

  bool next(suite::Item& item) override {
    while (rank_ == count_) {
      if (at_ == languages_.size()) return false;
      const Language& language = languages_[at_++];
      items_.reset(new LanguageItems(language));
      rank_ = 0;
      count_ = language.count();
    }
    items_->at(rank_++, item);
    return true;
  }

 private:
  std::vector<Language> languages_;
  std::unique_ptr<LanguageItems> items_;
  size_t at_ = 0;
  Count rank_ = 0, count_ = 0;
};

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

}  // namespace

fs::path manifest_of_grammars(const fs::path& given) {
  fs::path manifest = place_of(given) / "manifest.json";
  return fs::exists(manifest) ? manifest : fs::path();
}

std::unique_ptr<suite::ItemStream> open_items(const suite::Suite& suite,
                                              const GrammarOptions& options) {
  bool grammar_file = suite.files.size() == 1 && is_grammar(suite.files[0]);
  if (!suite.files.empty() && !grammar_file) return suite::read_items(suite.files);
  return std::make_unique<GrammarItems>(load_grammars(suite.path, options));
}

std::vector<Language> load_grammars(const fs::path& given, const GrammarOptions& options) {
  fs::path path = place_of(given);
  if (path.empty())
    throw bad_input(fmt::format("there is no grammar or suite '{}'", given.string()))
        .hint("'minpair list suites' shows the shipped ones");
  std::vector<Language> languages;
  if (!fs::is_directory(path)) {
    languages.push_back(load_file(path, options));
    return languages;
  }
  suite::Manifest manifest;
  if (fs::exists(path / "manifest.json")) manifest = suite::read_manifest(path / "manifest.json");
  std::vector<fs::path> folders = folders_of_languages(path, manifest);
  bool several = !folders.empty();
  if (!several) folders.push_back(path);
  bool any = false;
  for (const fs::path& folder : folders) {
    GrammarOptions inner = options;
    if (inner.language.empty() && several) inner.language = folder.filename().string();
    if (inner.language.empty() && manifest.languages.size() == 1)
      inner.language = manifest.languages[0];
    for (const fs::path& f : grammars_in(folder, manifest)) {
      any = true;
      if (!all_or_among(options.tests, f.stem().string())) continue;
      languages.push_back(load_file(f, inner));
      if (several) languages.back().set_prefix(folder.filename().string() + "/");
    }
  }
  if (!any)
    throw bad_input("there is no grammar in this folder")
        .at(path.string())
        .hint("grammars are files that end in .cfg or .avg");
  if (languages.empty())
    throw wrong_call(fmt::format("no grammar in {} has that test", path.string()));
  return languages;
}

}  // namespace minpair::stimuli
