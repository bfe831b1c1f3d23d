#include "serve/serve.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "method/method.h"
#include "report/views.h"
#include "serve/access.h"
#include "serve/bench.h"
#include "serve/listener.h"
#include "serve/live_page.h"
#include "serve/turns.h"
#include "serve/typed.h"

namespace minpair::serve {
namespace {

using json = nlohmann::ordered_json;

}  // namespace

struct Explorer::Impl {
  ServeOptions options;
  std::vector<std::unique_ptr<query::Model>> models;
  Listener listener;
  Access access;
  LivePage page;
  Turns turns;

  Impl(const ServeOptions& o, std::vector<std::unique_ptr<query::Model>> m)
      : options(o),
        models(std::move(m)),
        listener(o.address, o.port,
                 {.request = o.request_time,
                  .answer = o.answer_time,
                  .connections = o.connections,
                  .answers = o.waiting + 5}),  // one scores; the rest is for the page
        access(o.address, listener.port(), o.token),
        page(o.results),
        turns(o.waiting, std::chrono::seconds(30)) {
    page.current();  // what cannot be shown is said at once, not to the first visitor
  }

  std::string live_json(const std::string& version) const {
    json all = json::array();
    for (const auto& model : models) {
      json methods = json::array();
      for (const method::Method* m : method::all_methods())
        if (m->supports(model->info()) && !m->info().cloze) methods.push_back(m->name());
      all.push_back({{"name", model->info().name},
                     {"masked", model->info().kind == query::ModelInfo::Kind::masked},
                     {"methods", methods},
                     {"method", method::default_method(model->info()).name()}});
    }
    return ascii_json_text(json{{"version", version}, {"models", all}});
  }

  Response show_page() {
    auto snapshot = page.current();
    std::string html = report::page_with(
        report::page_script("live", report::base64(live_json(snapshot->version))));
    // A page in a file may fetch nothing; this one may ask this server.
    const std::string nothing = "default-src 'none'";
    html.replace(html.find(nothing), nothing.size(), nothing + "; connect-src 'self'");
    Response response = text_response(std::move(html));
    response.type = "text/html; charset=utf-8";
    return response;
  }

  Response show_block(const Request& request) {
    std::string wanted(request.parameter("v"));
    auto snapshot = page.find(wanted);
    // An open page asks for the new results itself.
    if (!snapshot && wanted == page.version()) snapshot = page.current();
    if (!snapshot) return error_response({410, "the results have changed; load the page again"});
    auto block = snapshot->blocks.find(std::string(request.path().substr(strlen("/data/"))));
    if (block == snapshot->blocks.end()) return error_response({404, "there is no such data"});
    return {.type = "application/octet-stream", .body = {snapshot, &block->second}};
  }

  // Asks each of the chosen models, when it is their turn.
  template <class Ask>
  Response asked_each(const Typed& asked, const Ask& ask) {
    Turns::Turn turn(turns);
    if (!turn) return error_response({503, "too many are waiting for a score; try again"});
    std::string all;
    for (size_t m : asked.models) all += (all.empty() ? "" : ",") + ask(*models[m]);
    return text_response("{\"models\":[" + all + "]}");
  }

  Response score(const Request& request) {
    const Typed asked = parse_typed(request.body, models.size());
    return asked_each(asked, [&](query::Model& model) {
      return bench_json(model, asked.method, asked.texts, asked.top);
    });
  }

  Response look_inside(const Request& request) {
    const Typed asked = parse_typed(request.body, models.size());
    if (asked.texts.size() != 2 && asked.texts.size() != 3)
      throw bad_input(
          "type a right sentence, a wrong one, and if you like a third: the right one with another "
          "subject or attractor");
    for (const std::string& text : asked.texts)
      if (text.find("[MASK]") != text.npos)
        throw bad_input("a pair to be looked into has no [MASK]: the locus is found by aligning");
    return asked_each(asked,
                      [&](query::Model& model) { return looked_into_json(model, asked.texts); });
  }

  Response route(const Request& request) {
    std::string_view path = request.path();
    if (request.method == "POST" && path == "/score") return score(request);
    if (request.method == "POST" && path == "/inside") return look_inside(request);
    if (request.method == "POST") return error_response({404, "there is nothing here"});
    if (path == "/" && !options.token.empty() && !request.parameter("token").empty()) {
      Response response = text_response("", 302);
      response.headers = "Location: /\r\nSet-Cookie: " + access.cookie() + "\r\n";
      return response;
    }
    if (path == "/") return show_page();
    if (path.starts_with("/data/")) return show_block(request);
    if (path == "/version") return text_response(json_text(json{{"version", page.version()}}));
    return error_response({404, "there is nothing here"});
  }

  Response answer(const Request& request) {
    try {
      return route(request);
    } catch (const Error& e) {
      return error_response({e.kind() == Error::Kind::environment ? 500 : 400, e.message()});
    } catch (const json::exception&) {
      return error_response({400, "the body is not the JSON that is expected"});
    } catch (const std::bad_alloc&) {
      return error_response({503, "out of memory"});
    } catch (const std::exception&) {
      return error_response({500, "this went wrong"});
    }
  }
};

Explorer::Explorer(const ServeOptions& options, std::vector<std::unique_ptr<query::Model>> models) {
  if (!is_loopback(options.address) && options.token.empty())
    throw wrong_call(fmt::format("serving at {} needs a token", options.address));
  if (!report::has_page()) report::page_with("");  // says why there is none
  impl_ = std::make_unique<Impl>(options, std::move(models));
}

Explorer::~Explorer() = default;

int Explorer::port() const { return impl_->listener.port(); }

std::string Explorer::url() const {
  const std::string& address = impl_->options.address;
  std::string host = address.find(':') != address.npos ? "[" + address + "]" : address;
  std::string token = impl_->options.token;
  return fmt::format("http://{}:{}/{}", host, port(), token.empty() ? "" : "?token=" + token);
}

void Explorer::run() {
  impl_->listener.run({[this](const Request& r) { return impl_->access.check(r); },
                       [this](const Request& r) { return impl_->answer(r); }});
}

void Explorer::stop() { impl_->listener.stop(); }

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
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
