#include "serve/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "suite/json_text.h"

namespace minpair::serve {
namespace {

const char* reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

std::string plain_head(const RequestHead& head) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\n", head.method, head.target);
  for (const char* name : {"host", "content-type", "content-length"})
    if (std::string value = head.header(name); !value.empty())
      text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n";
}

}  // namespace

Connection::Connection(int socket, int stop, const Limits& limits)
    : socket_(socket), stop_(stop), limits_(limits), deadline_(Clock::now()) {}

Connection::~Connection() { ::close(socket_); }

// False: the time is over, the server stops or the client is gone. An answer that has begun gets a
// last second when the server stops.
bool Connection::wait(short what) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (broken_ || left.count() <= 0) return false;
    std::array<pollfd, 2> watched = {pollfd{socket_, what, 0}, pollfd{stop_, POLLIN, 0}};
    int n = ::poll(watched.data(), stopping_ ? 1 : 2, int(left.count()) + 1);
    if (n <= 0) return false;
    if (watched[1].revents == 0) return true;
    if (!answering_) return false;
    stopping_ = true;
    deadline_ = std::min(deadline_, Clock::now() + std::chrono::seconds(1));
  }
}

bool Connection::fill() {
  std::array<char, 4096> bytes;
  while (wait(POLLIN)) {
    ssize_t n = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) break;
    buffer_.append(bytes.data(), size_t(n));
    return true;
  }
  return false;
}

std::optional<size_t> Connection::head_end() const {
  size_t at = buffer_.find("\r\n\r\n", from_);
  if (at == buffer_.npos) return std::nullopt;
  return at + 4;
}

bool Connection::read_head(RequestHead& head, std::optional<Refusal>& refusal) {
  buffer_.erase(0, from_);
  from_ = 0;
  answering_ = false;
  deadline_ = Clock::now() + limits_.idle;
  if (buffer_.empty() && !fill()) return false;
  deadline_ = Clock::now() + limits_.request;
  std::optional<size_t> end;
  while (!(end = head_end()) && buffer_.size() <= kHeadLimit)
    if (!fill()) {
      refusal = {408, "the request did not arrive in time"};
      return false;
    }
  if (!end || *end > kHeadLimit) {
    refusal = {431, fmt::format("the head is longer than {} bytes", kHeadLimit)};
    return false;
  }
  refusal = parse_head(std::string_view(buffer_).substr(0, *end), head);
  std::string plain = plain_head(head);
  buffer_.replace(0, *end, plain);
  allowed_ = plain.size() + head.body;
  return !refusal;
}

void Connection::refuse(const Refusal& refusal) {
  std::string body = "{\"error\":";
  suite::append_json_string(body, refusal.why);
  body += "}\n";
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}"
      "Connection: close\r\n\r\n{}",
      refusal.status, reason_of(refusal.status), body.size(),
      refusal.status == 503 ? "Retry-After: 1\r\n" : "", body);
  write(text.data(), text.size());
  // What the client is still sending is taken for a moment: closing on it would cut the answer.
  ::shutdown(socket_, SHUT_WR);
  deadline_ = Clock::now() + std::chrono::milliseconds(refusal.status == 503 ? 0 : 500);
  for (int i = 0; i < 64 && fill(); ++i) buffer_.clear();
}

void Connection::begin_answer() {
  if (!answering_) deadline_ = Clock::now() + limits_.answer;
  answering_ = true;
}

ssize_t Connection::read(char* to, size_t size) {
  if (from_ == buffer_.size() && (allowed_ == 0 || !fill())) return -1;
  size_t n = std::min({size, buffer_.size() - from_, allowed_});
  if (n == 0) return -1;
  std::memcpy(to, buffer_.data() + from_, n);
  from_ += n;
  allowed_ -= n;
  return ssize_t(n);
}

// All of it, since nobody above tries again.
ssize_t Connection::write(const char* from, size_t size) {
  begin_answer();
  size_t done = 0;
  while (done < size && wait(POLLOUT)) {
    ssize_t n = ::send(socket_, from + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) break;
    done += size_t(n);
  }
  broken_ = broken_ || done < size;
  return broken_ ? -1 : ssize_t(size);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace minpair::serve
