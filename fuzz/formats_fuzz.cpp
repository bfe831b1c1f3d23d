// Every foreign format. The input's first line names it, the rest is the file ("linzen" has its two
// files divided by a line of three dashes). What is read must be a suite, and what the format then
// writes must be readable again.

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "file.h"
#include "suite/formats/format.h"

using namespace minpair;
namespace fs = std::filesystem;

static const fs::path& folder() {
  static const bool made = fs::create_directories(fuzzing::folder() / "de_x");
  (void)made;
  return fuzzing::folder();
}

static fs::path put(const suite::Format& format, std::string_view text) {
  fs::path file = folder() / "de_x" / ("x" + format.extensions.front());
  size_t cut = text.find("\n---\n");
  if (format.name == "linzen" && cut != std::string_view::npos) {
    fuzzing::put(fs::path(file).replace_extension(".gold"), text.substr(cut + 5));
    text = text.substr(0, cut + 1);
  }
  fuzzing::put(file, text);
  return file;
}

static void there_and_back(const suite::Format& format, std::string_view text) {
  fs::path file = put(format, text);
  suite::recognise_format(file);
  auto items = format.read(file, {});
  const fs::path out = folder() / ("out" + format.extensions.front());
  fs::remove_all(out);  // a format that writes a folder would find the files of an earlier input
  std::unique_ptr<suite::ItemWriter> writer = format.write ? format.write(out) : nullptr;
  uint64_t written = 0;
  for (suite::Item item; items->next(item);) {
    suite::check_item(item);
    std::string line;
    suite::append_json_line(line, item);
    suite::Item again;
    suite::ItemParser().parse(line, {}, again);
    if (again != item) std::abort();
    if (writer && writer->write(item).empty()) ++written;
  }
  if (!writer) return;
  writer->commit();
  writer.reset();
  if (written == 0) return;
  auto back = format.read(out, {});
  uint64_t read = 0;
  for (suite::Item item; back->next(item);) ++read;
  if (read != written) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const suite::Format* format = nullptr;
  for (const suite::Format& f : suite::all_formats())
    if (f.name == text.substr(0, end)) format = &f;
  if (!format) return 0;
  try {
    there_and_back(*format, text.substr(end + 1));
  } catch (const Error&) {
  }
  return 0;
}
