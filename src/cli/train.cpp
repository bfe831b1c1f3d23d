#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/helper_program.h"
#include "cli/cli.h"

namespace minpair::cli {

namespace {

namespace fs = std::filesystem;

fs::path trainer() {
  if (fs::path part = helper_program("minpair-train"); !part.empty()) return part;
  throw cannot("this minpair was built without training")
      .hint(
          "install libtorch (Debian: libtorch-dev, or 'tools/bootstrap.sh train') and build again");
}

// The trainer links libtorch; loading that here would slow every other command down.
void run(const std::vector<std::string>& arguments) {
  const std::string program = trainer().string();
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw cannot_errno("cannot start " + program);
}

void add_train(Cli& cli) {
  Command& app =
      cli.command("train", Group::models, "Train an LSTM or a small BERT on a prepared corpus",
                  "  minpair train lstm corpus/ -o lstm-de/ --seeds 5\n"
                  "  minpair train bert corpus/ -o bert-de-mini/ --layers 4\n"
                  "  minpair train bert --help         every option\n");
  app.passes_on = run;
}

const Cli::Entry train_command{81, add_train};

}  // namespace

}  // namespace minpair::cli
