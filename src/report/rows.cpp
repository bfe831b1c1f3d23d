#include "report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "report/labels.h"
#include "store/pack.h"

namespace minpair::report {
namespace {

void check_names(store::Store& store, const std::vector<NamedRun>& runs,
                 const Selection& selection) {
  if (selection.tests.empty() && selection.conditions.empty() && selection.languages.empty())
    return;
  std::set<std::string> tests, conditions, languages;
  for (const NamedRun& named : runs)
    for (const store::SummaryRow& row : store.summary(named.run.id)) {
      tests.insert(row.test);
      conditions.insert(row.condition);
      languages.insert(row.language);
    }
  auto check = [](const char* what, const std::vector<std::string>& asked,
                  const std::set<std::string>& known) {
    for (const std::string& name : asked)
      if (!known.contains(name))
        throw unknown_name(fmt::format("the results have no {} '{}'", what, name), name,
                           {known.begin(), known.end()});
  };
  check("test", selection.tests, tests);
  check("condition", selection.conditions, conditions);
  check("language", selection.languages, languages);
}

}  // namespace

std::vector<NamedRun> selected_runs(store::Store& store, const Selection& selection) {
  std::vector<store::RunRecord> runs = store.runs();
  std::map<int64_t, std::string> labels = model_labels(runs);
  std::vector<judge::RunName> names;
  for (const store::RunRecord& r : runs)
    names.push_back({r.id, r.suite.name, labels[r.model.id], r.method, r.model.name});
  std::vector<NamedRun> chosen;
  try {
    for (size_t i : judge::select(names, selection.wanted))
      chosen.push_back({std::move(runs[i]), names[i].model});
  } catch (Error& e) {
    throw e.at(store.path().string());
  }
  check_names(store, chosen, selection);
  return chosen;
}

Look look_at(const store::RunRecord& run, const std::optional<judge::View>& asked,
             const judge::Policy& policy) {
  const suite::Manifest& manifest = run.suite.manifest;
  return {asked ? *asked : judge::view_in_paper(manifest, run.method, run.view),
          judge::as_in_paper(policy, judge::ties_in_paper(manifest, run.ties))};
}

void Tally::add(const Judged& row) {
  ++items;
  unequal += !row.equal_lengths &&
             (row.excluded == judge::Reason::none || row.excluded == judge::Reason::not_available);
  if (!row.counts()) {
    ++excluded[row.left_out];
    return;
  }
  ++pairs;
  correct += row.outcome == judge::Outcome::right;
  ties += row.outcome == judge::Outcome::tie;
  points += row.points;
}

void Tally::add(const store::SummaryRow& rows, const judge::Policy& policy) {
  const judge::Counts& counts = rows.counts;
  items += counts.items;
  if (rows.excluded == judge::Reason::none && !rows.equal_lengths) unequal += counts.items;
  judge::Reason why = judge::left_out(rows.excluded, rows.equal_lengths, policy);
  if (why != judge::Reason::none) {
    excluded[why] += counts.items;
    return;
  }
  if (counts.undefined > 0) excluded[judge::Reason::not_available] += counts.undefined;
  pairs += counts.items - counts.undefined;
  correct += counts.right;
  ties += counts.ties;
  points += judge::points(counts, policy);
}

void Tally::add(const Tally& other) {
  items += other.items;
  pairs += other.pairs;
  correct += other.correct;
  ties += other.ties;
  unequal += other.unequal;
  points += other.points;
  for (const auto& [reason, n] : other.excluded) excluded[reason] += n;
}

RowReader::RowReader(store::Store& store, std::vector<const NamedRun*> runs,
                     const Selection& selection)
    : store_(store),
      selection_(selection),
      filter_(selection.where),
      judge_(runs.front()->run.suite.manifest) {
  items_ = store.suite_items(runs.front()->run.suite.id);
  scores_.resize(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    scores_[i].rows = store.items(runs[i]->run.id, false);
    step(scores_[i]);
  }
}

void RowReader::step(RunScores& run) {
  run.opened = false;
  if (!run.rows->next(run.stored)) run.rows.reset();
}

bool RowReader::selected() {
  return all_or_among(selection_.tests, item_.test) &&
         all_or_among(selection_.conditions, item_.condition) &&
         all_or_among(selection_.languages, item_.language) && filter_.holds(item_);
}

bool RowReader::next() {
  for (RunScores& run : scores_)
    if (run.here) step(run), run.here = false;
  while (items_->next(stored_)) {
    bool any = false;
    for (RunScores& run : scores_) {
      if (run.rows && run.stored.ordinal < stored_.ordinal)
        throw bad_input(
            fmt::format("item {} has a score, but is missing itself", run.stored.ordinal + 1))
            .at(store_.path().string());
      run.here = run.rows && run.stored.ordinal == stored_.ordinal;
      any |= run.here;
    }
    if (!any) continue;
    parser_.parse(stored_.item, {store_.path().string(), 0, 0, {}}, item_);
    if (selected()) return true;
    for (RunScores& run : scores_)
      if (run.here) step(run), run.here = false;
  }
  for (RunScores& run : scores_)
    if (run.rows)
      throw bad_input("the suite has fewer items than the run").at(store_.path().string());
  filter_.check();
  return false;
}

std::optional<uint32_t> RowReader::pieces(size_t run) const {
  return store::unpack_distance(scores_[run].stored.tokens);
}

const std::vector<judge::SentenceScore>& RowReader::scores(size_t run) const {
  const RunScores& r = scores_[run];
  if (!r.opened) {
    r.scores.clear();
    if (scored(run)) r.scores = store::unpack_scores(r.stored.tokens);
    r.opened = true;
  }
  return r.scores;
}

judge::Verdict RowReader::verdict(size_t run, const judge::View& view,
                                  const judge::Criterion* criterion) const {
  if (!scored(run)) return {};
  return criterion ? criterion->judge(item_, scores(run), view)
                   : judge_.verdict(item_, scores(run), view);
}

Judged RowReader::judged(size_t run, const Look& look, const judge::Criterion* criterion) const {
  Judged j;
  j.excluded = scores_[run].stored.excluded;
  j.equal_lengths = scores_[run].stored.equal_lengths;
  j.left_out = judge::left_out(j.excluded, j.equal_lengths, look.policy);
  j.pieces = pieces(run);
  if (!scored(run)) return j;
  judge::Verdict v = verdict(run, look.view, criterion);
  j.outcome = v.outcome;
  j.margin = float(v.margin);
  if (v.outcome == judge::Outcome::undefined) {
    j.excluded = judge::Reason::not_available;
    if (j.counts()) j.left_out = j.excluded;
  }
  j.points = judge::points(v, look.policy);
  judge::Policy one = look.policy;
  one.pairwise = false;
  j.won = judge::points(judge::Verdict{v.outcome}, one);
  return j;
}

}  // namespace minpair::report
