// HTTP by libcurl: small answers into memory, weights to the end of a file.

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/paths.h"
#include "hub/answers.h"

namespace minpair::hub {

namespace {

constexpr uint64_t error_text = 2000;  // of what a server says about an error

// What one transfer is doing; the callbacks' state.
struct Transfer {
  CURL* curl = nullptr;
  Response response;
  uint64_t limit = error_text;
  bool too_long = false;
  std::FILE* file = nullptr;  // where the content of a successful answer goes
  uint64_t resumed_from = 0, written = 0;
  bool begun = false, cannot_write = false, wrong_range = false;
  std::function<void(uint64_t)> progress;
};

size_t on_header(char* data, size_t size, size_t count, void* user) {
  auto& t = *static_cast<Transfer*>(user);
  add_header({data, size * count}, t.response.headers);
  return size * count;
}

// An answer to a request for the rest of a file may still be the whole of it.
bool begin_file(Transfer& t, long status) {
  t.begun = true;
  t.written = t.resumed_from;
  if (status == 206) {
    std::string wanted = fmt::format("bytes {}-", t.resumed_from);
    t.wrong_range = !t.response.headers["content-range"].starts_with(wanted);
    return !t.wrong_range;
  }
  t.written = 0;
  std::rewind(t.file);
  return ::ftruncate(::fileno(t.file), 0) == 0;
}

size_t on_data(char* data, size_t size, size_t count, void* user) {
  auto& t = *static_cast<Transfer*>(user);
  size_t n = size * count;
  long status = 0;
  curl_easy_getinfo(t.curl, CURLINFO_RESPONSE_CODE, &status);
  if (t.file && status < 300) {
    if (!t.begun && !begin_file(t, status)) return 0;
    t.too_long = t.written + n > t.limit;
    if (t.too_long) return 0;
    if (std::fwrite(data, 1, n, t.file) != n) {
      t.cannot_write = true;
      return 0;
    }
    t.written += n;
    t.progress(t.written);
    return n;
  }
  uint64_t limit = status < 300 ? t.limit : error_text;
  if (t.response.body.size() + n > limit) {
    if (status < 300) {
      t.too_long = true;
      return 0;
    }
    n = size_t(limit - t.response.body.size());
  }
  t.response.body.append(data, n);
  return size * count;
}

std::string host_of(const std::string& url) {
  size_t begin = url.find("://");
  begin = begin == url.npos ? 0 : begin + 3;
  return url.substr(begin, url.find('/', begin) - begin);
}

void check_transfer(CURLcode code, const Transfer& t, const std::string& url) {
  if (code == CURLE_OK) return;
  if (t.cannot_write) throw cannot("writing failed").hint("is the disk full?");
  if (t.too_long)
    throw bad_input(fmt::format("{} answers with more than {} bytes", url, t.limit))
        .hint("is HF_ENDPOINT a Hugging Face hub?");
  std::string why = fmt::format("{}: {}", host_of(url), curl_easy_strerror(code));
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
      code == CURLE_COULDNT_RESOLVE_PROXY)
    throw cannot("cannot reach " + why)
        .hint(
            "this machine is offline, or HF_ENDPOINT is wrong; models can also be copied into a "
            "folder by hand and used with -m FOLDER");
  if (code == CURLE_TOO_MANY_REDIRECTS) throw cannot(fmt::format("{} redirects in circles", url));
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR ||
      code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
    throw cannot("cannot talk to " + why).hint("is HF_ENDPOINT right?");
  Interrupted again(Error::Kind::environment, "the connection was cut: " + why);
  again.hint("run the same command again: it continues where it stopped");
  throw again;
}

void check_status(Response& r, const std::string& url, bool has_token) {
  if (r.status < 400) return;
  std::string what = fmt::format("{} answers {}", url, r.status);
  if (r.status == 429 || r.status >= 500) {
    Interrupted again(Error::Kind::environment, what);
    again.hint("the server is busy or out of order; try again later");
    throw again;
  }
  const bool gated = r.headers["x-error-code"] == "GatedRepo";
  if (r.status == 401 || r.status == 403)
    throw cannot(what).hint(
        !has_token ? fmt::format("{}: log in with 'hf auth login', or set HF_TOKEN to an access "
                                 "token of yours",
                                 gated ? "this model's terms must be accepted on its page first"
                                       : "there is no such model, or it is not public")
        : gated    ? "accept the model's terms on its page, with the account that the token is of"
                   : "the token in HF_TOKEN or in the hub's token file may not read this model, or "
                     "there is no such model");
  if (r.status == 404)
    throw bad_input(what).hint("there is no model, revision or file of that name");
  throw cannot(what);
}

}  // namespace

