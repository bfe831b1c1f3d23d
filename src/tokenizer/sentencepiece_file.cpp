#include "tokenizer/make.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

// One field of a protocol buffer message.
struct Field {
  uint32_t number = 0;
  uint64_t value = 0;      // varint and fixed
  std::string_view bytes;  // length-delimited
  enum Wire { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 } wire = varint;
};

class Message {
 public:
  Message(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  bool next(Field& field) {
    if (at_ == bytes_.size()) return false;
    uint64_t tag = read_varint();
    field.number = uint32_t(tag >> 3);
    field.wire = Field::Wire(tag & 7);
    switch (field.wire) {
      case Field::varint:
        field.value = read_varint();
        break;
      case Field::fixed64:
        field.value = read_fixed(8);
        break;
      case Field::fixed32:
        field.value = read_fixed(4);
        break;
      case Field::delimited: {
        uint64_t length = read_varint();
        if (length > bytes_.size() - at_) throw broken("ends in the middle of a field");
        field.bytes = bytes_.substr(at_, length);
        at_ += length;
        break;
      }
      default:
        throw broken("holds a field of an unknown kind");
    }
    return true;
  }

  Error broken(const char* how) const {
    return bad_input(fmt::format("the SentencePiece model {}", how))
        .at(name_)
        .hint("is this a SentencePiece *.model file, and complete?");
  }

 private:
  uint64_t read_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) throw broken("ends in the middle of a number");
      auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= uint64_t(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    throw broken("holds an impossible number");
  }

  uint64_t read_fixed(size_t n) {
    if (bytes_.size() - at_ < n) throw broken("ends in the middle of a number");
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += n;
    return value;
  }

  std::string_view bytes_;
  const std::string& name_;
  size_t at_ = 0;
};

void read_piece(std::string_view bytes, const std::string& name, SentencePieceModel& model) {
  Message message(bytes, name);
  std::string_view piece;
  float score = 0;
  uint64_t type = 1;
  for (Field f; message.next(f);) {
    if (f.number == 1 && f.wire == Field::delimited) piece = f.bytes;
    if (f.number == 2 && f.wire == Field::fixed32) score = std::bit_cast<float>(uint32_t(f.value));
    if (f.number == 3 && f.wire == Field::varint) type = f.value;
  }
  if (type < 1 || type > 6) throw message.broken("holds a piece of an unknown type");
  if (!std::isfinite(score)) throw message.broken("holds a piece whose score is not a number");
  if (piece.empty() || !valid_utf8(piece)) throw message.broken("holds a piece that is not text");
  model.pieces.emplace_back(piece);
  model.scores.push_back(score);
  model.types.push_back(PieceType(type));
}

void read_trainer(std::string_view bytes, const std::string& name, SentencePieceModel& model) {
  Message message(bytes, name);
  for (Field f; message.next(f);) {
    if (f.wire != Field::varint) continue;
    if (f.number == 24) model.whitespace_as_suffix = f.value != 0;
    if (f.number == 35) model.byte_fallback = f.value != 0;
    if (f.number != 3) continue;
    if (f.value != 1 && f.value != 2)
      throw message.broken("is neither of the unigram nor of the BPE kind");
    model.algorithm =
        f.value == 1 ? SentencePieceModel::Algorithm::unigram : SentencePieceModel::Algorithm::bpe;
  }
}

void read_normalizer(std::string_view bytes, const std::string& name, SentencePieceModel& model) {
  Message message(bytes, name);
  for (Field f; message.next(f);) {
    if (f.number == 2 && f.wire == Field::delimited) model.charsmap = f.bytes;
    if (f.number == 3) model.add_dummy_prefix = f.value != 0;
    if (f.number == 4) model.remove_extra_whitespaces = f.value != 0;
    if (f.number == 5) model.escape_whitespaces = f.value != 0;
  }
}

}  // namespace

SentencePieceModel parse_sentencepiece(std::string_view bytes, const std::string& name) {
  SentencePieceModel model;
  Message message(bytes, name);
  for (Field f; message.next(f);) {
    if (f.wire != Field::delimited) continue;
    if (f.number == 1) read_piece(f.bytes, name, model);
    if (f.number == 2) read_trainer(f.bytes, name, model);
    if (f.number == 3) read_normalizer(f.bytes, name, model);
    if (model.pieces.size() > Vocabulary::kMaxPieces) throw message.broken("has too many pieces");
  }
  if (model.pieces.empty()) throw message.broken("has no pieces");
  return model;
}

}  // namespace minpair::tokenizer
