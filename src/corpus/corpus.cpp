#include "corpus/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/text.h"
#include "corpus/text_lines.h"
#include "corpus/wordpiece.h"
#include "corpus/words.h"
#include "tokenizer/make.h"

namespace minpair::corpus {

namespace fs = std::filesystem;

namespace {

// Writes lines in random order without holding them all: lines go to a bucket by chance, and each
// bucket is shuffled on its own.
class ShuffledFile {
 public:
  ShuffledFile(std::filesystem::path target, uint64_t seed, size_t buckets = 32);
  ~ShuffledFile();  // removes the buckets
  void add(std::string_view line);
  void commit();  // writes the target

 private:
  std::filesystem::path bucket_path(size_t i) const;

  std::filesystem::path target_;
  Random random_;
  std::vector<std::ofstream> buckets_;
};

ShuffledFile::ShuffledFile(std::filesystem::path target, uint64_t seed, size_t buckets)
    : target_(std::move(target)), random_(seed) {
  for (size_t i = 0; i < buckets; ++i) {
    buckets_.emplace_back(bucket_path(i), std::ios::binary | std::ios::trunc);
    if (!buckets_.back())
      throw cannot_errno(fmt::format("cannot write {}", bucket_path(i).string()));
  }
}

ShuffledFile::~ShuffledFile() {
  std::error_code ignored;
  for (size_t i = 0; i < buckets_.size(); ++i) std::filesystem::remove(bucket_path(i), ignored);
}

std::filesystem::path ShuffledFile::bucket_path(size_t i) const {
  return target_.string() + fmt::format(".part{}", i);
}

void ShuffledFile::add(std::string_view line) {
  buckets_[random_.below(buckets_.size())] << line << '\n';
}

void ShuffledFile::commit() {
  AtomicFile out(target_);
  for (size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i].close();
    if (!buckets_[i])
      throw cannot(fmt::format("cannot write {}", bucket_path(i).string()))
          .hint("is the disk full?");
    const std::string text = read_file(bucket_path(i), uint64_t{1} << 36);
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      lines.push_back(std::string_view(text).substr(at, end + 1 - at));
      at = end + 1;
    }
    random_.shuffle(std::span(lines));
    for (const std::string_view line : lines) out.write(line);
  }
  out.commit();
}

enum class Part { train, valid, test };

using Counts = std::unordered_map<std::string, uint64_t>;

// One language's word counts. The first word of a sentence is counted apart: its capital says
// nothing about the word.
struct LanguageCounts {
  Counts initial, inner;
};

struct Sentence {
  std::vector<std::string> words;
  Part part = Part::train;
  size_t source = 0;
  double period_chance = 0;  // drawn for every line, so that both readings agree
};

bool ends_clause(const std::string& word) {
  return word == "." || word == "!" || word == "?" || word == ":" || word == "–" || word == "„" ||
         word == "“" || word == "»" || word == "«" || word == "\"" || word == "...";
}

// After what looks like the end of a sentence, a capital says nothing either.
bool may_be_initial(const std::vector<std::string>& words, size_t i) {
  return i == 0 || ends_clause(words[i - 1]);
}

std::string lower_first(const std::string& word) {
  size_t end = 0;
  next_character(word, end);
  return lower(std::string_view(word).substr(0, end)) + word.substr(end);
}

uint64_t count_of(const Counts& counts, const std::string& word) {
  const auto it = counts.find(word);
  return it == counts.end() ? 0 : it->second;
}

class Preparation {
 public:
  Preparation(const CorpusOptions& options, const fs::path& folder)
      : options_(options), folder_(folder) {}

  CorpusReport run() {
    check();
    fs::create_directories(folder_);
    count();
    choose_vocabulary();
    write_sentences();
    if (options_.wordpiece > 0) write_wordpiece();
    write_summary();
    return report_;
  }

 private:
  void check() const {
    if (options_.sources.empty()) throw wrong_call("no text was given");
    if (!options_.endings.empty()) {
      if (options_.wordpiece == 0)
        throw wrong_call("endings are for a WordPiece vocabulary").hint("add --wordpiece 12000");
      read_endings(options_.endings);  // a mistake shows at once, not after an hour
    }
    if (options_.valid < 0 || options_.test < 0 || options_.valid + options_.test >= 1)
      throw wrong_call("the shares for validation and test must leave something to train on");
    const auto& known = corpus_languages();
    for (const CorpusSource& source : options_.sources)
      if (std::find(known.begin(), known.end(), source.language) == known.end())
        throw wrong_call(fmt::format("no word tokenisation for language '{}'", source.language))
            .hint(fmt::format("known: {}", join(known, ", ")));
  }

