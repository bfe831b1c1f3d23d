#include "serve/live_page.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "base/error.h"
#include "introspect/page.h"
#include "report/views.h"

namespace minpair::serve {
namespace {

std::shared_ptr<const LivePage::Snapshot> made(const std::filesystem::path& results,
                                               const std::string& version) {
  auto snapshot = std::make_shared<LivePage::Snapshot>();
  snapshot->version = version;
  std::vector<report::PageBlock> blocks;
  if (results.empty()) {
    blocks = report::empty_page_blocks();
  } else {
    store::Store store(results, store::Store::Mode::read);
    blocks = report::page_blocks(store, {});
    if (const std::string effects = introspect::effects_json(store, {}); !effects.empty())
      blocks.push_back({"effects", report::deflated(effects)});
  }
  for (report::PageBlock& b : blocks) snapshot->blocks[b.id] = std::move(b.bytes);
  return snapshot;
}

}  // namespace

LivePage::LivePage(std::filesystem::path results) : results_(std::move(results)) {}

std::string LivePage::version() const {
  struct stat s {};
  if (results_.empty() || ::stat(results_.c_str(), &s) != 0) return "none";
  return fmt::format("{:x}-{:x}-{:x}-{:x}", s.st_ino, s.st_size, s.st_mtim.tv_sec,
                     s.st_mtim.tv_nsec);
}

std::shared_ptr<const LivePage::Snapshot> LivePage::find(const std::string& version) {
  std::lock_guard lock(mutex_);
  for (const auto& snapshot : {current_, before_})
    if (snapshot && snapshot->version == version) return snapshot;
  return nullptr;
}

std::shared_ptr<const LivePage::Snapshot> LivePage::current() {
  std::lock_guard making(making_);
  std::string now = version();
  if (auto known = find(now)) return known;
  std::shared_ptr<const Snapshot> fresh;
  try {
    fresh = made(results_, now);
  } catch (const Error& e) {
    std::lock_guard lock(mutex_);
    if (!current_) throw;
    if (std::exchange(said_, e.what()) != e.what())
      fmt::print(stderr, "note: the page stays as it was: {}\n", e.what());
    return current_;
  }
  std::lock_guard lock(mutex_);
  said_.clear();
  before_ = std::move(current_);
  current_ = fresh;
  return fresh;
}

}  // namespace minpair::serve
