#include "stimuli/grammar/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"

namespace minpair::stimuli {

namespace fs = std::filesystem;

namespace {

GenerateOptions::Format format_of(const std::vector<Derivations>& tests, const fs::path& output,
                                  const GenerateOptions& options) {
  if (options.format) return *options.format;
  bool locus =
      std::any_of(tests.begin(), tests.end(), [](const Derivations& l) { return l.has_locus(); });
  bool text = output.extension() == ".txt" || !locus;
  if (!locus && output.extension() == ".jsonl") text = false;  // which says what is missing
  return text ? GenerateOptions::Format::text : GenerateOptions::Format::jsonl;
}

std::string number_text(Count n) {
  if (n == kCountless) return count_digits(n) + " or more";
  return n <= UINT64_MAX ? count_text(uint64_t(n)) : count_digits(n);
}

}  // namespace

void generate(const std::vector<Derivations>& tests, const fs::path& output,
              const GenerateOptions& options) {
  if (!options.sample && count_of(tests) > options.most)
    throw wrong_call(fmt::format("these are {} items, more than {}", number_text(count_of(tests)),
                                 count_text(options.most)))
        .hint("--sample N takes N of each test; --most N allows that many");
  GenerateOptions::Format format = format_of(tests, output, options);
  bool text = format != GenerateOptions::Format::jsonl;
  Labels labels = format == GenerateOptions::Format::clams ? kClamsLabels : Labels{};
  AtomicFile file(output);
  Progress progress("bytes written", 0, output == "-");
  uint64_t bytes = 0;
  TextSink write = [&](std::string_view piece) {
    file.write(piece);
    progress.set(bytes += piece.size());
  };
  Random random(options.seed);
  for (const Derivations& l : tests) {
    if (options.sample && text)
      l.sample_text(*options.sample, random, write, labels);
    else if (options.sample)
      l.sample_jsonl(*options.sample, random, write);
    else if (text)
      l.write_text(write, labels);
    else
      l.write_jsonl(write);
  }
  file.commit();
}

Count count_of(const std::vector<Derivations>& tests) {
  Count total = 0;
  for (const Derivations& l : tests)
    total = total > kCountless - l.count() ? kCountless : total + l.count();
  return total;
}

std::string count_table(const std::vector<Derivations>& tests) {
  std::vector<std::array<std::string, 3>> rows;
  for (const Derivations& l : tests)
    for (const auto& [condition, count] : l.count_by_condition())
      rows.push_back({l.prefix() + l.test(), condition, number_text(count)});
  if (rows.size() != 1) rows.push_back({"all", "", number_text(count_of(tests))});
  std::array<size_t, 3> width{};
  for (const auto& row : rows)
    for (size_t c = 0; c < 3; ++c) width[c] = std::max(width[c], row[c].size());
  std::string table;
  for (const auto& [test, condition, count] : rows)
    table += fmt::format("{:<{}}  {:<{}}  {:>{}}\n", test, width[0], condition, width[1], count,
                         width[2]);
  return table;
}

}  // namespace minpair::stimuli
