// What stands beside a vocabulary: tokenizer_config.json, special_tokens_map.json,
// added_tokens.json, config.json, divided by lines of dashes, in this order. The last byte says of
// what kind the vocabulary is: words, WordPiece, byte-level BPE, none, SentencePiece, fastBPE.

#include "base/error.h"
#include "file.h"
#include "json_mutation.h"
#include "tokenizer/tokenizer.h"

using namespace minpair;

// A SentencePiece model of a few pieces; the first ones are control pieces.
static std::string sentencepiece() {
  std::string file;
  for (const std::string piece : {"<unk>", "<s>", "</s>", "[CLS]", "[SEP]", "[MASK]", "<pad>", "▁",
                                  "▁der", "▁H", "und", "a", "b", "ab", "e"}) {
    const bool control = piece.front() == '<' || piece.front() == '[';
    std::string message = "\x0a" + std::string(1, char(piece.size())) + piece;
    message += std::string("\x15\0\0\0\xc0\x18", 6);
    message += piece == "<unk>" ? '\2' : control ? '\3' : '\1';
    file += "\x0a" + std::string(1, char(message.size())) + message;
  }
  return file;
}

static const std::filesystem::path& kind(size_t number) {
  static const auto make = [](const std::string& name,
                              std::initializer_list<std::pair<const char*, std::string>> files) {
    std::filesystem::path folder = fuzzing::folder() / name;
    std::filesystem::create_directories(folder);
    for (const auto& [file, text] : files) fuzzing::put(folder / file, text);
    return folder;
  };
  static const std::filesystem::path all[] = {
      make("words", {{"vocab.txt", "<unk>\n<eos>\nder\nHund\n"}}),
      make("pieces",
           {{"vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nder\nHund\n##e\nD\n##er\n"}}),
      make("bytes", {{"vocab.json", R"({"<s>":0,"</s>":1,"<unk>":2,"a":3,"b":4,"ab":5,"Ġ":6})"},
                     {"merges.txt", "#version: 0.2\na b\n"}}),
      make("none", {}),
      make("sentencepiece", {{"spiece.model", sentencepiece()}}),
      make(
          "fastbpe",
          {{"vocab.json",
            R"({"<s>":0,"</s>":1,"<pad>":2,"<unk>":3,"<special1>":4,"der</w>":5,"h":6,"u":7,"nd</w>":8})"},
           {"merges.txt", "d e 9\nde r</w> 8\nn d</w> 7\n"}})};
  return all[number % std::size(all)];
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path& folder = kind(size ? data[size - 1] : 0);
  if (size) text.remove_suffix(1);
  for (const char* name :
       {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "config.json"}) {
    const size_t end = std::min(text.find("\n---\n"), text.size());
    if (end > 0)
      fuzzing::put(folder / name, text.substr(0, end));
    else
      ::unlink((folder / name).c_str());
    text.remove_prefix(std::min(text.size(), end + 5));
  }
  try {
    std::vector<std::string> notes;
    auto tokenizer = tokenizer::load_tokenizer(folder, &notes);
    for (const tokenizer::Token& t : tokenizer->encode("der Hund ab <s> [MASK]").tokens)
      tokenizer->piece(t.id);
    tokenizer->fingerprint();
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, fuzzing::mutate_json);
}
