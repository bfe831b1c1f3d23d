// Runs one behaviour test: see README.md beside this file.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

struct Step {
  size_t line = 0;
  std::string command;
  std::vector<std::string> out, err;
  int status = 0;
};

static std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string l; std::getline(in, l);) lines.push_back(l);
  return lines;
}

static bool line_matches(const std::string& expected, const std::string& actual) {
  if (expected.starts_with("~ ")) return std::regex_match(actual, std::regex(expected.substr(2)));
  return expected == actual;
}

static bool matches(const std::vector<std::string>& expected,
                    const std::vector<std::string>& actual, size_t e = 0, size_t a = 0) {
  for (; e < expected.size(); ++e, ++a) {
    if (expected[e] == "...") {
      for (size_t skip = a; skip <= actual.size(); ++skip)
        if (matches(expected, actual, e + 1, skip)) return true;
      return false;
    }
    if (a >= actual.size() || !line_matches(expected[e], actual[a])) return false;
  }
  return a == actual.size();
}

static void show(const char* title, const std::vector<std::string>& lines) {
  std::cerr << "  " << title << ":\n";
  for (const std::string& l : lines) std::cerr << "    | " << l << "\n";
}

static bool run_step(const Step& step, const fs::path& folder, const std::string& file) {
  // The status is that of the last program, unless one before it in the pipe died of a signal.
  std::ofstream(folder / "step") << step.command << R"(
status=$? all=("${PIPESTATUS[@]}")
for one in "${all[@]}"; do [ "$one" -gt 128 ] && [ "$one" -ne 141 ] && exit "$one"; done
exit "$status"
)";
  std::string full = "cd '" + (folder / "work").string() + "' && bash ../step >'" +
                     (folder / "out").string() + "' 2>'" + (folder / "err").string() +
                     "' </dev/null";
  int raw = std::system(full.c_str());
  int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  std::vector<std::string> out = lines_of(folder / "out"), err = lines_of(folder / "err");
  bool good = status == step.status && matches(step.out, out) &&
              (step.err.empty() || matches(step.err, err));
  if (good) return true;
  std::cerr << file << ":" << step.line << ": $ " << step.command << "\n  exit status " << status
            << ", expected " << step.status << "\n";
  show("expected output", step.out);
  show("actual output", out);
  if (!step.err.empty()) show("expected errors", step.err);
  show("actual errors", err);
  return false;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  fs::path program = argv[1], source = argv[2];
  const char* data = std::getenv("MINPAIR_DATA");
  const char* models = std::getenv("MINPAIR_MODELS");
  fs::path data_dir = data ? fs::path(data) : source / "../shared/data";
  fs::path models_dir = models ? fs::path(models) : source / "../shared/models";

  std::vector<Step> steps;
  size_t number = 0;
  for (const std::string& line : lines_of(argv[3])) {
    ++number;
    if (line.starts_with("#") && steps.empty()) continue;
    if (line.starts_with("#")) continue;
    if (line == "needs data" && !fs::is_directory(data_dir)) {
      std::cout << "skipped: needs the published data; set MINPAIR_DATA to its folder\n";
      return 77;
    }
    if (line == "needs models" && !fs::is_directory(models_dir)) {
      std::cout << "skipped: needs the reference models; set MINPAIR_MODELS to their folder\n";
      return 77;
    }
    if (line == "needs training" &&
        !fs::exists(fs::path(argv[1]).parent_path() / "minpair-train")) {
      std::cout << "skipped: minpair was built without libtorch\n";
      return 77;
    }
    if (line.starts_with("needs ")) continue;
    if (line.starts_with("$ ")) {
      steps.push_back({number, line.substr(2), {}, {}, 0});
    } else if (steps.empty()) {
      if (!line.empty())
        return std::cerr << argv[3] << ":" << number << ": output before a command\n", 2;
    } else if (line.starts_with("? ")) {
      steps.back().status = std::stoi(line.substr(2));
    } else if (line.starts_with("! ") || line == "!") {
      steps.back().err.push_back(line.size() > 2 ? line.substr(2) : "");
    } else if (line.starts_with("!~ ")) {
      steps.back().err.push_back(line.substr(1));
    } else if (line == "!...") {
      steps.back().err.push_back("...");
    } else {
      steps.back().out.push_back(line);
    }
  }
  // A blank line between two commands is for the reader.
  for (Step& s : steps)
    while (!s.out.empty() && s.out.back().empty()) s.out.pop_back();

  std::string pattern = (fs::temp_directory_path() / "minpair-cli-XXXXXX").string();
  fs::path folder = ::mkdtemp(pattern.data());
  fs::create_directory(folder / "work");
  std::string path =
      program.parent_path().string() + ":" + (std::getenv("PATH") ? std::getenv("PATH") : "");
  ::setenv("PATH", path.c_str(), 1);
  ::setenv("MINPAIR_SOURCE", source.c_str(), 1);
  ::setenv("DATA", data_dir.c_str(), 1);
  ::setenv("MODELS", models_dir.c_str(), 1);
  ::setenv("COLUMNS", "100", 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  bool good = !steps.empty();
  for (const Step& s : steps)
    if (!run_step(s, folder, argv[3])) {
      good = false;
      break;
    }
  fs::remove_all(folder);
  return good ? 0 : 1;
}
