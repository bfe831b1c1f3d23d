#include "cli/describe.h"

namespace minpair::cli {
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