  // Calls `use` for every sentence that is sampled, in the same order and with the same draws.
  template <class Use>
  void each_sentence(const char* what, bool reporting, Use use) {
    std::unordered_set<Hash128> seen;
    Random random(options_.seed);
    uint64_t bytes = 0, done = 0;
    for (const CorpusSource& s : options_.sources) bytes += fs::file_size(s.file);
    Progress progress(what, bytes, options_.quiet);
    CorpusReport report;
    for (size_t k = 0; k < options_.sources.size(); ++k) {
      const CorpusSource& source = options_.sources[k];
      TextLines lines(source.file);
      std::string_view line;
      while (lines.next(line)) {
        if (trim(line).empty()) continue;
        if (!valid_utf8(line))
          throw bad_input("this line is not UTF-8")
              .at(source.file.string(), lines.line_number())
              .hint("convert the file with iconv");
        ++report.read;
        const double keep = random.uniform(), part = random.uniform();
        Sentence sentence;
        random.uniform();  // unused, but a seed keeps giving the corpus that it gave before
        sentence.period_chance = random.uniform();
        sentence.source = k;
        sentence.part = part < options_.test                    ? Part::test
                        : part < options_.test + options_.valid ? Part::valid
                                                                : Part::train;
        if (keep >= source.keep) {
          ++report.not_sampled;
          continue;
        }
        if (options_.unique && !seen.insert(hash128(trim(line))).second) {
          ++report.repeated;
          continue;
        }
        sentence.words = split_words(nfc(line), source.language);
        if (sentence.words.size() < options_.min_words ||
            (options_.max_words > 0 && sentence.words.size() > options_.max_words)) {
          ++report.wrong_length;
          continue;
        }
        use(sentence);
        if (report.read % 4096 == 0) progress.set(done + lines.bytes_read());
      }
      done += lines.bytes_read();
    }
    if (reporting) report_ = report;
  }

  void count() {
    each_sentence("counting", true, [&](const Sentence& s) {
      if (s.part == Part::test) return;  // the vocabulary must not know it
      LanguageCounts& counts = counts_[options_.sources[s.source].language];
      for (size_t i = 0; i < s.words.size(); ++i)
        ++(may_be_initial(s.words, i) ? counts.initial : counts.inner)[s.words[i]];
    });
  }

  // The word as it is written inside a sentence.
  std::string true_form(const std::string& word, const LanguageCounts& counts) const {
    if (!options_.truecase) return word;
    std::string low = lower_first(word);
    return low != word && count_of(counts.inner, low) > count_of(counts.inner, word) ? low : word;
  }

  void choose_vocabulary() {
    vocabulary_ = {"<unk>", "<eos>"};
    for (const auto& [language, counts] : counts_) {
      WordCounts all;
      for (const auto& [word, n] : counts.inner) all[word] += n;
      for (const auto& [word, n] : counts.initial) all[true_form(word, counts)] += n;
      add_most_frequent(all);
      for (const auto& [word, n] : all) word_counts_[word] += n;
    }
    for (const std::string& word : vocabulary_) known_.insert(word);
    report_.vocabulary = vocabulary_.size();
  }

  static std::vector<std::pair<uint64_t, const std::string*>> by_frequency(
      const WordCounts& counts) {
    std::vector<std::pair<uint64_t, const std::string*>> order;
    for (const auto& [word, n] : counts) order.emplace_back(n, &word);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return order;
  }

  void add_most_frequent(const WordCounts& counts) {
    auto order = by_frequency(counts);
    if (order.size() > options_.vocabulary) order.resize(options_.vocabulary);
    std::unordered_set<std::string> had(vocabulary_.begin(), vocabulary_.end());
    for (const auto& [n, word] : order)
      if (had.insert(*word).second) vocabulary_.push_back(*word);
  }

  // The sentence as it is written, or nothing when it is dropped.
  std::optional<std::vector<std::string>> finished(const Sentence& s) {
    std::vector<std::string> words = s.words;
    const LanguageCounts& counts = counts_[options_.sources[s.source].language];
    for (size_t i = 0; i < words.size(); ++i)
      if (may_be_initial(s.words, i)) words[i] = true_form(words[i], counts);
    if (words.size() > 1 && words.back() == "." && s.period_chance < options_.without_period)
      words.pop_back();
    const auto unknown = std::count_if(words.begin(), words.end(),
                                       [&](const std::string& w) { return !known_.contains(w); });
    if (double(unknown) > options_.max_unknown * double(words.size())) {
      ++report_.unknown_words;
      return std::nullopt;
    }
    kept_words_ += words.size();
    kept_known_ += words.size() - static_cast<size_t>(unknown);
    return words;
  }

