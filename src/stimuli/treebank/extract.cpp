#include "stimuli/treebank/extract.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/folder.h"

namespace minpair::stimuli {
namespace {

uint32_t words_between(const Agreement& a) {
  return std::max(a.target, a.controller) - std::min(a.target, a.controller);
}

// Nouns with other values than the word's; the released code counts those that agree, the word
// itself among them.
uint32_t distractors(const Tree& tree, uint32_t word, bool compat) {
  Bundle own = core_values(tree.word(word).bundle);
  uint32_t n = 0;
  for (uint32_t i = 1; i <= tree.words.size(); ++i)
    if (tree.word(i).upos == "NOUN" && agree(core_values(tree.word(i).bundle), own) == compat) ++n;
  return n;
}

// Nouns between the two that differ in number from the controller: Linzen et al.'s attractors.
uint32_t attractors(const Tree& tree, const Agreement& a) {
  FeatureIndex number = tree.word(a.controller).bundle[Feature::number];
  uint32_t n = 0;
  for (uint32_t i = std::min(a.target, a.controller) + 1; i < std::max(a.target, a.controller);
       ++i) {
    FeatureIndex other = tree.word(i).bundle[Feature::number];
    if (tree.word(i).upos == "NOUN" && number != 0 && other != 0 && other != number) ++n;
  }
  return n;
}

// The released code looks only where the target comes first.
bool intervening_noun(const Tree& tree, const Agreement& a, bool compat) {
  if (compat && a.controller < a.target) return false;
  for (uint32_t i = std::min(a.target, a.controller) + 1; i < std::max(a.target, a.controller); ++i)
    if (tree.word(i).upos == "NOUN") return true;
  return false;
}

}  // namespace

bool left_out(const Tree& tree, const Agreement& a, ExtractCounts& counts) {
  const Word &target = tree.word(a.target), &controller = tree.word(a.controller);
  if (target.form == "_" || controller.form == "_" || tree.token_of(a.target).withheld() ||
      tree.token_of(a.controller).withheld() || tree.withheld()) {
    ++counts.withheld;
    return true;
  }
  bool clash = !agree(core_values(target.bundle), core_values(controller.bundle));
  counts.disagree += clash;
  return clash;
}

// The other word's place in the text, in characters, so that a run can count pieces up to it.
void add_other(const std::string& text, Span other, suite::Item& item) {
  item.features.emplace_back("other", fmt::format("{}-{}", character_of_byte(text, other.begin),
                                                  character_of_byte(text, other.end)));
}

void add_analysis(const Tree& tree, const Agreement& a, uint32_t word, bool compat,
                  suite::Item& item) {
  auto add = [&](const char* name, suite::FeatureValue value) {
    item.features.emplace_back(name, std::move(value));
  };
  const Word& w = tree.word(word);
  add("type", std::string(name_of(a.type)));
  add("pos", std::string(w.upos));
  add("lemma", std::string(w.lemma));
  for (Feature f : all_features)
    if (FeatureIndex v = core_values(w.bundle)[f])
      add(name_of(f).data(), std::string(value_name(f, v)));
  add("distance", double(words_between(a)));
  add("distractors", double(distractors(tree, word, compat)));
  add("attractors", double(attractors(tree, a)));
  add("intervening_noun", intervening_noun(tree, a, compat) ? 1.0 : 0.0);
  add("order", std::string(a.target < a.controller ? "target-controller" : "controller-target"));
  if (a.through_auxiliary) add("through_auxiliary", 1.0);
  if (!tree.id.empty()) add("sentence_id", tree.id);
}

// The masked sentence as the paper writes it, one space between tokens: never built, only hashed.
bool ClozeExtractor::first_time(const Tree& tree, uint32_t masked, AgreementType type) {
  static thread_local std::string text;
  text.assign(1, char('0' + int(type)));
  uint32_t token = tree.word(masked).token;
  for (uint32_t i = 0; i < tree.tokens.size(); ++i) {
    if (i != token &&
        (tree.tokens[i].withheld() || (tree.tokens[i].empty_node() && !options_.compat)))
      continue;
    text += ' ';
    text += i == token ? std::string_view("[MASK]") : tree.tokens[i].form;
  }
  bool is_new;
  seen_.find(hash128(text), 0, is_new);
  return is_new;
}

void ClozeExtractor::one(const Tree& tree, const Agreement& a, bool mask_target,
                         const ItemSink& sink) {
  uint32_t masked = mask_target ? a.target : a.controller;
  const Word& w = tree.word(masked);
  if (core_values(w.bundle).empty()) {
    ++counts_.featureless;
    return;
  }
  if (!first_time(tree, masked, a.type)) {
    ++counts_.duplicates;
    return;
  }
  if (!options_.every_type && !language_.has(a.type, options_.compat)) {
    ++counts_.wrong_type;
    return;
  }
  std::vector<Span> spans;
  suite::Item item;
  std::string text = tree.text(spans, options_.compat);
  std::string role = mask_target ? "target" : "controller";
  item.id = fmt::format("{}/{}/{}/{}", language_.code, name_of(a.type), role, ++counts_.items);
  item.test = name_of(a.type);
  item.condition = role;
  item.language = language_.code;
  item.cluster = fmt::format("{}/{}", language_.code,
                             tree.id.empty() ? fmt::format("line-{}", tree.line) : tree.id);
  const Word& other = tree.word(mask_target ? a.controller : a.target);
  item.cloze = true;
  item.sentences.push_back({{std::move(text)}, spans[w.token], true});
  add_analysis(tree, a, masked, options_.compat, item);
  add_other(item.sentences[0].text, spans[other.token], item);
  if (tree.tokens[w.token].first != tree.tokens[w.token].last)
    item.features.emplace_back("multiword", 1.0);
  if (a.through_auxiliary) ++counts_.through_auxiliary;
  ++counts_.by_type[item.test + " " + role];
  sink(item);
}

void ClozeExtractor::add(const Tree& tree, const ItemSink& sink) {
  ++counts_.sentences;
  find_agreement(tree, [&](const Agreement& a) {
    if (options_.compat && a.through_auxiliary) return;
    ++counts_.relations;
    if (left_out(tree, a, counts_)) return;
    if (options_.mask != ExtractOptions::Mask::target) one(tree, a, false, sink);
    if (options_.mask != ExtractOptions::Mask::controller) one(tree, a, true, sink);
  });
}

std::vector<std::filesystem::path> conllu_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    size_t before = files.size();
    for (const std::filesystem::path& entry : entries_below(path))
      if (entry.extension() == ".conllu") files.push_back(entry);
    if (files.size() == before)
      throw bad_input("no .conllu file is in this folder")
          .at(path.string())
          .hint("treebanks come from https://universaldependencies.org");
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace minpair::stimuli
