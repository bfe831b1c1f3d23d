// Released scores and judgments become runs like any other: rows to items, as the paper's file
// says.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/hash.h"
#include "papers/formula.h"
#include "papers/papers.h"
#include "store/judgments.h"
#include "store/store.h"

namespace minpair::papers {
namespace {

// Rows that speak of one item: what was said of each of its sentences.
struct Gathered {
  suite::Item item;
  std::vector<double> sums;
  std::vector<uint32_t> answers;

  // Whether it is the first that is said of the sentence.
  bool add(const std::string& role, const std::string& context, const std::string& text,
           double value) {
    const bool good = role == "good";
    auto same = [&](const suite::Sentence& s) { return s.text == text && s.grammatical == good; };
    size_t i = 0;
    while (i < item.sentences.size() && !same(item.sentences[i])) ++i;
    if (i == item.sentences.size()) {
      suite::Sentence s;
      s.text = text;
      s.context = context;
      s.grammatical = good;
      item.sentences.push_back(std::move(s));
      sums.push_back(0);
      answers.push_back(0);
    }
    sums[i] += value;
    return ++answers[i] == 1;
  }
};

using ByModel = std::map<std::string, std::vector<Gathered>>;

class Gatherer {
 public:
  Gatherer(const Released& released, const Frame& frame, std::map<std::string, size_t>& places)
      : released_(released), frame_(frame), places_(places) {
    if (!released.where.empty()) wanted_ = Formula::parse(released.where).each(frame);
    if (!released.choice.empty()) chosen_ = Formula::parse(released.choice).each(frame);
    for (const Released::Part& part : released.sentences)
      values_.push_back(part.value.empty() ? std::vector<double>()
                                           : Formula::parse(part.value).each(frame));
  }

  void gather(ByModel& runs, std::vector<store::Judgment>& judgments) {
    for (size_t row = 0; row < frame_.rows(); ++row) {
      if (!wanted_.empty() && wanted_[row] == 0) continue;
      if (!chosen_.empty() && !(chosen_[row] >= 0 && chosen_[row] <= 1))
        throw bad_input(fmt::format("{} is {}, but a choice is 0, 1 or between them",
                                    released_.choice, chosen_[row]))
            .at(frame_.place(row));
      Gathered& g = item_of(runs, row);
      const std::string context = filled(released_.context, frame_, row);
      store::Judgment judgment;
      for (size_t i = 0; i < released_.sentences.size(); ++i) {
        const std::string role = filled(released_.sentences[i].role, frame_, row);
        if (role != "good" && role != "bad")
          throw bad_input(fmt::format("'{}' is neither good nor bad", role)).at(frame_.place(row));
        const std::string text(trim(filled(released_.sentences[i].text, frame_, row, true)));
        const bool good = role == "good";
        double value = chosen_.empty() ? values_[i][row] : good ? chosen_[row] : 1 - chosen_[row];
        if (!g.add(role, context, text, value) && !released_.people && released_.norm == "sum")
          throw bad_input(fmt::format("'{}' has a score already, in item '{}'", text, g.item.id))
              .at(frame_.place(row));
        std::string whole = context + std::string(suite::joint(context, text)) + text;
        if (chosen_.empty() || good)
          judgment.sentence = whole, judgment.value = value;
        else
          judgment.other = whole;
        if (released_.people && chosen_.empty()) keep(judgment, row, judgments);
      }
      if (released_.people && !chosen_.empty()) keep(judgment, row, judgments);
    }
  }

 private:
  const Released& released_;
  const Frame& frame_;
  std::vector<double> wanted_, chosen_;
  std::vector<std::vector<double>> values_;
  std::map<std::string, size_t>& places_;  // of the items of each model

  void keep(store::Judgment& judgment, size_t row, std::vector<store::Judgment>& judgments) {
    judgment.person = filled(released_.person, frame_, row);
    judgments.push_back(judgment);
  }

