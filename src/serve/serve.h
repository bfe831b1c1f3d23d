#pragma once
// The page of `minpair page`, live from a results file, and a bench for trying sentences with
// loaded models. docs/serve.md says what is answered, to whom, and within which limits.
//
//   Explorer explorer({.results = "results.db"}, std::move(models));
//   fmt::print("{}\n", explorer.url());
//   explorer.run();  // until stop()

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace minpair::serve {

struct ServeOptions {
  std::filesystem::path results;  // empty: only the bench
  std::string address = "127.0.0.1";
  int port = 0;              // 0: any free one
  std::string token;         // other addresses than this machine's own need one
  size_t connections = 256;  // served at once; others are told to come again
  // Until all of a request is here, and all of an answer taken.
  std::chrono::milliseconds request_time{10000}, answer_time{60000};
  size_t waiting = 8;  // requests to score; more are refused
};

class Explorer {
 public:
  Explorer(const ServeOptions& options, std::vector<std::unique_ptr<query::Model>> models);
  ~Explorer();

  int port() const;
  std::string url() const;  // with the token, when there is one
  void run();
  void stop();  // from any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

bool is_loopback(const std::string& address);  // needs no token
std::string random_token();

}  // namespace minpair::serve
