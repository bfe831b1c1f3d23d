#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/character_index.h"
#include "base/error.h"
#include "base/names.h"
#include "judge/words.h"
#include "report/rows.h"
#include "tidy/fields.h"
#include "tidy/tidy.h"

namespace minpair::tidy {
namespace {

constexpr size_t kBatch = 8192;

// One item of a run.
struct Opened {
  const report::NamedRun& run;
  const report::RowReader& row;
  const suite::Item& item = row.item();
  const std::vector<judge::SentenceScore>& scores = row.scores(0);  // empty: excluded
  judge::Reason left_out(const report::Look& look) const { return row.judged(0, look).left_out; }
};

// The features of all items, each a column: of numbers where all its values are.
class FeatureColumns {
 public:
  void see(const suite::Item& item) {
    for (const auto& [name, value] : item.features) {
      auto [at, added] = places_.try_emplace(name, names_.size());
      if (added) names_.push_back(name), numbers_.push_back(true);
      if (std::holds_alternative<std::string>(value)) numbers_[at->second] = false;
    }
  }

  // A feature with the name of another column is called feature_NAME.
  void append_to(std::vector<Field>& fields) const {
    const size_t own = fields.size();
    for (size_t i = 0; i < names_.size(); ++i) {
      bool taken = std::any_of(fields.begin(), fields.begin() + std::ptrdiff_t(own),
                               [&](const Field& f) { return f.name == names_[i]; });
      fields.push_back({(taken ? "feature_" : "") + names_[i],
                        numbers_[i] ? Type::number : Type::text, "a feature of the item"});
    }
  }

  void put(Frame& frame, const suite::Item& item) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      const suite::FeatureValue* value = suite::find_feature(item, names_[i]);
      if (!value)
        frame.nothing();
      else if (numbers_[i])
        frame.number(std::get<double>(*value));
      else
        frame.text(suite::feature_text(item, names_[i]));
    }
  }

 private:
  std::map<std::string, size_t> places_;
  std::vector<std::string> names_;
  std::vector<bool> numbers_;
};

void put_item(Frame& f, const Opened& o) {
  f.integer(o.run.run.id).text(o.run.run.suite.name).text(o.run.label).text(o.run.run.method);
  f.integer(int64_t(o.row.ordinal())).text(o.item.id).text(o.item.test).text(o.item.condition);
}

void put_whole_item(Frame& f, const Opened& o, const judge::View& view) {
  put_item(f, o);
  f.text(o.item.language).text_or_nothing(o.item.cluster).text(judge::name_of(view));
}

// Of a design nobody says which sentences are grammatical.
void put_grammatical(Frame& f, const suite::Item& item, bool grammatical) {
  item.design ? f.nothing() : f.truth(grammatical);
}

const suite::Sentence* first_of(const suite::Item& item, bool grammatical) {
  if (item.design) return nullptr;
  for (const suite::Sentence& s : item.sentences)
    if (s.grammatical == grammatical) return &s;
  return nullptr;
}

std::optional<double> best(const Opened& o, const judge::View& view, bool grammatical) {
  if (o.item.design) return {};
  std::vector<bool> good = judge::grammatical_of(o.item, o.scores.size());
  std::optional<double> highest;
  for (size_t i = 0; i < o.scores.size(); ++i)
    if (good[i] == grammatical)
      if (std::optional<double> value = o.scores[i].value(view); value)
        highest = highest ? std::max(*highest, *value) : *value;
  return highest;
}

std::string_view text_of(judge::Outcome outcome) {
  return outcome == judge::Outcome::right ? "right"
         : outcome == judge::Outcome::tie ? "tie"
                                          : "wrong";
}

void put_verdict(Frame& f, const Opened& o, const report::Look& look) {
  const report::Judged judged = o.row.judged(0, look);
  const judge::Verdict verdict = o.row.verdict(0, look.view);
  const bool known = verdict.outcome != judge::Outcome::undefined;
  f.number(best(o, look.view, true)).number(best(o, look.view, false));
  if (known)
    f.number(verdict.margin).text(text_of(verdict.outcome));
  else  // words that the vocabulary lacks may count as wrong
    f.nothing().text_or_nothing(judged.counts() ? "wrong" : "");
  judged.counts() ? f.number(judged.points) : f.nothing();
  if (known)
    f.number(verdict.pairs_right).number(verdict.pairs_tied);
  else
    f.nothing().nothing();
  f.text_or_nothing(judge::key_of(judged.left_out)).truth(judged.equal_lengths);
  f.integer(judged.pieces);
}

void put_items(Frame& f, const Opened& o, const report::Look& look,
               const FeatureColumns& features) {
  put_whole_item(f, o, look.view);
  for (bool grammatical : {true, false}) {
    const suite::Sentence* s = first_of(o.item, grammatical);
    s ? f.text(s->text) : f.nothing();
  }
  put_verdict(f, o, look);
  for (bool grammatical : {true, false}) {
    const suite::Sentence* s = first_of(o.item, grammatical);
    f.text_or_nothing(s ? s->context : "");
  }
  features.put(f, o.item);
}

