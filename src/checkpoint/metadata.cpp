// Typed access to GGUF metadata, decoded from the mapped file when asked for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

using Type = Metadata::Type;

template <typename T>
T load(std::string_view bytes, uint64_t index) {
  T x;
  std::memcpy(&x, bytes.data() + index * sizeof(T), sizeof(T));
  return x;
}

bool is_integer(Type t) {
  return t == Type::u8 || t == Type::i8 || t == Type::u16 || t == Type::i16 || t == Type::u32 ||
         t == Type::i32 || t == Type::u64 || t == Type::i64;
}

bool is_flag(Type t) { return t == Type::boolean; }
bool is_text(Type t) { return t == Type::text; }
bool is_integer_or_flag(Type t) { return is_integer(t) || is_flag(t); }
bool is_number(Type t) { return is_integer(t) || t == Type::f32 || t == Type::f64; }

// Integers and flags. Unsigned numbers past 2^63 saturate: no count or id of a model is near.
int64_t integer_at(const Metadata::Entry& e, uint64_t i) {
  switch (e.type) {
    case Type::u8:
    case Type::boolean:
      return load<uint8_t>(e.bytes, i);
    case Type::i8:
      return load<int8_t>(e.bytes, i);
    case Type::u16:
      return load<uint16_t>(e.bytes, i);
    case Type::i16:
      return load<int16_t>(e.bytes, i);
    case Type::u32:
      return load<uint32_t>(e.bytes, i);
    case Type::i32:
      return load<int32_t>(e.bytes, i);
    case Type::u64:
      return int64_t(std::min<uint64_t>(load<uint64_t>(e.bytes, i), INT64_MAX));
    default:
      return load<int64_t>(e.bytes, i);
  }
}

double real_at(const Metadata::Entry& e, uint64_t i) {
  if (e.type == Type::f32) return load<float>(e.bytes, i);
  if (e.type == Type::f64) return load<double>(e.bytes, i);
  return double(integer_at(e, i));
}

}  // namespace

Metadata::Metadata(std::vector<Entry> entries, std::string file, std::shared_ptr<const void> keep)
    : entries_(std::move(entries)), file_(std::move(file)), keep_(std::move(keep)) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (size_t i = 1; i < entries_.size(); ++i)
    if (entries_[i].key == entries_[i - 1].key)
      throw bad_input(fmt::format("metadata has '{}' twice", shown(entries_[i].key))).at(file_);
}

const Metadata::Entry* Metadata::find(std::string_view key) const {
  auto found =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const Entry& e, std::string_view wanted) { return e.key < wanted; });
  return found != entries_.end() && found->key == key ? &*found : nullptr;
}

bool Metadata::has(std::string_view key) const { return find(key) != nullptr; }

bool Metadata::is_list(std::string_view key) const {
  const Entry* e = find(key);
  return e && e->array;
}

const Metadata::Entry* Metadata::find(std::string_view key, bool array, bool (*fits)(Type),
                                      std::string_view wanted) const {
  const Entry* e = find(key);
  if (e && (e->array != array || !fits(e->type)))
    throw bad_input(fmt::format("metadata '{}' should be {}", shown(e->key), wanted))
        .at(file_)
        .hint("the file was converted wrongly; get it from another source");
  return e;
}

std::optional<int64_t> Metadata::integer(std::string_view key) const {
  const Entry* e = find(key, false, is_integer, "an integer");
  return e ? std::optional(integer_at(*e, 0)) : std::nullopt;
}

std::optional<double> Metadata::real(std::string_view key) const {
  const Entry* e = find(key, false, is_number, "a number");
  return e ? std::optional(real_at(*e, 0)) : std::nullopt;
}

std::optional<bool> Metadata::boolean(std::string_view key) const {
  const Entry* e = find(key, false, is_flag, "true or false");
  return e ? std::optional(integer_at(*e, 0) != 0) : std::nullopt;
}

std::optional<std::string_view> Metadata::text(std::string_view key) const {
  const Entry* e = find(key, false, is_text, "text");
  return e ? std::optional(e->bytes.substr(8)) : std::nullopt;
}

std::vector<int64_t> Metadata::integers(std::string_view key) const {
  const Entry* e = find(key, true, is_integer_or_flag, "a list of integers");
  std::vector<int64_t> all(e ? e->count : 0);
  for (uint64_t i = 0; i < all.size(); ++i) all[i] = integer_at(*e, i);
  return all;
}

std::vector<float> Metadata::reals(std::string_view key) const {
  const Entry* e = find(key, true, is_number, "a list of numbers");
  std::vector<float> all(e ? e->count : 0);
  for (uint64_t i = 0; i < all.size(); ++i) all[i] = float(real_at(*e, i));
  return all;
}

std::vector<std::string_view> Metadata::texts(std::string_view key) const {
  const Entry* e = find(key, true, is_text, "a list of texts");
  if (!e) return {};
  std::vector<std::string_view> all;
  all.reserve(e->count);
  std::string_view rest = e->bytes;
  for (uint64_t i = 0; i < e->count; ++i) {
    uint64_t length = load<uint64_t>(rest, 0);
    all.push_back(rest.substr(8, length));
    rest.remove_prefix(8 + length);
  }
  return all;
}

std::vector<std::string_view> Metadata::keys() const {
  std::vector<std::string_view> all;
  for (const Entry& e : entries_) all.push_back(e.key);
  return all;
}

}  // namespace minpair::checkpoint
