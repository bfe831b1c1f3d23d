#include "report/judged.h"

#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "report/clusters.h"
#include "store/pack.h"

namespace minpair::report {
namespace {

void judge_one(Judged& j, const judge::Verdict& v, judge::Policy policy) {
  j.outcome = v.outcome;
  j.margin = float(v.margin);
  if (v.outcome == judge::Outcome::undefined) {
    j.excluded = judge::Reason::not_available;
    if (j.counts()) j.left_out = j.excluded;
  }
  j.points = judge::points(v, policy);
  policy.pairwise = false;
  j.won = judge::points(judge::Verdict{v.outcome}, policy);
}

}  // namespace

uint32_t SuiteItems::add(uint64_t ordinal, suite::Item item) {
  auto [found, added] = at.try_emplace(ordinal, uint32_t(items.size()));
  if (!added) return found->second;
  // Texts cannot contain the separator, so that an item of its own never meets a named cluster.
  std::string name = cluster_name(item, cluster_by);
  if (name.empty()) name = "\n" + std::to_string(ordinal);
  cluster.push_back(clusters.try_emplace(name, clusters.size()).first->second);
  ordinals.push_back(ordinal);
  items.push_back(std::move(item));
  return found->second;
}

bool wanted(const suite::Item& item, const ReportOptions& options) {
  return all_or_among(options.tests, item.test) &&
         all_or_among(options.conditions, item.condition) &&
         all_or_among(options.languages, item.language);
}

Look look_at(const store::RunRecord& run, const std::optional<judge::View>& asked,
             const judge::Policy& policy) {
  const suite::Manifest& manifest = run.suite.manifest;
  return {asked ? *asked : judge::view_in_paper(manifest, run.method, run.view),
          judge::as_in_paper(policy, judge::ties_in_paper(manifest, run.ties))};
}

Look look_at(const store::RunRecord& run, const ReportOptions& options) {
  std::optional<judge::View> asked;
  if (!options.views.empty()) asked = options.views.front();
  return look_at(run, asked, options.policy);
}

std::vector<Look> looks_at(const store::RunRecord& run, const ReportOptions& options) {
  Look look = look_at(run, options);
  if (options.views.empty() && !options.all_views) return {look};
  std::vector<Look> looks;
  for (const judge::View& view : judge::family_of(run.view)) {
    bool asked = options.all_views ? view.special || run.special
                                   : std::find(options.views.begin(), options.views.end(), view) !=
                                         options.views.end();
    if (asked) looks.push_back({view, look.policy});
  }
  return looks;
}

std::vector<Judged> judged_items(store::Store& store, const store::RunRecord& run, const Look& look,
                                 SuiteItems& suite, const SeeTokens& also) {
  return std::move(judged_items(store, run, std::vector{look}, suite, also)[0]);
}

std::vector<std::vector<Judged>> judged_items(store::Store& store, const store::RunRecord& run,
                                              const std::vector<Look>& looks, SuiteItems& suite,
                                              const SeeTokens& also) {
  std::vector<std::vector<Judged>> all(looks.size());
  suite::ItemParser parser;
  const judge::Judge judge(run.suite.manifest);
  bool with_text = suite.items.size() < run.suite.items;
  store.each_item(run.id, with_text, [&](const store::StoredItem& stored) {
    auto known = suite.at.find(stored.ordinal);
    Judged j;
    if (known != suite.at.end()) {
      j.item = known->second;
    } else {
      if (!with_text)
        throw bad_input("the suite has fewer items than the run").at(store.path().string());
      suite::Item item;
      parser.parse(stored.item, {store.path().string(), 0, 0, {}}, item);
      j.item = suite.add(stored.ordinal, std::move(item));
    }
    j.equal_lengths = stored.equal_lengths;
    j.excluded = stored.excluded;
    j.pieces = store::unpack_distance(stored.tokens);
    bool scored = stored.excluded == judge::Reason::none;
    std::vector<judge::SentenceScore> sentences;
    if (scored) sentences = store::unpack_scores(stored.tokens);
    for (size_t i = 0; i < looks.size(); ++i) {
      const auto& [view, policy] = looks[i];
      Judged& own = all[i].emplace_back(j);
      own.left_out = judge::left_out(stored.excluded, stored.equal_lengths, policy);
      if (scored) judge_one(own, judge.verdict(suite.items[j.item], sentences, view), policy);
    }
    if (scored && also) also(j.item, sentences);
  });
  return all;
}

}  // namespace minpair::report
