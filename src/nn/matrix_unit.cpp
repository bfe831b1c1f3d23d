#include "nn/matrix_unit.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "nn/integers.h"
#include "nn/runtime.h"
#include "nn/tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

namespace minpair::nn {

#if defined(__x86_64__)

namespace {

// Which registers the system saves when it switches between threads.
uint64_t saved_registers() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

bool granted() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

constexpr uint32_t kAmxBf16 = 1u << 22, kAmxTile = 1u << 24, kAmxInt8 = 1u << 25;  // of CPUID 7

std::string lacking(bool compiled, uint32_t features) {
  uint32_t a, b, c, d;
  if (!compiled) return "minpair was compiled without AMX";
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1) || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return "this processor has no AMX";
  constexpr uint32_t kAvx512 = 1u << 16 | 1u << 30 | 1u << 31;  // in b: F, BW, VL
  if ((d & features) != features) return "this processor has no AMX";
  // Vector, AVX-512 and tile registers.
  constexpr uint64_t kNeeded = 0xe6 | uint64_t{1} << 17 | uint64_t{1} << 18;
  if ((b & kAvx512) != kAvx512 || (saved_registers() & kNeeded) != kNeeded)
    return "the system does not let programs use AMX";
  return granted() ? "" : "the system does not grant AMX";
}

}  // namespace

std::string lacking_for_amx() { return lacking(amx_tiles(), kAmxTile | kAmxBf16); }
std::string lacking_for_integer_amx() { return lacking(amx_integer_tiles(), kAmxTile | kAmxInt8); }

#else

std::string lacking_for_amx() { return "this processor has no AMX"; }
std::string lacking_for_integer_amx() { return lacking_for_amx(); }

#endif

namespace {

// A product with ragged edges, and what it must give.
struct Sample {
  static constexpr size_t kRows = 37, kColumns = 53, kDepth = 301;
  static constexpr size_t kRowStrips = 3, kColumnStrips = 4;
  std::vector<float> rows, columns, sums;
  std::vector<double> exact, size;  // the sum, and the sum of absolute values
  std::vector<uint16_t> a, b;

  Sample() : rows(kRows * kDepth), columns(kColumns * kDepth) {
    Random random(20);
    for (auto* all : {&rows, &columns})
      for (float& x : *all)
        x = static_cast<float>(std::ldexp(random.uniform() * 2 - 1, int(random.below(8)) - 4));
    for (size_t r = 0; r < kRows; ++r)
      for (size_t c = 0; c < kColumns; ++c) {
        double sum = 0, absolute = 0;
        for (size_t k = 0; k < kDepth; ++k) {
          double product = double(rows[r * kDepth + k]) * columns[c * kDepth + k];
          sum += product;
          absolute += std::fabs(product);
        }
        exact.push_back(sum);
        size.push_back(absolute);
      }
    a.resize(kRowStrips * strip_size(kDepth, 2));
    b.resize(kColumnStrips * strip_size(kDepth, 2));
    sums.resize(kRowStrips * kColumnStrips * kTileSums);
  }

  void multiply(const TileUnit& unit, size_t parts) {
    const size_t strip = strip_size(kDepth, parts);
    for (size_t i = 0; i < kRowStrips; ++i)
      unit.split_rows(rows.data() + i * kTileRows * kDepth, kDepth,
                      std::min(kTileRows, kRows - i * kTileRows), kDepth, parts,
                      a.data() + i * strip);
    for (size_t i = 0; i < kColumnStrips; ++i)
      unit.split_columns(columns.data() + i * kTileColumns * kDepth,
                         std::min(kTileColumns, kColumns - i * kTileColumns), kDepth, parts,
                         b.data() + i * strip);
    unit.multiply({a.data(), b.data(), sums.data(), kRowStrips, kColumnStrips, kDepth, parts});
  }

  float sum(size_t row, size_t column) const {
    size_t tile = row / kTileRows * kColumnStrips + column / kTileColumns;
    return sums[tile * kTileSums + row % kTileRows * kTileColumns + column % kTileColumns];
  }

  // Whether every sum is what expected(row, column) says; the tolerance is relative to the sum of
  // absolute values.
  template <class Expected>
  bool within(double tolerance, Expected expected) const {
    for (size_t r = 0; r < kRows; ++r)
      for (size_t c = 0; c < kColumns; ++c)
        if (!(std::fabs(sum(r, c) - expected(r, c)) <= tolerance * size[r * kColumns + c]))
          return false;
    return true;
  }
};

enum Outcome { kGood = 0, kInexact = 1, kNotAsDocumented = 2 };

Outcome try_unit(const TileUnit& unit, Sample& sample, Sample& model) {
  for (size_t parts : {1, 2}) {
    sample.multiply(unit, parts);
    auto exact = [&](size_t r, size_t c) { return sample.exact[r * Sample::kColumns + c]; };
    // bf16 rounds each factor by at most 2⁻⁹, two parts by 2⁻¹⁷.
    if (!sample.within(parts == 1 ? 0x1p-7 : 0x1p-15, exact)) return kInexact;
    model.multiply(emulated_tiles(), parts);
    auto stated = [&](size_t r, size_t c) { return double(model.sum(r, c)); };
    if (!sample.within(0x1p-20, stated)) return kNotAsDocumented;
  }
  return kGood;
}

// The outcome of what is tried in a process of its own, in words.
std::string tried_apart(const std::function<Outcome()>& attempt) {
  pid_t child = fork();
  if (child < 0) return "its self-test could not be started";
  if (child == 0) {
    for (int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGALRM})
      std::signal(signal, SIG_DFL);
    alarm(20);
    _exit(attempt());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "its self-test could not be watched";
  if (WIFSIGNALED(status))
    return fmt::format("its self-test was ended by signal {}", WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case kGood:
      return "";
    case kInexact:
      return "its self-test gave products that are not exact enough";
    default:
      return "its self-test gave other products than the manual states";
  }
}

// Two panels of any codes, and rows that fill some tiles in part.
struct IntegerSample {
  static constexpr size_t kRows = 21, kPanels = 2;
  std::vector<IntegerInputs> inputs{kRows};
  std::vector<CodePanel> weights{kPanels};
  std::vector<TileInputs> tiles{strip_count(kRows)};
  std::vector<float> expected, given;