  void write_sentences() {
    const auto cut_words = tokenizer::word_cutter({});
    ShuffledFile train(folder_ / "train.txt", options_.seed + 1);
    ShuffledFile valid(folder_ / "valid.txt", options_.seed + 2, 4);
    ShuffledFile test(folder_ / "test.txt", options_.seed + 3, 4);
    each_sentence("writing", false, [&](const Sentence& s) {
      const auto words = finished(s);
      if (!words) return;
      const std::string line = join(*words, " ");
      if (s.part == Part::train) {
        train.add(line);
        ++report_.train;
        report_.train_words += words->size();
        if (options_.wordpiece > 0)
          for (const std::string& word : cut_words(line)) ++pieces_[word];
      } else {
        (s.part == Part::valid ? valid : test).add(line);
        ++(s.part == Part::valid ? report_.valid : report_.test);
      }
    });
    if (report_.train == 0)
      throw bad_input("no sentence is left to train on")
          .hint("allow more unknown words (--max-unknown) or a larger vocabulary (--vocab-size)");
    report_.coverage = double(kept_known_) / double(std::max<uint64_t>(kept_words_, 1));
    train.commit();
    valid.commit();
    test.commit();
    std::string text;
    for (const std::string& word : vocabulary_) text += word + "\n";
    write_file(folder_ / "vocab.txt", text);
    // Of all words, for norms and regressions that ask how frequent one is.
    AtomicFile counts(folder_ / "counts.tsv");
    for (const auto& [n, word] : by_frequency(word_counts_))
      counts.write(fmt::format("{}\t{}\n", *word, n));
    counts.commit();
  }

  void write_wordpiece() {
    PieceOptions options;
    options.size = options_.wordpiece;
    if (!options_.endings.empty()) {
      options.endings = read_endings(options_.endings);
      write_file(folder_ / "endings.tsv", read_file(options_.endings));
    }
    options.min_character_count = std::min<uint64_t>(50, 1 + report_.train_words / 100000);
    std::string text;
    const auto pieces = train_wordpiece(WordCounts(pieces_.begin(), pieces_.end()), options);
    for (const std::string& piece : pieces) text += piece + "\n";
    write_file(folder_ / "wordpiece.txt", text);
    report_.wordpiece = pieces.size();
  }

  void write_summary() const {
    nlohmann::ordered_json j;
    for (const CorpusSource& s : options_.sources)
      j["sources"].push_back(
          {{"file", s.file.filename().string()}, {"language", s.language}, {"keep", s.keep}});
    j["seed"] = options_.seed;
    j["truecase"] = options_.truecase;
    j["max_unknown"] = options_.max_unknown;
    j["vocabulary"] = report_.vocabulary;
    j["wordpiece"] = report_.wordpiece;
    j["sentences"] = {{"read", report_.read},
                      {"not_sampled", report_.not_sampled},
                      {"wrong_length", report_.wrong_length},
                      {"repeated", report_.repeated},
                      {"too_many_unknown_words", report_.unknown_words},
                      {"train", report_.train},
                      {"valid", report_.valid},
                      {"test", report_.test}};
    j["train_words"] = report_.train_words;
    j["coverage"] = report_.coverage;
    write_file(folder_ / "corpus.json", json_text(j, 2) + "\n");
  }

  const CorpusOptions& options_;
  fs::path folder_;
  CorpusReport report_;
  std::map<std::string, LanguageCounts> counts_;
  WordCounts word_counts_;  // of all languages
  std::vector<std::string> vocabulary_;
  std::unordered_set<std::string> known_;
  Counts pieces_;
  uint64_t kept_words_ = 0, kept_known_ = 0;
};

}  // namespace

std::string corpus_warning(const CorpusReport& r) {
  constexpr double kMany = 0.2;
  const double dropped = double(r.unknown_words);
  const double all = dropped + double(r.train + r.valid + r.test);
  if (dropped <= kMany * all) return "";
  return fmt::format(
      "{:.0f} % of the sentences were dropped for words that the vocabulary lacks\n"
      "  keep them with --max-unknown 1, or take more words: --vocab-size",
      100 * dropped / all);
}

CorpusSource parse_source(const std::string& text, const std::string& language) {
  CorpusSource source;
  source.language = language;
  std::string rest = text;
  const auto& known = corpus_languages();
  if (rest.size() > 3 && rest[2] == ':' &&
      std::find(known.begin(), known.end(), rest.substr(0, 2)) != known.end()) {
    source.language = rest.substr(0, 2);
    rest = rest.substr(3);
  }
  const size_t equals = rest.rfind('=');
  if (equals != std::string::npos && !fs::exists(rest)) {
    size_t used = 0;
    const std::string share = rest.substr(equals + 1);
    try {
      source.keep = std::stod(share, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != share.size() || source.keep <= 0 || source.keep > 1)
      throw wrong_call(fmt::format("'{}' is not a share between 0 and 1", share))
          .hint("write FILE=0.5 to use half of its sentences");
    rest = rest.substr(0, equals);
  }
  source.file = rest;
  return source;
}

CorpusReport prepare_corpus(const CorpusOptions& options, const fs::path& folder) {
  return Preparation(options, folder).run();
}

}  // namespace minpair::corpus
