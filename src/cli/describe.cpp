#include "cli/describe.h"

#include <CLI/CLI.hpp>

namespace minpair::cli {
namespace {

// "TEXT:{text,json}" has the choices "text" and "json".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string word;
  for (char c : type.substr(open + 1, close - open - 1) + ",")
    if (c == ',') {
      choices.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  return choices;
}

OptionText described(const CLI::Option& option) {
  OptionText text;
  if (!option.get_snames().empty()) text.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) text.long_name = "--" + option.get_lnames().front();
  const std::string type = option.get_type_name();
  bool flag = option.get_expected_max() == 0 || type.empty();
  if (text.positional())
    text.argument = option.get_name(true);
  else if (!flag)
    text.argument = type.substr(0, type.find_first_of(": "));
  text.what = option.get_description();
  text.choices = choices_in(type);
  text.preset = option.get_default_str();
  text.required = option.get_required();
  text.repeatable = option.get_expected_max() > 1;
  return text;
}

}  // namespace

// "--suite" takes a SUITE.
static std::string upper(const std::string& long_name) {
  std::string name = long_name.substr(2);
  for (char& c : name) c = char(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string OptionText::names() const {
  if (long_name == "--suite" || argument == "SUITE" || argument == "GRAMMAR") return "suites";
  if (long_name == "--model") return "models";
  if (long_name == "--method") return "methods";
  if (long_name == "--from" || long_name == "--to") return "formats";
  return "";
}

std::vector<CommandText> describe(const CLI::App& program) {
  std::vector<CommandText> all;
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    CommandText text{sub->get_name(), sub->get_description(), sub->get_footer(), {}};
    for (const CLI::Option* option : sub->get_options()) text.options.push_back(described(*option));
    all.push_back(std::move(text));
  }
  return all;
}

std::string synopsis(const CommandText& command) {
  std::string line = "minpair " + command.name, positionals;
  bool optional = false;
  for (const OptionText& o : command.options) {
    std::string more = o.repeatable ? "..." : "";
    if (o.positional())
      positionals += o.required ? " " + o.argument + more : " [" + o.argument + more + "]";
    else if (o.required)
      line += " " + (o.short_name.empty() ? o.long_name : o.short_name) + " " + upper(o.long_name);
    else
      optional = true;
  }
  return line + (optional ? " [OPTIONS]" : "") + positionals;
}

}  // namespace minpair::cli