  IntegerSample() : expected(kRows * kPanels * kPanel), given(expected.size()) {
    Random random(21);
    for (IntegerInputs& row : inputs) {
      float numbers[kCodeDepth];
      for (float& x : numbers) x = float(random.uniform() * 2 - 1);
      generic_integers().to_integers(numbers, kCodeDepth, row);
    }
    for (CodePanel& panel : weights) {
      panel.depth = kCodeDepth;
      panel.group = 32;
      panel.has_offsets = true;
      for (auto& words : panel.words)
        for (uint32_t& word : words) word = uint32_t(random.below(uint64_t{1} << 32));
      for (auto* all : {&panel.scales, &panel.offsets})
        for (auto& of_group : *all)
          for (float& x : of_group) x = float(random.uniform());
    }
    generic_integers().multiply(
        {inputs.data(), weights.data(), expected.data(), kRows, kPanels, true});
  }

  Outcome try_tiles(const IntegerTiles& unit) {
    const size_t height = strip_height(kRows);
    for (size_t i = 0; i < tiles.size(); ++i)
      unit.arrange(inputs.data() + i * height, std::min(height, kRows - i * height), tiles[i]);
    unit.begin(kRows);
    unit.multiply({tiles.data(), weights.data(), given.data(), kRows, kPanels, true});
    unit.end();
    return given == expected ? kGood : kNotAsDocumented;
  }
};

}  // namespace

std::string self_test(const TileUnit& unit) {
  // All memory is there before the fork: after it, only this thread exists.
  Sample sample, model;
  return tried_apart([&] { return try_unit(unit, sample, model); });
}

std::string self_test(const IntegerTiles& tiles) {
  IntegerSample sample;
  return tried_apart([&] { return sample.try_tiles(tiles); });
}

namespace {

struct Found {
  const TileUnit* unit = nullptr;
  std::string why_not;
};

Found find_amx() {
  static const Found found = [] {
    std::string lacks = lacking_for_amx();
    if (lacks.empty()) {
      std::string failed = self_test(*amx_tiles());
      if (!failed.empty()) lacks = "AMX is not used: " + failed;
    }
    return Found{lacks.empty() ? amx_tiles() : nullptr, lacks};
  }();
  return found;
}

const TileUnit& emulator() {
  return available_isas().size() > 1 ? emulated_tiles_avx2() : emulated_tiles();
}

Found find_unit() {
  const char* name = std::getenv("MINPAIR_MATRIX_UNIT");
  if (!name || !*name) return find_amx();
  if (std::strcmp(name, "none") == 0) return {nullptr, "MINPAIR_MATRIX_UNIT is 'none'"};
  if (std::strcmp(name, "emulated") == 0) return {&emulator(), ""};
  throw wrong_call(fmt::format("MINPAIR_MATRIX_UNIT is '{}'", name))
      .hint("it can be none or emulated; without it, minpair takes what the processor has");
}

const IntegerTiles* find_integer_amx() {
  static const bool good =
      lacking_for_integer_amx().empty() && self_test(*amx_integer_tiles()).empty();
  return good ? amx_integer_tiles() : nullptr;
}

Arithmetic on_unit(const TileUnit& unit, size_t parts) {
  Arithmetic a{&unit, parts, parts == 1 ? "bf16" : "fast", ""};
  a.note = fmt::format("matrix unit: {}, precision {}", unit.name, a.precision);
  // What was emulated must never be taken for what the processor gave.
  if (&unit != amx_tiles()) a.precision += "-emulated";
  return a;
}

}  // namespace

const IntegerTiles* usable_integer_tiles() {
  const char* name = std::getenv("MINPAIR_MATRIX_UNIT");
  if (!name || !*name) return find_integer_amx();
  return std::strcmp(name, "emulated") == 0 ? &emulated_integer_tiles() : nullptr;
}

Arithmetic choose_arithmetic(const std::string& wanted, bool stored) {
  std::string name = wanted;
  if (const char* usual = std::getenv("MINPAIR_PRECISION"); name == "auto" && usual && *usual)
    name = usual;
  if (name != "fp32" && name != "fast" && name != "bf16" && name != "auto")
    throw wrong_call(fmt::format("precision '{}' is unknown", name))
        .hint("it can be fp32, fast, bf16 or auto");
  if (name == "fp32") return {};
  if (stored && name != "bf16")
    return {.precision = "fast",
            .note = "quantised weights: products of whole numbers, precision fast",
            .integers = true};
  Found found = find_unit();
  if (found.unit) return on_unit(*found.unit, name == "bf16" ? 1 : 2);
  if (name == "bf16")
    throw wrong_call("precision bf16 needs a matrix unit: " + found.why_not)
        .hint(
            "--precision fp32 is the fastest here; MINPAIR_MATRIX_UNIT=emulated gives the "
            "numbers of bf16, slowly");
  std::string instead = name == "fast" ? " instead of fast" : "";
  return {.note = fmt::format("matrix unit: none ({}), precision fp32{}", found.why_not, instead)};
}

}  // namespace minpair::nn
