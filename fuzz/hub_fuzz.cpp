// What a hub may answer: the list of a model's files; or the head of an answer about one file; or
// (the object has "sources") a list of published data.

#include <cstdlib>

#include "base/error.h"
#include "base/text.h"
#include "file.h"
#include "hub/answers.h"
#include "hub/sources.h"
#include "json_mutation.h"

using namespace minpair;

static void check_safe(const std::string& path) {
  if (path.empty() || path.find('\0') != path.npos) std::abort();
  for (std::string_view part : split(path, '/'))
    if (part.empty() || part == "..") std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    if (text.starts_with("HTTP/")) {
      hub::Headers headers;
      for (std::string_view line : split(text, '\n')) hub::add_header(line, headers);
      check_safe(hub::content_of(headers, "url").hash);
    } else if (text.find("\"sources\"") != text.npos) {
      for (const hub::Source& source : hub::read_sources(fuzzing::file(text, "sources.json"))) {
        check_safe(source.name);
        for (const hub::SourceFile& file : source.files) check_safe(file.path);
      }
    } else {
      const hub::Repository repository = hub::repository_of(text, "url");
      for (const auto& [name, bytes] : repository.files) check_safe(name);
      for (const std::string& name : hub::needed("org/name", repository.files)) check_safe(name);
    }
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, [](std::string s, fuzzing::Choice& choose) {
    return s.starts_with("HTTP/") ? std::string() : fuzzing::mutate_json(std::move(s), choose);
  });
}
