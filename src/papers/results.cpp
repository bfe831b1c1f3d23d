// Released scores and judgments become runs like any other: the rows of a paper's queries are
// items, or answers about items.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/counts.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "papers/database.h"
#include "papers/papers.h"
#include "store/judgments.h"
#include "store/store.h"

namespace minpair::papers {
namespace {

// What was said of each sentence of an item, the good ones first.
struct Gathered {
  suite::Item item;
  std::vector<judge::SentenceScore::Total> totals;  // sums, and how many values they are of

  // Whether it is the first that is said of the sentence.
  bool add(bool good, const std::string& context, const std::string& text, double value) {
    std::vector<suite::Sentence>& all = item.sentences;
    auto at = std::ranges::find_if(
        all, [&](const suite::Sentence& s) { return s.text == text && s.grammatical == good; });
    size_t place = size_t(at - all.begin());
    if (at == all.end()) {
      if (good) at = std::ranges::find(all, false, &suite::Sentence::grammatical);
      place = size_t(at - all.begin());
      suite::Sentence sentence;
      sentence.text = text, sentence.context = context, sentence.grammatical = good;
      all.insert(at, std::move(sentence));
      totals.insert(totals.begin() + std::ptrdiff_t(place), {0, 0});
    }
    totals[place].logprob += value;
    return ++totals[place].tokens == 1;
  }
  bool is_minimal_set() const {
    return item.sentences.front().grammatical && !item.sentences.back().grammatical;
  }
};

using ByModel = std::map<std::string, std::vector<Gathered>>;

// Runs of several queries that score the same suite in the same way.
struct Runs {
  const Released* released = nullptr;
  bool people = false;
  ByModel items;
  std::map<std::string, size_t> places;  // of the items of each model
};

// The columns of a query: model, id, test, condition, language, cluster, context, place, choice,
// person; and `good` and `bad`, each with the value of its sentence after it unless there is a
// choice.
class Gatherer {
 public:
  Gatherer(const Paper& paper, const Released& released, const Result& result)
      : paper_(paper), released_(released), result_(result) {
    for (size_t i = 0; i < result.columns.size(); ++i)
      if (result.columns[i] == "good" || result.columns[i] == "bad")
        sentences_.push_back(i);
      else
        places_.try_emplace(result.columns[i], i);
    for (const char* name : {"model", "test"})
      if (!places_.contains(name)) throw wrong(fmt::format("the query has no column '{}'", name));
    if (sentences_.empty()) throw wrong("the query has no columns 'good' and 'bad'");
    if (!choice() && sentences_.back() + 1 == result.columns.size())
      throw wrong("the query has no value after its last sentence");
  }

  bool people() const { return places_.contains("person"); }

  void gather(Runs& runs, Stored& stored, std::vector<store::Judgment>& judgments) {
    size_t alone = 0;
    std::string first;
    for (row_ = 0; row_ < result_.rows.size(); ++row_) {
      const bool any = std::ranges::any_of(sentences_, [&](size_t i) { return said(i); });
      if (any)
        add_row(runs, judgments);
      else if (++alone == 1)
        first = text("place");
    }
    if (alone > 0)
      stored.notes.push_back(fmt::format("{} {} no sentences; the first: {}", counted(alone, "row"),
                                         plural(alone, "has", "have"), first));
  }

 private:
  const Paper& paper_;
  const Released& released_;
  const Result& result_;
  std::vector<size_t> sentences_;
  std::map<std::string, size_t> places_;  // of the other columns
  size_t row_ = 0;

  Error wrong(const std::string& message) const {
    const std::string place = row_ < result_.rows.size() ? text("place") : "";
    return place.empty() ? bad_input(message).at(paper_.file.string(), released_.query.line)
                         : bad_input(message).at(place);
  }
  const Value& value(size_t column) const { return result_.rows[row_][column]; }
  bool said(size_t column) const { return !std::holds_alternative<std::monostate>(value(column)); }
  std::string text(const std::string& column) const {
    const auto at = places_.find(column);
    return at == places_.end() ? "" : text_of(value(at->second));
  }
  bool choice() const { return places_.contains("choice"); }

  double number(size_t column, const std::string& sentence) const {
    const double found = number_of(value(column));
    if (std::isnan(found)) throw wrong(fmt::format("'{}' has no value", sentence));
    return found;
  }

  void add_row(Runs& runs, std::vector<store::Judgment>& judgments) {
    const double chosen = choice() ? number(places_.at("choice"), "choice") : 0;
    if (chosen < 0 || chosen > 1)
      throw wrong(fmt::format("the choice is {}, but it is 0, 1 or between them", chosen));
    Gathered& g = item_of(runs);
    const std::string context = text("context");
    store::Judgment judgment;
    judgment.person = text("person");
    for (const size_t i : sentences_) {
      if (!said(i)) continue;
      const std::string sentence(trim(text_of(value(i))));
      const bool good = result_.columns[i] == "good";
      const double worth = !choice() ? number(i + 1, sentence) : good ? chosen : 1 - chosen;
      if (!g.add(good, context, sentence, worth) && !people() && released_.norm == "sum")
        throw wrong(fmt::format("'{}' has a score already, in item '{}'", sentence, g.item.id));
      const std::string whole = context + std::string(suite::joint(context, sentence)) + sentence;
      if (!choice() || good)
        judgment.sentence = whole, judgment.value = worth;
      else
        judgment.other = whole;
      if (people() && !choice()) judgments.push_back(judgment);
    }
    if (people() && choice()) judgments.push_back(judgment);
  }

