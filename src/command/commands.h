#pragma once
// The commands that the command line, C, Python and R have alike.
//
//   std::string text;
//   const Host host{.silent = true, .text = &text};
//   std::unique_ptr<Command> command = make_command("stats", host);
//   command->set("results", {"results.db"});
//   command->check();
//   command->work();

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/command.h"
#include "engine/engine.h"
#include "model/model.h"
#include "tidy/tidy.h"

namespace minpair::command {

struct LoadedModel {
  std::shared_ptr<query::Model> model;
  model::LoadOptions load;  // how it was loaded
};

using OpensRows = std::function<std::shared_ptr<tidy::Rows>()>;

// What a command finds around it: a terminal, or a program that uses the library.
struct Host {
  bool silent = false;          // nothing on standard error, no other processes
  std::string* text = nullptr;  // takes results; null: standard output
  engine::Tick tick;            // sees progress as well
  // A model that the program around has loaded already; nothing: another, to be loaded by name.
  std::function<std::optional<LoadedModel>(const std::string& name, const model::LoadOptions&)>
      loaded;

  // Takes tables that would be printed, and opens them as often as it reads them. Null: they are
  // printed.
  std::function<void(OpensRows)> rows;

  LoadedModel load_model(const std::string& name, const model::LoadOptions& options) const;
  // From its configuration, without its weights.
  query::ModelInfo describe_model(const std::string& name, const model::LoadOptions& options) const;
  void print(std::string_view results) const;
  // To a file; "-": like print().
  void write(const std::string& output, std::string_view results) const;
  void write(const std::string& output, const std::vector<report::Grid>& tables,
             const std::string& format) const;
  void write(const std::string& output, const OpensRows& open, tidy::Format format,
             tidy::Texts texts = tidy::Texts::safe) const;
  // Would these be printed, and is there somebody who takes them as they are?
  bool takes_rows(const std::string& output) const { return rows && output == "-"; }
  void note(std::string_view text) const;  // a line for people
  bool colors() const;                     // of printed tables
};

// In the order of the help. `host` must live as long as they.
std::vector<std::unique_ptr<Command>> make_commands(const Host& host);
// Throws with a suggestion when there is none of that name.
std::unique_ptr<Command> make_command(const std::string& name, const Host& host);

}  // namespace minpair::command
