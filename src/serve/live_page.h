#pragma once
// The data of the page, made again when the results file has changed.

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace minpair::serve {

class LivePage {
 public:
  struct Snapshot {
    std::string version;
    std::map<std::string, std::string> blocks;  // deflated
  };

  // No path: a page without results.
  explicit LivePage(std::filesystem::path results);

  // Names what is in the file now; changes whenever that does.
  std::string version() const;
  // What is in the file now. Where it cannot be read any more, what was there before.
  std::shared_ptr<const Snapshot> current();
  // An open page goes on with the data it began with, for one change of the file.
  std::shared_ptr<const Snapshot> find(const std::string& version);

 private:
  std::filesystem::path results_;
  std::mutex making_;  // one makes, the others wait for it
  std::mutex mutex_;
  std::shared_ptr<const Snapshot> current_, before_;
  std::string said_;  // why it stays as it was; said once
};

}  // namespace minpair::serve
