#pragma once
// The little of the zip format that PyTorch and spreadsheets need.

#include <map>

#include "base/file.h"

namespace minpair::checkpoint {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  uint64_t offset = 0;  // of the content in the file
  uint64_t stored = 0;  // bytes in the file
  uint64_t bytes = 0;   // when unpacked
  uint32_t crc = 0;
};

// The central directory, checked: every entry's content lies in the file.
std::map<std::string, ZipEntry, std::less<>> read_zip_directory(const MappedFile& file);

// Unpacks a deflated entry; throws when it is not exactly as long as it says.
void inflate(const MappedFile& file, const ZipEntry& entry, std::byte* to);

// Throws when the content of an entry (unpacked) does not have its check sum.
void check_crc(const MappedFile& file, const ZipEntry& entry, std::string_view content);

}  // namespace minpair::checkpoint
