#include "engine/released.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "method/method.h"

namespace minpair::engine {
namespace {

const method::Method& method_of(const suite::PublishedScores& scores) {
  if (scores.what.find("cross-entropy") != std::string::npos) return method::find_method("ce");
  if (scores.what.find("log-probability of the word") != std::string::npos)
    return method::find_method("word-lp");
  if (scores.what.find("logit") != std::string::npos) return method::find_method("masked");
  throw bad_input(fmt::format("no method gives the released scores: {}", scores.what));
}

// gevalm writes OUTPUT/MODEL/TEST/FILE, bert-syntax a file per model.
std::string model_of(const std::string& file, const std::string& format) {
  std::filesystem::path path = std::filesystem::weakly_canonical(file);
  if (format == "gevalm") return path.parent_path().parent_path().filename().string();
  return path.stem().string();
}

std::vector<judge::SentenceScore> scores_of(const suite::Item& item,
                                            const suite::PublishedScores& published,
                                            const judge::MethodInfo& method) {
  std::vector<judge::SentenceScore> scores(item.sentences.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    uint32_t tokens = i < published.tokens.size() ? uint32_t(published.tokens[i].size()) : 1;
    double value = published.higher_is_better ? published.sentences[i] : -published.sentences[i];
    if (method.view.unit == judge::Unit::token) value *= tokens;
    scores[i].total = judge::SentenceScore::Total{tokens, value};
  }
  judge::measure(item, method.scope, scores);
  return scores;
}

struct Line {
  suite::Item item;
  suite::PublishedScores scores;
  std::string model;
};

std::vector<Line> read_all(suite::ItemStream& items, const std::string& format,
                           const std::string& model) {
  std::vector<Line> lines;
  for (suite::Item item; items.next(item);) {
    const suite::PublishedScores* scores = items.published();
    if (!scores || scores->sentences.size() != item.sentences.size())
      throw bad_input("this item has no released scores")
          .at(items.where())
          .hint("to run a model on the items, convert them to a .jsonl suite");
    lines.push_back({item, *scores, model.empty() ? model_of(items.where().file, format) : model});
  }
  if (lines.empty()) throw bad_input("there are no items with released scores");
  return lines;
}

}  // namespace

suite::Manifest published_manifest(const std::string& format) {
  suite::Manifest manifest;
  std::filesystem::path file = find_shipped("published", format + ".json");
  if (!file.empty()) manifest = suite::read_manifest(file);
  if (manifest.name.empty()) manifest.name = format;
  return manifest;
}

Released store_released(store::Store& store, suite::ItemStream& items, const std::string& format,
                        const suite::Manifest& manifest, const std::string& model) {
  std::vector<Line> lines = read_all(items, format, model);
  // The items of each model are numbered from the start: they are the same suite.
  std::map<std::string, std::vector<const Line*>> by_model;
  for (const Line& line : lines) by_model[line.model].push_back(&line);
  Released released;
  released.no_items = items.skipped();
  store::Store::Transaction transaction(store);
  for (const auto& [name, own] : by_model) {
    Fingerprint content, scores;
    scores.add(name);  // two models may answer alike
    for (const Line* line : own) {
      std::string text;
      suite::append_json_line(text, line->item);
      content.add(text);
      for (double s : line->scores.sentences) text += fmt::format(" {}", s);
      scores.add(text);
    }
    const method::Method& method = method_of(own.front()->scores);
    int64_t suite = store.add_suite({0, manifest.name, content.text(), own.size(), manifest});
    int64_t id = store.add_model({0,
                                  name,
                                  "released " + scores.text(),
                                  "released",
                                  "",
                                  "released",
                                  "",
                                  0,
                                  {"released scores: " + own.front()->scores.what}});
    int64_t run = store.add_run(suite, id, method.info());
    for (size_t i = 0; i < own.size(); ++i)
      store.add_score(run, i, own[i]->item, judge::Reason::none,
                      scores_of(own[i]->item, own[i]->scores, method.info()));
    store.finish_run(run);
    released.items[name] = own.size();
  }
  transaction.commit();
  return released;
}

}  // namespace minpair::engine
