#pragma once
// Work shared among threads.

#include <cstddef>
#include <functional>

namespace minpair::inline base {

// Calls work(0) to work(count - 1), each once, on up to `threads` threads, the calling one among
// them. If fewer can be started, those do all of it. The first exception ends the work and is
// thrown here.
void share(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace minpair::inline base
