#include "checkpoint/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

// Little-endian fields of a record, each read checked against the file.
class Fields {
 public:
  Fields(const MappedFile& file, uint64_t offset, const char* what)
      : file_(file), offset_(offset), what_(what) {}

  uint64_t number(size_t bytes) {
    std::string_view b = text(bytes);
    uint64_t n = 0;
    for (size_t i = bytes; i-- > 0;) n = n << 8 | uint8_t(b[i]);
    return n;
  }
  std::string_view text(uint64_t bytes) {
    uint64_t size = file_.bytes().size();
    if (offset_ > size || bytes > size - offset_)
      throw file_error(file_, std::min(offset_, size),
                       fmt::format("the file ends inside {}", what_));
    std::string_view t = file_.bytes().substr(offset_, bytes);
    offset_ += bytes;
    return t;
  }
  void signature(uint32_t expected) {
    uint64_t at = offset_;
    if (number(4) != expected)
      throw file_error(file_, at, fmt::format("there should be {} here", what_));
  }
  uint64_t offset() const { return offset_; }

 private:
  const MappedFile& file_;
  uint64_t offset_;
  const char* what_;
};

struct Directory {
  uint64_t entries, bytes, offset;
};

Directory find_directory(const MappedFile& file) {
  std::string_view bytes = file.bytes();
  // The end record is followed by a comment of at most 65,535 bytes.
  size_t from = bytes.size() - std::min<size_t>(bytes.size(), 22 + 65535);
  size_t at = bytes.substr(from).rfind("PK\5\6");
  if (at == bytes.npos)
    throw file_error(file, bytes.size(), "the zip archive has no end: the file was cut off");
  at += from;
  Fields end(file, at, "the zip archive's end record");
  end.signature(0x06054b50);
  end.number(6);
  Directory d{end.number(2), end.number(4), end.number(4)};
  end.text(end.number(2));
  if (at >= 20 && bytes.substr(at - 20, 4) == "PK\6\7") {
    Fields locator(file, at - 20, "the zip64 locator");
    locator.number(8);
    Fields wide(file, locator.number(8), "the zip64 end record");
    wide.signature(0x06064b50);
    wide.text(28);
    d.entries = wide.number(8);
    d.bytes = wide.number(8);
    d.offset = wide.number(8);
  }
  if (d.offset > at || d.bytes > at - d.offset || d.entries > d.bytes / 46)
    throw file_error(file, at, "the zip archive's directory does not fit the file");
  return d;
}

// Sizes and offsets past 32 bits are in an extra field, those that need it and in this order.
void widen(const MappedFile& file, std::string_view extra, uint64_t extra_offset, ZipEntry& entry,
           uint64_t& header) {
  while (extra.size() >= 4) {
    Fields f(file, extra_offset, "a zip64 field");
    uint64_t kind = f.number(2), length = f.number(2);
    if (length > extra.size() - 4) return;
    if (kind == 1) {
      uint64_t left = length;
      for (uint64_t* field : {&entry.bytes, &entry.stored, &header})
        if (*field == 0xffffffff && left >= 8) {
          *field = f.number(8);
          left -= 8;
        }
      return;
    }
    extra.remove_prefix(4 + length);
    extra_offset += 4 + length;
  }
}

// The local header repeats the central one; only it knows where the content begins.
void locate_content(const MappedFile& file, uint64_t header, ZipEntry& entry) {
  Fields local(file, header, "a zip entry's header");
  local.signature(0x04034b50);
  local.text(22);
  uint64_t name = local.number(2), extra = local.number(2);
  local.text(name + extra);
  entry.offset = local.offset();
  uint64_t left = file.bytes().size() - entry.offset;
  if (entry.stored > left)
    throw file_error(file, entry.offset,
                     fmt::format("'{}' has {} bytes and the file only {} from there on",
                                 shown(entry.name), entry.stored, left));
}

}  // namespace

std::map<std::string, ZipEntry, std::less<>> read_zip_directory(const MappedFile& file) {
  Directory directory = find_directory(file);
  std::map<std::string, ZipEntry, std::less<>> entries;
  Fields f(file, directory.offset, "the zip archive's directory");
  for (uint64_t i = 0; i < directory.entries; ++i) {
    ZipEntry e;
    uint64_t at = f.offset();
    f.signature(0x02014b50);
    f.number(4);
    uint64_t flags = f.number(2), method = f.number(2);
    f.number(4);
    e.crc = uint32_t(f.number(4));
    e.stored = f.number(4);
    e.bytes = f.number(4);
    uint64_t name = f.number(2), extra = f.number(2), comment = f.number(2);
    f.number(8);
    uint64_t header = f.number(4);
    e.name = f.text(name);
    uint64_t extra_offset = f.offset();
    widen(file, f.text(extra), extra_offset, e, header);
    f.text(comment);
    if (flags & 1) throw file_error(file, at, fmt::format("'{}' is encrypted", shown(e.name)));
    if (method != 0 && method != 8)
      throw file_error(file, at,
                       fmt::format("'{}' is packed by method {}, which is not known here",
                                   shown(e.name), method));
    e.deflated = method == 8;
    if (!e.deflated && e.stored != e.bytes)
      throw file_error(file, at, fmt::format("'{}' has two different lengths", shown(e.name)));
    locate_content(file, header, e);
    std::string key = e.name;
    if (!entries.emplace(key, std::move(e)).second)
      throw file_error(file, at, fmt::format("'{}' is in the zip archive twice", shown(key)));
  }
  return entries;
}

void inflate(const MappedFile& file, const ZipEntry& entry, std::byte* to) {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw cannot("zlib cannot be started");
  std::string_view from = file.bytes().substr(entry.offset, entry.stored);
  uint64_t out = 0, in = 0;
  int state = Z_OK;
  // zlib counts in 32 bits.
  constexpr uint64_t most = uint64_t{1} << 30;
  while (state == Z_OK) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + in));
    z.avail_in = uInt(std::min(most, from.size() - in));
    z.next_out = reinterpret_cast<Bytef*>(to + out);
    z.avail_out = uInt(std::min(most, entry.bytes - out));
    uInt had_in = z.avail_in, had_out = z.avail_out;
    state = ::inflate(&z, Z_NO_FLUSH);
    in += had_in - z.avail_in;
    out += had_out - z.avail_out;
  }
  inflateEnd(&z);
  if (state != Z_STREAM_END || out != entry.bytes)
    throw file_error(file, entry.offset, fmt::format("'{}' cannot be unpacked", shown(entry.name)));
}

void check_crc(const MappedFile& file, const ZipEntry& entry, std::string_view content) {
  uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (crc != entry.crc)
    throw file_error(file, entry.offset,
                     fmt::format("'{}' does not have its check sum", shown(entry.name)));
}

}  // namespace minpair::checkpoint
