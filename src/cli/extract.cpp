#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "base/counts.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "stimuli/treebank/extract.h"
#include "suite/suite.h"

namespace minpair::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> treebanks, unimorph;
  std::string output, language, mask = "controller", vary = "number", types;
  bool pairs = false, compat = false, every_type = false, quiet = false;
  unsigned nonce = 0;
  uint64_t seed = 1;
};

using FilesByLanguage =
    std::map<std::string, std::pair<stimuli::LanguageInfo, std::vector<fs::path>>>;

FilesByLanguage group_by_language(const Options& o) {
  fs::path table = o.types.empty() ? find_shipped("suites", "treebank") / "agreement-types.tsv"
                                   : fs::path(o.types);
  std::vector<stimuli::LanguageInfo> languages = stimuli::read_agreement_types(table);
  stimuli::read_either_number(find_shipped("suites", "treebank") / "either-number.tsv", languages);
  FilesByLanguage groups;
  for (const fs::path& file : stimuli::conllu_files({o.treebanks.begin(), o.treebanks.end()})) {
    const stimuli::LanguageInfo* language = nullptr;
    if (o.language.empty()) {
      language = stimuli::language_of(fs::absolute(file), languages);
    } else {
      for (const stimuli::LanguageInfo& l : languages)
        if (l.code == o.language || l.name == o.language || l.iso639_3 == o.language) language = &l;
    }
    if (!language)
      throw bad_input(o.language.empty()
                          ? "the language of this treebank is not clear from its name"
                          : fmt::format("'{}' is not in {}", o.language, table.string()))
          .at(file.string())
          .hint(
              "state it with --language, and the language's types in the table given with --types");
    auto& group = groups[language->code];
    group.first = *language;
    group.second.push_back(file);
  }
  return groups;
}

// What a file has that no item is made of.
void warn_skipped(const fs::path& file, uint64_t withheld, uint64_t too_long, uint64_t first_long) {
  if (withheld > 0)
    fmt::print(stderr,
               "note: {}: the words of {} are withheld; the treebank's README says where they can "
               "be had\n",
               file.string(), counted(withheld, "sentence"));
  if (too_long > 0)
    fmt::print(stderr,
               "note: {}: {} of more than {} words left out, the first at line {}; are empty lines "
               "between sentences missing?\n",
               file.string(), counted(too_long, "sentence"), count_text(stimuli::longest_sentence),
               first_long);
}

template <class Each>
void each_tree(const std::vector<fs::path>& files, bool quiet, const std::string& what, Each each) {
  Progress progress(what, files.size(), quiet);
  stimuli::Tree tree;
  for (size_t i = 0; i < files.size(); ++i) {
    progress.set(i, files[i].filename().string());
    stimuli::ConlluReader in(files[i]);
    uint64_t withheld = 0, too_long = 0, first_long = 0;
    while (in.next(tree)) {
      if (tree.words.size() > stimuli::longest_sentence) {
        if (++too_long == 1) first_long = tree.line;
        continue;
      }
      withheld += tree.withheld();
      each(tree);
    }
    if (!quiet) warn_skipped(files[i], withheld, too_long, first_long);
    if (in.sloppy_lines() > 0 && !quiet)
      fmt::print(stderr, "note: {} passed over, the first: {}\n",
                 counted(in.sloppy_lines(), "small fault"), in.first_sloppy());
  }
}

void print_counts(const stimuli::LanguageInfo& l, const stimuli::ExtractCounts& c) {
  fmt::print(stderr, "{}: {} from {} in {}\n", l.name, counted(c.items, "item"),
             counted(c.relations, "relation"), counted(c.sentences, "sentence"));
  for (const auto& [type, n] : c.by_type)
    fmt::print(stderr, "  {:<28} {:>10}\n", type, count_text(n));
  auto left_out = [](const char* why, uint64_t n) {
    if (n > 0) fmt::print(stderr, "  {:<28} {:>10}\n", why, count_text(n));
  };
  left_out("left out: text withheld", c.withheld);
  left_out("left out: they disagree", c.disagree);
  left_out("left out: no feature", c.featureless);
  left_out("left out: not in language", c.wrong_type);
  left_out("left out: seen before", c.duplicates);
  left_out("left out: in a longer token", c.multiword);
  left_out("left out: participle", c.participles);
  left_out("left out: may be right, too", c.either);
  left_out("left out: no other form", c.no_other_form);
  left_out("left out: no word to replace", c.nothing_to_replace);
  if (c.through_auxiliary > 0)
    fmt::print(
        stderr,
        "  {} of them through a copula or auxiliary, which the released code misses; without: {}\n",
        count_text(c.through_auxiliary), count_text(c.items - c.through_auxiliary));
}

