#pragma once
// Private to the room: what somebody wants to see on the bench, as the body of a request.

#include <cstddef>
#include <string>
#include <vector>

namespace minpair::serve {

struct Typed {
  std::vector<size_t> models;
  std::vector<std::string> texts;
  std::string method;
  size_t top = 10;
};

// There are so many models. Throws for whatever is no such request: minpair::Error, or
// nlohmann::json::exception.
Typed parse_typed(const std::string& body, size_t models);

}  // namespace minpair::serve