// A cloze over words has one text and two sides.
const suite::Sentence& sentence_at(const Opened& o, size_t i) {
  return o.item.sentences[std::min(i, o.item.sentences.size() - 1)];
}

void put_sentences(Frame& f, const Opened& o, const report::Look& look,
                   const FeatureColumns& features) {
  judge::Reason why = o.left_out(look);
  const size_t count = o.scores.empty() ? o.item.sentences.size() : o.scores.size();
  std::vector<bool> good = judge::grammatical_of(o.item, count);
  for (size_t i = 0; i < count; ++i) {
    const suite::Sentence& s = sentence_at(o, i);
    put_whole_item(f, o, look.view);
    f.integer(int64_t(i + 1));
    put_grammatical(f, o.item, good[i]);
    f.text(s.text).text(slice(s.text, s.locus));
    f.integer(int64_t(character_of_byte(s.text, s.locus.begin)));
    f.integer(int64_t(character_of_byte(s.text, s.locus.end)));
    if (i < o.scores.size()) {
      const judge::SentenceScore& score = o.scores[i];
      f.number(score.value(look.view)).integer(int64_t{score.token_count()});
      f.integer(int64_t{score.words}).integer(int64_t{score.characters});
      f.integer(int64_t{score.bytes});
    } else {
      f.nothing().nothing().nothing().nothing().nothing();
    }
    f.text_or_nothing(judge::key_of(why)).text_or_nothing(s.name).text_or_nothing(s.context);
    features.put(f, o.item);
  }
}

void put_place(Frame& f, const CharacterIndex& text, Span span) {
  f.text(slice(text.text(), span)).integer(int64_t(text.character(span.begin)));
  f.integer(int64_t(text.character(span.end)));
}

// How many scored tokens a region has, and their surprisal.
void put_surprisal(Frame& f, const suite::Sentence& sentence, const judge::SentenceScore& score,
                   size_t region, const judge::View& view) {
  std::vector<int> places = judge::regions_of(sentence, score.tokens);
  int64_t tokens = 0;
  for (size_t t = 0; t < places.size(); ++t)
    tokens += places[t] == int(region) && (view.special || !score.tokens[t].special);
  f.integer(tokens).number(judge::region_surprisal(sentence, score, std::to_string(region + 1),
                                                   suite::Metric::sum, view));
}

void put_regions(Frame& f, const Opened& o, const report::Look& look,
                 const FeatureColumns& features) {
  judge::Reason why = o.left_out(look);
  const bool scored = o.scores.size() == o.item.sentences.size();
  for (size_t i = 0; i < o.item.sentences.size(); ++i) {
    const suite::Sentence& s = o.item.sentences[i];
    const CharacterIndex text(s.text);
    for (size_t r = 0; r < s.regions.size(); ++r) {
      put_whole_item(f, o, look.view);
      f.integer(int64_t(i + 1)).text_or_nothing(s.name);
      put_grammatical(f, o.item, s.grammatical);
      f.integer(int64_t(r + 1)).text(s.regions[r].name);
      put_place(f, text, s.regions[r].span);
      scored ? put_surprisal(f, s, o.scores[i], r, look.view) : void(f.nothing().nothing());
      f.text_or_nothing(judge::key_of(why));
      features.put(f, o.item);
    }
  }
}

void put_of_sentence(Frame& f, const Opened& o, size_t i, bool grammatical, size_t number) {
  put_item(f, o);
  f.integer(int64_t(i + 1));
  put_grammatical(f, o.item, grammatical);
  f.integer(int64_t(number));
}

void put_tokens(Frame& f, const Opened& o) {
  std::vector<bool> good = judge::grammatical_of(o.item, o.scores.size());
  for (size_t i = 0; i < o.scores.size(); ++i) {
    const CharacterIndex text(sentence_at(o, i).text);
    for (size_t t = 0; t < o.scores[i].tokens.size(); ++t) {
      const judge::TokenScore& token = o.scores[i].tokens[t];
      put_of_sentence(f, o, i, good[i], t + 1);
      f.integer(int64_t{token.id});
      put_place(f, text, token.span);
      f.truth(token.special).truth(token.in_locus).truth(token.begins_word).number(token.logprob);
    }
  }
}

void put_words(Frame& f, const Opened& o) {
  std::vector<bool> good = judge::grammatical_of(o.item, o.scores.size());
  for (size_t i = 0; i < o.scores.size(); ++i) {
    const CharacterIndex text(sentence_at(o, i).text);
    const std::vector<judge::ScoredWord> words = judge::words_of(o.scores[i].tokens);
    for (size_t w = 0; w < words.size(); ++w) {
      put_of_sentence(f, o, i, good[i], w + 1);
      put_place(f, text, words[w].span);
      f.truth(words[w].special).truth(words[w].in_locus).integer(int64_t{words[w].tokens});
      f.number(words[w].logprob).number(judge::bits(words[w].logprob));
    }
  }
}

