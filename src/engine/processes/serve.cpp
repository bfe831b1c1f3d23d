#include <fmt/format.h>

#include "base/error.h"
#include "engine/executor.h"
#include "engine/processes/identity.h"
#include "engine/processes/messages.h"
#include "engine/processes/processes.h"

namespace minpair::engine {
namespace {

void serve_one(Transport& transport, uint32_t number, query::Model& model) {
  transport.send(0, message(Say::ready, number, transport.host() + '\n' + identity_of(model)));
  int from;
  std::string bytes;
  while (transport.receive(from, bytes, true)) {
    Message m = parse_message(bytes);
    if (m.say == Say::next) return;
    std::vector<query::Answer> answers = ask(model, parse_queries(m.rest));
    transport.send(0, message(Say::answers, m.number, answers_text(answers)));
  }
}

}  // namespace

void serve(Transport& transport, uint32_t models,
           const std::function<std::unique_ptr<query::Model>(uint32_t)>& load) {
  uint32_t number = 0;
  try {
    for (; number < models; ++number) serve_one(transport, number, *load(number));
  } catch (const std::exception& e) {
    // Only the first process speaks to the user. It may have nothing to ask, and go on without us.
    transport.send(0, message(Say::failed, 0, fmt::format("{}: {}", transport.host(), e.what())));
    int from;
    for (std::string bytes; number < models && transport.receive(from, bytes, true);)
      number += parse_message(bytes).say == Say::next;
  }
  transport.finish();
}

void lead(Transport& transport, const std::function<void()>& work) {
  int status = 1;
  try {
    work();
    transport.finish();
    return;
  } catch (const Error& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
    status = e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
  }
  std::fflush(nullptr);
  transport.stop(status);
}

}  // namespace minpair::engine
