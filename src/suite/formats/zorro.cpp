// Zorro (Huebner et al. 2021): lines in twos, the bad sentence first. BabyBERTa's results have the
// same lines with the mean cross-entropy of each. The file's name is the test.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

// "went there . 0.0123": the number and what stands before it.
bool split_score(std::string_view line, std::string_view& sentence, double& score) {
  size_t space = line.rfind(' ');
  if (space == line.npos) return false;
  std::string_view number = line.substr(space + 1);
  if (number.find('.') == number.npos || number.size() < 3) return false;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), score);
  sentence = trim(line.substr(0, space));
  return error == std::errc() && end == number.data() + number.size();
}

// "probing_PARADIGM_results_500000" is what the paradigm's results are called.
std::string test_of(const fs::path& file) {
  std::string name = file.stem().string();
  size_t end = name.rfind("_results_");
  if (!name.starts_with("probing_") || end == name.npos) return name;
  return name.substr(8, end - 8);
}

class ZorroItems : public FileItemStream {
 public:
  explicit ZorroItems(const fs::path& file) : lines_(file), test_(test_of(file)) {}

  bool next(Item& item) override {
    std::string bad, good;
    scores_ = {{0, 0}, false, "mean cross-entropy", {}};
    bool scored = true;
    if (!next_line(bad, scores_.sentences[1], scored)) return false;
    if (!next_line(good, scores_.sentences[0], scored))
      throw bad_input("a bad sentence with no good one after it").at(where());
    if (!scored) scores_.sentences.clear();
    clear_item(item);
    set_sentences(item, {good, bad});
    item.test = test_;
    item.language = "en";
    item.id = number_id(test_, ++number_);
    return true;
  }

  Where where() const override { return {lines_.name(), lines_.line_number(), 0, {}}; }
  const PublishedScores* published() const override {
    return scores_.sentences.empty() ? nullptr : &scores_;
  }

 private:
  bool next_line(std::string& sentence, double& score, bool& scored) {
    std::string_view line, before;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    if (!valid_utf8(line)) throw bad_input("this is not UTF-8").at(where());
    const bool has = split_score(trim(line), before, score);
    scored = scored && has;
    sentence = has ? before : trim(line);
    return true;
  }

  LineReader lines_;
  std::string test_;
  uint64_t number_ = 0;
  PublishedScores scores_;
};

// Two tokenized sentences that have most of their words in common.
bool is_pair_of_lines(std::string_view bad, std::string_view good) {
  double ignored = 0;
  std::string_view before;
  if (split_score(bad, before, ignored)) bad = before;
  if (split_score(good, before, ignored)) good = before;
  std::vector<std::string_view> a = words(bad), b = words(good);
  const auto ends = [](const auto& w) {
    return w.size() > 2 && (w.back() == "." || w.back() == "?");
  };
  if (!ends(a) || !ends(b) || a == b) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string_view> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return 2 * common.size() >= std::max(a.size(), b.size());
}

}  // namespace

Format zorro_format() {
  return {"zorro",
          "Zorro, Huebner et al. 2021: lines in twos, bad and good; also with RoBERTa's scores",
          "only read",
          {".txt"},
          [](const FileHead& head) {
            if (head.path.extension() != ".txt" || head.lines.size() < 2) return false;
            for (size_t i = 0; i + 1 < head.lines.size(); i += 2)
              if (head.lines[i].find('\t') != std::string::npos ||
                  !is_pair_of_lines(head.lines[i], head.lines[i + 1]))
                return false;
            return true;
          },
          reads<ZorroItems>({".txt"}),
          nullptr};
}

}  // namespace minpair::suite
