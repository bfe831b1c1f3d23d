#include "suite/formats/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/counts.h"
#include "base/folder.h"
#include "base/outgoing.h"

namespace minpair::suite {
namespace {

bool has_extension(const fs::path& file, const std::vector<std::string>& extensions) {
  return std::find(extensions.begin(), extensions.end(), file.extension().string()) !=
         extensions.end();
}

class ConcatenatedItems : public ItemStream {
 public:
  ConcatenatedItems(std::vector<fs::path> files, ReadOptions options, OpenFile open)
      : files_(std::move(files)), options_(std::move(options)), open_(std::move(open)) {}

  bool next(Item& item) override {
    while (open()) {
      if (current_->next(item)) {
        if (!options_.language.empty()) item.language = options_.language;
        check(item);
        return true;
      }
      for (const auto& [reason, n] : current_->skipped()) skipped_[reason] += n;
      current_.reset();
    }
    return false;
  }

  std::string columns() override { return open() ? current_->columns() : ""; }

  Where where() const override { return current_ ? current_->where() : Where{}; }
  const std::map<std::string, uint64_t>& skipped() const override { return skipped_; }
  const PublishedScores* published() const override {
    return current_ ? current_->published() : nullptr;
  }

 private:
  // False behind the last file.
  bool open() {
    if (current_) return true;
    if (file_ == files_.size()) return false;
    current_ = open_(files_[file_++]);
    return true;
  }

  void check(const Item& item) const {
    try {
      check_item(item);
    } catch (Error& e) {
      throw e.at(current_->where());
    }
  }

  std::vector<fs::path> files_;
  ReadOptions options_;
  OpenFile open_;
  size_t file_ = 0;
  std::unique_ptr<ItemStream> current_;
  std::map<std::string, uint64_t> skipped_;
};

}  // namespace

std::vector<fs::path> files_under(const fs::path& path,
                                  const std::vector<std::string>& extensions) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_below(path))
    if (fs::is_regular_file(entry) && has_extension(entry, extensions)) files.push_back(entry);
  if (files.empty())
    throw bad_input(fmt::format("no file here ends in {}", fmt::join(extensions, " or ")))
        .at(path.string());
  return files;
}

std::unique_ptr<ItemStream> read_files(std::vector<fs::path> files, const ReadOptions& options,
                                       OpenFile open) {
  return std::make_unique<ConcatenatedItems>(std::move(files), options, std::move(open));
}

bool RowItemStream::next_row(std::vector<std::string>& fields, size_t columns) {
  if (!rows_.next(fields)) return false;
  if (fields.size() != columns)
    throw bad_input(
        fmt::format("{} where the first line has {}", counted(fields.size(), "column"), columns))
        .at(where());
  return true;
}

double RowItemStream::number(const std::string& text) const {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input(fmt::format("'{}' is not a number", text)).at(where());
  return value;
}

void clear_item(Item& item) {
  item.id.clear();
  item.test.clear();
  item.condition.clear();
  item.language.clear();
  item.cluster.clear();
  item.cloze = item.design = false;
  for (Sentence& s : item.sentences) {
    s.name.clear();
    s.context.clear();
    s.regions.clear();
  }
  item.features.clear();
}

void set_sentences(Item& item, const std::vector<std::string_view>& good_then_bad) {
  item.sentences.resize(good_then_bad.size());
  for (size_t i = 0; i < good_then_bad.size(); ++i) {
    item.sentences[i].text = good_then_bad[i];
    item.sentences[i].grammatical = i == 0;
  }
  align_loci(item.sentences);
}

bool set_word_pair(Item& item, std::string_view text, size_t index, std::string_view good,
                   std::string_view bad) {
  std::vector<std::string_view> all = words(text);
  if (index >= all.size()) return false;
  size_t begin = size_t(all[index].data() - text.data()), end = begin + all[index].size();
  item.sentences.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    Sentence& s = item.sentences[i];
    std::string_view form = i == 0 ? good : bad;
    s.text.assign(text.substr(0, begin)).append(form).append(text.substr(end));
    s.locus = {begin, begin + form.size()};
    s.grammatical = i == 0;
  }
  return true;
}

FeatureValue feature_value(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number) &&
      fmt::format("{}", number) == text)
    return number;
  return std::string(text);
}

void add_feature(Item& item, std::string name, std::string_view text) {
  item.features.emplace_back(std::move(name), feature_value(text));
}

