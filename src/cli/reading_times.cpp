#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/counts.h"
#include "base/file.h"
#include "cli/cli.h"
#include "reading/reading.h"
#include "report/report.h"

namespace minpair::cli {
namespace {

using Kind = report::GridColumn::Kind;

struct Options {
  reading::Question question;
  std::string by = "word", format = "table", output = "-", joined;
  bool coefficients = false, quiet = false;
};

report::Grid gain_grid(const Options& o, const std::vector<reading::Gain>& gains) {
  report::Grid g{"gains",
                 fmt::format("{} of {}: what {} adds", o.question.time, o.question.times.string(),
                             o.question.measure),
                 {{"model", "model", Kind::text},
                  {"observations", "observations", Kind::count},
                  {"mean", "mean", Kind::number},
                  {"gain", "gain", Kind::difference},
                  {"ci_low", "from", Kind::difference},
                  {"ci_high", "to", Kind::difference},
                  {"p", "p", Kind::p},
                  {"log_likelihood", "log-likelihood", Kind::number},
                  {"log_likelihood_gain", "gain in it", Kind::number},
                  {"r2", "R²", Kind::share}},
                 {},
                 false,
                 {}};
  for (const reading::Gain& m : gains)
    g.rows.push_back({m.model, double(m.fit.rows), m.mean_surprisal, m.gain.value,
                      m.gain.interval.low, m.gain.interval.high, m.p, m.log_likelihood,
                      m.log_likelihood - m.base_log_likelihood, m.r2});
  return g;
}

void add_notes(report::Grid& g, const Options& o, const reading::Joined& joined,
               const reading::Gain& any) {
  const std::string unit = o.question.by_text ? "texts" : "words";
  g.notes = {
      fmt::format("gain: log-likelihood in nats for each observation, of {} that the regression "
                  "has not seen ({} folds, seed {}); interval and p over {}",
                  unit, o.question.folds, o.question.seed, unit),
      fmt::format("without a model: {}; R² {:.4f}, log-likelihood {:.2f}",
                  fmt::join(joined.controls, ", "), any.base_r2, any.base_log_likelihood)};
  for (const auto& [why, n] : joined.left_out)
    g.notes.push_back(fmt::format("left out: {}, {}", counted(n, "observation"), why));
}

report::Grid coefficient_grid(const reading::Joined& joined, const reading::Gain& m) {
  report::Grid g{"coefficients",
                 m.model,
                 {{"predictor", "predictor", Kind::text},
                  {"estimate", "estimate", Kind::difference},
                  {"standard_error", "s.e.", Kind::share},
                  {"t", "t", Kind::number},
                  {"p", "p", Kind::p}},
                 {},
                 false,
                 {}};
  std::vector<std::string> names = joined.controls;
  names.insert(names.end(), joined.predictors.begin(), joined.predictors.end());
  const double freedom = double(m.fit.rows) - double(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const double t = m.fit.estimates[i] / m.fit.standard_errors[i];
    g.rows.push_back({names[i], m.fit.estimates[i], m.fit.standard_errors[i], t,
                      stats::student_two_sided_p(t, freedom)});
  }
  return g;
}

void run(Options& o) {
  reading::Question& q = o.question;
  q.by_text = o.by == "text";
  const reading::Joined joined = reading::join(q);
  for (const std::string& mismatch : joined.mismatches)
    if (!o.quiet) fmt::print(stderr, "note: {}\n", mismatch);
  const std::vector<reading::Gain> gains = reading::gains(joined, q);
  if (!o.joined.empty()) write_file(o.joined, reading::joined_csv(joined));
  std::vector<report::Grid> grids = {gain_grid(o, gains)};
  add_notes(grids[0], o, joined, gains[0]);
  if (o.coefficients)
    for (const reading::Gain& m : gains) grids.push_back(coefficient_grid(joined, m));
  write_file(o.output, report::render_grids(grids, o.format));
}

void add_reading_times(Cli& cli) {
  auto o = std::make_shared<Options>();
  reading::Question& q = o->question;
  Command& app = cli.command(
      "reading-times", Group::studies,
      "How much of reading times is explained by the surprisal of words",
      "  minpair surprisal -m gpt2 stories.txt --by-line -o gpt2.csv\n"
      "  minpair surprisal -m lstm stories.txt --by-line -o lstm.csv\n"
      "  minpair reading-times times.tsv gpt2.csv lstm.csv --time RT --unigrams counts.tsv\n"
      "  minpair reading-times times.csv gpt2.csv --frequency count --spillover 2 --log\n"
      "  minpair reading-times times.csv gpt2.csv --joined all.csv     for lme4 and others\n"
      "\nLinear regression on length and frequency, of the word and of those before it, with and\n"
      "without a model's surprisals; the gain in log-likelihood is that of held-out words. Words\n"
      "must be split alike in all files; one that differs is an error that says where.\n");
  app.add_option("TIMES", q.times, "a row for every observation: .csv, .tsv or .jsonl").required();
  app.add_option("WORDS", q.words, "output of 'minpair surprisal', one file per model").required();
  app.add_option("--time", q.time, "in TIMES: the column with the times").shows_default();
  app.add_option("--text", q.text, "the column that says which text").shows_default();
  app.add_option("--position", q.position, "the column with the position of the word in its text")
      .shows_default();
  app.add_option("--word", q.word, "the column with the word, to compare").shows_default();
  app.add_option("--first", q.first, "the position of a text's first word").shows_default();
  app.add_option("--measure", q.measure, "in WORDS: surprisal, corrected or entropy")
      .shows_default();
  app.add_option("--frequency", q.frequency, "in TIMES: the column with counts of the word");
  app.add_option("--unigrams", q.unigrams, "a word, a tab and its count on every line");
  app.add_option("--spillover", q.spillover, "how many preceding words count as well")
      .whole_number(0, 20)
      .shows_default();
  app.add_flag("--log", q.log, "logarithms of the times");
  app.add_option("--folds", q.folds, "folds of the cross-validation")
      .whole_number(2, 1000)
      .shows_default();
  app.add_option("--by", o->by, "what is held out together: a word or a whole text")
      .one_of({"word", "text"})
      .shows_default();
  app.add_option("--seed", q.seed, "seed of the folds").shows_default();
  app.add_option("--mismatches", q.mismatches, "leave out up to this many words that differ")
      .shows_default();
  app.add_flag("--coefficients", o->coefficients, "also print the coefficients of every model");
  app.add_option("--joined", o->joined, "write everything that was joined, as CSV");
  app.add_option("--format", o->format, "table, json, csv, markdown or latex")
      .one_of({"table", "json", "csv", "markdown", "latex"})
      .shows_default();
  app.add_option("-o,--output", o->output, "a file").shows_default();
  app.add_flag("-q,--quiet", o->quiet, "no notes");
  app.work = [o] { run(*o); };
}

const Cli::Entry reading_times_command{77, add_reading_times};

}  // namespace
}  // namespace minpair::cli
