#include "command/commands.h"

#include <map>

#include "base/names.h"
#include "command/all.h"

namespace minpair::command {
namespace {

// What `introspect lens` lacks and `introspect probe` has.
void name_siblings(Command& command, const std::vector<Made>& all) {
  const std::string family = command.name.substr(0, command.name.find(' ')) + " ";
  std::map<std::string, std::vector<std::string>> owners;
  for (const Made& other : all)
    if (other->name.starts_with(family))
      for (const Option& option : other->options()) owners[option.shown()].push_back(other->name);
  for (const Option& option : command.options()) owners.erase(option.shown());
  for (const auto& [option, names] : owners)
    command.moved.emplace_back(option, "it belongs to: " + join(names, ", "));
}

}  // namespace

std::vector<std::unique_ptr<Command>> make_commands(const Host& host) {
  std::vector<std::unique_ptr<Command>> all;
  for (auto make :
       {run_command,       report_command, stats_command,  compare_command,   margins_command,
        regions_command,   norms_command,  people_command, correlate_command, figure_command,
        page_command,      export_command, curve_command,  lens_command,      probe_command,
        attribute_command, patch_command,  ablate_command, effects_command,   overlap_command})
    all.push_back(make(host));
  for (const Made& command : all) name_siblings(*command, all);
  return all;
}

std::unique_ptr<Command> make_command(const std::string& name, const Host& host) {
  std::vector<std::string> known;
  for (std::unique_ptr<Command>& command : make_commands(host)) {
    if (command->name == name) return std::move(command);
    known.push_back(command->name);
  }
  throw unknown_name("there is no command '" + name + "'", name, known);
}

}  // namespace minpair::command
