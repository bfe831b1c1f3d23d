#pragma once
// Writes the finished model as a folder that minpair, PyTorch and Hugging Face's library load, and
// reads weights to begin with from such a folder.

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "train/bert.h"
#include "train/lstm.h"

namespace minpair::train {

// fp32, or fp16 when `half`: half the size, rounded to 11 bits.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, torch::Tensor>& tensors, bool half);

// Rows of the model card's table: what was trained, on what, how, with which result.
using CardRows = std::vector<std::pair<std::string, std::string>>;

// config.json, vocab.txt, tokenizer_config.json, model.safetensors, README.md.
void write_bert_folder(const std::filesystem::path& folder, const Bert& net,
                       const std::vector<std::string>& vocab, bool half, const CardRows& card);

// Loads the weights of such a folder. An error unless it has the same shape and pieces.
void read_bert_folder(const std::filesystem::path& folder, const Bert& net,
                      const std::vector<std::string>& vocab);

// What an LSTM reads: words or pieces of words, and how sentences begin.
struct LstmText {
  bool pieces = false;
  bool truecase = false;  // first words are lower-case where they usually are
};

// config.json, vocab.txt, model.safetensors, README.md, with the tensor names of PyTorch's
// word_language_model example. A tied model has no decoder.weight.
void write_lstm_folder(const std::filesystem::path& folder, const Lstm& net,
                       const std::vector<std::string>& vocab, const LstmText& text, bool half,
                       const CardRows& card);

}  // namespace minpair::train
