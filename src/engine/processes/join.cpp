#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "base/helper_program.h"
#include "base/paths.h"
#include "engine/processes/processes.h"

namespace minpair::engine {
namespace {

namespace fs = std::filesystem;

int number_in(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

// How many processes were started together, as far as the environment tells.
int started_together() {
  if (int n = number_in("OMPI_COMM_WORLD_SIZE")) return n;
  // Slurm's srun with its PMIx plug-in.
  return std::getenv("PMIX_RANK") ? number_in("SLURM_NTASKS") : 0;
}

fs::path plug_in() {
  if (fs::path part = helper_program("minpair-mpi.so"); !part.empty()) return part;
  throw cannot("several processes were started together, but this minpair was built without MPI")
      .hint(
          "install Open MPI (Debian: libopenmpi-dev, or 'tools/bootstrap.sh mpi') and build again; "
          "without it, split the work with --shard");
}

// mpirun ends the whole run when one process of it dies.
void say_stopped(int signal) {
  constexpr char kText[] =
      "minpair: the run was stopped, by a signal or because another of its processes died\n"
      "  what was answered is kept: the same command continues from there\n";
  if (::write(2, kText, sizeof kText - 1) < 0) ::_exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

std::unique_ptr<Transport> join_processes() {
  if (started_together() < 2) return nullptr;
  fs::path file = plug_in();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    throw cannot(fmt::format("MPI cannot be loaded: {}", ::dlerror()))
        .hint("install Open MPI's library (Debian: libopenmpi3) on every machine");
  auto open =
      reinterpret_cast<Transport* (*)(const char*)>(::dlsym(library, "minpair_open_transport"));
  std::unique_ptr<Transport> transport(open ? open(version().c_str()) : nullptr);
  if (!transport)
    throw cannot("the MPI part belongs to a different version of minpair")
        .at(file.string())
        .hint("install both from one build");
  if (transport->rank() == 0) std::signal(SIGTERM, say_stopped);
  return transport;
}

int threads_for(const Transport& transport) {
  long all = ::sysconf(_SC_NPROCESSORS_ONLN);
  long ours = long(std::thread::hardware_concurrency());  // less where mpirun binds processes
  return int(std::max(1L, std::min(ours, all / std::max(1, transport.on_this_machine()))));
}

}  // namespace minpair::engine