std::string language_of_path(const fs::path& file) {
  std::string folder = fs::weakly_canonical(file).parent_path().filename().string();
  size_t end = folder.find('_');
  if (end != 2 && end != 3) return {};
  for (char c : folder.substr(0, end))
    if (c < 'a' || c > 'z') return {};
  return folder.substr(0, end);
}

std::string number_id(std::string_view test, uint64_t number) {
  return fmt::format("{}/{}", test, number);
}

FileSet::~FileSet() {
  files_.clear();
  std::error_code ignored;
  if (!committed_)
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
      fs::remove(*folder, ignored);  // only where it is empty
}

AtomicFile& FileSet::open(const fs::path& file) {
  std::unique_ptr<AtomicFile>& slot = files_[file];
  if (slot) return *slot;
  std::vector<fs::path> missing;
  for (fs::path p = file.parent_path(); !p.empty() && !fs::exists(p); p = p.parent_path())
    missing.push_back(p);
  for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
    std::error_code failed;
    if (!fs::create_directory(*p, failed) && failed)
      throw cannot(fmt::format("cannot make the folder: {}", failed.message())).at(p->string());
    made_.push_back(*p);
  }
  slot = std::make_unique<AtomicFile>(file);
  return *slot;
}

void FileSet::commit() {
  for (auto& [path, file] : files_) file->commit();
  committed_ = true;
}

TestFiles::TestFiles(const fs::path& path, std::string extension, bool holds_tests)
    : path_(path), extension_(std::move(extension)), holds_tests_(holds_tests) {
  std::error_code ignored;
  bool other_file = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  single_ = path == "-" || path.extension() == extension_ || other_file;
}

bool TestFiles::begins(const Item& item) {
  return begun_.insert(single_ ? std::string() : item.test).second;
}

fs::path TestFiles::file_of(const std::string& test) {
  auto [it, is_new] = stems_.try_emplace(test);
  if (is_new && single_ && !holds_tests_ && stems_.size() > 1)
    throw wrong_call(fmt::format("this format holds one test per file, and there are '{}' and '{}'",
                                 stems_.begin()->first, std::next(stems_.begin())->first))
        .at(path_.string())
        .hint("give the name of a folder: it gets one file per test");
  if (single_) return path_;
  if (is_new) {
    it->second = outgoing(test, Medium::file_name);
    while (!taken_.insert(it->second).second) it->second += "_";
  }
  return path_ / (it->second + extension_);
}

AtomicFile& TestFiles::of(const Item& item, const std::string& extension) {
  fs::path file = file_of(item.test);
  if (!extension.empty()) file.replace_extension(extension);
  return files_.open(file);
}

const Sentence& good_sentence(const Item& item) {
  return item.sentences[item.sentences[0].grammatical ? 0 : 1];
}

const Sentence& bad_sentence(const Item& item) {
  return item.sentences[item.sentences[0].grammatical ? 1 : 0];
}

std::string why_no_pair(const Item& item) {
  if (item.cloze) return "a cloze, not a pair";
  if (item.design) return "a design, not a pair";
  if (std::any_of(item.sentences.begin(), item.sentences.end(),
                  [](const Sentence& s) { return !s.context.empty(); }))
    return "a context before a sentence";
  if (item.sentences.size() > 2) return "more than two sentences";
  return is_pair(item) ? "" : "no ungrammatical sentence";
}

long locus_word(const Sentence& sentence) {
  std::vector<std::string_view> all = words(sentence.text);
  for (size_t i = 0; i < all.size(); ++i)
    if (size_t(all[i].data() - sentence.text.data()) == sentence.locus.begin &&
        all[i].size() == sentence.locus.size())
      return long(i);
  return -1;
}

std::string why_no_word_pair(const Item& item, size_t& index) {
  if (std::string why = why_no_pair(item); !why.empty()) return why;
  const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
  long word = locus_word(good);
  if (word < 0 || locus_word(bad) != word) return "the locus is not one word";
  if (masked_text(good, "") != masked_text(bad, "")) return "differs outside the locus";
  index = size_t(word);
  return {};
}

std::string shown_text(const Item& item) {
  const Sentence& good = good_sentence(item);
  std::string shown = feature_text(item, "shown");
  return masked_text(good, shown.empty() ? slice(good.text, good.locus) : std::string_view(shown));
}

}  // namespace minpair::suite
