#include "base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/outgoing.h"

namespace minpair::inline base {

std::string Where::str() const {
  if (file.empty()) return "";
  std::string s = file;
  if (line) s += fmt::format(":{}", line);
  if (line && column) s += fmt::format(":{}", column);
  if (byte) s += fmt::format(", byte {}", *byte);
  return s;
}

Error::Error(Kind kind, std::string message)
    : std::runtime_error(message), kind_(kind), message_(std::move(message)) {
  compose();
}

Error& Error::at(Where where) {
  where_ = std::move(where);
  compose();
  return *this;
}

Error& Error::at(std::string file, uint64_t line, uint64_t column) {
  return at(Where{std::move(file), line, column, {}});
}

Error& Error::at_byte(std::string file, uint64_t byte) {
  return at(Where{std::move(file), 0, 0, byte});
}

Error& Error::hint(std::string what_to_do_next) {
  hint_ = std::move(what_to_do_next);
  compose();
  return *this;
}

void Error::compose() {
  full_ = outgoing(where_.str(), Medium::name);
  if (!full_.empty()) full_ += ": ";
  append_outgoing(full_, message_, Medium::lines);
  if (!hint_.empty()) append_outgoing(full_ += "\n  ", hint_, Medium::lines);
}

Error bad_input(std::string message) { return {Error::Kind::input, std::move(message)}; }
Error wrong_call(std::string message) { return {Error::Kind::usage, std::move(message)}; }
Error cannot(std::string message) { return {Error::Kind::environment, std::move(message)}; }
// By value, as its siblings. NOLINTNEXTLINE(performance-unnecessary-value-param)
Error cannot_errno(std::string message) { return cannot(message + ": " + std::strerror(errno)); }

}  // namespace minpair::inline base
