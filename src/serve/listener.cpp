#include "serve/listener.h"

#include <fmt/format.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/error.h"

namespace minpair::serve {
namespace {

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first) freeaddrinfo(first);
  }
};

int listen_at(const addrinfo& at) {
  int fd = ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol);
  if (fd < 0) return -1;
  int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(fd, at.ai_addr, at.ai_addrlen) == 0 && ::listen(fd, SOMAXCONN) == 0) return fd;
  int why = errno;
  ::close(fd);
  errno = why;
  return -1;
}

int port_of(int fd) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<sockaddr_in&>(at).sin_port);
}

}  // namespace

Listener::Listener(const Limits& limits) : limits_(limits), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw cannot_errno("cannot make an event");
}

Listener::~Listener() {
  if (listening_ >= 0) ::close(listening_);
  ::close(stop_);
}

int Listener::bind(const std::string& address, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  Addresses found;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found.first) != 0)
    throw wrong_call(fmt::format("'{}' is no address of this machine", address))
        .hint("for example: 127.0.0.1, or 0.0.0.0 for all");
  for (const addrinfo* at = found.first; at && listening_ < 0; at = at->ai_next)
    listening_ = listen_at(*at);
  if (listening_ < 0)
    throw cannot_errno(fmt::format("cannot listen at {}, port {}", address, port))
        .hint("--port 0 takes any free port");
  svr_sock_ = listening_;
  return port_of(listening_);
}

void Listener::run(const Access& access) {
  access_ = &access;
  // Hundreds of threads that hold little each: a heap for every few of them would only hoard.
  mallopt(M_ARENA_MAX, 2);
  std::vector<std::thread> team;
  for (size_t i = 0; i < limits_.connections; ++i) team.emplace_back([this] { work(); });
  std::array<pollfd, 2> watched = {pollfd{listening_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
  while (watched[1].revents == 0)
    if (::poll(watched.data(), watched.size(), -1) > 0 && watched[0].revents) accept_one();
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  woken_.notify_all();
  for (std::thread& t : team) t.join();
}

void Listener::stop() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(stop_, &one, sizeof one);
}

void Listener::accept_one() {
  int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    // Out of descriptors or memory: wait for others to leave instead of spinning.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return;
  }
  {
    std::lock_guard lock(mutex_);
    if (busy_ < limits_.connections) {
      ++busy_;
      waiting_.push_back(socket);
      woken_.notify_one();
      return;
    }
  }
  Connection(socket, stop_, limits_).refuse({503, "too many connections; try again"});
}

void Listener::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    int socket = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    serve(socket);
    lock.lock();
    --busy_;
  }
}

void Listener::serve(int socket) {
  Connection connection(socket, stop_, limits_);
  for (size_t i = 1; i <= limits_.requests; ++i) {
    RequestHead head;
    std::optional<Refusal> refusal;
    if (connection.read_head(head, refusal)) refusal = access_->check(head);
    if (refusal) return connection.refuse(*refusal);
    if (head.method.empty()) return;
    // A body that nobody read must not be taken for the next request.
    bool last = head.method == "POST" || head.close || i == limits_.requests;
    bool closed = false;
    if (!answer(connection, last, closed) || closed || last) return;
  }
}

// A template, since only one of the two calls exists: httplib 0.18 wants to be told who is asking.
template <class Client>
bool Listener::answer(Client& client, bool last, bool& closed) {
  if constexpr (requires { process_request(client, last, closed, nullptr); }) {
    return process_request(client, last, closed, nullptr);
  } else {
    std::string from, to;
    int from_port = 0, to_port = 0;
    client.get_remote_ip_and_port(from, from_port);
    client.get_local_ip_and_port(to, to_port);
    return process_request(client, from, from_port, to, to_port, last, closed, nullptr);
  }
}

}  // namespace minpair::serve
