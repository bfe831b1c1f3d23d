#pragma once
// What every error in minpair says: what is wrong, where, and what to do next.
//
//   throw bad_input("the header is 5 bytes, it must be 8")
//       .at(path, line, column)
//       .hint("download the file again");

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace minpair::inline base {

// A place in a file. Lines and columns count from 1; 0 means unknown.
struct Where {
  std::string file;
  uint64_t line = 0;
  uint64_t column = 0;
  std::optional<uint64_t> byte;

  // "file:3:14", "file, byte 120", or "" when nothing is known.
  std::string str() const;
};

class Error : public std::runtime_error {
 public:
  // The kind decides the exit status: bad input and a failing environment are 1, a wrong call is 2.
  enum class Kind { input, usage, environment };

  Error(Kind kind, std::string message);

  Error& at(Where where);
  Error& at(std::string file, uint64_t line = 0, uint64_t column = 0);
  Error& at_byte(std::string file, uint64_t byte);
  Error& hint(std::string what_to_do_next);

  Kind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const Where& where() const { return where_; }
  const std::string& next() const { return hint_; }
  int exit_status() const { return kind_ == Kind::usage ? 2 : 1; }

  // "file:3:14: message\n  hint", as printed to the user.
  const char* what() const noexcept override { return full_.c_str(); }

 private:
  void compose();

  Kind kind_;
  std::string message_;
  std::string hint_;
  Where where_;
  std::string full_;
};

Error bad_input(std::string message);     // a file or a text is not what it must be
Error wrong_call(std::string message);    // the command line or an option is wrong
Error cannot(std::string message);        // the machine says no: disk, memory, network, permissions
Error cannot_errno(std::string message);  // the same, with the text of errno appended

}  // namespace minpair::inline base
