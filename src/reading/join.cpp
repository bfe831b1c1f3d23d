// Reading times beside the words that were read.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/counts.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/norm.h"
#include "reading/reading.h"
#include "reading/table.h"

namespace minpair::reading {
namespace {

struct Word {
  std::string word;
  double value;
  uint64_t line;
};

// The words of one model, text by text.
class Words {
 public:
  Words(const std::filesystem::path& file, const Question& q) : file_(file.string()) {
    Table table(file);
    const size_t text = table.column(table.has(q.text) ? q.text : "text"),
                 position = table.column("position"), word = table.column("word"),
                 value = table.column(q.measure);
    while (table.next()) {
      std::vector<Word>& words = texts_[table.cell(text)];
      if (table.whole(position) != words.size() + 1)
        throw bad_input(fmt::format("word {} of text '{}' stands where word {} is expected",
                                    table.cell(position), table.cell(text), words.size() + 1))
            .at(file_, table.line());
      words.push_back({table.cell(word), table.number(value), table.line()});
    }
  }

  const std::string& file() const { return file_; }
  const std::vector<Word>* text(const std::string& name) const {
    auto at = texts_.find(name);
    return at == texts_.end() ? nullptr : &at->second;
  }
  std::string some_text() const { return texts_.empty() ? "" : texts_.begin()->first; }

 private:
  std::string file_;
  std::unordered_map<std::string, std::vector<Word>> texts_;
};

class Joiner {
 public:
  explicit Joiner(const Question& q) : q_(q), times_(q.times) {
    if (!q.frequency.empty() && !q.unigrams.empty())
      throw wrong_call("frequencies come from a column or from a file, not from both");
    for (const std::filesystem::path& file : q.words) {
      models_.emplace_back(file, q);
      const std::string name = file.stem().string();
      if (std::find(out_.models.begin(), out_.models.end(), name) != out_.models.end())
        throw wrong_call(fmt::format("two files are called '{}'", name))
            .hint("models are named by their files: give one of them another name");
      out_.models.push_back(name);
    }
    if (!q.unigrams.empty()) unigrams_ = judge::Unigrams::read(q.unigrams);
    name_columns();
  }

  Joined join() {
    read_times();
    for (size_t i = 0; i < places_.size(); ++i) complete(i);
    for (const Observation& o : observed_) keep(o);
    assign_folds();
    return std::move(out_);
  }

 private:
  const Question& q_;
  Table times_;
  std::vector<Words> models_;
  std::optional<judge::Unigrams> unigrams_;
  std::vector<Place> places_;         // all of the times
  std::vector<std::string> why_not_;  // parallel; empty: it counts
  std::vector<double> counts_;        // parallel: from the column
  std::vector<uint64_t> lines_;       // parallel
  std::vector<Observation> observed_;
  std::unordered_map<std::string, size_t> at_;  // text, position
  Joined out_;

  bool frequencies() const { return unigrams_ || !q_.frequency.empty(); }
  static std::string key(const std::string& text, uint64_t position) {
    return fmt::format("{}\t{}", text, position);
  }

  void name_columns() {
    out_.controls = {"constant"};
    for (uint32_t back = 0; back <= q_.spillover; ++back) {
      const std::string suffix = back ? fmt::format(".{}", back) : "";
      out_.controls.push_back("length" + suffix);
      if (frequencies()) out_.controls.push_back("frequency" + suffix);
      out_.predictors.push_back(q_.measure + suffix);
    }
  }

  void read_times() {
    const size_t text = times_.column(q_.text), position = times_.column(q_.position),
                 word = times_.column(q_.word), time = times_.column(q_.time),
                 count = q_.frequency.empty() ? 0 : times_.column(q_.frequency);
    while (times_.next()) {
      const uint64_t given = times_.whole(position);
      if (given < q_.first)
        throw bad_input(fmt::format("word {} comes before the first, {}", given, q_.first))
            .at(times_.file(), times_.line())
            .hint("--first says which position a text's first word has in the table");
      Place place{times_.cell(text), times_.cell(word), uint32_t(given - q_.first + 1), {}, {}};
      auto [at, fresh] = at_.try_emplace(key(place.text, place.position), places_.size());
      if (fresh) {
        why_not_.push_back(fits(place) ? "" : "words that are spelt differently");
        counts_.push_back(q_.frequency.empty() ? 0 : times_.number(count));
        lines_.push_back(times_.line());
        places_.push_back(std::move(place));
      } else if (places_[at->second].word != place.word) {
        throw bad_input(fmt::format("word {} of text '{}' is '{}', but '{}' in line {}", given,
                                    place.text, place.word, places_[at->second].word,
                                    lines_[at->second]))
            .at(times_.file(), times_.line());
      }
      const double ms = times_.number(time);
      if (q_.log && ms <= 0)
        throw bad_input(fmt::format("{}: {} has no logarithm", q_.time, ms))
            .at(times_.file(), times_.line());
      observed_.push_back({uint32_t(at->second), q_.log ? std::log(ms) : ms});
    }
    if (observed_.empty()) throw bad_input("there are no times in it").at(times_.file());
  }

