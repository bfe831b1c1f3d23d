#include "serve/listener.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "base/error.h"

namespace minpair::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Fault = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kLastMoment{1000}, kPatience{500}, kRest{10};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

tcp::acceptor listen_at(asio::io_context& io, const std::string& address, int port) {
  Fault fault;
  const auto found =
      tcp::resolver(io).resolve(address, std::to_string(port),
                                tcp::resolver::passive | tcp::resolver::numeric_service, fault);
  if (fault)
    throw wrong_call(fmt::format("'{}' is not an address of this machine", address))
        .hint("for example: 127.0.0.1, or 0.0.0.0 for all");
  for (const auto& at : found) {
    tcp::acceptor acceptor(io);
    acceptor.open(at.endpoint().protocol(), fault);
    if (!fault) acceptor.set_option(tcp::acceptor::reuse_address(true), fault);
    if (!fault) acceptor.bind(at.endpoint(), fault);
    if (!fault) acceptor.listen(tcp::acceptor::max_listen_connections, fault);
    if (!fault) return acceptor;
  }
  errno = fault.value();
  throw cannot_errno(fmt::format("cannot listen at {}, port {}", address, port))
      .hint("--port 0 takes any free port");
}

// Threads that make answers.
class Workers {
 public:
  explicit Workers(size_t threads) try {
    while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw cannot("cannot start a thread");
  }
  ~Workers() {
    work_.reset();
    for (std::thread& t : threads_) t.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  asio::io_context io;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io);
  std::vector<std::thread> threads_;

  void work() {
    for (;;) try {
        return void(io.run());
      } catch (const std::bad_alloc&) {
        // This client is lost; the others are not.
      }
  }
};

}  // namespace

class Listener::Server {
 public:
  Server(const std::string& address, int port, const Limits& l)
      : limits(l),
        acceptor_(listen_at(io, address, port)),
        port_(acceptor_.local_endpoint().port()) {}

  int port() const { return port_; }

  void run(const Service& s);
  void stop();
  void leave(Client* client);

  asio::io_context io{1};
  const Limits limits;
  const Service* service = nullptr;
  Workers* workers = nullptr;

 private:
  tcp::acceptor acceptor_;
  const int port_;
  bool accepting_ = false, stopping_ = false;
  std::mutex mutex_;  // of the clients: an answering thread may be the last to hold one
  std::set<Client*> clients_;
  size_t served_ = 0;

  void accept();
  void let_in(tcp::socket socket);
};

