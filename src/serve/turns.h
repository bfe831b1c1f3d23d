#pragma once
// One at a time, a few waiting, the others refused.

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace minpair::serve {

class Turns {
 public:
  Turns(size_t waiting, std::chrono::milliseconds patience)
      : waiting_limit_(waiting), patience_(patience) {}

  // Converts to true while it is one's turn; false: too many wait, or it took too long.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns), mine_(turns.enter()) {}
    ~Turn() {
      if (mine_) turns_.leave();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return mine_; }

   private:
    Turns& turns_;
    bool mine_;
  };

 private:
  bool enter() {
    std::unique_lock lock(mutex_);
    if (waiting_ >= waiting_limit_) return false;
    ++waiting_;
    bool free = woken_.wait_for(lock, patience_, [&] { return !taken_; });
    --waiting_;
    taken_ = taken_ || free;
    return free;
  }
  void leave() {
    {
      std::lock_guard lock(mutex_);
      taken_ = false;
    }
    woken_.notify_one();
  }

  size_t waiting_limit_;
  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable woken_;
  size_t waiting_ = 0;
  bool taken_ = false;
};

}  // namespace minpair::serve
