#pragma once
// SVG as PDF or PNG, drawn by librsvg's own program where it is installed: as a library it would
// bring half of a desktop into every package of minpair.

#include <filesystem>
#include <string>

namespace minpair::report {

// To `file`, as its name ends: .svg, .pdf or .png; anything without an ending is SVG.
void write_picture(const std::filesystem::path& file, const std::string& svg);
// Throws when the name ends otherwise.
void check_picture(const std::filesystem::path& file);

}  // namespace minpair::report
