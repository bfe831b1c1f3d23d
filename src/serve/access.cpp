#include "serve/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace minpair::serve {
namespace {

bool is_token_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "GET /path HTTP/1.1"
bool parse_request_line(std::string_view line, RequestHead& head) {
  size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) return false;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  std::string_view version = line.substr(last + 1);
  bool plain = std::all_of(head.target.begin(), head.target.end(),
                           [](char c) { return c > 0x20 && c < 0x7f; });
  head.close = version == "HTTP/1.0";
  return plain && head.target.starts_with('/') && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool parse_header(std::string_view line, RequestHead& head) {
  size_t colon = line.find(':');
  if (colon == 0 || colon == line.npos) return false;
  std::string_view name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), is_token_character) || !is_printable(line))
    return false;
  head.headers.emplace_back(ascii_lower(name), trim(line.substr(colon + 1)));
  return true;
}

// Twice the same of these, or a body whose end is not known beforehand, is how requests are
// smuggled.
std::optional<Refusal> check_body(RequestHead& head) {
  for (const char* name : {"host", "content-length", "origin", "authorization"})
    if (std::count_if(head.headers.begin(), head.headers.end(),
                      [&](const auto& h) { return h.first == name; }) > 1)
      return Refusal{400, fmt::format("there are two headers '{}'", name)};
  if (!head.header("transfer-encoding").empty() || !head.header("content-encoding").empty())
    return Refusal{411, "send the body as it is, with its length"};
  std::string length = head.header("content-length");
  if (length.empty() && head.method == "POST") return Refusal{411, "there is no Content-Length"};
  if (!std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return Refusal{400, "Content-Length is not a number"};
  if (length.size() > 9) return Refusal{413, "the body is too long"};
  head.body = length.empty() ? 0 : std::stoull(length);
  if (head.body > kBodyLimit)
    return Refusal{413, fmt::format("the body is longer than {} bytes", kBodyLimit)};
  if (head.body > 0 && head.method != "POST") return Refusal{400, "only POST has a body"};
  return std::nullopt;
}

// "name:8080" and "[::1]:8080" without their port.
std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string name) {
  if (name.size() > 2 && name.front() == '[') name = name.substr(1, name.size() - 2);
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

std::string cookie_value(const std::string& header, const std::string& name) {
  for (std::string_view part : split(header, ';')) {
    part = trim(part);
    if (part.starts_with(name + "=")) return std::string(part.substr(name.size() + 1));
  }
  return "";
}

constexpr std::string_view kTokenQuery = "/?token=";

}  // namespace

std::string RequestHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return "";
}

std::optional<Refusal> parse_head(std::string_view text, RequestHead& head) {
  bool first = true;
  while (!text.empty()) {
    size_t end = text.find("\r\n");
    if (end == text.npos) return Refusal{400, "a line of the head has no end"};
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty()) break;
    if (first ? !parse_request_line(line, head) : !parse_header(line, head))
      return Refusal{400, first ? "this is no request" : "a header is malformed"};
    first = false;
  }
  if (first) return Refusal{400, "this is no request"};
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST")
    return Refusal{405, "only GET, HEAD and POST are answered"};
  head.close |= ascii_lower(head.header("connection")) == "close";
  return check_body(head);
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

bool same_secret(std::string_view guess, std::string_view secret) {
  // The length of the guess is the guesser's own; nothing here depends on the secret's letters.
  unsigned char different = guess.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < guess.size(); ++i) {
    auto theirs = static_cast<unsigned char>(guess[i]);
    auto ours = static_cast<unsigned char>(secret.empty() ? 0 : secret[i % secret.size()]);
    volatile unsigned char step = theirs ^ ours;
    different |= step;
  }
  return different == 0;
}

Access::Access(std::string address, int port, std::string token)
    : address_(std::move(address)),
      token_(std::move(token)),
      // Browsers keep cookies per host, not per port.
      cookie_name_(fmt::format("minpair-{}", port)) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) machine_ = ascii_lower(name.data());
}

bool Access::host_is_ours(const std::string& host) const {
  std::string name = ascii_lower(without_port(host));
  if (name == "localhost" || name == "[::1]" || (name.starts_with("127.") && is_address(name)))
    return true;
  // A name that somebody else can point here never is an address.
  return !token_.empty() && (is_address(name) || name == ascii_lower(address_) || name == machine_);
}

bool Access::opens_with_token(const RequestHead& head) const {
  return !token_.empty() && head.method == "GET" && head.target.starts_with(kTokenQuery) &&
         same_secret(std::string_view(head.target).substr(kTokenQuery.size()), token_);
}

bool Access::has_token(const RequestHead& head) const {
  if (token_.empty() || opens_with_token(head)) return true;
  std::string bearer = head.header("authorization");
  if (bearer.starts_with("Bearer ") && same_secret(bearer.substr(7), token_)) return true;
  return same_secret(cookie_value(head.header("cookie"), cookie_name_), token_);
}

std::optional<Refusal> Access::check(const RequestHead& head) const {
  std::string host = head.header("host"), origin = head.header("origin");
  if (!host_is_ours(host)) return Refusal{403, "the name in Host is not this server's"};
  if (!origin.empty() && origin != "http://" + host)
    return Refusal{403, "another site may not ask here"};
  if (head.method == "POST" && !head.header("content-type").starts_with("application/json"))
    return Refusal{415, "send application/json"};
  if (!has_token(head))
    return Refusal{401, "open the page with the token that 'minpair serve' printed"};
  return std::nullopt;
}

std::string Access::cookie() const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, token_);
}

}  // namespace minpair::serve
