#pragma once
// The port: connections are read and written by one thread, answers are made by a few others.
// Deadlines are those of whole requests and whole answers, so that a client that sends a byte now
// and then is no worse than one that sends nothing. One client too many is told to come again.

#include <chrono>

#include "serve/http.h"

namespace minpair::serve {

struct Limits {
  std::chrono::milliseconds idle{5000};      // between two requests
  std::chrono::milliseconds request{10000};  // until all of it is here
  std::chrono::milliseconds answer{60000};   // until all of it is taken
  size_t connections = 256;
  size_t requests = 1000;  // on one connection
  size_t answers = 4;      // made at once
};

class Listener {
 public:
  struct Service {
    RequestReader::Check check;                      // before the body is read
    std::function<Response(const Request&)> answer;  // throws nothing
  };

  // Port 0: any free one.
  Listener(const std::string& address, int port, const Limits& limits);
  ~Listener();

  int port() const;
  // Until stop(), which any thread may call, before or after.
  void run(const Service& service);
  void stop();

 private:
  class Server;
  class Client;
  std::unique_ptr<Server> server_;
};

}  // namespace minpair::serve