// A treebank may lack the feature on verbs or give plurals a lemma of their own (English EWT).
void explain_no_pairs(const stimuli::ExtractCounts& c, const std::string& vary) {
  if (c.items > 0) return;
  fmt::print(stderr, "note: no pair was found: {} not show {} on both words{}\n",
             counted(c.featureless, "relation") + (c.featureless == 1 ? " does" : " do"), vary,
             c.no_other_form == 0
                 ? ""
                 : fmt::format(", and for {} the treebank has no form of the same lemma and "
                               "the same other features with another {}, for example {}",
                               counted(c.no_other_form, "word"), vary, c.without_other_form));
  fmt::print(stderr, "  --unimorph adds forms; so do further treebanks of the language\n");
}

// UniMorph names its files by the language ("deu", "deu/deu"); where there is only one language, it
// is that one's.
std::vector<std::string> unimorph_of(const Options& o, const stimuli::LanguageInfo& language,
                                     const FilesByLanguage& groups) {
  if (groups.size() == 1) return o.unimorph;
  std::vector<std::string> files;
  for (const std::string& file : o.unimorph)
    if (fs::path(file).stem() == language.iso639_3) files.push_back(file);
  return files;
}

void check_unimorph(const Options& o, const FilesByLanguage& groups) {
  size_t used = 0;
  for (const auto& [code, group] : groups) used += unimorph_of(o, group.first, groups).size();
  if (used < o.unimorph.size())
    throw wrong_call("the language of a UniMorph file is not clear from its name")
        .hint("with treebanks of several languages, name the files by ISO 639-3: deu, heb");
}

stimuli::Feature feature_named(const std::string& name) {
  for (stimuli::Feature f : stimuli::all_features)
    if (stimuli::name_of(f) == name) return f;
  throw wrong_call(fmt::format("'{}' is not a feature that can be varied", name))
      .hint("number, gender, case or person");
}

void extract_clozes(const Options& o, const stimuli::LanguageInfo& language,
                    const std::vector<fs::path>& files, const std::vector<std::string>& unimorph,
                    const stimuli::ExtractOptions& options, suite::SuiteWriter& out,
                    stimuli::Lexicon& lexicon) {
  stimuli::ClozeExtractor extractor(language, options);
  each_tree(files, o.quiet, language.name, [&](const stimuli::Tree& tree) {
    lexicon.add(tree);
    extractor.add(tree, [&](const suite::Item& item) { out.write(item); });
  });
  for (const std::string& file : unimorph)
    if (uint64_t malformed = lexicon.add_unimorph(file); malformed > 0 && !o.quiet)
      fmt::print(stderr, "note: {}: {} passed over\n", file, counted(malformed, "malformed line"));
  if (o.quiet) return;
  print_counts(language, extractor.counts());
  fmt::print(stderr, "  {} with features in lexicon.tsv\n",
             counted(lexicon.entries().size(), "word form"));
}

void extract_pairs(const Options& o, const stimuli::LanguageInfo& language,
                   const std::vector<fs::path>& files, const std::vector<std::string>& unimorph,
                   const stimuli::ExtractOptions& options, suite::SuiteWriter& out) {
  stimuli::Feature vary = feature_named(o.vary);
  stimuli::Inflections paradigms;
  stimuli::NonceWords words;
  each_tree(files, o.quiet, language.name + ", paradigms", [&](const stimuli::Tree& tree) {
    paradigms.add(tree);
    if (o.nonce > 0) words.add(tree);
  });
  for (const std::string& file : unimorph) paradigms.add_unimorph(file);
  paradigms.finish(vary);
  words.finish();
  stimuli::PairExtractor extractor(language, paradigms, options, vary);
  if (o.nonce > 0) extractor.nonce(std::move(words), o.seed, o.nonce);
  each_tree(files, true, language.name, [&](const stimuli::Tree& tree) {
    extractor.add(tree, [&](const suite::Item& item) { out.write(item); });
  });
  if (o.quiet) return;
  print_counts(language, extractor.counts());
  explain_no_pairs(extractor.counts(), o.vary);
}

