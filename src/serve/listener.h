#pragma once
// The port: a fixed number of clients at once, one thread each; those beyond are told to come
// again. httplib reads requests and writes answers; who may ask is decided before (access.h).

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "serve/connection.h"

namespace minpair::serve {

class Listener : public httplib::Server {
 public:
  explicit Listener(const Limits& limits);
  ~Listener() override;

  // Port 0: any free one. Gives the port.
  int bind(const std::string& address, int port);
  // Until stop(), which any thread may call.
  void run(const Access& access);
  void stop();

 private:
  void accept_one();
  void work();
  void serve(int socket);
  template <class Client>
  bool answer(Client& client, bool last, bool& closed);

  Limits limits_;
  const Access* access_ = nullptr;
  int listening_ = -1, stop_ = -1;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<int> waiting_;
  size_t busy_ = 0;  // clients that wait or are served
  bool stopped_ = false;
};

}  // namespace minpair::serve