  // Is it the word that the first model read? The others are held to that one.
  bool fits(const Place& place) {
    const Words& model = models_[0];
    const std::vector<Word>* words = model.text(place.text);
    if (!words)
      throw bad_input(fmt::format("{} has no text '{}'", model.file(), place.text))
          .at(times_.file(), times_.line())
          .hint(fmt::format("its texts are called as '{}'; --text names the column",
                            model.some_text()));
    if (place.position > words->size())
      throw bad_input(fmt::format("text '{}' has {} in {}, this is word {}", place.text,
                                  counted(words->size(), "word"), model.file(), place.position))
          .at(times_.file(), times_.line());
    const Word& word = (*words)[place.position - 1];
    if (word.word == place.word) return true;
    const std::string differ =
        fmt::format("word {} of text '{}' is '{}', but '{}' in {}:{}", place.position, place.text,
                    place.word, word.word, model.file(), word.line);
    out_.mismatches.push_back(fmt::format("{}:{}: {}", times_.file(), times_.line(), differ));
    if (out_.mismatches.size() <= q_.mismatches) return false;
    throw bad_input(differ).at(times_.file(), times_.line()).hint(shift_hint(place, *words));
  }

  std::string shift_hint(const Place& place, const std::vector<Word>& words) const {
    for (int by : {-1, 1})
      if (int64_t at = int64_t(place.position) - 1 + by;
          at >= 0 && at < int64_t(words.size()) && words[size_t(at)].word == place.word)
        return fmt::format("it is the word {}: does the table count from {}? (--first)",
                           by < 0 ? "before" : "after", int64_t(q_.first) - by);
    return fmt::format(
        "words must be split alike; --mismatches {} leaves out that many that differ",
        q_.mismatches + 1);
  }

  // The word of a model so many words back, which must be the first model's.
  const Word& word_at(const Words& model, const Place& place, uint32_t back) const {
    const std::vector<Word>* words = model.text(place.text);
    const size_t at = place.position - 1 - back;
    const Word& own = (*models_[0].text(place.text))[at];
    if (words && at < words->size() && (*words)[at].word == own.word) return (*words)[at];
    throw bad_input(fmt::format("word {} of text '{}' is '{}' here", at + 1, place.text, own.word))
        .at(models_[0].file(), own.line)
        .hint(!words || at >= words->size() ? fmt::format("{} does not have it", model.file())
                                            : fmt::format("it is '{}' in {}:{}", (*words)[at].word,
                                                          model.file(), (*words)[at].line));
  }

  double count_of(const Place& place, const Word& word, uint32_t back) const {
    if (unigrams_) return unigrams_->count(word.word);
    auto at = at_.find(key(place.text, place.position - back));
    return at == at_.end() ? 0 : counts_[at->second];
  }

  void complete(size_t i) {
    Place& place = places_[i];
    if (!why_not_[i].empty()) return;
    if (place.position <= q_.spillover) {
      why_not_[i] = "words with too few before them";
      return;
    }
    place.controls = {1};
    for (uint32_t back = 0; back <= q_.spillover; ++back) {
      const Word& word = word_at(models_[0], place, back);
      place.controls.push_back(double(count_characters(word.word)));
      if (!frequencies()) continue;
      const double count = count_of(place, word, back);
      if (!(count > 0)) why_not_[i] = "words without a frequency";
      place.controls.push_back(std::log(count));
    }
    for (const Words& model : models_)
      for (uint32_t back = 0; back <= q_.spillover; ++back) {
        place.surprisals.push_back(word_at(model, place, back).value);
        if (std::isnan(place.surprisals.back())) why_not_[i] = "words without a " + q_.measure;
      }
  }

  void keep(const Observation& o) {
    const std::string& why = std::isnan(o.time) ? "rows without a time" : why_not_[o.place];
    if (!why.empty())
      ++out_.left_out[why];
    else
      out_.observations.push_back(o);
  }

  // Only places that are observed, in the order of the table; units in random order take turns.
  void assign_folds() {
    std::unordered_map<uint32_t, uint32_t> places;
    std::unordered_map<std::string, uint32_t> units;
    for (Observation& o : out_.observations) {
      auto [at, fresh] = places.try_emplace(o.place, uint32_t(out_.places.size()));
      if (fresh) {
        Place& place = out_.places.emplace_back(std::move(places_[o.place]));
        const std::string unit = q_.by_text ? place.text : key(place.text, place.position);
        place.unit = units.try_emplace(unit, uint32_t(units.size())).first->second;
      }
      o.place = at->second;
    }
    if (units.size() < q_.folds)
      throw bad_input(fmt::format("{} cannot be cut into {} folds",
                                  counted(units.size(), q_.by_text ? "text" : "word"), q_.folds))
          .at(times_.file())
          .hint(fmt::format("--folds {}", std::max<size_t>(units.size(), 2)));
    std::vector<uint32_t> order(units.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    Random(q_.seed).shuffle(std::span(order));
    std::vector<uint32_t> fold(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) fold[order[i]] = i % q_.folds;
    for (Place& place : out_.places) place.fold = fold[place.unit];
  }
};

}  // namespace

Joined join(const Question& question) {
  if (question.words.empty()) throw wrong_call("no words with surprisals are given");
  return Joiner(question).join();
}

}  // namespace minpair::reading
