// How fast a masked model scores sentences, beside what the same cores reach in one large matrix
// product of oneDNN, in the same run.
//
//   bench_encoder MODEL_DIR SENTENCES [THREADS] [ROUNDS] < list of gevalm output files
//
// Sentences are scored by cross-entropy, every token read at itself, as in the published
// evaluation. The rounds of both alternate, and the best of each counts, so that a busy machine
// disturbs the ratio as little as possible; times are also given in processor time.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/batch_limit.h"
#include "model/model.h"
#include "nn/runtime.h"
#include "onednn_product.h"

namespace minpair {
namespace {

double seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct Times {
  double wall = 1e300, cpu = 1e300;
  void best(double w, double c) {
    wall = std::min(wall, w);
    cpu = std::min(cpu, c);
  }
};

template <class F>
void timed(Times& times, F work) {
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  work();
  times.best(seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

// The published tokens of every sentence, distinct, shortest first: what ort_score.mjs does.
std::vector<std::pair<std::string, query::Query>> read_sentences(
    const tokenizer::Tokenizer& tokenizer, size_t most) {
  std::map<std::string, size_t> seen;
  std::vector<std::pair<std::string, query::Query>> all;
  for (std::string file; std::getline(std::cin, file);) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      nlohmann::json item = nlohmann::json::parse(line);
      for (const auto& sentence : item["tokenized"]) {
        if (all.size() >= most) break;
        std::string text;
        query::Query query;
        for (const auto& token : sentence[0]) {
          text += (text.empty() ? "" : " ") + token.get<std::string>();
          tokenizer::TokenId id = tokenizer.id(token.get<std::string>()).value();
          query.asks.push_back({static_cast<uint32_t>(query.ids.size()), query::Targets{{id}}});
          query.ids.push_back(id);
        }
        if (seen.emplace(text, all.size()).second) all.emplace_back(text, query);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.ids.size() < b.second.ids.size();
  });
  return all;
}

// Of this process so far, in MB.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

// Multiplications and additions of the matrix products, attention included.
double operations(const nlohmann::json& config, const std::vector<query::Query>& queries) {
  double h = config["hidden_size"], f = config["intermediate_size"], v = config["vocab_size"],
         layers = config["num_hidden_layers"], sum = 0;
  for (const query::Query& query : queries) {
    double n = double(query.ids.size());
    sum += n * (layers * (8 * h * h + 4 * h * f + 4 * n * h) + 2 * h * h + 2 * h * v);
  }
  return sum;
}

int run(const std::string& directory, size_t most, int threads, int rounds) {
  std::unique_ptr<query::Model> model =
      model::load_model(directory, {.threads = threads, .precision = "auto"});
  auto sentences = read_sentences(model->tokenizer(), most);
  std::vector<query::Query> queries;
  size_t tokens = 0;
  for (const auto& [text, query] : sentences) {
    queries.push_back(query);
    tokens += query.ids.size();
  }
  Times ours, theirs;
  std::vector<query::Answer> answers;
  auto answer_all = [&] {
    answers.clear();
    for (std::span<const query::Query> rest = queries; !rest.empty();) {
      engine::BatchLimit limit(model->info());
      size_t n = 0;
      while (n < rest.size() && limit.fits(rest[n], rest[n].ids.size())) ++n;
      for (query::Answer& a : model->answer(rest.first(n))) answers.push_back(std::move(a));
      rest = rest.subspan(n);
    }
  };
  timed(ours, answer_all);
  double memory = peak_memory();
  OneDnnProduct product;
  product.run();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 3; ++i) timed(theirs, [&] { product.run(); });
    timed(ours, answer_all);
  }
  for (size_t i = 0; i < std::min<size_t>(3, answers.size()); ++i) {
    double sum = 0;
    for (const query::Record& record : answers[i]) sum -= logits_of(record).logprob();
    fmt::print("{:.6f} {}\n", sum / double(answers[i].size()), sentences[i].first);
  }
  double work =
      operations(nlohmann::json::parse(std::ifstream(directory + "/config.json")), queries);
  double rate = work / ours.wall, peer = OneDnnProduct::operations() / theirs.wall;
  double cpu_share = work / ours.cpu / (OneDnnProduct::operations() / theirs.cpu);
  nlohmann::ordered_json out{
      {"sentences", queries.size()},
      {"tokens", tokens},
      {"threads", threads},
      {"precision", model->info().precision},
      {"seconds", ours.wall},
      {"tokens_per_second", std::llround(double(tokens) / ours.wall)},
      {"tokens_per_processor_second", std::llround(double(tokens) / ours.cpu)},
      {"peak_memory_mb", std::llround(memory)},
      {"gflops", rate / 1e9},
      {"onednn_gflops", peer / 1e9},
      {"share_of_onednn", rate / peer},
      {"share_of_onednn_processor_time", cpu_share}};
  fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) {
  if (argc < 3) {
    std::puts("bench_encoder MODEL_DIR SENTENCES [THREADS] [ROUNDS] < list of files");
    std::puts("'make bench PARTS=\"encoder onnx\"' makes a model and compares with ONNX Runtime");
    return argc == 1 ? 0 : 2;
  }
  int threads = argc > 3 ? std::atoi(argv[3]) : 2, rounds = argc > 4 ? std::atoi(argv[4]) : 3;
  // oneDNN runs on OpenMP: the same number of threads as we have.
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  return minpair::run(argv[1], static_cast<size_t>(std::atol(argv[2])), threads, rounds);
}
