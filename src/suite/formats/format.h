#pragma once
// The formats in which minimal pairs were published: read and, where they can hold them, written.
// One file per format; the table is in formats.cpp. See docs/formats.md.
//
//   const Format& f = recognise_format("evalset/");
//   auto items = f.read("evalset/", {});

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suite/suite.h"

namespace minpair::suite {

struct ReadOptions {
  std::string language = {};  // if given, it overrides what the data says
  std::string columns = {};   // of a typed list: "good=Satz,bad=Falsch"
};

class ItemWriter {
 public:
  virtual ~ItemWriter() = default;
  // Before the first item, for formats that hold criteria.
  virtual void describe(const Manifest&) {}
  // Empty when written; otherwise why the format cannot hold this item.
  virtual std::string write(const Item& item) = 0;
  virtual void commit() = 0;  // without it, nothing stays behind
};

// The beginning of a file, by which formats are told apart.
struct FileHead {
  std::filesystem::path path;
  std::vector<std::string> lines;  // at most 32
  std::vector<std::string> keys;   // of the first line, when that is a JSON object
};

struct Format {
  std::string name;
  std::string description;
  std::string holds;  // what of an item survives writing and reading again
  std::vector<std::string> extensions;
  std::function<bool(const FileHead& head)> recognise;
  // A file or a folder of them. nullptr: only written.
  std::function<std::unique_ptr<ItemStream>(const std::filesystem::path& path,
                                            const ReadOptions& options)>
      read;
  // A file or a folder, as the path's extension says. nullptr: only read.
  std::function<std::unique_ptr<ItemWriter>(const std::filesystem::path& path)> write;
  // What the files say about their suite: criteria, ... nullptr: nothing.
  std::function<Manifest(const std::filesystem::path& path)> manifest = nullptr;
};

const std::vector<Format>& all_formats();
const Format& find_format(const std::string& name);  // throws with did-you-mean

// From the file, or the first file of the folder that some format knows. Throws when none does.
const Format& recognise_format(const std::filesystem::path& path);
// The same; nullptr when none does.
const Format* guess_format(const std::filesystem::path& path);

}  // namespace minpair::suite
