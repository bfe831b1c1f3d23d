#pragma once
// A zip archive whose entries change; lengths and checksums are right again.

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "mutation.h"

namespace minpair::fuzzing {

struct ZipPart {
  std::string name, content;
  bool deflated = false;
};

inline std::string inflated(std::string_view from, size_t bytes) {
  std::string to(std::min<size_t>(bytes, 1 << 16), '\0');
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return {};
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  z.avail_in = uInt(from.size());
  z.next_out = reinterpret_cast<Bytef*>(to.data());
  z.avail_out = uInt(to.size());
  ::inflate(&z, Z_FINISH);
  to.resize(to.size() - z.avail_out);
  inflateEnd(&z);
  return to;
}

inline std::string deflated(std::string_view from) {
  z_stream z{};
  if (deflateInit2(&z, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string to(deflateBound(&z, uLong(from.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  z.avail_in = uInt(from.size());
  z.next_out = reinterpret_cast<Bytef*>(to.data());
  z.avail_out = uInt(to.size());
  ::deflate(&z, Z_FINISH);
  to.resize(to.size() - z.avail_out);
  deflateEnd(&z);
  return to;
}

// As far as it is one.
inline std::vector<ZipPart> zip_parts(std::string_view file) {
  std::vector<ZipPart> parts;
  for (size_t at = file.find("PK\1\2"); at != file.npos && at + 46 <= file.size();
       at = file.find("PK\1\2", at + 4)) {
    const size_t method = number_at(file, at + 10, 2), stored = number_at(file, at + 20, 4),
                 bytes = number_at(file, at + 24, 4), name = number_at(file, at + 28, 2),
                 header = number_at(file, at + 42, 4);
    if (at + 46 + name > file.size() || header + 30 > file.size()) continue;
    const size_t content =
        header + 30 + number_at(file, header + 26, 2) + number_at(file, header + 28, 2);
    if (content > file.size()) continue;
    std::string_view there = file.substr(content, stored);
    parts.push_back({std::string(file.substr(at + 46, name)),
                     method == 8 ? inflated(there, bytes) : std::string(there), method == 8});
  }
  return parts;
}

// With `wide`, sizes and offsets are in fields of 64 bits.
inline std::string zip_of(const std::vector<ZipPart>& parts, bool wide) {
  std::string file, directory;
  for (const ZipPart& p : parts) {
    const std::string stored = p.deflated ? deflated(p.content) : p.content;
    const uint64_t crc =
        crc32(0, reinterpret_cast<const Bytef*>(p.content.data()), uInt(p.content.size()));
    std::string extra;
    if (wide) {
      append_little(extra, 1, 2);
      append_little(extra, 24, 2);
      for (uint64_t n : {p.content.size(), stored.size(), file.size()}) append_little(extra, n, 8);
    }
    std::string common;
    append_little(common, p.deflated ? 8 : 0, 2);
    append_little(common, 0, 4);
    append_little(common, crc, 4);
    append_little(common, wide ? 0xffffffff : stored.size(), 4);
    append_little(common, wide ? 0xffffffff : p.content.size(), 4);
    append_little(common, p.name.size(), 2);
    directory += std::string("PK\1\2\x14\0\x14\0\0\0", 10) + common;
    append_little(directory, extra.size(), 2);
    append_little(directory, 0, 10);
    append_little(directory, wide ? 0xffffffff : file.size(), 4);
    directory += p.name + extra;
    file += std::string("PK\3\4\x14\0\0\0", 8) + common + std::string(2, '\0') + p.name + stored;
  }
  const uint64_t offset = file.size();
  file += directory;
  if (wide) {
    const uint64_t end = file.size();
    file += "PK\6\6";
    append_little(file, 44, 8);
    append_little(file, 0, 12);
    for (uint64_t n : {parts.size(), parts.size(), directory.size(), offset})
      append_little(file, n, 8);
    file += "PK\6\7";
    append_little(file, 0, 4);
    append_little(file, end, 8);
    append_little(file, 1, 4);
  }
  file += "PK\5\6";
  append_little(file, 0, 4);
  append_little(file, parts.size(), 2);
  append_little(file, parts.size(), 2);
  append_little(file, directory.size(), 4);
  append_little(file, offset, 4);
  append_little(file, 0, 2);
  return file;
}

inline size_t mutate_zip(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return mutate(data, size, most, seed, [](const std::string& s, Choice& choose) {
    std::vector<ZipPart> parts = zip_parts(s);
    if (parts.empty()) return std::string();
    ZipPart& part = choose.of(parts);
    switch (choose.below(12)) {
      case 0:
        part.name = any_change(part.name, 8);
        break;
      case 1:
        part.deflated = !part.deflated;
        break;
      case 2:
        parts.push_back(ZipPart(part));
        parts.back().name += "x";
        break;
      case 3:
        parts.erase(parts.begin() + (&part - parts.data()));
        break;
      case 4:
        part.content = choose.of(parts).content;
        break;
      default:
        part.content = any_change(part.content);
    }
    return zip_of(parts, choose.one_in(6));
  });
}

}  // namespace minpair::fuzzing
