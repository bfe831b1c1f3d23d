#include "base/helper_program.h"

#include "base/paths.h"

namespace minpair::inline base {

namespace fs = std::filesystem;

fs::path helper_program(const std::string& name) {
  std::error_code ignored;
  for (const fs::path& place :
       {program_folder() / name, program_folder() / "../libexec/minpair" / name})
    if (fs::exists(place, ignored)) return place;
  return {};
}

}  // namespace minpair::inline base
