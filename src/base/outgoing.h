#pragma once
// Text on its way out. Names and texts come from files, models and hubs that others made. What
// takes them next (a terminal, LaTeX, a browser, a spreadsheet, a file system) must show them and
// obey nothing in them, so all text leaves through outgoing().

#include <string>
#include <string_view>

namespace minpair::inline base {

// Characters that something obeys: control characters, line breaks, and marks that change the
// direction of writing. Tabs are none of them.
bool has_control(std::string_view text);

enum class Medium {
  name,      // one line for people
  lines,     // several
  markdown,  // a cell of a table
  latex,     // with any engine
  html,      // between tags, or in an attribute's quotes
  csv,       // a field, in quotes where it must be; what a spreadsheet takes for a formula gets a '
  tsv,
  file_name,  // a part of a path, never one that is hidden or leads elsewhere
};
std::string outgoing(std::string_view text, Medium medium);
void append_outgoing(std::string& to, std::string_view text, Medium medium);

// A field of a table as it is, in quotes where it must be.
void append_field(std::string& to, std::string_view text, char separator);

// JSON has its own rules for what is below U+0020. Other characters that a terminal obeys are
// escaped here, which changes nothing for who reads the JSON.
std::string json_without_controls(std::string json);

}  // namespace minpair::inline base
