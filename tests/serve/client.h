#pragma once
// A client that says exactly what it is told to, however wrong.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace minpair::testing {

class Client {
 public:
  explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(uint16_t(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  bool send(std::string_view text) {
    while (!text.empty()) {
      ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(size_t(n));
    }
    return true;
  }
  void finish() { ::shutdown(fd_, SHUT_WR); }
  // Everything until the server closes, or nothing comes for a while.
  std::string read_all(int milliseconds = 10000) {
    std::string all;
    char bytes[65536];
    pollfd p{fd_, POLLIN, 0};
    while (::poll(&p, 1, milliseconds) > 0) {
      ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      all.append(bytes, size_t(n));
    }
    return all;
  }

 private:
  int fd_;
  bool connected_ = false;
};

inline std::string get(const std::string& path, const std::string& headers = "",
                       const std::string& host = "localhost") {
  return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers +
         "\r\n";
}

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
         "\r\n" + body;
}

inline std::string ask(int port, const std::string& request) {
  Client client(port);
  client.send(request);
  return client.read_all();
}

// "HTTP/1.1 200 OK" -> 200; 0: no answer.
inline int status_of(const std::string& answer) {
  return answer.size() > 12 && answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

inline std::string body_of(const std::string& answer) {
  size_t at = answer.find("\r\n\r\n");
  return at == answer.npos ? "" : answer.substr(at + 4);
}

}  // namespace minpair::testing
