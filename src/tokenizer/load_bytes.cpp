// ByT5's tokenizer, which has no files: every byte is a token.

#include <fmt/format.h>

#include "tokenizer/characters.h"
#include "tokenizer/loaders.h"
#include "tokenizer/normalizer.h"

namespace minpair::tokenizer {

std::unique_ptr<Tokenizer> make_byt5() {
  constexpr int kBytes = 256, kExtra = 125;
  std::vector<std::string> pieces{"<pad>", "</s>", "<unk>"};
  for (int byte = 0; byte < kBytes; ++byte) {
    std::string& piece = pieces.emplace_back();
    append_utf8(piece, byte_level_character(static_cast<unsigned char>(byte)));
  }
  ByteLevelOptions options;
  options.around.names = {"<unk>", "<pad>", "", "", "<gap>", "", "</s>"};
  options.around.after = {"</s>"};
  // Not the sentinels of its vocabulary stand for gaps: it was trained with the last byte, which no
  // text in UTF-8 has, and those before it.
  pieces.back() = options.around.names.mask;
  for (int i = 0; i < kExtra; ++i) {
    options.around.added.push_back({fmt::format("<extra_id_{}>", i), TokenId(pieces.size())});
    pieces.push_back(options.around.added.back().content);
  }
  return make_byte_level_bpe(pieces, {}, options);
}

}  // namespace minpair::tokenizer
