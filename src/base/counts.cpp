#include "base/counts.h"

namespace minpair::inline base {

std::string count_text(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string plural(uint64_t n, std::string_view one, std::string_view many) {
  if (n == 1) return std::string(one);
  return many.empty() ? std::string(one) + "s" : std::string(many);
}

std::string counted(uint64_t n, std::string_view one, std::string_view many) {
  return count_text(n) + " " + plural(n, one, many);
}

}  // namespace minpair::inline base
