#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {
namespace {

bool nominal(const Word& w) { return w.upos == "NOUN" || w.upos == "PRON"; }
bool subject(const Word& w) { return nominal(w) && w.deprel == "nsubj"; }

bool determiner_of(const Word& w, const Word& head) {
  return w.upos == "DET" && (w.deprel == "det" || w.deprel == "det:predet") && head.upos == "NOUN";
}
bool attribute_of(const Word& w, const Word& head) {
  return w.upos == "ADJ" && w.deprel == "amod" && head.upos == "NOUN";
}
bool copula_of(const Word& w, const Word& head) { return w.deprel == "cop" && head.upos != "ADJ"; }
bool auxiliary_of(const Word& w, const Word& head) {
  return w.upos == "AUX" && (w.deprel == "aux" || w.deprel == "aux:pass") && head.upos == "VERB";
}

// The first subject that depends on word `head`, or 0.
uint32_t subject_of(const Tree& tree, uint32_t head) {
  for (uint32_t i = 1; i <= tree.words.size(); ++i)
    if (tree.word(i).head == head && subject(tree.word(i))) return i;
  return 0;
}

}  // namespace

std::string_view name_of(AgreementType type) {
  static constexpr std::string_view names[] = {"determiner", "attributive", "predicative", "verb"};
  return names[size_t(type)];
}

std::optional<AgreementType> agreement_type(std::string_view name) {
  for (AgreementType t : {AgreementType::determiner, AgreementType::attributive,
                          AgreementType::predicative, AgreementType::verb})
    if (name == name_of(t)) return t;
  return {};
}

void find_agreement(const Tree& tree, const std::function<void(const Agreement&)>& found) {
  bool helpers = false;
  for (uint32_t i = 1; i <= tree.words.size(); ++i) {
    const Word& w = tree.word(i);
    if (w.head == 0) continue;
    const Word& head = tree.word(w.head);
    if (determiner_of(w, head))
      found({AgreementType::determiner, i, w.head});
    else if (attribute_of(w, head))
      found({AgreementType::attributive, i, w.head});
    else if (head.upos == "ADJ" && subject(w))
      found({AgreementType::predicative, w.head, i});
    else if (head.upos == "VERB" && subject(w))
      found({AgreementType::verb, w.head, i});
    else if (copula_of(w, head) || auxiliary_of(w, head)) {
      helpers = true;
      if (uint32_t s = subject_of(tree, i)) found({AgreementType::verb, i, s});
    }
  }
  if (!helpers) return;
  for (uint32_t i = 1; i <= tree.words.size(); ++i) {
    const Word& w = tree.word(i);
    if (w.head == 0 || !(copula_of(w, tree.word(w.head)) || auxiliary_of(w, tree.word(w.head))))
      continue;
    if (uint32_t s = subject_of(tree, w.head)) found({AgreementType::verb, i, s, true});
  }
}

std::vector<LanguageInfo> read_agreement_types(const std::filesystem::path& tsv) {
  std::vector<LanguageInfo> languages;
  LineReader lines(tsv);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("language\t")) continue;
    std::vector<std::string_view> columns = split(line, '\t');
    auto bad = [&](std::string what) {
      return bad_input(std::move(what)).at(lines.name(), lines.line_number());
    };
    if (columns.size() != 5)
      throw bad("five columns are needed: language, code, iso639-3, paper, types");
    LanguageInfo info{std::string(columns[0]),
                      std::string(columns[1]),
                      std::string(columns[2]),
                      columns[3] == "yes",
                      {}};
    for (std::string_view name : words(columns[4])) {
      if (name == "-") continue;
      bool compat = name.starts_with('(') && name.ends_with(')');
      if (compat) name = name.substr(1, name.size() - 2);
      std::optional<AgreementType> type = agreement_type(name);
      if (!type)
        throw bad(fmt::format("'{}' is not a type of agreement", name))
            .hint("known: determiner, attributive, predicative, verb");
      (compat ? info.compat_types : info.types).push_back(*type);
    }
    languages.push_back(std::move(info));
  }
  return languages;
}

void read_either_number(const std::filesystem::path& tsv, std::vector<LanguageInfo>& languages) {
  LineReader lines(tsv);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() != 2)
      throw bad_input("two columns are needed: the language's code, lemmas")
          .at(lines.name(), lines.line_number());
    for (LanguageInfo& l : languages)
      if (l.code == columns[0])
        for (std::string_view lemma : words(columns[1])) l.either_number.emplace(lemma);
  }
}

bool LanguageInfo::has(AgreementType type, bool compat) const {
  auto holds = [&](const std::vector<AgreementType>& list) {
    return std::find(list.begin(), list.end(), type) != list.end();
  };
  return holds(types) || (compat && holds(compat_types));
}

const LanguageInfo* language_of(const std::filesystem::path& treebank,
                                const std::vector<LanguageInfo>& languages) {
  const LanguageInfo* best = nullptr;
  for (const std::filesystem::path& part : treebank) {
    std::string name = part.string();
    if (!name.starts_with("UD_")) continue;
    for (const LanguageInfo& l : languages) {
      if (!name.substr(3).starts_with(l.name)) continue;
      // "Norwegian-NynorskLIA" is Nynorsk; "Swedish_Sign_Language" is not Swedish.
      std::string_view after = std::string_view(name).substr(3 + l.name.size());
      bool fits = after.empty() || after[0] == '-' || l.name.find('-') != std::string::npos;
      if (fits && (!best || l.name.size() > best->name.size())) best = &l;
    }
  }
  if (best) return best;
  // A bare file: "de_gsd-ud-test.conllu", "no_nynorsk-ud-dev.conllu".
  std::string stem = treebank.filename().string();
  for (const LanguageInfo& l : languages) {
    if (stem.starts_with(l.code + "_")) return &l;
    size_t dash = l.name.find('-'), low = stem.find('_');
    if (dash != std::string::npos && low != std::string::npos &&
        stem.substr(low + 1).starts_with(lower(l.name.substr(dash + 1))))
      return &l;
  }
  return nullptr;
}

}  // namespace minpair::stimuli
