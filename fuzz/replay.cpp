// Runs a fuzz target without libFuzzer: every seed, then seeded mutations of the seeds, with the
// target's own mutations where it has some. Inputs that campaigns found (corpus-*) have a tenth of
// them.
//   fuzz_x [--mutations OF_EACH_SEED = 400] FOLDER...

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                                size_t most, unsigned seed);

static void once(const std::string& s) {
  // A copy of exact size on the heap, so that a sanitizer sees any read past its end.
  std::vector<uint8_t> exact(s.begin(), s.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

static std::string mutate(std::string s, const std::string& other, minpair::Random& random) {
  static const std::string interesting[] = {
      "\xff\xff\xff\xff", std::string(8, '\0'), "-1", "999999999999", "\n", "\"", "[", "}"};
  for (uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    size_t at = s.empty() ? 0 : random.below(s.size());
    switch (random.below(6)) {
      case 0:
        if (!s.empty()) s[at] = char(random.next());
        break;
      case 1:
        if (!s.empty()) s[at] = char(s[at] ^ (1 << random.below(8)));
        break;
      case 2:
        s.erase(at, random.below(16));
        break;
      case 3:
        s.insert(at, interesting[random.below(std::size(interesting))]);
        break;
      case 4:
        s.resize(at);
        break;
      default:
        if (!other.empty())
          s.insert(at, other.substr(random.below(other.size()), random.below(64)));
    }
  }
  return s;
}

static minpair::Random choices(1);

// For the target's own mutations, as libFuzzer has it.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most) {
  const std::string before(reinterpret_cast<char*>(data), size);
  std::string now = mutate(before, before, choices);
  now.resize(std::min(now.size(), most));
  std::copy(now.begin(), now.end(), data);
  return now.size();
}

static std::string mutate_by_target(std::string s) {
  const size_t size = s.size();
  s.resize(size + 4096);
  s.resize(LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t*>(s.data()), size, s.size(),
                                   unsigned(choices.next())));
  return s;
}

int main(int argc, char** argv) {
  uint64_t mutations = 400;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--mutations" && i + 1 < argc)
      mutations = std::strtoull(argv[++i], nullptr, 10);
    else
      for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) return std::fprintf(stderr, "fuzz_x FOLDER... needs seeds\n"), 2;
  std::vector<std::string> seeds;
  for (const auto& f : files) seeds.push_back(minpair::read_file(f));
  once("");
  for (size_t n = 0; n < seeds.size(); ++n) {
    const std::string& s = seeds[n];
    const bool by_hand = !files[n].filename().string().starts_with("corpus-");
    once(s);
    for (uint64_t i = 0; i < (by_hand ? mutations : mutations / 10); ++i)
      once(LLVMFuzzerCustomMutator && i % 2
               ? mutate_by_target(s)
               : mutate(s, seeds[choices.below(seeds.size())], choices));
  }
  std::printf("%zu seeds, at most %llu mutations each\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
}
