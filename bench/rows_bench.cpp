// How time and memory of tables grow with the results: a file made of random scores, and a table of
// it from the stored summary or from rows.
//
//   bench_rows write FILE.db ITEMS [RUNS]
//   bench_rows table FILE.db BY

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "method/method.h"
#include "report/report.h"

namespace minpair {
namespace {

suite::Item item_at(uint64_t i) {
  suite::Item item;
  item.id = fmt::format("{}", i);
  item.test = fmt::format("test_{}", i % 20);
  item.condition = i % 2 ? "sg_pl" : "pl_sg";
  item.language = "de";
  item.cluster = fmt::format("c{}", i % 5000);
  item.features = {{"distance", double(i % 37)},
                   {"attractors", double(i % 3)},
                   {"lemma", fmt::format("lemma{}", i % 200)}};
  const std::string start = fmt::format("Der Autor neben den Wächtern {} ", i);
  for (bool good : {true, false}) {
    const std::string verb = good ? "lacht" : "lachen";
    item.sentences.push_back(
        {{start + verb + " ."}, {start.size(), start.size() + verb.size()}, good});
  }
  return item;
}

std::vector<judge::SentenceScore> scores_at(const suite::Item& item, Random& random) {
  std::vector<judge::SentenceScore> scores;
  for (const suite::Sentence& sentence : item.sentences) {
    judge::SentenceScore& score = scores.emplace_back();
    score.words = 7, score.characters = uint32_t(sentence.text.size()),
    score.bytes = score.characters;
    for (uint32_t t = 0; t < 8; ++t) {
      judge::TokenScore token;
      token.id = tokenizer::TokenId(random.below(30000));
      token.span = t == 7 ? sentence.locus : Span{4 * t, 4 * t + 4};
      token.in_locus = t == 7;
      token.begins_word = true;
      token.logprob = -double(random.below(1 << 20)) / (1 << 17);
      score.tokens.push_back(token);
    }
  }
  return scores;
}

void write(const std::string& file, uint64_t items, uint64_t runs) {
  store::Store store(file, store::Store::Mode::write);
  store::Store::Transaction t(store);
  suite::Manifest manifest;
  manifest.name = "s";
  const int64_t suite = store.add_suite({0, "s", "f", items, manifest});
  for (uint64_t r = 0; r < runs; ++r) {
    Random random(r + 1);
    const std::string name = fmt::format("model{}", r);
    const int64_t model = store.add_model({0, name, name, "t", "fp32", "causal", "gpt2", 1, {}});
    const int64_t run = store.add_run(suite, model, method::find_method("lp").info());
    for (uint64_t i = 0; i < items; ++i) {
      const suite::Item item = item_at(i);
      store.add_score(run, i, item, judge::Reason::none, scores_at(item, random));
    }
    store.finish_run(run);
  }
  t.commit();
}

void table(const std::string& file, const std::string& by) {
  const auto begin = std::chrono::steady_clock::now();
  store::Store store(file, store::Store::Mode::read);
  report::ReportOptions options;
  options.by.clear();
  for (std::string_view name : split(by, ',')) options.by.emplace_back(name);
  const report::Table table = report::make_tables(store, options).at(0);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double cpu = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  const double rows = double(table.total.cells.at(0).tally.items) * double(table.columns.size());
  fmt::print(
      "by {}: {} rows of results, {} of the table, {:.3f} s ({:.3f} s of the processor, "
      "{:.3f} us a row), {:.0f} MB\n",
      by, rows, table.rows.size(), seconds, cpu, cpu / rows * 1e6, double(used.ru_maxrss) / 1024);
}

int run(int argc, char** argv) {
  const std::string what = argc > 3 ? argv[1] : "";
  if (what == "write")
    write(argv[2], std::strtoull(argv[3], nullptr, 10),
          argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 2);
  else if (what == "table")
    table(argv[2], argv[3]);
  else
    return fmt::print(stderr,
                      "bench_rows write FILE.db ITEMS [RUNS]\n"
                      "bench_rows table FILE.db BY\n"),
           2;
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) try {
  return minpair::run(argc, argv);
} catch (const minpair::Error& e) {
  fmt::print(stderr, "{}\n", e.what());
  return e.exit_status();
}
