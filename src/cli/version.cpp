#include <fmt/format.h>

#include "base/helper_program.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "nn/matrix_unit.h"
#include "nn/runtime.h"
#include "report/views.h"

namespace minpair::cli {
namespace {

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string instruction_sets() {
  std::string names;
  for (nn::Isa isa : nn::available_isas())
    names += (names.empty() ? "" : ", ") + std::string(nn::name_of(isa));
  return names + (nn::lacking_for_amx().empty() ? ", amx" : "");
}

}  // namespace

std::string about() {
  auto has = [](bool it) { return it ? "yes" : "no"; };
  return fmt::format(
      "minpair {}\ncompiler: {}, C++{}\ninstruction sets here: {}\n"
      "page: {}; trainer: {}; MPI: {}",
      version(), compiler(), __cplusplus / 100 % 100, instruction_sets(), has(report::has_page()),
      has(!helper_program("minpair-train").empty()),
      has(!helper_program("minpair-mpi.so").empty()));
}

static void add_version(Cli& cli) {
  Command& app = cli.command("version", Group::program,
                             "Print the version and how this program was built", "");
  app.work = [] { fmt::print("{}\n", about()); };
}

static const Cli::Entry version_command{990, add_version};

}  // namespace minpair::cli
