#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/counts.h"
#include "base/error.h"
#include "report/rows.h"
#include "stats/linear.h"
#include "store/judgments.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

struct Count {
  double items = 0, own = 0;
  std::vector<double> points;
};

// People's mean rating of each sentence, context included.
std::map<std::string, double> mean_ratings(const std::filesystem::path& results) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const store::Judgment& j : store::read_judgments(results))
    if (j.other.empty()) {
      auto& [sum, n] = sums[j.sentence];
      sum += j.value, ++n;
    }
  std::map<std::string, double> means;
  for (const auto& [sentence, s] : sums) means[sentence] = s.first / s.second;
  return means;
}

// (log p - a log u + b) / words is a straight line in log p / words, log u / words and 1 / words:
// the one that is nearest to the ratings says a and b.
class MorcelaFit {
 public:
  void add(const judge::Measured& m, double rating) {
    const double words = std::max(m.words, 1.0);
    sums_.add(std::vector{1.0, m.logprob / words, m.unigram / words, 1 / words}, rating);
  }

  judge::Norm fitted(judge::Norm norm, const std::string& run) const {
    const stats::LinearFit fit = sums_.fit();
    if (fit.dependent || fit.rows <= 4)
      throw bad_input(fmt::format("{}: {} {} too few or too alike to fit {}", run,
                                  counted(fit.rows, "rated sentence"),
                                  plural(fit.rows, "is", "are"), norm.name))
          .hint("people's ratings come into a results file with 'minpair convert --from PAPER'");
    if (!(fit.estimates[1] > 0))
      throw bad_input(
          fmt::format("{}: sentences that people rate higher are not more probable, so "
                      "nothing can be fitted",
                      run));
    norm.a = -fit.estimates[2] / fit.estimates[1];
    norm.b = fit.estimates[3] / fit.estimates[1];
    return norm;
  }
  uint64_t sentences() const { return sums_.fit().rows; }

 private:
  stats::LeastSquares sums_{4};
};

class Normed {
 public:
  Normed(std::vector<judge::Norm> norms, const judge::Unigrams* unigrams)
      : norms_(std::move(norms)), unigrams_(unigrams) {}

  bool fits() const {
    return std::any_of(norms_.begin(), norms_.end(), [](const judge::Norm& n) { return n.fitted; });
  }
  // The rated sentences of an item.
  void see(const suite::Item& item, const std::vector<judge::SentenceScore>& scores,
           const std::map<std::string, double>& ratings, MorcelaFit& fit) {
    for (size_t i = 0; i < scores.size(); ++i) {
      const suite::Sentence& s = item.sentences[i];
      auto rating = ratings.find(s.context + std::string(suite::joint(s.context, s.text)) + s.text);
      if (rating != ratings.end()) fit.add(measure(s, scores[i]), rating->second);
    }
  }
  void take(const MorcelaFit& fit, const std::string& run) {
    words_ = unknown_ = 0;  // counted by those who judge
    for (judge::Norm& norm : norms_)
      if (norm.fitted) {
        norm = fit.fitted(norm, run);
        fit_note_ = fmt::format(
            "{}: a = {:.4g}, b = {:.4g}, by least squares on the mean ratings of "
            "{} sentences",
            norm.name, norm.a, norm.b, fit.sentences());
      }
  }

  // What the item is worth under each norm.
  std::vector<double> points(const suite::Item& item,
                             const std::vector<judge::SentenceScore>& scores,
                             const judge::Policy& policy) {
    std::vector<judge::Measured> measured;
    for (size_t i = 0; i < scores.size(); ++i)
      measured.push_back(measure(item.sentences[i], scores[i]));
    std::vector<double> all;
    for (const judge::Norm& norm : norms_) {
      std::vector<judge::SentenceScore> normed(scores.size());
      for (size_t i = 0; i < scores.size(); ++i)
        normed[i].total = judge::SentenceScore::Total{1, judge::value(norm, measured[i])};
      all.push_back(judge::points(judge::judge(item, normed, {judge::Unit::sum}), policy));
    }
    return all;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all = {
        "power: log p / tokens^a, a = 0.5; log-length: log p / ln(tokens + a), a = 1; special "
        "tokens "
        "do not count"};
    if (unigrams_)
      all.push_back(
          fmt::format("slor: (log p - log u) / words; morcela: (log p - a log u + b) / words, a = "
                      "1, b = 0; u from "
                      "the table, {} of {} words are not in it and count as seen once",
                      unknown_, words_));
    if (!fit_note_.empty()) all.push_back(fit_note_);
    return all;
  }

