#pragma once
// GGUF taken apart, changed in one place, and put together with counts and lengths that are right.

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "mutation.h"

namespace minpair::fuzzing {

class GgufParts {
 public:
  // Throws std::out_of_range where the file ends too early; what is there by then can be used.
  explicit GgufParts(const std::string& file) : file_(file) {
    try {
      read();
    } catch (const std::out_of_range&) {
    }
  }

  void change(Choice& choose) {
    if (choose.one_in(8)) version_ = uint32_t(choose.below(5));
    const size_t of_entries = entries_.size() * 2, of_tensors = tensors_.size() * 2;
    const size_t what = choose.below(of_entries + of_tensors + 2);
    if (what < of_entries)
      change_entry(what / 2, choose);
    else if (what < of_entries + of_tensors)
      change_tensor((what - of_entries) / 2, choose);
    else if (what == of_entries + of_tensors)
      data_ = any_change(data_);
    else
      entries_.push_back(alignment(choose));
    if (choose.one_in(2)) lay_out();
  }

  std::string bytes() const {
    std::string to = "GGUF";
    append_little(to, version_, 4);
    append_little(to, tensors_.size(), 8);
    append_little(to, entries_.size(), 8);
    for (const Entry& e : entries_) {
      text(to, e.key);
      append_little(to, e.type, 4);
      to += e.value;
    }
    for (const Tensor& t : tensors_) {
      text(to, t.name);
      append_little(to, t.shape.size(), 4);
      for (uint64_t d : t.shape) append_little(to, d, 8);
      append_little(to, t.type, 4);
      append_little(to, t.offset, 8);
    }
    to.resize((to.size() + alignment_ - 1) / alignment_ * alignment_);
    return to + data_;
  }

 private:
  struct Entry {
    std::string key;
    uint32_t type = 0;
    std::string value;  // with the lengths that belong to it
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> shape;
    uint32_t type = 0;
    uint64_t offset = 0;
  };
  static constexpr uint32_t kText = 8, kArray = 9;
  // Bytes and elements of a block, by GGUF's number of the type; 0: unknown here.
  static std::pair<uint64_t, uint64_t> block(uint32_t type) {
    static constexpr std::pair<uint64_t, uint64_t> kBlocks[] = {
        {4, 1},     {2, 1},     {18, 32},   {20, 32},   {0, 0},     {0, 0},     {22, 32},
        {24, 32},   {34, 32},   {36, 32},   {84, 256},  {110, 256}, {144, 256}, {176, 256},
        {210, 256}, {292, 256}, {66, 256},  {74, 256},  {98, 256},  {50, 256},  {18, 32},
        {110, 256}, {82, 256},  {136, 256}, {1, 1},     {2, 1},     {4, 1},     {8, 1},
        {8, 1},     {56, 256},  {2, 1},     {0, 0},     {0, 0},     {0, 0},     {54, 256},
        {66, 256},  {0, 0},     {0, 0},     {0, 0},     {17, 32},   {36, 64},   {18, 128},
        {18, 64}};
    return type < std::size(kBlocks) ? kBlocks[type] : std::pair<uint64_t, uint64_t>{0, 0};
  }

  static void text(std::string& to, const std::string& s) {
    append_little(to, s.size(), 8);
    to += s;
  }
  static uint64_t size_of(uint32_t type) {
    static constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < std::size(kSizes) ? kSizes[type] : 0;
  }

  std::string take(uint64_t n) {
    if (n > file_.size() - at_) throw std::out_of_range("");
    at_ += n;
    return file_.substr(at_ - n, n);
  }
  uint64_t number(size_t width) { return number_at(take(width), 0, width); }
  void value(uint32_t type) {
    if (type == kText) {
      take(number(8));
    } else if (type == kArray) {
      const uint32_t of = uint32_t(number(4));
      const bool known = of == kText || size_of(of) > 0;
      for (uint64_t n = number(8); n > 0 && known; --n) value(of);
    } else {
      take(size_of(type));
    }
  }
  void read() {
    take(4);
    version_ = uint32_t(number(4));
    const uint64_t tensors = number(8), entries = number(8);
    for (uint64_t i = 0; i < entries; ++i) {
      Entry e{take(number(8)), uint32_t(number(4)), ""};
      const size_t begin = at_;
      value(e.type);
      e.value = file_.substr(begin, at_ - begin);
      entries_.push_back(std::move(e));
    }
    for (uint64_t i = 0; i < tensors; ++i) {
      Tensor t{take(number(8)), {}, 0, 0};
      for (uint64_t n = std::min<uint64_t>(number(4), 9); n > 0; --n) t.shape.push_back(number(8));
      t.type = uint32_t(number(4));
      t.offset = number(8);
      tensors_.push_back(std::move(t));
    }
    at_ = std::min(file_.size(), (at_ + alignment_ - 1) / alignment_ * alignment_);
    data_ = file_.substr(at_);
  }

