#pragma once
// Who may ask for what, decided before anything else looks at a request or reads its body.

#include "serve/http.h"

namespace minpair::serve {

// Takes as long whatever the guess is.
bool same_secret(std::string_view guess, std::string_view secret);

class Access {
 public:
  // Without a token only this machine may be served.
  Access(std::string address, int port, std::string token);

  // Other sites must not reach the server through a visitor's browser: the name in Host must be
  // this machine's (they can point a name of theirs here), and Origin the page's own.
  std::optional<Refusal> check(const Request& request) const;
  // "/?token=..." is answered with this cookie.
  std::string cookie() const;

 private:
  bool host_is_ours(const std::string& host) const;
  bool has_token(const Request& request) const;

  std::string address_, token_, cookie_name_, machine_;
};

}  // namespace minpair::serve
