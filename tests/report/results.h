#pragma once
// A results file made of numbers, for tests of what reads one.

#include "method/method.h"
#include "report/report.h"
#include "store/store.h"
#include "support.h"

namespace minpair::testing {

using namespace minpair::report;

struct GivenItem {
  std::string test, condition, cluster;
  double good = 0, bad = 0;  // log-probabilities
  std::string excluded;      // the key of the reason
  double distance = 1;
  std::string language = "de";
  std::string id = {};       // absent: "i" and its number
  std::string subject = {};  // absent: "Sie"
  std::vector<std::pair<std::string, suite::FeatureValue>> features = {};  // beside the distance
  bool longer = false;  // the bad sentence has a token more
};

inline judge::SentenceScore given_sentence(double logprob, Span locus) {
  judge::SentenceScore s{{}, {}, 2, 9, 10};
  for (int i = 0; i < 2; ++i) {
    judge::TokenScore t;
    t.id = tokenizer::TokenId(i);
    t.in_locus = i == 1;
    t.span = i == 1 ? locus : Span{0, 3};
    t.logprob = i == 1 ? logprob : -0.5;
    s.tokens.push_back(t);
  }
  return s;
}

inline void add_run_of(store::Store& store, const std::string& suite_name, const std::string& model,
                       const std::string& method, const std::vector<GivenItem>& given,
                       suite::Manifest manifest = {}) {
  manifest.name = suite_name;
  store::Store::Transaction t(store);
  int64_t suite = store.add_suite({0, suite_name, "f", given.size(), manifest});
  int64_t id = store.add_model({0, model, "w " + model, "t", "fp32", "masked", "bert", 1, {}});
  int64_t run = store.add_run(suite, id, method::find_method(method).info());
  for (size_t i = 0; i < given.size(); ++i) {
    const GivenItem& g = given[i];
    suite::Item item;
    item.id = g.id.empty() ? "i" + std::to_string(i) : g.id;
    item.test = g.test;
    item.condition = g.condition;
    item.cluster = g.cluster;
    item.language = g.language;
    item.features = {{"distance", g.distance}};
    item.features.insert(item.features.end(), g.features.begin(), g.features.end());
    std::string subject = g.subject.empty() ? "Sie" : g.subject;
    size_t at = subject.size() + 1;
    item.sentences = {{{subject + " lacht ."}, {at, at + 5}, true},
                      {{subject + " lachen ."}, {at, at + 6}, false}};
    std::vector<judge::SentenceScore> scores;
    if (g.excluded.empty())
      scores = {given_sentence(g.good, {4, 9}), given_sentence(g.bad, {4, 10})};
    if (g.longer) scores[1].tokens.push_back(scores[1].tokens[0]);
    store.add_score(run, i, item, judge::find_reason(g.excluded), scores);
  }
  store.finish_run(run);
  t.commit();
}

}  // namespace minpair::testing