  void change_entry(size_t i, Choice& choose) {
    Entry& e = entries_[i];
    switch (choose.below(7)) {
      case 0:
        e.key = any_change(e.key, 8);
        return;
      case 1:
        entries_.push_back(entries_[choose.below(entries_.size())]);
        return;
      case 2:
        entries_.erase(entries_.begin() + long(i));
        return;
      case 3:
        e.value = entries_[choose.below(entries_.size())].value;
        return;
      case 4:  // another type, with a value that fits it
        e.type = uint32_t(choose.below(14));
        e.value.clear();
        if (e.type == kText)
          text(e.value, "text");
        else
          append_little(e.value, odd_number(choose), size_t(size_of(e.type)));
        return;
      case 5:
        if (e.type == kText && e.value.size() >= 8) {
          const std::string inside = any_change(e.value.substr(8), 16);
          e.value.clear();
          return text(e.value, inside);
        }
        if (e.type == kArray) return change_array(e, choose);
        e.value.clear();
        append_little(e.value, odd_number(choose), size_t(size_of(e.type)));
        return;
      default:
        e.value = any_change(e.value, 8);
    }
  }

  // A list of so many values of one type; texts are short ones.
  static void change_array(Entry& e, Choice& choose) {
    const uint32_t of = choose.one_in(2) ? kText : uint32_t(choose.below(13));
    const size_t count = choose.below(12);
    e.value.clear();
    append_little(e.value, of, 4);
    append_little(e.value, choose.one_in(6) ? odd_number(choose) : count, 8);
    for (size_t i = 0; i < count; ++i)
      if (of == kText)
        text(e.value, any_change("ab", 4));
      else
        append_little(e.value, choose.below(40), size_t(size_of(of)));
  }

  void change_tensor(size_t i, Choice& choose) {
    Tensor& t = tensors_[i];
    switch (choose.below(7)) {
      case 0:
        t.name = any_change(t.name, 8);
        return;
      case 1:
        tensors_.push_back(t);
        return;
      case 2:
        tensors_.erase(tensors_.begin() + long(i));
        return;
      case 3:
        t.type = uint32_t(choose.below(44));
        return;
      case 4:
        t.offset = odd_number(choose) * 32;
        return;
      case 5:
        t.shape.resize(choose.below(6), 1 + choose.below(3));
        return;
      default:
        if (!t.shape.empty())
          choose.of(t.shape) = choose.one_in(3) ? odd_number(choose) : 32 * choose.below(9);
    }
  }

  static Entry alignment(Choice& choose) {
    Entry e{"general.alignment", 4, ""};
    append_little(e.value, uint64_t{1} << choose.below(22), 4);
    return e;
  }

  // Tensors one after the other, and data for all of them, unless that were too much.
  void lay_out() {
    uint64_t end = 0;
    for (Tensor& t : tensors_) {
      auto [bytes, elements] = block(t.type);
      uint64_t count = 1;
      for (uint64_t d : t.shape) count = d > 65536 || count > 65536 ? 65536 : count * d;
      if (elements == 0 || count > 65536) return;
      t.offset = end;
      end += (count / elements * bytes + alignment_ - 1) / alignment_ * alignment_;
    }
    if (end < 8192) data_.resize(end);
  }

  const std::string& file_;
  size_t at_ = 0;
  static constexpr uint64_t alignment_ = 32;
  uint32_t version_ = 3;
  std::vector<Entry> entries_;
  std::vector<Tensor> tensors_;
  std::string data_;
};

inline size_t mutate_gguf(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return mutate(data, size, most, seed, [](const std::string& s, Choice& choose) {
    GgufParts parts(s);
    parts.change(choose);
    return parts.bytes();
  });
}

}  // namespace minpair::fuzzing
