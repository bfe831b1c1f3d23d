#pragma once
// What an option that is a count may be. CLI11 alone takes -1 for a very large number.

#include <cstdint>

namespace CLI {
class Validator;
}

namespace minpair::cli {

CLI::Validator whole_number(uint64_t least, uint64_t most = INT32_MAX);

}  // namespace minpair::cli
