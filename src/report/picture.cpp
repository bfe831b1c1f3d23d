#include "report/views.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace minpair::report {
namespace {

constexpr const char* kProgram = "rsvg-convert";

// A file that nobody else sees, closed at the end.
class Scratch {
 public:
  Scratch() : fd_(unnamed_file(std::filesystem::temp_directory_path())) {}
  ~Scratch() { ::close(fd_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  int fd() const { return fd_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

// Gives the exit status; -1 when there is no such program.
int run_program(const std::vector<std::string>& words, int in, int out) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw cannot_errno(fmt::format("cannot wait for {}", kProgram));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Some 300 points an inch at the width of a page; less for a picture so high that it could not be
// drawn.
double zoom_of(const std::string& svg) {
  constexpr double kWanted = 3, kMost = 32000;
  const size_t at = svg.find("height=\"");
  const double height = at == svg.npos ? 0 : std::strtod(svg.c_str() + at + 8, nullptr);
  return height * kWanted > kMost ? kMost / height : kWanted;
}

std::string converted(const std::string& svg, const std::string& format) {
  Scratch in, out;
  write_all(in.fd(), svg, "the figure");
  if (::lseek(in.fd(), 0, SEEK_SET) < 0) throw cannot_errno("cannot read the figure again");
  std::vector<std::string> words = {kProgram, "--format", format};
  if (format == "png") words.insert(words.end(), {"--zoom", fmt::format("{:.3g}", zoom_of(svg))});
  const int status = run_program(words, in.fd(), out.fd());
  if (status < 0 || status == 127)
    throw cannot(fmt::format("figures become {} by '{}', which is not installed", format, kProgram))
        .hint(
            "Debian, Ubuntu: librsvg2-bin; Fedora: librsvg2-tools; Homebrew, conda: librsvg; "
            "or write an .svg, which needs nothing");
  std::string bytes = read_file(out.path());
  if (status != 0 || bytes.empty())
    throw cannot(fmt::format("'{}' could not draw the figure", kProgram))
        .hint("write an .svg, and say what is wrong with it");
  return bytes;
}

std::string ending(const std::filesystem::path& file) { return file.extension().string(); }

}  // namespace

void check_picture(const std::filesystem::path& file) {
  for (const char* known : {"", ".svg", ".pdf", ".png"})
    if (ending(file) == known) return;
  throw wrong_call("a figure is an .svg, a .pdf or a .png").at(file.string());
}

void write_picture(const std::filesystem::path& file, const std::string& svg) {
  check_picture(file);
  const bool drawn = ending(file) == ".pdf" || ending(file) == ".png";
  write_file(file, drawn ? converted(svg, ending(file).substr(1)) : svg);
}

}  // namespace minpair::report