suite::Manifest manifest_for(const Options& o, const FilesByLanguage& groups) {
  suite::Manifest m;
  m.name = fs::path(o.output).filename().string();
  m.title = o.pairs ? "Natural minimal pairs from treebanks" : "Agreement clozes from treebanks";
  m.citation =
      "Bacon & Regier (2019): Does BERT agree? Evaluating knowledge of structure dependence "
      "through agreement relations.";
  m.licence = "that of the treebanks";
  for (const auto& [code, group] : groups) m.languages.push_back(code);
  if (!o.pairs) m.method = "feature-class";
  for (stimuli::AgreementType t :
       {stimuli::AgreementType::determiner, stimuli::AgreementType::attributive,
        stimuli::AgreementType::predicative, stimuli::AgreementType::verb}) {
    static constexpr const char* titles[] = {"Determiner", "Attributive adjective",
                                             "Predicate adjective", "Subject-verb"};
    std::string name(stimuli::name_of(t));
    m.tests.push_back({o.pairs ? name + "_" + o.vary : name, titles[size_t(t)], ""});
  }
  return m;
}

// The output folder, which goes again when the work fails before anything is in it.
class OutputFolder {
 public:
  explicit OutputFolder(const fs::path& path) : path_(path), made_(fs::create_directories(path)) {}
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }

 private:
  fs::path path_;
  bool made_;
};

void run(const Options& o) {
  stimuli::ExtractOptions options;
  options.mask = o.mask == "target" ? stimuli::ExtractOptions::Mask::target
                 : o.mask == "both" ? stimuli::ExtractOptions::Mask::both
                                    : stimuli::ExtractOptions::Mask::controller;
  options.compat = o.compat;
  options.every_type = o.every_type;
  FilesByLanguage groups = group_by_language(o);
  check_unimorph(o, groups);
  OutputFolder folder(o.output);
  suite::SuiteWriter out(fs::path(o.output) / "items.jsonl");
  std::map<std::string, stimuli::Lexicon> lexicons;
  for (const auto& [code, group] : groups) {
    const auto& [language, files] = group;
    std::vector<std::string> unimorph = unimorph_of(o, language, groups);
    if (o.pairs)
      extract_pairs(o, language, files, unimorph, options, out);
    else
      extract_clozes(o, language, files, unimorph, options, out, lexicons[code]);
  }
  out.commit();
  if (!o.pairs) stimuli::write_lexicons(lexicons, fs::path(o.output) / "lexicon.tsv");
  write_file(fs::path(o.output) / "manifest.json", suite::manifest_json(manifest_for(o, groups)));
}

void add_extract(Cli& cli) {
  auto o = std::make_shared<Options>();
  Command& app =
      cli.command("extract", Group::suites,
                  "Find agreement in treebanks: clozes, natural minimal pairs, nonce sentences",
                  "  minpair extract UD_German-GSD --unimorph deu -o de-cloze\n"
                  "  minpair extract UD_Afrikaans-AfriBooms --mask both -o af-cloze\n"
                  "  minpair extract UD_German-* --pairs --vary number -o de-pairs\n"
                  "  minpair extract UD_German-GSD --pairs --nonce 3 --seed 7 -o de-nonce\n");
  app.add_option("treebanks", o->treebanks, "CoNLL-U files or folders of them")
      .required()
      .existing_path();
  app.add_option("-o,--output", o->output, "the suite's folder").required();
  app.add_option("--unimorph", o->unimorph, "UniMorph files: more words and forms").existing_file();
  app.add_option("--language", o->language,
                 "language of the treebanks, if their names do not say (de, German)");
  app.add_option("--mask", o->mask, "the word in question: controller (the paper), target, or both")
      .one_of({"controller", "target", "both"});
  Option& pairs = app.add_flag(
      "--pairs", o->pairs,
      "minimal pairs instead of clozes: the form against the one that differs in a feature");
  app.add_option("--vary", o->vary,
                 "the feature that differs in a pair: number, gender, case, person")
      .only_with(pairs);
  Option& nonce =
      app.add_option("--nonce", o->nonce, "N nonce variants of every pair, instead of the pairs")
          .between(1, 1000)
          .only_with(pairs);
  app.add_option("--seed", o->seed, "for nonce words").only_with(nonce);
  app.add_option("--types", o->types, "a table like suites/treebank/agreement-types.tsv")
      .existing_file();
  app.add_flag("--every-type", o->every_type,
               "also types of agreement that the table says the language lacks");
  app.add_flag("--compat", o->compat,
               "follow the released code: its counts, distractors and spaces");
  app.add_flag("-q,--quiet", o->quiet, "no counts");
  app.work = [o] { run(*o); };
}

const Cli::Entry extract_command{30, add_extract};

}  // namespace
}  // namespace minpair::cli
