#include "serve/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json.h"
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

// "GET /path HTTP/1.1"
bool parse_request_line(std::string_view line, Request& request) {
  size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  std::string_view version = line.substr(last + 1);
  bool plain = std::all_of(request.target.begin(), request.target.end(),
                           [](char c) { return c > 0x20 && c < 0x7f; });
  request.close = version == "HTTP/1.0";
  return plain && request.target.starts_with('/') &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool parse_header(std::string_view line, Request& request) {
  size_t colon = line.find(':');
  if (colon == 0 || colon == line.npos) return false;
  std::string_view name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), is_token_character) || !is_printable(line))
    return false;
  request.headers.emplace_back(ascii_lower(name), trim(line.substr(colon + 1)));
  return true;
}

// Twice the same of these, or a body whose end is not known beforehand, is how requests are
// smuggled.
std::optional<Refusal> check_body(Request& request) {
  for (const char* name : {"host", "content-length", "origin", "authorization"})
    if (std::count_if(request.headers.begin(), request.headers.end(),
                      [&](const auto& h) { return h.first == name; }) > 1)
      return Refusal{400, fmt::format("there are two headers '{}'", name)};
  if (!request.header("transfer-encoding").empty() || !request.header("content-encoding").empty())
    return Refusal{411, "send the body as it is, with its length"};
  std::string length = request.header("content-length");
  if (length.empty() && request.method == "POST") return Refusal{411, "there is no Content-Length"};
  if (!std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return Refusal{400, "Content-Length is not a number"};
  // Nine digits fit a number; more are too many anyway.
  request.length = length.empty() ? 0 : std::stoul(length.size() > 9 ? "999999999" : length);
  if (request.length > kBodyLimit)
    return Refusal{413, fmt::format("the body is longer than {} bytes", kBodyLimit)};
  if (request.length > 0 && request.method != "POST") return Refusal{400, "only POST has a body"};
  return std::nullopt;
}

const char* reason_of(int status) {
  static constexpr std::pair<int, const char*> kReasons[] = {{200, "OK"},
                                                             {302, "Found"},
                                                             {400, "Bad Request"},
                                                             {401, "Unauthorized"},
                                                             {403, "Forbidden"},
                                                             {404, "Not Found"},
                                                             {405, "Method Not Allowed"},
                                                             {408, "Request Timeout"},
                                                             {410, "Gone"},
                                                             {411, "Length Required"},
                                                             {413, "Content Too Large"},
                                                             {415, "Unsupported Media Type"},
                                                             {431, "Header Fields Too Large"},
                                                             {503, "Service Unavailable"}};
  for (const auto& [code, reason] : kReasons)
    if (code == status) return reason;
  return "Internal Server Error";
}

}  // namespace

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return "";
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::parameter(std::string_view name) const {
  std::string_view query = target;
  query.remove_prefix(std::min(path().size() + 1, query.size()));
  for (std::string_view part : split(query, '&'))
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=')
      return part.substr(name.size() + 1);
  return "";
}

std::optional<Refusal> parse_head(std::string_view text, Request& request) {
  bool first = true;
  while (!text.empty()) {
    size_t end = text.find("\r\n");
    if (end == text.npos) return Refusal{400, "a line of the head has no end"};
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty()) break;
    if (first ? !parse_request_line(line, request) : !parse_header(line, request))
      return Refusal{400, first ? "this is not a request" : "a header is malformed"};
    first = false;
  }
  if (first) return Refusal{400, "this is not a request"};
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
    return Refusal{405, "only GET, HEAD and POST are answered"};
  request.close |= ascii_lower(request.header("connection")) == "close";
  return check_body(request);
}

Response text_response(std::string body, int status) {
  return {status, "application/json", std::make_shared<const std::string>(std::move(body)), ""};
}

Response error_response(const Refusal& refusal) {
  Response response =
      text_response(json_text(nlohmann::json{{"error", refusal.why}}), refusal.status);
  if (refusal.status == 503) response.headers = "Retry-After: 5\r\n";
  return response;
}

std::string head_of(const Response& response, bool close) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n{}\r\n",
      response.status, reason_of(response.status), response.type, response.body->size(),
      close ? "close" : "keep-alive", response.headers);
}

}  // namespace minpair::serve
