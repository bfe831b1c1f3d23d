// Runs a fuzz target without libFuzzer: every seed, then seeded mutations of the seeds.
//   fuzz_x SEED_FOLDER [MUTATIONS_PER_SEED = 400]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

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

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 400;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) return std::fprintf(stderr, "no seeds in %s\n", argv[1]), 1;
  std::vector<std::string> seeds;
  for (const auto& f : files) seeds.push_back(minpair::read_file(f));
  minpair::Random random(1);
  once("");
  for (const std::string& s : seeds) {
    once(s);
    for (uint64_t i = 0; i < mutations; ++i)
      once(mutate(s, seeds[random.below(seeds.size())], random));
  }
  std::printf("%zu seeds, %llu mutations each\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
}