struct Connection::Handle {
  CURL* curl = curl_easy_init();
  curl_slist* headers = nullptr;
  ~Handle() {
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
  }
};

Connection::Connection(const Settings& settings)
    : handle_(std::make_unique<Handle>()), settings_(settings) {
  if (!handle_->curl) throw cannot("libcurl cannot be started");
}

Connection::~Connection() = default;

namespace {

void prepare(CURL* curl, const Settings& settings, const std::string& url, Transfer& t) {
  curl_easy_reset(curl);
  t.curl = curl;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, ("minpair/" + version()).c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
  // A server that says next to nothing for half a minute has forgotten us.
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 30L);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &t);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
  if (!settings.token.empty()) {  // curl does not send it on to another host
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, long(CURLAUTH_BEARER));
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, settings.token.c_str());
  }
}

}  // namespace

Response Connection::get(const std::string& url, uint64_t limit) {
  Transfer t;
  t.limit = limit;
  prepare(handle_->curl, settings_, url, t);
  curl_easy_setopt(handle_->curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle_->curl, CURLOPT_MAXREDIRS, 10L);
  CURLcode code = curl_easy_perform(handle_->curl);
  curl_easy_getinfo(handle_->curl, CURLINFO_RESPONSE_CODE, &t.response.status);
  check_transfer(code, t, url);
  check_status(t.response, url, !settings_.token.empty());
  return std::move(t.response);
}

Response Connection::head(const std::string& url) {
  std::string at = url;
  for (int redirects = 0; redirects < 5; ++redirects) {
    Transfer t;
    prepare(handle_->curl, settings_, at, t);
    curl_easy_setopt(handle_->curl, CURLOPT_NOBODY, 1L);
    CURLcode code = curl_easy_perform(handle_->curl);
    curl_easy_getinfo(handle_->curl, CURLINFO_RESPONSE_CODE, &t.response.status);
    check_transfer(code, t, at);
    check_status(t.response, at, !settings_.token.empty());
    std::string location = t.response.headers["location"];
    // Within the hub: the model was renamed. To elsewhere: where the content is stored.
    if (t.response.status < 300 || !location.starts_with('/')) return std::move(t.response);
    at = settings_.endpoint + location;
  }
  throw cannot(fmt::format("{} redirects in circles", url));
}

void Connection::download(const std::string& url, const fs::path& to, uint64_t bytes,
                          const std::function<void(uint64_t)>& progress) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(to.c_str(), "ab"), std::fclose);
  if (!file) throw cannot_errno("cannot write").at(to.string());
  Transfer t;
  t.file = file.get();
  t.progress = progress;
  t.limit = bytes;
  t.resumed_from = fs::file_size(to);
  prepare(handle_->curl, settings_, url, t);
  curl_easy_setopt(handle_->curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle_->curl, CURLOPT_MAXREDIRS, 10L);
  std::string range = fmt::format("{}-", t.resumed_from);
  if (t.resumed_from > 0) curl_easy_setopt(handle_->curl, CURLOPT_RANGE, range.c_str());
  CURLcode code = curl_easy_perform(handle_->curl);
  curl_easy_getinfo(handle_->curl, CURLINFO_RESPONSE_CODE, &t.response.status);
  if (t.wrong_range || t.too_long) {
    std::fflush(file.get());
    fs::resize_file(to, 0);
  }
  if (t.wrong_range) return download(url, to, bytes, progress);  // the whole, without a range
  check_transfer(code, t, url);
  check_status(t.response, url, !settings_.token.empty());
  if (std::fflush(file.get()) != 0) throw cannot_errno("writing failed").at(to.string());
}

}  // namespace minpair::hub
