#include <fmt/format.h>

#include "base/error.h"
#include "engine/crew.h"
#include "engine/processes/identity.h"
#include "engine/processes/messages.h"
#include "engine/processes/processes.h"

namespace minpair::engine {
namespace {

void serve_one(Wire& wire, uint32_t number, query::Model& model) {
  wire.send(0, message(Say::ready, number, wire.host() + '\n' + identity_of(model)));
  int from;
  std::string bytes;
  while (wire.receive(from, bytes, true)) {
    Message m = parse_message(bytes);
    if (m.say == Say::next) return;
    std::vector<query::Answer> answers = ask(model, parse_queries(m.rest));
    wire.send(0, message(Say::answers, m.number, answers_text(answers)));
  }
}

}  // namespace

void serve(Wire& wire, uint32_t models,
           const std::function<std::unique_ptr<query::Model>(uint32_t)>& load) {
  uint32_t number = 0;
  try {
    for (; number < models; ++number) serve_one(wire, number, *load(number));
  } catch (const std::exception& e) {
    // Only the first process speaks to the user. It may have nothing to ask, and go on without us.
    wire.send(0, message(Say::failed, 0, fmt::format("{}: {}", wire.host(), e.what())));
    int from;
    for (std::string bytes; number < models && wire.receive(from, bytes, true);)
      number += parse_message(bytes).say == Say::next;
  }
  wire.finish();
}

void lead(Wire& wire, const std::function<void()>& work) {
  int status = 1;
  try {
    work();
    wire.finish();
    return;
  } catch (const Error& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
    status = e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
  }
  std::fflush(nullptr);
  wire.stop(status);
}

}  // namespace minpair::engine
