#include "serve/serve.h"

#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "cli/cli.h"

namespace minpair::cli {
namespace {

struct ServeCall {
  serve::ServeOptions options;
  std::string results;
  std::vector<std::string> models;
  int threads = 0;
};

std::string chosen_token(const std::string& address) {
  const char* given = std::getenv("MINPAIR_TOKEN");
  if (!given) return serve::is_loopback(address) ? "" : serve::random_token();
  std::string token = given;
  bool plain =
      std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isalnum(c); });
  if (token.size() < 16 || !plain)
    throw wrong_call("MINPAIR_TOKEN must have 16 letters and digits or more")
        .hint("leave it out, and a good one is made");
  return token;
}

// Signals are taken by one thread that waits for them; all others are started after they were
// blocked, and never see one.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    for (int s : {SIGINT, SIGTERM}) sigaddset(&signals_, s);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  const sigset_t& signals() const { return signals_; }

 private:
  sigset_t signals_;
};

// Waits for one of the signals as long as it lives.
class Watcher {
 public:
  Watcher(const StopOnSignal& stop, serve::Explorer& explorer)
      : thread_([&] {
          int which = 0;
          sigwait(&stop.signals(), &which);
          explorer.stop();
        }) {}
  ~Watcher() {
    pthread_kill(thread_.native_handle(), SIGINT);  // in case that none came
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  std::thread thread_;
};

void serve(ServeCall& call) {
  if (call.results.empty() && call.models.empty())
    throw wrong_call("there is nothing to serve")
        .hint("name a results file, a model with -m, or both");
  static StopOnSignal stop;
  call.options.results = call.results;
  call.options.token = chosen_token(call.options.address);
  std::vector<std::unique_ptr<query::Model>> models;
  for (const std::string& name : call.models) {
    models.push_back(model::load_model(name, {.threads = call.threads}));
    for (const std::string& note : models.back()->info().notes)
      fmt::print(stderr, "note: {}: {}\n", name, note);
  }
  serve::Explorer explorer(call.options, std::move(models));
  const Watcher watcher(stop, explorer);
  fmt::print("{}\n", explorer.url());
  std::fflush(stdout);
  explorer.run();
  fmt::print(stderr, "stopped\n");
}

void add_serve(Cli& cli) {
  Command& app =
      cli.command("serve", Group::results, "Explore results in the browser, and try sentences live",
                  "  minpair serve results.db\n"
                  "  minpair serve results.db -m de-mini -m DIR\n"
                  "  minpair serve -m de-mini\n"
                  "  minpair serve results.db --address 0.0.0.0 --port 8080\n");
  static ServeCall call;
  call.options.port = 8017;
  app.add_option("RESULTS", call.results, "a results file of 'minpair run'");
  app.add_option("-m,--model", call.models, "a model to try sentences with (repeatable)");
  app.add_option("--port", call.options.port, "where to listen; 0: any free port")
      .between(0, 65535)
      .shows_default();
  app.add_option("--address", call.options.address,
                 "who may connect: 127.0.0.1 is this machine only; any other needs the token that "
                 "is printed, or $MINPAIR_TOKEN")
      .shows_default();
  app.add_option("--threads", call.threads, "threads of each model; all by default")
      .between(1, 1024);
  app.work = [] { serve(call); };
}

const Cli::Entry serve_command{72, add_serve};

}  // namespace
}  // namespace minpair::cli