  Gathered& item_of(ByModel& runs, size_t row) {
    std::string model = filled(released_.model, frame_, row, true);
    std::vector<Gathered>& items = runs[model];
    std::string test = filled(released_.test, frame_, row, true);
    std::string id = released_.id.empty() ? fmt::format("{}/{}", test, items.size() + 1)
                                          : filled(released_.id, frame_, row, true);
    auto [place, fresh] = places_.try_emplace(model + "\n" + id, items.size());
    if (!fresh) return items[place->second];
    Gathered& g = items.emplace_back();
    g.item.id = id;
    g.item.test = test;
    g.item.condition = filled(released_.condition, frame_, row);
    g.item.language = filled(released_.language, frame_, row);
    g.item.cluster = filled(released_.cluster, frame_, row);
    return g;
  }
};

bool is_set(const suite::Item& item) {
  auto good = [](const suite::Sentence& s) { return s.grammatical; };
  return std::any_of(item.sentences.begin(), item.sentences.end(), good) &&
         !std::all_of(item.sentences.begin(), item.sentences.end(), good);
}

// The good sentence first, with loci.
void finish(Gathered& g) {
  std::vector<size_t> order(g.item.sentences.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return g.item.sentences[a].grammatical > g.item.sentences[b].grammatical;
  });
  Gathered sorted{g.item, {}, {}};
  for (size_t i = 0; i < order.size(); ++i) {
    sorted.item.sentences[i] = g.item.sentences[order[i]];
    sorted.sums.push_back(g.sums[order[i]]);
    sorted.answers.push_back(g.answers[order[i]]);
  }
  suite::align_loci(sorted.item.sentences);
  g = std::move(sorted);
}

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

judge::MethodInfo method_of(const Released& released) {
  judge::MethodInfo method;
  method.name = released.method;
  method.view = judge::find_view(released.norm);
  return method;
}

void store_run(store::Store& store, const Paper& paper, const Released& released,
               const std::string& model, const std::vector<Gathered>& items) {
  Fingerprint content, scores;
  for (const Gathered& g : items) {
    std::string text;
    suite::append_json_line(text, g.item);
    content.add(text);
    for (size_t i = 0; i < g.sums.size(); ++i)
      text += fmt::format(" {} {}", g.sums[i], g.answers[i]);
    scores.add(text);
  }
  suite::Manifest manifest;
  manifest.name = released.suite.empty() ? paper.name : released.suite;
  manifest.title = paper.title;
  manifest.citation = paper.citation;
  manifest.licence = paper.licence;
  const std::string kind = released.people ? "people" : "released";
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
  judge::MethodInfo method = method_of(released);
  int64_t run = store.add_run(suite, id, method);
  for (size_t i = 0; i < items.size(); ++i) {
    std::vector<judge::SentenceScore> sentences(items[i].sums.size());
    for (size_t s = 0; s < sentences.size(); ++s)
      sentences[s].total = judge::SentenceScore::Total{items[i].answers[s], items[i].sums[s]};
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
  struct Runs {
    const Released* released;
    ByModel items;
    std::map<std::string, size_t> places;
  };
  std::vector<Runs> all;
  Frame::Tables tables;
  for (const Released& released : paper.released) {
    Frame frame = Frame::read(released.source, folder, tables);
    stored.notes.insert(stored.notes.end(), frame.alone().begin(), frame.alone().end());
    auto same = [&](const Runs& other) {
      const Released& r = *other.released;
      return std::tie(r.suite, r.method, r.norm) ==
                 std::tie(released.suite, released.method, released.norm) &&
             r.people == released.people;
    };
    auto runs = std::find_if(all.begin(), all.end(), same);
    if (runs == all.end()) runs = all.insert(all.end(), {&released, {}, {}});
    Gatherer(released, frame, runs->places).gather(runs->items, judgments);
  }
  {
    // Opened only now: files that cannot be read leave no results behind.
    store::Store store(results, store::Store::Mode::write);
    store::Store::Transaction transaction(store);
    for (auto& [released, runs, places] : all)
      for (auto& [model, items] : runs) {
        stored.left_out += std::erase_if(items, [](const Gathered& g) { return !is_set(g.item); });
        if (items.empty()) continue;
        for (Gathered& g : items) finish(g);
        arrange_like(runs.begin()->second, items);
        store_run(store, paper, *released, model, items);
        stored.items.emplace_back(model, items.size());
      }
    transaction.commit();
  }
  if (!judgments.empty()) store::replace_judgments(results, paper.name, judgments);
  stored.judgments = judgments.size();
  return stored;
}

}  // namespace minpair::papers
