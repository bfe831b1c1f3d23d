#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "base/error.h"
#include "base/inputs.h"
#include "base/streams.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  minpair::guard_standard_streams();
  minpair::explain_bus_errors();
  try {
    int status = minpair::cli::run(argc, argv);
    minpair::finish_standard_output();
    return status;
  } catch (const minpair::Error& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
    return e.exit_status();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "minpair: out of memory\n");
    return 1;
  } catch (const std::exception& e) {
    // fmt does not say which file it could not write.
    fmt::print(stderr, "minpair: {}{}\n", std::ferror(stdout) ? "standard output: " : "", e.what());
    return 1;
  }
}
