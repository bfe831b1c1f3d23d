// What `fast` and `bf16` cost in accuracy: the same items scored in fp32 and in both.
//
//   bench_precision MODEL SUITE [ITEMS] [METHOD] [THREADS]
//
// ITEMS are taken evenly from the whole suite. Where the processor has no matrix unit, its
// operations are emulated: exactly, and slowly.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/engine.h"
#include "model/model.h"
#include "nn/matrix_unit.h"
#include "suite/suite.h"

namespace minpair {
namespace {

std::vector<suite::Item> sample(const std::string& suite, size_t wanted) {
  std::vector<suite::Item> all, some;
  auto items = suite::read_items(suite);
  for (suite::Item item; items->next(item);) all.push_back(item);
  for (size_t i = 0; i < std::min(wanted, all.size()); ++i)
    some.push_back(all[i * all.size() / std::min(wanted, all.size())]);
  return some;
}

struct Scored {
  std::string precision;
  double seconds = 0;
  // Per item, per sentence; empty where the item is excluded.
  std::vector<std::vector<double>> scores;
};

Scored score(const std::string& directory, const char* precision, const std::string& method_name,
             const std::vector<suite::Item>& items, int threads) {
  auto model = model::load_model(directory, {.threads = threads, .precision = precision});
  const method::Method& method = method_name.empty() ? method::default_method(model->info())
                                                     : method::find_method(method_name);
  auto begin = std::chrono::steady_clock::now();
  auto all = engine::score_items(*model, {&method}, items);
  Scored out{model->info().precision, 0, {}};
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const auto& of_item : all) {
    std::vector<double>& scores = out.scores.emplace_back();
    for (const judge::SentenceScore& sentence : of_item[0].sentences) {
      double sum = 0;
      for (const judge::TokenScore& token : sentence.tokens) sum += token.logprob;
      scores.push_back(
          method.view().unit == judge::Unit::token ? sum / double(sentence.tokens.size()) : sum);
    }
  }
  return out;
}

bool first_wins(const std::vector<double>& scores) {
  for (size_t i = 1; i < scores.size(); ++i)
    if (scores[i] >= scores[0]) return false;
  return true;
}

double gap(const std::vector<double>& scores) {
  double rest = -1e300;
  for (size_t i = 1; i < scores.size(); ++i) rest = std::max(rest, scores[i]);
  return std::fabs(scores[0] - rest);
}

void compare(const Scored& exact, const Scored& other) {
  double largest = 0, sum = 0;
  size_t sentences = 0, flipped = 0, clearly = 0, won = 0, items = 0;
  for (size_t i = 0; i < exact.scores.size(); ++i) {
    const auto &a = exact.scores[i], &b = other.scores[i];
    if (a.size() < 2 || b.size() != a.size()) continue;
    ++items;
    for (size_t s = 0; s < a.size(); ++s) {
      largest = std::max(largest, std::fabs(a[s] - b[s]));
      sum += std::fabs(a[s] - b[s]);
      ++sentences;
    }
    won += first_wins(b);
    flipped += first_wins(a) != first_wins(b);
    clearly += first_wins(a) != first_wins(b) && gap(a) > 2e-4;
  }
  fmt::print("| {} | {:.1e} | {:.1e} | {} | {} | {:.4f} | {:.1f} |\n", other.precision, largest,
             sum / double(sentences), flipped, clearly, double(won) / double(items), other.seconds);
}

int run(const std::string& model, const std::string& suite, size_t wanted,
        const std::string& method, int threads) {
  std::vector<suite::Item> items = sample(suite, wanted);
  Scored exact = score(model, "fp32", method, items, threads);
  fmt::print("{}: {} items\n\n", model, items.size());
  fmt::print(
      "| precision | largest difference | mean | flipped | with a gap above 2e-4 | "
      "first sentence wins | seconds |\n|---|---|---|---|---|---|---|\n");
  compare(exact, exact);
  if (nn::choose_arithmetic("auto").unit == nullptr) setenv("MINPAIR_MATRIX_UNIT", "emulated", 1);
  for (const char* precision : {"fast", "bf16"}) {
    compare(exact, score(model, precision, method, items, threads));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) {
  if (argc < 3) {
    std::puts("bench_precision MODEL SUITE [ITEMS] [METHOD] [THREADS]");
    return argc == 1 ? 0 : 2;
  }
  return minpair::run(argv[1], argv[2], argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 500,
                      argc > 4 ? argv[4] : "", argc > 5 ? std::atoi(argv[5]) : 0);
}
