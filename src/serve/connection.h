#pragma once
// One client: read and written with deadlines for the whole request and the whole answer, so that a
// client that sends a byte now and then is no worse than one that sends nothing.

#include <httplib.h>

#include <chrono>
#include <optional>
#include <string>

#include "serve/access.h"

namespace minpair::serve {

struct Limits {
  std::chrono::milliseconds idle{5000};      // between two requests
  std::chrono::milliseconds request{10000};  // until all of it is here
  std::chrono::milliseconds answer{60000};   // until all of it is taken
  size_t connections = 256;
  size_t requests = 1000;  // on one connection
};

class Connection : public httplib::Stream {
 public:
  // Waiting ends when `stop` becomes readable.
  Connection(int socket, int stop, const Limits& limits);
  ~Connection() override;

  // The next request's head; false: there is none, or `refusal` says what was wrong with it.
  // Whoever reads the request next gets only those headers that mean something here.
  bool read_head(RequestHead& head, std::optional<Refusal>& refusal);
  void refuse(const Refusal& refusal);

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !broken_; }
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short what);
  void begin_answer();
  bool fill();  // more bytes into `buffer_`
  std::optional<size_t> head_end() const;

  int socket_, stop_;
  const Limits& limits_;
  Clock::time_point deadline_;
  std::string buffer_;
  size_t from_ = 0;     // of `buffer_`: what was read already
  size_t allowed_ = 0;  // bytes that the request may still give
  bool answering_ = false, stopping_ = false, broken_ = false;
};

}  // namespace minpair::serve
