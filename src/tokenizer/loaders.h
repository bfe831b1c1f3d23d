#pragma once
// One loader per kind of vocabulary file; load_tokenizer chooses among them.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/config.h"
#include "tokenizer/special.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

// One piece a line; the number of the line is the id.
std::vector<std::string> read_vocabulary_lines(const std::filesystem::path& path);

std::unique_ptr<Tokenizer> load_vocab_txt(const std::filesystem::path& path,
                                          const TokenizerConfig& config, Notes* notes);
std::unique_ptr<Tokenizer> load_vocab_json(const std::filesystem::path& vocabulary,
                                           const std::filesystem::path& merges,
                                           const TokenizerConfig& config, Notes* notes);
std::vector<std::string> read_vocab_json(const std::filesystem::path& path, Notes* notes);
// Two pieces a line; fastBPE also says how often it saw them.
MergeList read_merges(const std::filesystem::path& path);
std::unique_ptr<Tokenizer> load_fast_bpe(const std::filesystem::path& vocabulary,
                                         const std::filesystem::path& merges,
                                         const TokenizerConfig& config, Notes* notes);
std::unique_ptr<Tokenizer> load_sentencepiece(const std::filesystem::path& path,
                                              const TokenizerConfig& config, Notes* notes);

std::unique_ptr<Tokenizer> make_byt5();

// RWKV's "World": with ids and lengths; and pieces alone, as the class Rwkv5Tokenizer has them.
std::unique_ptr<Tokenizer> load_world(const std::filesystem::path& path);
std::unique_ptr<Tokenizer> load_world_pieces(const std::filesystem::path& path);
// What "\n", "\xe4" and the like stand for in Python's bytes, or in a text, as UTF-8.
std::string python_bytes(std::string_view written, bool of_text);
// Bytes as a byte-level vocabulary writes them.
std::string byte_level_piece(std::string_view bytes);

}  // namespace minpair::tokenizer
