#pragma once
// What libtorch throws, as an error of ours: it writes its whole stack into the message.

#include <c10/util/Exception.h>

#include "base/error.h"

namespace minpair::train {

// The first line of what the library says, and what to do.
Error library_error(const c10::Error& error);

}  // namespace minpair::train
