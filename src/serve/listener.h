#pragma once
// The port: a thread for each client as long as it is there, and deadlines for whole requests and
// whole answers, so that a client that sends a byte now and then is no worse than one that sends
// nothing. One client too many is told to come again.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "serve/http.h"

namespace minpair::serve {

struct Limits {
  std::chrono::milliseconds idle{5000};      // between two requests
  std::chrono::milliseconds request{10000};  // until all of it is here
  std::chrono::milliseconds answer{60000};   // until all of it is taken
  size_t connections = 256;
  size_t requests = 1000;  // on one connection
};

class Listener {
 public:
  struct Service {
    std::function<std::optional<Refusal>(const Request&)> check;  // before the body is read
    std::function<Response(const Request&)> answer;               // throws nothing
  };

  // Port 0: any free one.
  Listener(const std::string& address, int port, const Limits& limits);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const;
  // Until stop(), which any thread may call, before or after.
  void run(const Service& service);
  void stop();

 private:
  void let_in(const Service& service);
  void serve(int socket, const Service& service, bool crowded) const;

  Limits limits_;
  int listening_ = -1, stop_ = -1;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::condition_variable left_;
  size_t served_ = 0, refused_ = 0;  // clients who are being so now
};

}  // namespace minpair::serve
