#pragma once
// Rows as Arrow C streams: columns are handed over, never copied. The C interface itself is
// include/minpair.h.
//
//   give_stream(frame, out);

#include <functional>
#include <memory>
#include <vector>

#include "minpair.h"
#include "tidy/frame.h"

namespace minpair::api {

// Frames that several streams may give out.
using SharedFrame = std::shared_ptr<const tidy::Frame>;

struct Source {
  std::vector<tidy::Field> fields;
  std::function<SharedFrame()> next;  // null at the end
  std::vector<std::string> notes;     // metadata of the schema
};
// Opens the rows from the first on, as often as it is called.
using OpenSource = std::function<Source()>;

void give_stream(OpenSource open, ArrowArrayStream* out);
void give_stream(tidy::Frame frame, ArrowArrayStream* out);
// Throws when the stream is somebody else's.
const OpenSource& opener_of(const ArrowArrayStream* stream);

}  // namespace minpair::api
