#pragma once
// Turns libtorch's exceptions, whose messages include a stack trace, into minpair's errors.

#include <c10/util/Exception.h>

#include "base/error.h"

namespace minpair::train {

// The first line of the library's message, and what to do.
Error library_error(const c10::Error& error);

}  // namespace minpair::train