// The items of the chosen runs, one after the other.
class StoredRows : public Rows {
 public:
  StoredRows(store::Store& store, const std::string& table, const report::ReportOptions& options)
      : store_(store),
        table_(table),
        options_(options),
        runs_(report::selected_runs(store, options)) {
    fields_ = table == "items"       ? item_fields()
              : table == "sentences" ? sentence_fields()
              : table == "regions"   ? region_fields()
              : table == "words"     ? word_fields()
                                     : token_fields();
    if (table != "words" && table != "tokens") see_features();
  }

  const std::vector<Field>& fields() const override { return fields_; }

  bool next(Frame& frame) override {
    frame = Frame(fields_);
    while (frame.rows() < kBatch && next_item()) put(frame);
    return frame.rows() > 0;
  }

 private:
  void see_features() {
    std::map<int64_t, std::vector<const report::NamedRun*>> by_suite;
    for (const report::NamedRun& run : runs_) by_suite[run.run.suite.id].push_back(&run);
    for (const auto& [suite, runs] : by_suite)
      for (report::RowReader rows(store_, runs, options_); rows.next();) features_.see(rows.item());
    features_.append_to(fields_);
  }

  bool next_item() {
    for (; at_ < runs_.size(); ++at_) {
      if (!rows_) {
        rows_.emplace(store_, std::vector<const report::NamedRun*>{&runs_[at_]}, options_);
        looks_ = report::looks_at(runs_[at_].run, options_);
      }
      if (rows_->next()) return true;
      rows_.reset();
    }
    return false;
  }

  void put(Frame& frame) {
    Opened opened{runs_[at_], *rows_};
    if (table_ == "tokens") return put_tokens(frame, opened);
    if (table_ == "words") return put_words(frame, opened);
    auto put = table_ == "items" ? put_items : table_ == "regions" ? put_regions : put_sentences;
    for (const report::Look& look : looks_) put(frame, opened, look, features_);
  }

  store::Store& store_;
  std::string table_;
  report::ReportOptions options_;
  std::vector<report::NamedRun> runs_;
  std::vector<Field> fields_;
  FeatureColumns features_;
  size_t at_ = 0;  // which run
  std::vector<report::Look> looks_;
  std::optional<report::RowReader> rows_;
};

Frame summary(store::Store& store, report::ReportOptions options) {
  options.by = {"test", "condition", "language"};
  options.with_values = true;
  Frame f(summary_fields());
  for (const report::Table& table : report::make_tables(store, options))
    for (const report::Row& row : table.rows)
      for (size_t c = 0; c < table.columns.size(); ++c) {
        const report::Column& column = table.columns[c];
        const report::Cell& cell = row.cells[c];
        if (column.published || !cell.present) continue;
        f.text(table.suite).text(column.model).text(column.method).text(column.norm);
        f.text(column.lengths.empty() ? "all" : column.lengths);
        for (const std::string& key : row.keys) f.text(key);
        f.integer(int64_t(cell.tally.items)).integer(int64_t(cell.tally.pairs));
        f.integer(int64_t(cell.tally.correct)).integer(int64_t(cell.tally.ties));
        f.number(cell.tally.points);
        const bool known = !std::isnan(cell.interval.low);
        cell.tally.pairs > 0 ? f.number(cell.accuracy) : f.nothing();
        known ? f.number(cell.interval.low).number(cell.interval.high) : f.nothing().nothing();
        f.text_or_nothing(std::string(name_of(cell.method))).integer(int64_t(cell.clusters));
      }
  return f;
}

std::string fact(const store::Facts& facts, const std::string& name) {
  auto at = facts.find(name);
  return at == facts.end() ? "" : at->second;
}

Frame runs(store::Store& store, const report::ReportOptions& options) {
  Frame f(run_fields());
  for (const report::NamedRun& named : report::selected_runs(store, options)) {
    const store::RunRecord& r = named.run;
    f.integer(r.id).text(r.suite.name).integer(int64_t(r.suite.items)).text(r.suite.fingerprint);
    f.text(named.label).text(r.model.name).text(r.model.kind).text(r.model.architecture);
    f.integer(int64_t(r.model.parameters)).text(r.model.precision).text(r.model.fingerprint);
    f.text(r.method).text(judge::name_of(r.view)).text(judge::name_of(r.ties));
    f.text_or_nothing(fact(r.facts, "command")).text_or_nothing(fact(r.facts, "version"));
  }
  return f;
}

}  // namespace

const std::vector<std::string>& tables() {
  static const std::vector<std::string> all = {"items",  "sentences", "regions", "words",
                                               "tokens", "summary",   "runs"};
  return all;
}

std::unique_ptr<Rows> stored_rows(store::Store& store, const std::string& table,
                                  const report::ReportOptions& options) {
  if (table == "summary") return std::make_unique<FrameRows>(summary(store, options));
  if (table == "runs") return std::make_unique<FrameRows>(runs(store, options));
  if (!all_or_among(tables(), table)) {
    std::string guess = closest(table, tables());
    throw wrong_call(fmt::format("there is no table '{}'", table))
        .hint(guess.empty() ? join(tables(), ", ") : fmt::format("did you mean '{}'?", guess));
  }
  return std::make_unique<StoredRows>(store, table, options);
}

}  // namespace minpair::tidy
