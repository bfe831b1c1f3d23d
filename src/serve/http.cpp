#include "serve/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace minpair::serve {
namespace {

namespace http = boost::beast::http;
using Message = http::request<http::string_body>;

Refusal refusal_of(const boost::beast::error_code& error) {
  if (error == http::error::header_limit)
    return {431, fmt::format("the head is longer than {} bytes", kHeadLimit)};
  if (error == http::error::body_limit)
    return {413, fmt::format("the body is longer than {} bytes", kBodyLimit)};
  return {400, fmt::format("this is not a request: {}", error.message())};
}

// Twice the same of these, or a body whose end is not known beforehand, is how requests are
// smuggled.
std::optional<Refusal> check_head(const Message& head) {
  const http::verb method = head.method();
  const bool post = method == http::verb::post;
  if (!post && method != http::verb::get && method != http::verb::head)
    return Refusal{405, "only GET, HEAD and POST are answered"};
  if (!head.target().starts_with('/')) return Refusal{400, "the target is not a path"};
  for (http::field field : {http::field::host, http::field::origin, http::field::authorization})
    if (head.count(field) > 1)
      return Refusal{
          400, fmt::format("there are two headers '{}'", std::string(http::to_string(field)))};
  if (head.count(http::field::transfer_encoding) || head.count(http::field::content_encoding))
    return Refusal{411, "send the body as it is, with its length"};
  const auto length = head.find(http::field::content_length);
  if (post && length == head.end()) return Refusal{411, "there is no Content-Length"};
  if (!post && length != head.end() && length->value() != "0")
    return Refusal{400, "only POST has a body"};
  return std::nullopt;
}

Request request_of(const Message& head) {
  Request request;
  request.method = std::string(head.method_string());
  request.target = std::string(head.target());
  for (const auto& field : head)
    request.headers.emplace_back(ascii_lower(std::string(field.name_string())),
                                 std::string(field.value()));
  request.close = !head.keep_alive();
  return request;
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

struct RequestReader::Parser : http::request_parser<http::string_body> {};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {
  parser_->header_limit(kHeadLimit);
  parser_->body_limit(kBodyLimit);
}

RequestReader::~RequestReader() = default;

bool RequestReader::has_head() const { return parser_->is_header_done(); }
bool RequestReader::is_complete() const { return parser_->is_done(); }

std::optional<Refusal> RequestReader::take(std::string& bytes, const Check& check) {
  while (!bytes.empty() && !is_complete()) {
    const bool had_head = has_head();
    boost::beast::error_code error;
    bytes.erase(0, parser_->put(boost::asio::buffer(bytes), error));
    if (error == http::error::need_more) break;
    if (error) return refusal_of(error);
    if (had_head || !has_head()) continue;
    if (auto refusal = check_head(parser_->get())) return refusal;
    request = request_of(parser_->get());
    if (auto refusal = check(request)) return refusal;
  }
  if (is_complete()) request.body = std::move(parser_->get().body());
  return std::nullopt;
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
      response.status,
      std::string(http::obsolete_reason(http::int_to_status(unsigned(response.status)))),
      response.type, response.body->size(), close ? "close" : "keep-alive", response.headers);
}

}  // namespace minpair::serve
