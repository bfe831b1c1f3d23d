#include "serve/listener.h"

#include <fmt/format.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <thread>

#include "base/error.h"
#include "serve/connection.h"

namespace minpair::serve {
namespace {

int listen_at(const addrinfo& at) {
  int fd = ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol);
  if (fd < 0) return -1;
  int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(fd, at.ai_addr, at.ai_addrlen) == 0 && ::listen(fd, SOMAXCONN) == 0) return fd;
  int why = errno;
  ::close(fd);
  errno = why;
  return -1;
}

int listen_at(const std::string& address, int port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0)
    throw wrong_call(fmt::format("'{}' is not an address of this machine", address))
        .hint("for example: 127.0.0.1, or 0.0.0.0 for all");
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  int fd = -1;
  for (const addrinfo* at = found; at && fd < 0; at = at->ai_next) fd = listen_at(*at);
  if (fd < 0)
    throw cannot_errno(fmt::format("cannot listen at {}, port {}", address, port))
        .hint("--port 0 takes any free port");
  return fd;
}

// Out of descriptors or memory: wait for others to leave instead of spinning.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

}  // namespace

Listener::Listener(const std::string& address, int port, const Limits& limits)
    : limits_(limits), listening_(listen_at(address, port)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ >= 0) return;
  ::close(listening_);
  throw cannot_errno("cannot make an event");
}

Listener::~Listener() {
  ::close(listening_);
  ::close(stop_);
}

int Listener::port() const {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    throw cannot_errno("cannot learn at which port this listens");
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<sockaddr_in&>(at).sin_port);
}

void Listener::run(const Service& service) {
  // Hundreds of threads that hold little each: a heap for every few of them would only hoard.
  mallopt(M_ARENA_MAX, 2);
  std::array<pollfd, 2> watched = {pollfd{listening_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
  while (!stopping_) {
    const int ready = ::poll(watched.data(), watched.size(), -1);
    if (ready > 0 && watched[0].revents) let_in(service);
    if (ready < 0) rest();
  }
  std::unique_lock lock(mutex_);
  left_.wait(lock, [&] { return served_ + refused_ == 0; });
}

void Listener::stop() {
  stopping_ = true;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(stop_, &one, sizeof one);
}

void Listener::let_in(const Service& service) {
  int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) rest();
    return;
  }
  std::lock_guard lock(mutex_);
  bool crowded = served_ == limits_.connections;
  size_t& count = crowded ? refused_ : served_;
  // To be refused takes a thread for a moment, too. When even those are too many, nothing is said.
  if (count == limits_.connections) return void(::close(socket));
  try {
    std::thread([=, this, &service, &count] {
      serve(socket, service, crowded);
      std::lock_guard leaving(mutex_);
      --count;
      left_.notify_all();
    }).detach();
    ++count;
  } catch (const std::exception&) {  // no thread, or no memory for one
    ::close(socket);
  }
}

void Listener::serve(int socket, const Service& service, bool crowded) const try {
  Connection connection(socket, stop_, limits_);
  if (crowded) return connection.refuse({503, "too many connections; try again"});
  for (size_t i = 1; i <= limits_.requests; ++i) {
    Request request;
    std::optional<Refusal> refusal;
    if (connection.read_head(request, refusal) && !(refusal = service.check(request)))
      connection.read_body(request, refusal);
    if (refusal) return connection.refuse(*refusal);
    if (request.method.empty()) return;
    bool close = request.close || i == limits_.requests;
    if (!connection.answer(service.answer(request), request.method != "HEAD", close) || close)
      return;
  }
} catch (const std::bad_alloc&) {
  // This client is lost; the others are not.
}

}  // namespace minpair::serve
