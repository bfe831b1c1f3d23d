#include "method/words.h"

#include <algorithm>
#include <iterator>
#include <numeric>
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

void keep_once(std::vector<stimuli::Bundle>& bundles) {
  std::sort(bundles.begin(), bundles.end());
  bundles.erase(std::unique(bundles.begin(), bundles.end()), bundles.end());
}

struct Gathered {
  std::map<std::string, std::vector<stimuli::Bundle>> bundles;  // by form
  std::map<std::string, std::vector<std::string>> by_lemma;     // forms
};

WordsOfPart in_order(Gathered& from, const Pieces& pieces) {
  WordsOfPart part;
  std::map<std::string_view, uint32_t> place;
  for (auto& [form, bundles] : from.bundles) {
    keep_once(bundles);
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

void add_bundle(Sha256& hash, const stimuli::Bundle& b) {
  hash.add({reinterpret_cast<const char*>(b.value.data()), b.value.size()});
}

void add_part(Sha256& hash, const WordsOfPart& part) {
  for (const VocabularyWord& w : part.words) {
    hash.add(w.form).add("\t");
    for (tokenizer::TokenId id : w.pieces) hash.add(std::to_string(id)).add(" ");
    for (const stimuli::Bundle& b : w.bundles) add_bundle(hash, b);
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

bool WordQuestion::can_be_any(uint32_t word, const std::vector<stimuli::Bundle>& bundles) const {
  return std::ranges::any_of(bundles, [&](const stimuli::Bundle& b) { return can_be(word, b); });
}

VocabularyWords::VocabularyWords(const std::filesystem::path& lexicon,
                                 const tokenizer::Tokenizer& tokenizer, uint32_t outputs,
                                 uint32_t minimum)
    : minimum_(minimum) {
  std::vector<tokenizer::TokenId> ids(outputs);
  std::iota(ids.begin(), ids.end(), 0);
  ids_ = std::make_shared<const std::vector<tokenizer::TokenId>>(std::move(ids));
  Pieces all = pieces_by_word(tokenizer, outputs), written;
  std::map<Key, Gathered> gathered;
  stimuli::read_lexicons(
      lexicon, [&](std::string_view language, const stimuli::LexiconEntry& entry) {
        forms_[{std::string(language), entry.pos}][entry.form].push_back(entry.bundle);
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
  for (auto& [key, forms] : forms_)
    for (auto& [form, bundles] : forms) keep_once(bundles);
  Sha256 hash;
  hash.add(std::to_string(minimum_));
  for (const auto& [key, part] : parts_) {
    hash.add("\n" + key.first + "\t" + key.second + "\n");
    add_part(hash, *part);
  }
  // Also what the vocabulary lacks: it tells what the words of a pair are.
  for (const auto& [key, forms] : forms_) {
    hash.add("\n" + key.first + "\t" + key.second + "\n");
    for (const auto& [form, bundles] : forms) {
      hash.add(form).add("\t");
      for (const stimuli::Bundle& b : bundles) add_bundle(hash, b);
      hash.add("\n");
    }
  }
  fingerprint_ = hash.hex();
  make_questions();
}

void VocabularyWords::make_questions() {
  for (const auto& [key, part] : parts_) {
    std::vector<stimuli::Bundle> bundles;
    for (const VocabularyWord& w : part->words)
      bundles.insert(bundles.end(), w.bundles.begin(), w.bundles.end());
    keep_once(bundles);
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

VocabularyWords::Question VocabularyWords::question_like(const Key& key, const std::string& first,
                                                         const std::string& second) const {
  auto forms = forms_.find(key);
  if (forms == forms_.end() || !part(key.first, key.second)) return nullptr;
  auto one = forms->second.find(first), other = forms->second.find(second);
  if (one == forms->second.end() || other == forms->second.end()) return nullptr;
  Bundles kinds[2];
  std::ranges::set_difference(one->second, other->second, std::back_inserter(kinds[0]));
  std::ranges::set_difference(other->second, one->second, std::back_inserter(kinds[1]));
  if (kinds[0].empty() || kinds[1].empty()) return nullptr;
  std::lock_guard turn(asked_->turn);
  Question& question = asked_->questions[{key, kinds[0], kinds[1]}];
  if (question) return question;
  std::string name = fingerprint_ + '\n' + key.first + '\n' + key.second + '\n';
  for (const Bundles& some : kinds) {
    for (const stimuli::Bundle& b : some)
      name.append(reinterpret_cast<const char*>(b.value.data()), b.value.size());
    name += '\n';
  }
  return question = make_lemma_pairs(parts_.at(key), hash128(name, 3), kinds[0], kinds[1]);
}

VocabularyWords::Question VocabularyWords::lemma_pairs_like(const std::string& language,
                                                            const std::string& pos,
                                                            std::string_view first,
                                                            std::string_view second) const {
  std::vector<std::string> parts{pos};
  if (pos.empty()) parts = {"VERB", "AUX", "NOUN", "PRON", "DET", "ADJ"};
  for (const std::string& part_of_speech : parts)
    for (const std::string& of : {language, std::string()})  // a plain list is for any language
      if (Question q = question_like({of, part_of_speech}, lower(first), lower(second))) return q;
  return nullptr;
}

VocabularyWords::Question VocabularyWords::cut(const Question& lemmas, Cut cut) const {
  if (!lemmas) return nullptr;
  std::lock_guard turn(asked_->turn);
  Question& question = asked_->cuts[{lemmas, cut}];
  if (!question) question = make_cut(*lemmas, cut, ids_);
  return question;
}

const WordsOfPart* VocabularyWords::part(const std::string& language,
                                         const std::string& pos) const {
  auto found = parts_.find({language, pos});
  return found == parts_.end() ? nullptr : found->second.get();
}

}  // namespace minpair::method