  Gathered& item_of(Runs& runs) {
    const std::string model = text("model"), test = text("test");
    std::vector<Gathered>& items = runs.items[model];
    std::string id = text("id");
    if (id.empty()) id = fmt::format("{}/{}", test, items.size() + 1);
    const auto [place, fresh] = runs.places.try_emplace(model + "\n" + id, items.size());
    if (!fresh) return items[place->second];
    Gathered& g = items.emplace_back();
    g.item.id = id;
    g.item.test = test;
    g.item.condition = text("condition");
    g.item.language = text("language");
    g.item.cluster = text("cluster");
    return g;
  }
};

// Models are compared over one suite: files may list the same items in another order.
void arrange_like(const std::vector<Gathered>& first, std::vector<Gathered>& items) {
  if (&first == &items) return;
  std::map<std::string_view, size_t> order;
  for (size_t i = 0; i < first.size(); ++i) order.emplace(first[i].item.id, i);
  auto place = [&](const Gathered& g) {
    auto it = order.find(g.item.id);
    return it == order.end() ? first.size() : it->second;
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Gathered& a, const Gathered& b) { return place(a) < place(b); });
}

void store_run(store::Store& store, const Paper& paper, const Runs& runs, const std::string& model,
               const std::vector<Gathered>& items) {
  const Released& released = *runs.released;
  Fingerprint content, scores;
  scores.add(model);  // two models may answer alike
  for (const Gathered& g : items) {
    std::string text;
    suite::append_json_line(text, g.item);
    content.add(text);
    for (const auto& total : g.totals) text += fmt::format(" {} {}", total.logprob, total.tokens);
    scores.add(text);
  }
  suite::Manifest manifest;
  manifest.name = released.suite.empty() ? paper.name : released.suite;
  manifest.title = paper.title;
  manifest.citation = paper.citation;
  manifest.licence = paper.licence;
  const std::string kind = runs.people ? "people" : "released";
  int64_t suite = store.add_suite({0, manifest.name, content.text(), items.size(), manifest});
  int64_t id = store.add_model({0,
                                model,
                                kind + " " + scores.text(),
                                kind,
                                "",
                                kind,
                                "",
                                0,
                                {fmt::format("{}: {}", kind, paper.source)}});
  judge::MethodInfo method;
  method.name = released.method;
  method.view = judge::find_view(released.norm);
  int64_t run = store.add_run(suite, id, method);
  for (size_t i = 0; i < items.size(); ++i) {
    std::vector<judge::SentenceScore> sentences(items[i].totals.size());
    for (size_t s = 0; s < sentences.size(); ++s) sentences[s].total = items[i].totals[s];
    judge::measure(items[i].item, method.scope, sentences);
    store.add_score(run, i, items[i].item, judge::Reason::none, sentences);
  }
  store.finish_run(run);
}

}  // namespace

Stored store_released(const std::filesystem::path& results, const Paper& paper,
                      const std::filesystem::path& folder) {
  Stored stored;
  std::vector<store::Judgment> judgments;
  std::vector<Runs> all;
  Database database(folder, paper.file.string());
  for (const Sql& setup : paper.setup) database.query(setup);
  for (const Released& released : paper.released) {
    const Result result = database.query(released.query);
    Gatherer gatherer(paper, released, result);
    auto runs = std::ranges::find_if(all, [&](const Runs& other) {
      const Released& r = *other.released;
      return other.people == gatherer.people() &&
             std::tie(r.suite, r.method, r.norm) ==
                 std::tie(released.suite, released.method, released.norm);
    });
    if (runs == all.end()) runs = all.insert(all.end(), {&released, gatherer.people(), {}, {}});
    gatherer.gather(*runs, stored, judgments);
  }
  {
    // Opened only now: files that cannot be read leave no results behind.
    store::Store store(results, store::Store::Mode::write);
    store::Store::Transaction transaction(store);
    for (Runs& runs : all)
      for (auto& [model, items] : runs.items) {
        stored.left_out +=
            std::erase_if(items, [](const Gathered& g) { return !g.is_minimal_set(); });
        if (items.empty()) continue;
        for (Gathered& g : items) suite::align_loci(g.item.sentences);
        arrange_like(runs.items.begin()->second, items);
        store_run(store, paper, runs, model, items);
        stored.items.emplace_back(model, items.size());
      }
    transaction.commit();
  }
  if (!judgments.empty()) store::replace_judgments(results, paper.name, judgments);
  stored.judgments = judgments.size();
  return stored;
}

}  // namespace minpair::papers
