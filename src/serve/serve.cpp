#include "serve/serve.h"

#include <fmt/format.h>
#include <httplib.h>
#include <malloc.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "method/method.h"
#include "report/html.h"
#include "serve/access.h"
#include "serve/bench.h"
#include "serve/live_page.h"
#include "serve/turns.h"

namespace minpair::serve {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kTexts = 10, kTextLength = 1000, kTop = 50;

void answer_error(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(json{{"error", why}}.dump(-1, ' ', false, json::error_handler_t::replace),
                       "application/json");
}

// Without a copy per client: the bytes live as long as somebody reads them.
void answer_bytes(httplib::Response& response, std::shared_ptr<const std::string> bytes,
                  const char* type) {
  size_t size = bytes->size();
  response.set_content_provider(
      size, type, [bytes](size_t from, size_t length, httplib::DataSink& sink) {
        return sink.write(bytes->data() + from, std::min<size_t>(length, 64 << 10));
      });
}

// A thread for each client, as long as it is there: httplib's own pool keeps all its threads, each
// with as much stack as the worst request needed. Where there are too many, the next waits to be
// let in.
class Clients : public httplib::TaskQueue {
 public:
  explicit Clients(size_t most) : most_(most) {}

  // Of type void or bool, as the version of httplib has it.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));
  Taken enqueue(std::function<void()> serve) override {
    wait_until_below(most_);
    ++now_->clients;
    std::thread([now = now_, serve = std::move(serve)] {
      serve();
      std::lock_guard lock(now->mutex);
      --now->clients;
      now->left.notify_all();
    }).detach();
    return Taken(true);
  }
  void shutdown() override { wait_until_below(1); }

 private:
  struct Now {
    std::mutex mutex;
    std::condition_variable left;
    std::atomic<size_t> clients = 0;
  };
  void wait_until_below(size_t most) {
    std::unique_lock lock(now_->mutex);
    now_->left.wait(lock, [&] { return now_->clients < most; });
  }

  size_t most_;
  std::shared_ptr<Now> now_ = std::make_shared<Now>();  // outlives us in threads that are leaving
};

// Port 0: any free one. Gives the port.
int listen_at(httplib::Server& server, const std::string& address, int port) {
  // httplib's own choice, SO_REUSEPORT, would let two servers share a port without a word.
  auto listening = std::make_shared<int>(-1);
  server.set_socket_options([listening](auto socket) {
    int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    *listening = socket;
  });
  if (port == 0)
    port = server.bind_to_any_port(address);
  else if (!server.bind_to_port(address, port))
    port = -1;
  if (port < 0)
    throw cannot(fmt::format("cannot listen at {}", address))
        .hint("is it an address of this machine, and is the port free? --port 0 takes any that is");
  // httplib lets five clients wait to be let in; the sixth would knock again only after a second.
  ::listen(*listening, SOMAXCONN);
  return port;
}

// What somebody wants to see on the bench.
struct Typed {
  std::vector<size_t> models;
  std::vector<std::string> texts;
  std::string method;
  size_t top = 10;
};

Typed parse_typed(const std::string& body, size_t models) {
  Typed asked;
  json j = json::parse(body, [](int depth, json::parse_event_t, json&) {
    if (depth > 8) throw bad_input("the body is nested too deeply");
    return true;
  });
  asked.models = j.at("models").get<std::vector<size_t>>();
  asked.texts = j.at("texts").get<std::vector<std::string>>();
  asked.method = j.value("method", "");
  asked.top = j.value("top", size_t{10});
  if (asked.models.empty() || asked.models.size() > 2) throw bad_input("choose one model or two");
  for (size_t m : asked.models)
    if (m >= models) throw bad_input("there is no such model");
  if (asked.texts.empty() || asked.texts.size() > kTexts)
    throw bad_input(fmt::format("type 1 to {} sentences", kTexts));
  for (const std::string& text : asked.texts)
    if (trim(text).empty() || count_characters(text) > kTextLength)
      throw bad_input(fmt::format("a sentence has 1 to {} characters", kTextLength));
  if (asked.top < 1 || asked.top > kTop)
    throw bad_input(fmt::format("'top' is from 1 to {}", kTop));
  return asked;
}

}  // namespace

struct Explorer::Impl {
  ServeOptions options;
  std::vector<std::unique_ptr<query::Model>> models;
  httplib::Server server;
  int port;
  Access access;
  LivePage page;
  Turns turns;
  std::atomic<bool> running = false, stopped = false;

  Impl(const ServeOptions& o, std::vector<std::unique_ptr<query::Model>> m)
      : options(o),
        models(std::move(m)),
        port(listen_at(server, o.address, o.port)),
        access(o.address, port, o.token),
        page(o.results),
        turns(o.waiting, std::chrono::seconds(30)) {
    page.current();  // what cannot be shown is said at once, not to the first visitor
    limit();
    route();
  }

  std::string live_json(const std::string& version) const {
    json all = json::array();
    for (const auto& model : models) {
      json methods = json::array();
      for (const method::Method* m : method::all_methods())
        if (m->supports(model->info().kind) && !m->info().cloze) methods.push_back(m->name());
      all.push_back({{"name", model->info().name},
                     {"masked", model->info().kind == query::ModelInfo::Kind::masked},
                     {"methods", methods},
                     {"method", method::default_method(model->info().kind).name()}});
    }
    return json{{"version", version}, {"models", all}}.dump(-1, ' ', true,
                                                            json::error_handler_t::replace);
  }