// One connection. It lives as long as something is under way that holds it.
class Listener::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Server& server, tcp::socket socket, bool refused)
      : refused_(refused), server_(server), socket_(std::move(socket)), deadline_(server.io) {}
  ~Client() { server_.leave(this); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_refused() const { return refused_; }
  void start() {
    if (refused_) return refuse({503, "too many connections; try again"});
    next();
  }
  // An answer that has begun gets a last second.
  void stop() {
    stopping_ = true;
    last_ = true;
    if (!answering_) socket_.close(ignored_);
    if (!sending_) return;
    limit(std::min<Milliseconds>(
        kLastMoment, std::chrono::duration_cast<Milliseconds>(deadline_.expiry() - Clock::now())));
  }

 private:
  using Clock = std::chrono::steady_clock;
  const bool refused_;
  Server& server_;
  tcp::socket socket_;
  asio::steady_timer deadline_;
  std::optional<RequestReader> reader_;
  std::array<char, 4096> chunk_;
  std::string bytes_, head_;  // what came and was not yet taken; what is sent before a body
  Response response_;         // by the thread that answers
  size_t requests_ = 0, leftovers_ = 0;
  bool begun_ = false, continued_ = false, answering_ = false, sending_ = false;  // this request
  bool last_ = false, closing_ = false, stopping_ = false;
  Fault ignored_;

  // What is under way ends when the time is over.
  void limit(Milliseconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([client = weak_from_this()](Fault fault) {
      const auto self = client.lock();
      if (self && !fault && self->deadline_.expiry() <= Clock::now())
        self->socket_.cancel(self->ignored_);
    });
  }

  void next() {
    reader_.emplace();
    answering_ = sending_ = continued_ = false;
    begun_ = !bytes_.empty();
    limit(begun_ ? server_.limits.request : server_.limits.idle);
    advance();
  }

  void advance() {
    if (auto refusal = reader_->take(bytes_, server_.service->check)) return refuse(*refusal);
    if (reader_->is_complete()) return answer();
    const bool asks =
        reader_->has_head() && ascii_lower(reader_->request.header("expect")) == "100-continue";
    if (!asks || continued_) return read();
    continued_ = true;
    asio::async_write(socket_, asio::buffer(kContinue),
                      [self = shared_from_this()](Fault, size_t) { self->read(); });
  }

  void read() {
    socket_.async_read_some(
        asio::buffer(chunk_),
        [self = shared_from_this()](Fault fault, size_t n) { self->take(fault, n); });
  }

  void take(Fault fault, size_t n) {
    if (closing_) return linger(fault);
    if (fault && begun_ && !stopping_)
      return refuse({408, "the request did not arrive whole in time"});
    if (fault) return;
    if (!begun_) limit(server_.limits.request);
    begun_ = true;
    bytes_.append(chunk_.data(), n);
    advance();
  }

  void answer() {
    deadline_.cancel();
    answering_ = true;
    last_ = reader_->request.close || ++requests_ == server_.limits.requests || stopping_;
    asio::post(server_.workers->io,
               [self = shared_from_this(), work = asio::make_work_guard(server_.io)]() mutable {
                 Client& client = *self;
                 client.response_ = client.server_.service->answer(client.reader_->request);
                 asio::post(client.server_.io, [self = std::move(self)] { self->send(); });
               });
  }

  void refuse(const Refusal& refusal) {
    answering_ = last_ = closing_ = true;
    response_ = error_response(refusal);
    send();
  }

  void send() {
    sending_ = true;
    limit(stopping_ ? kLastMoment : server_.limits.answer);
    head_ = head_of(response_, last_);
    const bool bare = reader_ && reader_->request.method == "HEAD";
    const std::array<asio::const_buffer, 2> parts = {
        asio::buffer(head_), bare ? asio::const_buffer() : asio::buffer(*response_.body)};
    asio::async_write(socket_, parts, [self = shared_from_this()](Fault fault, size_t) {
      if (!fault) self->sent();
    });
  }

  // What a refused client is still sending is taken for a moment: closing on it would cut the
  // answer.
  void sent() {
    if (!last_) return next();
    if (!closing_) return;
    socket_.shutdown(tcp::socket::shutdown_send, ignored_);
    limit(kPatience);
    read();
  }
  void linger(Fault fault) {
    if (!fault && ++leftovers_ < 64) read();
  }
};

void Listener::Server::run(const Service& s) {
  Workers pool(limits.answers);
  service = &s;
  workers = &pool;
  for (;;) try {
      if (!accepting_ && !stopping_) accept();
      io.run();
      if (stopping_) return;
      io.restart();
    } catch (const std::bad_alloc&) {
      // A client is lost; the others are not.
    }
}

void Listener::Server::stop() {
  asio::post(io, [this] {
    stopping_ = true;
    Fault ignored;
    acceptor_.close(ignored);
    std::vector<std::shared_ptr<Client>> all;
    {
      std::lock_guard lock(mutex_);
      for (Client* client : clients_) all.push_back(client->weak_from_this().lock());
    }
    for (const auto& client : all)
      if (client) client->stop();
  });
}

void Listener::Server::accept() {
  accepting_ = true;
  acceptor_.async_accept([this](Fault fault, tcp::socket socket) {
    accepting_ = false;
    if (stopping_) return;
    if (!fault) let_in(std::move(socket));
    // Out of descriptors or memory: wait for others to leave instead of spinning.
    if (fault) std::this_thread::sleep_for(kRest);
    accept();
  });
}

void Listener::Server::let_in(tcp::socket socket) {
  bool crowded = false;
  {
    std::lock_guard lock(mutex_);
    crowded = served_ >= limits.connections;
    // To be refused takes a moment, too. When even those are too many, nothing is said.
    if (crowded && clients_.size() - served_ >= limits.connections) return;
  }
  const auto client = std::make_shared<Client>(*this, std::move(socket), crowded);
  {
    std::lock_guard lock(mutex_);
    clients_.insert(client.get());
    served_ += !crowded;
  }
  client->start();
}

void Listener::Server::leave(Client* client) {
  std::lock_guard lock(mutex_);
  served_ -= clients_.erase(client) > 0 && !client->is_refused();
}

Listener::Listener(const std::string& address, int port, const Limits& limits) try
    : server_(std::make_unique<Server>(address, port, limits)) {
} catch (const boost::system::system_error& e) {
  throw cannot(fmt::format("cannot listen: {}", e.what()));
}

Listener::~Listener() = default;
int Listener::port() const { return server_->port(); }
void Listener::run(const Service& service) { server_->run(service); }
void Listener::stop() { server_->stop(); }

}  // namespace minpair::serve
