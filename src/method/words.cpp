#include "method/words.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "stimuli/treebank/lexicon.h"
#include "tokenizer/word_ends.h"

namespace minpair::method {
namespace {

// Does the tokenizer itself write the word so?
bool written_so(const tokenizer::Tokenizer& tokenizer, const std::string& word,
                tokenizer::TokenId id) {
  tokenizer::Encoding e = tokenizer.encode("a " + word, false);
  return e.tokens.size() == 2 && e.tokens[1].id == id && !e.tokens[1].special;
}

using Pieces =
    std::unordered_map<std::string, std::vector<tokenizer::TokenId>>;  // by the word in lower case

Pieces pieces_by_word(const tokenizer::Tokenizer& tokenizer, uint32_t outputs) {
  Pieces pieces;
  size_t ids = std::min<size_t>(tokenizer.vocabulary_size(), outputs);
  for (size_t id = 0; id < ids; ++id) {
    std::string word = tokenizer::whole_word(tokenizer, tokenizer::TokenId(id));
    if (!word.empty() && valid_utf8(word)) pieces[lower(word)].push_back(tokenizer::TokenId(id));
  }
  return pieces;
}

// Asked once for every word of the lexicon: which pieces write it is not found out for the rest.
std::vector<tokenizer::TokenId> written_pieces(const tokenizer::Tokenizer& tokenizer,
                                               const std::vector<tokenizer::TokenId>& among) {
  std::vector<tokenizer::TokenId> pieces;
  for (tokenizer::TokenId id : among)
    if (written_so(tokenizer, tokenizer::whole_word(tokenizer, id), id)) pieces.push_back(id);
  return pieces;
}

struct Gathered {
  std::map<std::string, std::vector<stimuli::Bundle>> bundles;  // by form
  std::map<std::string, std::vector<std::string>> by_lemma;     // forms
};

WordsOfPart in_order(Gathered& from, const Pieces& pieces) {
  WordsOfPart part;
  std::map<std::string_view, uint32_t> place;
  for (auto& [form, bundles] : from.bundles) {
    std::sort(bundles.begin(), bundles.end());
    bundles.erase(std::unique(bundles.begin(), bundles.end()), bundles.end());
    place[form] = uint32_t(part.words.size());
    part.begins.push_back(uint32_t(part.targets.size()));
    const std::vector<tokenizer::TokenId>& own = pieces.at(form);
    part.targets.insert(part.targets.end(), own.begin(), own.end());
    part.words.push_back({form, own, std::move(bundles)});
  }
  part.begins.push_back(uint32_t(part.targets.size()));
  for (const auto& [lemma, forms] : from.by_lemma) {
    std::vector<uint32_t>& words = part.lemmas[lemma];
    for (const std::string& form : forms) words.push_back(place.at(form));
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  return part;
}

void add_part(Sha256& hash, const WordsOfPart& part) {
  for (const VocabularyWord& w : part.words) {
    hash.add(w.form).add("\t");
    for (tokenizer::TokenId id : w.pieces) hash.add(std::to_string(id)).add(" ");
    for (const stimuli::Bundle& b : w.bundles)
      hash.add({reinterpret_cast<const char*>(b.value.data()), b.value.size()});
    hash.add("\n");
  }
  for (const auto& [lemma, words] : part.lemmas) {
    hash.add(lemma).add("\t");
    for (uint32_t w : words) hash.add(std::to_string(w)).add(" ");
  }
}

}  // namespace

bool WordQuestion::can_be(uint32_t word, const stimuli::Bundle& bundle) const {
  const std::vector<stimuli::Bundle>& bundles = part_->words[word].bundles;
  return std::binary_search(bundles.begin(), bundles.end(), bundle);
}

VocabularyWords::VocabularyWords(const std::filesystem::path& lexicon,
                                 const tokenizer::Tokenizer& tokenizer, uint32_t outputs,
                                 uint32_t minimum)
    : minimum_(minimum) {
  Pieces all = pieces_by_word(tokenizer, outputs), written;
  std::map<Key, Gathered> gathered;
  stimuli::read_lexicons(lexicon,
                         [&](std::string_view language, const stimuli::LexiconEntry& entry) {
                           auto found = all.find(entry.form);
                           if (found == all.end()) return;
                           auto [own, fresh] = written.try_emplace(entry.form);
                           if (fresh) own->second = written_pieces(tokenizer, found->second);
                           if (own->second.empty()) return;
                           Gathered& g = gathered[{std::string(language), entry.pos}];
                           g.bundles[entry.form].push_back(entry.bundle);
                           g.by_lemma[entry.lemma].push_back(entry.form);
                         });
  for (auto& [key, g] : gathered)
    parts_[key] = std::make_shared<const WordsOfPart>(in_order(g, written));
  Sha256 hash;
  hash.add(std::to_string(minimum_));
  for (const auto& [key, part] : parts_) {
    hash.add("\n" + key.first + "\t" + key.second + "\n");
    add_part(hash, *part);
  }
  fingerprint_ = hash.hex();
  make_questions();
}

void VocabularyWords::make_questions() {
  for (const auto& [key, part] : parts_) {
    std::vector<stimuli::Bundle> bundles;
    for (const VocabularyWord& w : part->words)
      bundles.insert(bundles.end(), w.bundles.begin(), w.bundles.end());
    std::sort(bundles.begin(), bundles.end());
    bundles.erase(std::unique(bundles.begin(), bundles.end()), bundles.end());
    for (const stimuli::Bundle& bundle : bundles) {
      std::string name = fingerprint_ + '\n' + key.first + '\n' + key.second + '\n';
      name.append(reinterpret_cast<const char*>(bundle.value.data()), bundle.value.size());
      feature_classes_[{key, bundle}] = make_feature_class(part, hash128(name, 1), bundle);
      lemma_pairs_[{key, bundle}] = make_lemma_pairs(part, hash128(name, 2), bundle);
    }
  }
}

VocabularyWords::Question VocabularyWords::feature_class(const std::string& language,
                                                         const std::string& pos,
                                                         const stimuli::Bundle& bundle) const {
  auto found = feature_classes_.find({{language, pos}, bundle});
  return found == feature_classes_.end() ? nullptr : found->second;
}

VocabularyWords::Question VocabularyWords::lemma_pairs(const std::string& language,
                                                       const std::string& pos,
                                                       const stimuli::Bundle& bundle) const {
  auto found = lemma_pairs_.find({{language, pos}, bundle});
  return found == lemma_pairs_.end() ? nullptr : found->second;
}

const WordsOfPart* VocabularyWords::part(const std::string& language,
                                         const std::string& pos) const {
  auto found = parts_.find({language, pos});
  return found == parts_.end() ? nullptr : found->second.get();
}

}  // namespace minpair::method
