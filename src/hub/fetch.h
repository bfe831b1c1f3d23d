#pragma once
// Private to the room: files over the network that get their name only when they are right.

#include <chrono>
#include <thread>

#include "hub/parts.h"

namespace minpair::hub {

// What a file must be.
struct Content {
  std::string hash;  // 64 digits: SHA-256; 40: git's
  uint64_t bytes = 0;
};

std::string escaped(const std::string& path);  // for an address

class Fetcher {
 public:
  using Tick = std::function<void(uint64_t bytes)>;  // of the file so far

  explicit Fetcher(const Settings& settings) : settings_(settings), connection_(settings) {}
  Connection& connection() { return connection_; }
  uint64_t fetched() const { return fetched_; }  // bytes, by all calls

  // Runs `attempt` until it succeeds; `advanced` says whether the failed one got any further.
  template <typename Attempt, typename Advanced>
  auto persist(Attempt attempt, Advanced advanced) {
    constexpr int most_failures = 5;  // in a row, without a byte in between
    for (int failures = 0;;) {
      try {
        return attempt();
      } catch (const Interrupted&) {
        failures = advanced() ? 1 : failures + 1;
        if (failures >= most_failures) throw;
        auto wait = std::chrono::milliseconds(settings_.retry_milliseconds) * (1 << (failures - 1));
        std::this_thread::sleep_for(wait);
      }
    }
  }

  // Continues TO.incomplete, and renames it when its hash is right. `who` named the hash.
  void fetch(const std::string& url, const Content& wanted, const fs::path& to,
             const std::string& who, const Tick& tick);

 private:
  const Settings& settings_;
  Connection connection_;
  uint64_t fetched_ = 0;

  void download(const std::string& url, const Content& wanted, const fs::path& part,
                const Tick& tick);
};

// Held while a file is written, also against other programs that know this cache.
class Lock {
 public:
  explicit Lock(const fs::path& path);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

}  // namespace minpair::hub
