// How time and memory grow with the suite, and how long a report takes: a run over items made up on
// the spot, with a model that costs nothing.
//
//   bench_store [items] [results.db]

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "engine/engine.h"
#include "query/logits.h"
#include "report/report.h"

namespace minpair {
namespace {

// Words are their own numbers: "w17".
class NumberTokenizer : public tokenizer::Tokenizer {
 public:
  NumberTokenizer() { special_ = {1, 0, 2, 3, 4, -1, -1}; }
  tokenizer::Encoding encode(std::string_view text, bool with_special) const override {
    tokenizer::Encoding e;
    if (with_special) e.tokens.push_back({2, {}, true});
    for (std::string_view w : words(text)) {
      size_t at = size_t(w.data() - text.data());
      tokenizer::TokenId id = w[0] == 'w' ? tokenizer::TokenId(10 + std::atoi(w.data() + 1)) : 5;
      e.tokens.push_back({id, {at, at + w.size()}, false});
    }
    if (with_special) e.tokens.push_back({3, {}, true});
    return e;
  }
  size_t vocabulary_size() const override { return 100000; }
  std::string piece(tokenizer::TokenId id) const override { return fmt::format("w{}", id); }
  std::optional<tokenizer::TokenId> id(std::string_view) const override { return std::nullopt; }
  const tokenizer::SpecialIds& special() const override { return special_; }
  bool begins_word(tokenizer::TokenId) const override { return true; }
  std::string kind() const override { return "numbers"; }
  const std::string& fingerprint() const override { return fingerprint_; }

 private:
  tokenizer::SpecialIds special_;
  std::string fingerprint_ = "numbers";
};

class FreeModel : public query::Model {
 public:
  FreeModel() {
    info_.name = "free";
    info_.fingerprint = "free";
    info_.vocabulary = 100000;
  }
  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return tokenizer_; }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    return answer_by_logits(*this, queries, [](std::span<const query::Input> inputs) {
      std::vector<std::vector<query::Logits>> all(inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i)
        for (const query::Read& r : inputs[i].reads) {
          query::Logits& logits = all[i].emplace_back(query::Logits{{}, 12});
          for (tokenizer::TokenId t : r.targets)
            logits.logits.push_back(float((uint32_t(t) * 2654435761u + r.position) % 1000) / 100);
        }
      return all;
    });
  }

 private:
  query::ModelInfo info_;
  NumberTokenizer tokenizer_;
};

class MadeUp : public suite::ItemStream {
 public:
  explicit MadeUp(uint64_t n) : n_(n) {}
  bool next(suite::Item& item) override {
    if (at_ == n_) return false;
    uint64_t i = at_++;
    item = {};
    item.id = std::to_string(i);
    item.test = fmt::format("test{}", i % 14);
    item.condition = i % 2 ? "sg_pl" : "pl_sg";
    item.language = "de";
    std::string start =
        fmt::format("the w{} near w{} that w{} knows ", i % 9973, i / 9973 % 9973, i % 89);
    for (int s = 0; s < 2; ++s) {
      std::string verb = fmt::format("w{}", 20000 + 2 * (i % 97) + uint64_t(s));
      item.sentences.push_back(
          {{start + verb + " ."}, {start.size(), start.size() + verb.size()}, s == 0});
    }
    return true;
  }

 private:
  uint64_t n_, at_ = 0;
};

// Of this process so far, all its threads together: what another's load on the machine does not
// change.
double processor_seconds() {
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int bench(uint64_t items, const std::string& path) {
  using Clock = std::chrono::steady_clock;
  auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  engine::SuiteSource suite;
  suite.manifest.name = "made up";
  suite.open = [items] { return std::make_unique<MadeUp>(items); };
  FreeModel model;
  engine::RunReport report;
  double processor = processor_seconds();
  {
    store::Store store(path, store::Store::Mode::write);
    report = engine::run_suite(&store, suite, model, {&method::find_method("ce")}, {});
  }
  processor = processor_seconds() - processor;
  Clock::time_point start = Clock::now();
  store::Store store(path, store::Store::Mode::read);
  std::string text = report::text_tables(report::make_tables(store, {}), {100, false});
  double shown = seconds(start);
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"items\": {}, \"seconds\": {:.2f}, \"microseconds_per_item\": {:.1f}, "
      "\"processor_microseconds_per_item\": {:.1f}, \"store_seconds\": {:.2f}, \"report_seconds\": "
      "{:.3f}, \"peak_megabytes\": {}, \"file_megabytes\": {}}}\n",
      items, report.seconds, report.seconds * 1e6 / double(items), processor * 1e6 / double(items),
      report.store_seconds, shown, usage.ru_maxrss / 1024, std::filesystem::file_size(path) >> 20);
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) {
  uint64_t items = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
  std::string path = argc > 2 ? argv[2] : "bench-store.db";
  std::filesystem::remove(path);
  return minpair::bench(items, path);
}
