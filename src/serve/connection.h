#pragma once
// One client's socket, read and written until a deadline.

#include <chrono>

#include "serve/listener.h"

namespace minpair::serve {

class Connection {
 public:
  // Waiting ends when `stop` becomes readable. Closes `socket` in the end.
  Connection(int socket, int stop, const Limits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // False: there is no further request, or `refusal` says what is wrong with it.
  bool read_head(Request& request, std::optional<Refusal>& refusal);
  bool read_body(Request& request, std::optional<Refusal>& refusal);
  bool answer(const Response& response, bool with_body, bool close);  // false: the client is gone
  void refuse(const Refusal& refusal);

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short what);
  bool fill();  // more bytes into `buffer_`
  bool write(std::string_view text);

  int socket_, stop_;
  const Limits& limits_;
  Clock::time_point deadline_;
  std::string buffer_;  // what came and was not yet read
  bool answering_ = false, stopping_ = false;
};

}  // namespace minpair::serve
