#include "serve/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace minpair::serve {
namespace {

constexpr std::chrono::milliseconds kLastMoment{1000}, kPatience{500};

}  // namespace

Connection::Connection(int socket, int stop, const Limits& limits)
    : socket_(socket), stop_(stop), limits_(limits), deadline_(Clock::now()) {}

Connection::~Connection() { ::close(socket_); }

// False: the time is over, or the server stops. An answer that has begun gets a last second.
bool Connection::wait(short what) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> watched = {pollfd{socket_, what, 0}, pollfd{stop_, POLLIN, 0}};
    if (::poll(watched.data(), stopping_ ? 1 : 2, int(left.count()) + 1) <= 0) return false;
    if (watched[1].revents == 0) return true;
    if (!answering_) return false;
    stopping_ = true;
    deadline_ = std::min(deadline_, Clock::now() + kLastMoment);
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

bool Connection::write(std::string_view text) {
  while (!text.empty() && wait(POLLOUT)) {
    ssize_t n = ::send(socket_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) break;
    text.remove_prefix(size_t(n));
  }
  return text.empty();
}

bool Connection::read_head(Request& request, std::optional<Refusal>& refusal) {
  answering_ = false;
  deadline_ = Clock::now() + limits_.idle;
  if (buffer_.empty() && !fill()) return false;
  deadline_ = Clock::now() + limits_.request;
  size_t end;
  while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos && buffer_.size() <= kHeadLimit)
    if (!fill()) {
      refusal = {408, "the request did not arrive whole in time"};
      return false;
    }
  if (end > kHeadLimit - 4) {  // or there is none
    refusal = {431, fmt::format("the head is longer than {} bytes", kHeadLimit)};
    return false;
  }
  refusal = parse_head(std::string_view(buffer_).substr(0, end + 4), request);
  buffer_.erase(0, end + 4);
  return !refusal;
}

bool Connection::read_body(Request& request, std::optional<Refusal>& refusal) {
  if (request.length > buffer_.size() && ascii_lower(request.header("expect")) == "100-continue")
    write("HTTP/1.1 100 Continue\r\n\r\n");
  while (buffer_.size() < request.length)
    if (!fill()) {
      refusal = {408, "the body did not arrive whole in time"};
      return false;
    }
  request.body = buffer_.substr(0, request.length);
  buffer_.erase(0, request.length);
  return true;
}

bool Connection::answer(const Response& response, bool with_body, bool close) {
  answering_ = true;
  deadline_ = Clock::now() + limits_.answer;
  return write(head_of(response, close)) && (!with_body || write(*response.body));
}

void Connection::refuse(const Refusal& refusal) {
  answer(error_response(refusal), true, true);
  // What the client is still sending is taken for a moment: closing on it would cut the answer.
  ::shutdown(socket_, SHUT_WR);
  deadline_ = std::min(deadline_, Clock::now() + kPatience);
  for (int i = 0; i < 64 && fill(); ++i) buffer_.clear();
}

}  // namespace minpair::serve
