// Words and how often they occur, and norms by their names (the first line).

#include <cstdlib>

#include "base/error.h"
#include "file.h"
#include "judge/norm.h"

using namespace minpair;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  judge::Norm norm;
  try {
    norm = judge::find_norm(text.substr(0, line));
    if (!judge::is_norm(text.substr(0, line))) std::abort();
  } catch (const Error&) {
  }
  try {
    const judge::Unigrams table =
        judge::Unigrams::read(fuzzing::file(text.substr(std::min(size, line + 1)), "counts.tsv"));
    const judge::Unigrams::Sum sum = table.of(text);
    if (sum.unknown > sum.words) std::abort();
    table.count(text);
    judge::value(norm, {-20, 4, double(sum.words), sum.logprob});
  } catch (const Error&) {
  }
  return 0;
}
