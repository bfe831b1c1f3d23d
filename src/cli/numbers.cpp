#include "cli/numbers.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace minpair::cli {

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  auto check = [least, most](std::string& text) -> std::string {
    bool digits =
        !text.empty() && text.size() < 20 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    uint64_t n = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (digits && n >= least && n <= most) return "";
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

}  // namespace minpair::cli
