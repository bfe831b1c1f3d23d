#include "json_mutation.h"
#include "weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minpair::fuzzing::open_and_read(data, size);
}

// The header or the tensors change; the length of the header is right again.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace minpair::fuzzing;
  return mutate(data, size, most, seed, [](const std::string& s, Choice& choose) {
    if (s.size() < 8) return std::string();
    const size_t length = size_t(std::min<uint64_t>(number_at(s, 0, 8), s.size() - 8));
    std::string header = s.substr(8, length), tensors = s.substr(8 + length), now;
    if (choose.one_in(4))
      tensors.resize(tensors.size() + choose.below(9) - std::min<size_t>(tensors.size(), 4));
    else
      header = mutate_json(header, choose);
    append_little(now, header.size(), 8);
    return now + header + tensors;
  });
}
