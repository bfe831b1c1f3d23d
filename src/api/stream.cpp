#include "api/stream.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace minpair::api {
namespace {

std::string format_of(const tidy::Field& field) {
  switch (field.type) {
    case tidy::Type::text:
      return "u";
    case tidy::Type::integer:
      return "l";
    case tidy::Type::number:
      return "g";
    case tidy::Type::truth:
      return "b";
    case tidy::Type::vector:
      return "+w:" + std::to_string(field.width);
  }
  return "";
}

// --- schemas ---

struct SchemaParts {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  auto* parts = static_cast<SchemaParts*>(schema->private_data);
  for (ArrowSchema* child : parts->pointers)
    if (child->release) child->release(child);
  schema->release = nullptr;
  delete parts;
}

void make_schema(ArrowSchema* out, std::string format, std::string name, size_t children) {
  auto* parts = new SchemaParts{std::move(format), std::move(name), {}, {}, {}};
  parts->children.resize(children);
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  *out = {parts->format.c_str(),
          parts->name.c_str(),
          nullptr,
          ARROW_FLAG_NULLABLE,
          int64_t(children),
          parts->pointers.data(),
          nullptr,
          release_schema,
          parts};
}

// Arrow's key-value metadata: one pair, "notes" and a line for each.
void add_notes(ArrowSchema* out, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  std::string& bytes = static_cast<SchemaParts*>(out->private_data)->metadata;
  auto add_number = [&](size_t n) {
    const auto number = int32_t(n);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add_number(1);
  for (const std::string& text : {std::string("notes"), join(notes, "\n")}) {
    add_number(text.size());
    bytes += text;
  }
  out->metadata = bytes.data();
}

void make_schema(ArrowSchema* out, const std::vector<tidy::Field>& fields,
                 const std::vector<std::string>& notes) {
  make_schema(out, "+s", "", fields.size());
  out->flags = 0;
  add_notes(out, notes);
  for (size_t i = 0; i < fields.size(); ++i) {
    bool vector = fields[i].type == tidy::Type::vector;
    make_schema(out->children[i], format_of(fields[i]), fields[i].name, vector);
    if (vector) make_schema(out->children[i]->children[0], "f", "item", 0);
  }
}

// --- arrays ---

// Every array keeps the frame, since its taker may keep a column and drop the rest.
struct ArrayParts {
  SharedFrame frame;
  const void* buffers[3] = {nullptr, nullptr, nullptr};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

void release_array(ArrowArray* array) {
  auto* parts = static_cast<ArrayParts*>(array->private_data);
  for (ArrowArray* child : parts->pointers)
    if (child->release) child->release(child);
  array->release = nullptr;
  delete parts;
}

ArrayParts& make_array(ArrowArray* out, const SharedFrame& frame, int64_t length, int64_t missing,
                       int64_t buffers, size_t children) {
  auto* parts = new ArrayParts{frame, {}, {}, {}};
  parts->children.resize(children);
  for (ArrowArray& child : parts->children) parts->pointers.push_back(&child);
  *out = {length,
          missing,
          0,
          buffers,
          int64_t(children),
          parts->buffers,
          parts->pointers.data(),
          nullptr,
          release_array,
          parts};
  return *parts;
}

void make_column(ArrowArray* out, const SharedFrame& frame, size_t number) {
  const tidy::Column& c = frame->columns()[number];
  const tidy::Field& field = frame->fields()[number];
  const auto rows = int64_t(frame->rows());
  const bool text = field.type == tidy::Type::text, vector = field.type == tidy::Type::vector;
  ArrayParts& parts = make_array(out, frame, rows, int64_t(c.missing),
                                 text     ? 3
                                 : vector ? 1
                                          : 2,
                                 vector);
  parts.buffers[0] = c.missing > 0 ? c.valid.data() : nullptr;
  if (text) {
    parts.buffers[1] = c.offsets.data();
    parts.buffers[2] = c.bytes.data();
  } else if (vector) {
    make_array(out->children[0], frame, rows * field.width, 0, 2, 0).buffers[1] = c.values.data();
  } else {
    parts.buffers[1] =
        field.type == tidy::Type::integer  ? static_cast<const void*>(c.integers.data())
        : field.type == tidy::Type::number ? static_cast<const void*>(c.numbers.data())
                                           : c.truths.data();
  }
}

void make_batch(ArrowArray* out, const SharedFrame& frame) {
  make_array(out, frame, int64_t(frame->rows()), 0, 1, frame->fields().size());
  for (size_t i = 0; i < frame->fields().size(); ++i) make_column(out->children[i], frame, i);
}

// --- streams ---

struct StreamParts {
  OpenSource open;
  Source source;
  bool opened = false;
  std::string error;

  Source& rows() {
    if (!opened) source = open();
    opened = true;
    return source;
  }
};

StreamParts& parts_of(const ArrowArrayStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

template <class Work>
int guarded(ArrowArrayStream* stream, Work&& work) {
  StreamParts& parts = parts_of(stream);
  try {
    work(parts.rows());
    return 0;
  } catch (const std::bad_alloc&) {
    parts.error = "out of memory";
    return ENOMEM;
  } catch (const std::exception& e) {
    parts.error = e.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(stream, [&](Source& source) { make_schema(out, source.fields, source.notes); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(stream, [&](Source& source) {
    SharedFrame frame = source.next();
    if (frame)
      make_batch(out, frame);
    else
      *out = {};
  });
}

const char* get_last_error(ArrowArrayStream* stream) { return parts_of(stream).error.c_str(); }

void release_stream(ArrowArrayStream* stream) {
  delete &parts_of(stream);
  stream->release = nullptr;
}

}  // namespace

void give_stream(OpenSource open, ArrowArrayStream* out) {
  *out = {get_schema, get_next, get_last_error, release_stream,
          new StreamParts{std::move(open), {}, false, {}}};
}

void give_stream(tidy::Frame frame, ArrowArrayStream* out) {
  auto shared = std::make_shared<const tidy::Frame>(std::move(frame));
  give_stream(
      [shared] {
        return Source{shared->fields(),
                      [left = shared->rows() > 0 ? shared : nullptr]() mutable {
                        return std::exchange(left, nullptr);
                      },
                      {}};
      },
      out);
}

const OpenSource& opener_of(const ArrowArrayStream* stream) {
  if (!stream || stream->release != release_stream)
    throw wrong_call("this stream is released, or none of minpair's");
  return parts_of(stream).open;
}

}  // namespace minpair::api
