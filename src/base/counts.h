#pragma once
// Counts for people to read: "18,230", "1 item", "2 items".

#include <cstdint>
#include <string>
#include <string_view>

namespace minpair::inline base {

// 18230 -> "18,230".
std::string count_text(uint64_t n);

// The word that goes with a number: `one` with 1, else `many`, which is `one` with an s if it is
// not given. plural(n, "is", "are") does for verbs.
std::string plural(uint64_t n, std::string_view one, std::string_view many = {});

// Both together: counted(1, "item") is "1 item", counted(18230, "query", "queries") "18,230
// queries".
std::string counted(uint64_t n, std::string_view one, std::string_view many = {});

}  // namespace minpair::inline base
