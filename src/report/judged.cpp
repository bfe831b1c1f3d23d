#include "report/judged.h"

#include <algorithm>

#include "base/error.h"
#include "report/clusters.h"

namespace minpair::report {

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
  auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(options.tests, item.test) && among(options.conditions, item.condition);
}

std::vector<Judged> judged_items(store::Store& store, const store::RunRecord& run,
                                 const judge::Norm& norm, SuiteItems& suite,
                                 const SeeTokens& also) {
  std::vector<Judged> all;
  suite::ItemParser parser;
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
    if (stored.excluded.empty()) {
      std::vector<judge::StoredSentence> sentences = judge::unpack_scores(stored.tokens);
      judge::Verdict v = judge::judge(
          sentences, judge::grammatical_of(suite.items[j.item], sentences.size()), norm);
      j.outcome = v.outcome;
      j.margin = float(v.margin);
      if (also) also(j.item, sentences);
    }
    all.push_back(std::move(j));
  });
  return all;
}

}  // namespace minpair::report
