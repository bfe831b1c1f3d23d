#include "train/library_error.h"

namespace minpair::train {

Error library_error(const c10::Error& error) {
  const std::string whole = error.what_without_backtrace();
  const std::string line = whole.substr(0, whole.find('\n'));
  if (line.find("allocate") != std::string::npos)
    return cannot("there is not enough memory to train this: " + line)
        .hint("take smaller batches (--rows, --batch), a smaller model, or --sampled 800");
  return cannot("libtorch failed: " + line)
      .hint("try --bf16 off; the last checkpoint is kept, and the same command continues from it");
}

}  // namespace minpair::train
