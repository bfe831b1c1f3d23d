// Suite lines and manifests: an item that is read is written and read again as the same item.

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "json_mutation.h"
#include "suite/lint.h"
#include "suite/suite.h"

using namespace minpair;

static void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

static void one_line(std::string_view line) {
  static suite::ItemParser parser;
  suite::Item item, again;
  try {
    parser.parse(line, {}, item);
  } catch (const Error&) {
    return;
  }
  std::string json;
  suite::append_json_line(json, item);
  parser.parse(json, {}, again);
  if (again != item) fail("an item changed on the way");
  suite::Linter().add(item);
  suite::fix_item(item);
  suite::check_item(item);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::string_view line : split(text, '\n')) one_line(line);
  try {
    suite::Manifest manifest = suite::parse_manifest(text, "manifest.json");
    if (suite::parse_manifest(suite::manifest_json(manifest), "again") != manifest)
      fail("a manifest changed on the way");
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate(data, size, most, seed, minpair::fuzzing::mutate_json);
}
