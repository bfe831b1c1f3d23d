#include "report/views.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "report/rows.h"

namespace minpair::report {
namespace {

// The good sentences first: what is not higher than one of them does not beat it.
const std::string& chosen(const suite::Item& item, const std::vector<judge::SentenceScore>& scores,
                          const judge::View& view) {
  size_t best = item.sentences.size();
  double highest = 0;
  for (bool good : {true, false})
    for (size_t i = 0; i < scores.size() && i < item.sentences.size(); ++i) {
      if (item.sentences[i].grammatical != good) continue;
      std::optional<double> score = scores[i].value(view);
      if (score && (best == item.sentences.size() || *score > highest)) {
        best = i;
        highest = *score;
      }
    }
  if (best == item.sentences.size())
    throw bad_input(fmt::format("'{}' has no score under '{}'", item.id, judge::name_of(view)));
  return item.sentences[best].text;
}

}  // namespace

std::string babylm_predictions(store::Store& store, const ReportOptions& options) {
  std::vector<NamedRun> runs = selected_runs(store, options);
  if (runs.size() != 1)
    throw wrong_call(fmt::format("predictions are of one run, here are {}", runs.size()))
        .hint("choose with -s, -m and --method");
  const store::RunRecord& run = runs.front().run;
  const Look look = look_at(run, options);
  nlohmann::ordered_json tests;
  for (RowReader rows(store, {&runs.front()}, options); rows.next();) {
    const suite::Item& item = rows.item();
    if (!rows.scored(0))
      throw bad_input(fmt::format("'{}' is excluded: {}", item.id,
                                  judge::text_of(rows.judged(0, look).excluded)))
          .at(store.path().string())
          .hint("the leaderboard needs a choice for every item");
    if (item.design || item.cloze)
      throw bad_input("the leaderboard knows only sentences to choose from, not designs or clozes");
    auto& predictions = tests[item.test]["predictions"];
    predictions.push_back({{"id", fmt::format("{}_{}", item.test, predictions.size())},
                           {"pred", " " + chosen(item, rows.scores(0), look.view)}});
  }
  return json_text(nlohmann::ordered_json{{run.suite.name, tests}}) + "\n";
}

}  // namespace minpair::report
