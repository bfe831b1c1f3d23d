// The commands of the command line, for programs.

#include "command/commands.h"

#include <utility>

#include "api/call.h"
#include "api/stream.h"

namespace minpair::api {
namespace {

using command::LoadedModel;
using command::OpensRows;

Source source_of(const std::shared_ptr<tidy::Rows>& rows) {
  return {rows->fields(),
          [rows]() -> SharedFrame {
            auto frame = std::make_shared<tidy::Frame>();
            return rows->next(*frame) ? frame : nullptr;
          },
          rows->notes()};
}

// Opened now, so that what is wrong is said here; those who read again open it again.
void give_rows(const OpensRows& open, ArrowArrayStream* out) {
  struct First {
    std::mutex turn;
    std::shared_ptr<tidy::Rows> rows;
  };
  auto first = std::make_shared<First>();
  first->rows = open();
  give_stream(
      [open, first] {
        std::lock_guard turn(first->turn);
        std::shared_ptr<tidy::Rows> rows = std::exchange(first->rows, nullptr);
        return source_of(rows ? rows : open());
      },
      out);
}

// "@1" is the second of the models that the caller has loaded; it works for this call until the
// last pointer to it is gone.
std::optional<LoadedModel> model_called(const std::string& name, const model::LoadOptions& options,
                                        const minpair_arguments& arguments) {
  if (!name.starts_with("@")) return {};
  const size_t place = std::strtoull(name.c_str() + 1, nullptr, 10);
  if (place >= arguments.model_count || !arguments.models)
    throw wrong_call("there is no loaded model '" + name + "'");
  if (!(options == model::LoadOptions{}))
    throw wrong_call("options of loading have no effect on a loaded model")
        .hint("load it with them, or give its name");
  minpair_model& model = usable(arguments.models[place]);
  auto turn = std::make_shared<std::unique_lock<std::mutex>>(model.turn);
  return LoadedModel{std::shared_ptr<query::Model>(model.model.get(), [turn](query::Model*) {}),
                     model.load};
}

// Values by option, in the order in which these first came.
std::vector<std::pair<std::string, std::vector<std::string>>> options_in(
    const minpair_arguments& arguments) {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  if (arguments.count % 2 != 0) throw wrong_call("an option has no value");
  if (arguments.count > 0) require(arguments.options, "the options");
  for (size_t i = 0; i < arguments.count; i += 2) {
    const std::string name = &require(arguments.options[i], "the name of an option");
    const std::string value = &require(arguments.options[i + 1], "the value of an option");
    auto found = std::find_if(options.begin(), options.end(),
                              [&](const auto& option) { return option.first == name; });
    if (found == options.end()) found = options.insert(found, {name, {}});
    found->second.push_back(value);
  }
  return options;
}

void run_command(const std::string& name, const minpair_arguments& arguments,
                 ArrowArrayStream* out) {
  std::string text;
  bool gave_rows = false;
  command::Host host;
  host.silent = true;
  host.text = &text;
  host.tick = ticking(arguments.progress, arguments.user);
  host.loaded = [&](const std::string& model, const model::LoadOptions& options) {
    return model_called(model, options, arguments);
  };
  const std::unique_ptr<command::Command> command = command::make_command(name, host);
  const auto options = options_in(arguments);
  for (const auto& [option, values] : options) command->set(option, values);
  // Whoever names a format wants the text.
  if (std::ranges::none_of(options, [](const auto& o) { return o.first.ends_with("format"); }))
    host.rows = [&](const OpensRows& open) {
      give_rows(open, out);
      gave_rows = true;
    };
  command->check();
  command->work();
  if (gave_rows) return;
  tidy::Frame frame({{"text", tidy::Type::text, "what the command prints"}});
  frame.text(text);
  give_stream(std::move(frame), out);
}

}  // namespace
}  // namespace minpair::api

using namespace minpair;
using namespace minpair::api;

extern "C" {

minpair_status minpair_command(const char* command, const minpair_arguments* arguments,
                               struct ArrowArrayStream* out) {
  return call([&] {
    require(out, "the stream");
    run_command(&require(command, "the command"), read_options(arguments), out);
  });
}

minpair_status minpair_again(const struct ArrowArrayStream* stream, struct ArrowArrayStream* out) {
  return call([&] { give_stream(opener_of(stream), &require(out, "the stream")); });
}

}  // extern "C"