  void show_page(httplib::Response& response) {
    auto snapshot = page.current();
    std::string html = report::page_with(
        report::page_script("live", report::base64(live_json(snapshot->version))));
    // A page in a file may fetch nothing; this one may ask this server.
    const std::string nothing = "default-src 'none'";
    html.replace(html.find(nothing), nothing.size(), nothing + "; connect-src 'self'");
    answer_bytes(response, std::make_shared<const std::string>(std::move(html)),
                 "text/html; charset=utf-8");
  }

  void show_block(const httplib::Request& request, httplib::Response& response) {
    auto snapshot = page.find(request.get_param_value("v"));
    if (!snapshot)
      return answer_error(response, 410, "the results have changed; load the page again");
    auto block = snapshot->blocks.find(request.path.substr(strlen("/data/")));
    if (block == snapshot->blocks.end())
      return answer_error(response, 404, "there is no such data");
    answer_bytes(response, {snapshot, &block->second}, "application/octet-stream");
  }

  void show(const httplib::Request& request, httplib::Response& response) {
    if (request.path == "/" && !options.token.empty() && request.has_param("token")) {
      response.set_header("Set-Cookie", access.cookie());
      response.set_redirect("/");
    } else if (request.path == "/") {
      show_page(response);
    } else if (request.path.starts_with("/data/")) {
      show_block(request, response);
    } else if (request.path == "/version") {
      response.set_content(json{{"version", page.version()}}.dump(), "application/json");
    } else {
      answer_error(response, 404, "there is nothing here");
    }
  }

  void score(const httplib::Request& request, httplib::Response& response) {
    Typed asked = parse_typed(request.body, models.size());
    Turns::Turn turn(turns);
    if (!turn) {
      response.set_header("Retry-After", "5");
      return answer_error(response, 503, "too many are waiting for a score; try again");
    }
    std::string all;
    for (size_t m : asked.models)
      all +=
          (all.empty() ? "" : ",") + bench_json(*models[m], asked.method, asked.texts, asked.top);
    response.set_content("{\"models\":[" + all + "]}", "application/json");
  }

  void limit() {
    server.new_task_queue = [this] { return new Clients(options.connections); };
    // One request each: what is left of a refused one must not be taken for the next.
    server.set_keep_alive_max_count(1);
    server.set_read_timeout(options.request_time);
    server.set_write_timeout(options.answer_time);
    server.set_payload_max_length(kBodyLimit);
  }

  void route() {
    using Routed = httplib::Server::HandlerResponse;
    server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                {"X-Frame-Options", "DENY"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-store"}});
    // Before httplib's own routing, which matches paths with regular expressions.
    server.set_pre_routing_handler([this](const auto& request, auto& response) {
      if (std::optional<Refusal> refusal = access.check(request)) {
        answer_error(response, refusal->status, refusal->why);
        return Routed::Handled;
      }
      if (request.method == "POST" && request.path == "/score") return Routed::Unhandled;
      if (request.method == "POST")
        answer_error(response, 404, "there is nothing here");
      else
        show(request, response);
      return Routed::Handled;
    });
    server.Post("/score",
                [this](const auto& request, auto& response) { score(request, response); });
    server.set_exception_handler([](const auto&, auto& response, std::exception_ptr thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const Error& e) {
        answer_error(response, e.kind() == Error::Kind::environment ? 500 : 400, e.message());
      } catch (const json::exception&) {
        answer_error(response, 400, "the body is not the JSON that is expected");
      } catch (const std::bad_alloc&) {
        answer_error(response, 503, "out of memory");
      } catch (...) {
        answer_error(response, 500, "this went wrong");
      }
    });
  }
};

Explorer::Explorer(const ServeOptions& options, std::vector<std::unique_ptr<query::Model>> models) {
  if (!is_loopback(options.address) && options.token.empty())
    throw wrong_call(fmt::format("serving at {} needs a token", options.address));
  if (!report::has_page()) report::page_with("");  // says why there is none
  impl_ = std::make_unique<Impl>(options, std::move(models));
}

Explorer::~Explorer() = default;

int Explorer::port() const { return impl_->port; }

std::string Explorer::url() const {
  const std::string& address = impl_->options.address;
  std::string host = address.find(':') != address.npos ? "[" + address + "]" : address;
  std::string token = impl_->options.token;
  return fmt::format("http://{}:{}/{}", host, impl_->port, token.empty() ? "" : "?token=" + token);
}

void Explorer::run() {
  impl_->running = true;
  // Hundreds of threads that hold little each: a heap for every few of them would only hoard.
  mallopt(M_ARENA_MAX, 2);
  if (!impl_->stopped) impl_->server.listen_after_bind();
  impl_->running = false;
}

void Explorer::stop() {
  impl_->stopped = true;
  // httplib takes no notice of a stop that comes just before it listens.
  while (impl_->running && !impl_->server.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server.stop();
}

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw cannot_errno("cannot get random numbers");
  std::string token;
  for (unsigned char b : bytes) token += fmt::format("{:02x}", b);
  return token;
}

}  // namespace minpair::serve
