#include "serve/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "base/text.h"

namespace minpair::serve {
namespace {

// "name:8080" and "[::1]:8080" without their port.
std::string without_port(const std::string& host) {
  const size_t end =
      host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  const std::string port = host.substr(end);
  if (!port.empty() && (port[0] != ':' || port.find_first_not_of("0123456789", 1) != port.npos))
    return "";
  return host.substr(0, end);
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

bool Access::has_token(const Request& request) const {
  if (token_.empty()) return true;
  if (request.method == "GET" && request.target.starts_with(kTokenQuery) &&
      same_secret(std::string_view(request.target).substr(kTokenQuery.size()), token_))
    return true;
  std::string bearer = request.header("authorization");
  if (bearer.starts_with("Bearer ") && same_secret(bearer.substr(7), token_)) return true;
  return same_secret(cookie_value(request.header("cookie"), cookie_name_), token_);
}

std::optional<Refusal> Access::check(const Request& request) const {
  std::string host = request.header("host"), origin = request.header("origin");
  if (!host_is_ours(host)) return Refusal{403, "the name in Host is not this server's"};
  if (!origin.empty() && origin != "http://" + host)
    return Refusal{403, "another site may not ask here"};
  if (request.method == "POST" && !request.header("content-type").starts_with("application/json"))
    return Refusal{415, "send application/json"};
  if (!has_token(request))
    return Refusal{401, "open the page with the token that 'minpair serve' printed"};
  return std::nullopt;
}

std::string Access::cookie() const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, token_);
}

}  // namespace minpair::serve
