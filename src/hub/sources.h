#pragma once
// Published suites and treebanks by name: where they are, whose they are, and what they must be.
// published/sources.json lists them.
//
//   Source source = find_source("blimp");
//   PulledSource here = pull_source(source);   // here.folder has its files

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hub/hub.h"

namespace minpair::hub {

struct SourceFile {
  std::string path;    // below the source's folder
  std::string from;    // below its address
  std::string sha256;  // empty: not known
  uint64_t bytes = 0;  // 0: not known
};
struct Source {
  std::string name;  // "blimp", "ud-2.4/UD_German-GSD"
  std::string title, citation, licence, address;
  std::vector<SourceFile> files;
  size_t unchecked() const;  // files whose hash is not known
};

std::vector<Source> all_sources();  // as listed
Source find_source(const std::string& name);
bool is_source(const std::string& name);
std::vector<Source> read_sources(const std::filesystem::path& file);

// MINPAIR_CACHE; XDG_CACHE_HOME/minpair; ~/.cache/minpair.
std::filesystem::path sources_folder();

struct PulledSource {
  std::filesystem::path folder;
  uint64_t fetched = 0;                // bytes, this time
  uint64_t missing = 0;                // bytes still to be fetched, of files whose size is known
  std::vector<std::string> unchecked;  // files that nobody could check
  size_t absent = 0;                   // files that are not here yet
};

// What is here and right stays; the rest is fetched, continued where an earlier call was cut off,
// and refused where it has another hash than is known. With `dry_run` nothing is asked.
PulledSource pull_source(const Source& source, const PullOptions& options = {},
                         const Settings& settings = hub::settings(),
                         const std::filesystem::path& below = sources_folder());

// Where a source's files are, all of them; empty when they are not.
std::filesystem::path locate_source(const std::string& name);

}  // namespace minpair::hub