 private:
  std::vector<judge::Norm> norms_;
  const judge::Unigrams* unigrams_;
  std::string fit_note_;
  size_t words_ = 0, unknown_ = 0;

  judge::Measured measure(const suite::Sentence& sentence, const judge::SentenceScore& score) {
    judge::Measured m;
    if (score.total) {
      m.logprob = score.total->logprob;
      m.tokens = score.total->tokens;
    }
    for (const judge::TokenScore& t : score.tokens)
      if (!t.special) m.logprob += t.logprob, ++m.tokens;
    if (unigrams_) {
      // Methods that score the locus alone are measured by its words.
      const bool whole = score.bytes == sentence.text.size();
      judge::Unigrams::Sum sum =
          unigrams_->of(whole ? sentence.text : slice(sentence.text, sentence.locus));
      m.unigram = sum.logprob;
      m.words = double(sum.words);
      words_ += sum.words;
      unknown_ += sum.unknown;
    }
    return m;
  }
};

Grid grid_of(const NamedRun& named, const judge::View& view,
             const std::vector<judge::Norm>& norms) {
  Grid g{"norms",
         fmt::format("{}: {}, {}", named.run.suite.name, named.label, named.run.method),
         {{"test", "test", Kind::text},
          {"items", "items", Kind::count},
          {judge::name_of(view), judge::name_of(view), Kind::share}},
         {},
         true,
         {}};
  for (const judge::Norm& norm : norms) g.columns.push_back({norm.name, norm.name, Kind::share});
  return g;
}

void add_row(Grid& g, const std::string& test, const Count& c) {
  g.rows.push_back({test, c.items, c.own / c.items});
  for (double points : c.points) g.rows.back().push_back(points / c.items);
}

}  // namespace

std::vector<Grid> norm_grids(store::Store& store, const ReportOptions& options,
                             const std::vector<judge::Norm>& norms,
                             const judge::Unigrams* unigrams) {
  std::vector<Grid> grids;
  for (const NamedRun& named : selected_runs(store, options)) {
    if (named.run.model.kind == "people") continue;
    Look look = look_at(named.run, {}, options.policy);
    Normed normed(norms, unigrams);
    const auto of_sentences = [](const RowReader& rows) {
      return rows.scored(0) && !rows.item().design && !rows.item().cloze;
    };
    if (normed.fits()) {
      const std::map<std::string, double> ratings = mean_ratings(store.path());
      MorcelaFit fit;
      for (RowReader rows(store, {&named}, options); rows.next();)
        if (of_sentences(rows)) normed.see(rows.item(), rows.scores(0), ratings, fit);
      normed.take(fit, fmt::format("{}, {}", named.label, named.run.method));
    }
    std::map<std::string, Count> tests;
    Count all;
    all.points.resize(norms.size());
    for (RowReader rows(store, {&named}, options); rows.next();) {
      if (!of_sentences(rows)) continue;
      const std::vector<double> points = normed.points(rows.item(), rows.scores(0), look.policy);
      const Judged judged = rows.judged(0, look);
      if (!judged.counts()) continue;
      Count& test = tests[rows.item().test];
      test.points.resize(norms.size());
      for (Count* c : {&test, &all}) {
        ++c->items;
        c->own += judged.points;
        for (size_t n = 0; n < norms.size(); ++n) c->points[n] += points[n];
      }
    }
    if (tests.empty()) continue;
    Grid g = grid_of(named, look.view, norms);
    for (const auto& [test, count] : tests) add_row(g, test, count);
    add_row(g, "All", all);
    g.notes = normed.notes();
    for (const std::string& line : judge::lines_of(look.policy)) g.notes.push_back(line);
    grids.push_back(std::move(g));
  }
  if (grids.empty())
    throw bad_input("no run here has minimal sets of whole sentences").at(store.path().string());
  return grids;
}

}  // namespace minpair::report
