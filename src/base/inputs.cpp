#include "base/inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace minpair::inline base {
namespace {

thread_local RecordedInputs* recording = nullptr;

int64_t nanoseconds(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

InputFile input_of(const std::filesystem::path& path, const struct stat& st) {
  return {path,
          uint64_t(st.st_dev),
          uint64_t(st.st_ino),
          uint64_t(st.st_size),
          nanoseconds(st.st_mtim),
          nanoseconds(st.st_ctim)};
}

}  // namespace

RecordedInputs::RecordedInputs() : outer_(recording) { recording = this; }
RecordedInputs::~RecordedInputs() { recording = outer_; }

void record_input(const std::filesystem::path& path, const struct stat& opened) {
  if (!S_ISREG(opened.st_mode)) return;
  for (RecordedInputs* r = recording; r; r = r->outer_) {
    InputFile file = input_of(path, opened);
    if (std::find(r->files_.begin(), r->files_.end(), file) == r->files_.end())
      r->files_.push_back(std::move(file));
  }
}

void check_unchanged(std::span<const InputFile> files) {
  for (const InputFile& file : files) {
    struct stat st;
    if (::stat(file.path.c_str(), &st) == 0 && input_of(file.path, st) == file) continue;
    throw bad_input("this file changed while it was used: nothing of this run was stored")
        .at(file.path.string())
        .hint("run the command again; work on a copy of files that somebody still writes");
  }
}

namespace {

// Read in a signal handler: fixed places, and names that stay where they are.
struct Mapping {
  std::atomic<const char*> data{nullptr};
  std::atomic<size_t> size{0};
  char name[256] = {};
};
constexpr size_t kMappings = 1024;
Mapping mappings[kMappings];

void say(const char* text) { (void)!::write(2, text, std::strlen(text)); }

void on_bus_error(int, siginfo_t* info, void*) {
  const char* at = static_cast<const char*>(info->si_addr);
  for (const Mapping& m : mappings) {
    const char* data = m.data.load(std::memory_order_acquire);
    if (!data || at < data || at >= data + m.size.load()) continue;
    say("\nminpair: ");
    say(m.name);
    say(": the file became shorter, or its disk failed, while it was used\n"
        "  nothing of this run was stored; put the file back and run the same command again\n");
    ::_exit(1);
  }
  std::signal(SIGBUS, SIG_DFL);
  ::raise(SIGBUS);
}

}  // namespace

void explain_bus_errors() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

void record_mapping(const void* data, size_t size, const std::filesystem::path& path) {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  for (Mapping& m : mappings) {
    if (m.data.load(std::memory_order_relaxed)) continue;
    const size_t n = std::min(path.native().size(), sizeof m.name - 1);
    std::memcpy(m.name, path.c_str(), n);
    m.name[n] = 0;
    m.size = size;
    m.data.store(static_cast<const char*>(data), std::memory_order_release);
    break;
  }
  busy.clear(std::memory_order_release);
}

void forget_mapping(const void* data) {
  for (Mapping& m : mappings)
    if (m.data.load(std::memory_order_relaxed) == data) m.data = nullptr;
}

}  // namespace minpair::inline base
