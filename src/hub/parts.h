#pragma once
// Private to the room.

#include <functional>
#include <map>
#include <memory>

#include "base/error.h"
#include "hub/hub.h"

namespace minpair::hub {

namespace fs = std::filesystem;

fs::path repository_folder(const std::string& model, const Settings& settings);
bool is_commit(const std::string& text);
// "config.json", "onnx/model.onnx": below the folder it is put in, whatever a server says.
bool is_safe_path(const std::string& path);

// Does the file have the hash? 64 digits: SHA-256; 40: what git calls the blob.
bool has_hash(const fs::path& file, const std::string& hash);

struct Response {
  long status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// The connection broke, or the server asks to come back later: worth another try.
class Interrupted : public Error {
 public:
  using Error::Error;
};

class Connection {
 public:
  explicit Connection(const Settings& settings);
  ~Connection();

  // Throws for every status but success; the body is at most `limit` bytes.
  Response get(const std::string& url, uint64_t limit);
  // Does not follow redirects to elsewhere: what the hub itself says about a file.
  Response head(const std::string& url);
  // Appends to the file from where it ends, up to `bytes`: a server that sends more is refused.
  // `progress` gets the file's size so far.
  void download(const std::string& url, const fs::path& to, uint64_t bytes,
                const std::function<void(uint64_t)>& progress);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  const Settings& settings_;
};

}  // namespace minpair::hub
