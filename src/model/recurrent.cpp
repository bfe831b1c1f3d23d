// Recurrent language models: LSTM (Hochreiter & Schmidhuber 1997), GRU and plain RNN, as PyTorch's
// word_language_model example saves them and as Gulordava et al. (2018) and CLAMS used them. A
// sentence begins after <eos>.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/counts.h"
#include "base/error.h"
#include "model/causal.h"
#include "model/edges.h"
#include "model/interventions.h"
#include "tokenizer/make.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Linear input, recurrent;
};

enum class Cell { lstm, gru, tanh, relu };

Cell cell_of(const std::string& name, size_t gates, const std::string& where) {
  if (gates == 4) return Cell::lstm;
  if (gates == 3) return Cell::gru;
  if (gates == 1)
    return name.find("RELU") != std::string::npos || name == "relu" ? Cell::relu : Cell::tanh;
  throw bad_input(fmt::format("a recurrent layer with {} gates is unknown", gates)).at(where);
}

class Recurrent : public NetworkModel {
 public:
  explicit Recurrent(const Source& source) : NetworkModel(source, parts_of(source)) {
    load_weights(source);
    load_words_for(source, config_ != nullptr);
    info_.batch_tokens = 4096;
    find_edges(source.options);
    checkpoint_->release_memory();
  }

  query::SiteSet sites() const override {
    return cell_ == Cell::lstm  ? kSitesOfLstm
           : cell_ == Cell::gru ? kSitesOfGru
                                : kSitesOfRecurrent;
  }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    return answer_by_logits(*this, queries, [&](std::span<const Input> asked) {
      Interventions changes(asked, info_);
      const std::span<const Input> inputs = changes.inputs();
      PrefixTree tree(inputs, changes.late());
      auto node_of = [&](size_t q, uint32_t position) { return tree.node_of(q, position); };
      changes.place(node_of);
      Taps taps(inputs, info_, node_of);
      run(tree, changes.watch(taps.watch()));
      std::vector<uint32_t> rows;
      for (const PrefixTree::NodeRead& read : tree.reads) rows.push_back(read.node);
      auto all = tree.distribute(
          inputs, outputs_.read(runtime_, tree, state_.back(), rows, output_, 0, *tokenizer_));
      taps.read(runtime_, hidden_, output_, 0, all,
                [](nn::Matrix& state) { return nn::View(state); });
      return all;
    });
  }

  const nn::Matrix& watch(const std::vector<tokenizer::TokenId>& ids, const Watch& watch) override {
    query::check({ids, {}, {}}, *this);
    const Input alone{ids, {}};
    run(PrefixTree({&alone, 1}), watch);
    return state_.back();
  }

 private:
  static Parts parts_of(const Source& source) {
    std::unique_ptr<Config> config;
    if (std::filesystem::is_directory(source.path))
      config = std::make_unique<Config>(source.path / "config.json");
    return {std::move(config), checkpoint::open_checkpoint(source.path), nullptr};
  }

  void load_weights(const Source& source) {
    WeightLoader load(runtime_, *checkpoint_, {"module.", "model."});
    const std::string where = source.path.string();
    const checkpoint::TensorView* table = nullptr;
    for (const checkpoint::TensorView& t : checkpoint_->tensors())
      if (t.name.ends_with("encoder.weight")) table = &t;
    if (!table || table->shape.size() != 2)
      throw bad_input("this is not a recurrent language model: there is no encoder.weight")
          .at(where);
    info_.vocabulary = uint32_t(table->shape[0]);
    const auto width = size_t(table->shape[1]);
    words_ = load.embedding("encoder.weight", info_.vocabulary, width);
    size_t inputs = width, gates = 0;
    for (size_t l = 0; load.has(fmt::format("rnn.weight_hh_l{}", l)); ++l) {
      const checkpoint::TensorView* hh = shape_of(fmt::format("rnn.weight_hh_l{}", l));
      if (!hh || hh->shape.size() != 2 || hh->shape[1] <= 0 || hh->shape[0] % hh->shape[1])
        throw bad_input(fmt::format("rnn.weight_hh_l{} has an impossible shape", l)).at(where);
      hidden_ = size_t(hh->shape[1]);
      gates = size_t(hh->shape[0] / hh->shape[1]);
      Layer layer;
      layer.input.weights =
          load.matrix(fmt::format("rnn.weight_ih_l{}", l), gates * hidden_, inputs);
      layer.recurrent.weights =
          load.matrix(fmt::format("rnn.weight_hh_l{}", l), gates * hidden_, hidden_);
      if (load.has(fmt::format("rnn.bias_ih_l{}", l))) {
        layer.input.bias = load.vector(fmt::format("rnn.bias_ih_l{}", l), gates * hidden_);
        layer.recurrent.bias = load.vector(fmt::format("rnn.bias_hh_l{}", l), gates * hidden_);
      }
      layers_.push_back(std::move(layer));
      inputs = hidden_;
    }
    if (layers_.empty())
      throw bad_input("this is not a recurrent language model: there is no rnn.weight_hh_l0")
          .at(where);
    std::string kind = config_ ? config_->text("rnn_type", "")
                               : std::string(checkpoint_->metadata().text("rnn.mode").value_or(""));
    cell_ = cell_of(kind, gates, where);
    if (gates == 1 && kind.empty())
      info_.notes.push_back("whether this RNN uses tanh or ReLU is not stated: tanh is used");
    bool tied = !load.has("decoder.weight");
    output_.weights =
        load.matrix(tied ? "encoder.weight" : "decoder.weight", info_.vocabulary, inputs);
    if (load.has("decoder.bias")) output_.bias = load.vector("decoder.bias", info_.vocabulary);
    info_.parameters = load.finish("recurrent language model", {"decoder."});
    info_.architecture = cell_ == Cell::lstm ? "lstm" : cell_ == Cell::gru ? "gru" : "rnn";
    info_.layers = uint32_t(layers_.size());
    info_.hidden = uint32_t(hidden_);
  }

  const checkpoint::TensorView* shape_of(const std::string& suffix) const {
    for (const checkpoint::TensorView& t : checkpoint_->tensors())
      if (t.name.ends_with(suffix)) return &t;
    return nullptr;
  }

  tokenizer::WordsOptions words_options() const {
    tokenizer::WordsOptions options;
    options.lowercase = config_ && config_->flag("lowercase", false);
    options.split_punctuation = config_ && config_->flag("split_punctuation", false);
    return options;
  }

  void load_words_for(const Source& source, bool directory) {
    std::filesystem::path file = source.options.vocabulary;
    if (file.empty() && directory) file = source.path / "vocab.txt";
    if (file.empty())
      throw wrong_call("a recurrent model in a file needs its vocabulary")
          .hint("--vocab FILE, with one word a line in the order of the ids");
    // Pieces of words come with a description of their tokenizer, whole words do not.
    if (directory && file == source.path / "vocab.txt" &&
        std::filesystem::exists(source.path / "tokenizer_config.json")) {
      tokenizer_ = tokenizer::load_tokenizer(source.path, &info_.notes);
    } else {
      tokenizer_ = tokenizer::load_words(file, words_options());
    }
    if (config_ && config_->flag("plain_first_word", false))
      tokenizer_ = tokenizer::with_plain_first_word(std::move(tokenizer_));
    if (tokenizer_->vocabulary_size() != info_.vocabulary)
      throw bad_input(fmt::format("the vocabulary has {} {}, the model {}",
                                  tokenizer_->vocabulary_size(),
                                  plural(tokenizer_->vocabulary_size(), "word"), info_.vocabulary))
          .at(file.string())
          .hint("the vocabulary must be the one the model was trained with");
    if (tokenizer_->special().eos < 0)
      info_.notes.push_back(
          "the vocabulary has no <eos>: the first word of a sentence is not scored");
  }

  void find_edges(const LoadOptions& options) {
    tokenizer::TokenId eos = tokenizer_->special().eos;
    Edge start{eos, eos < 0 ? query::EdgeFrom::vocabulary_none : query::EdgeFrom::recurrent_start};
    Edge end{-1, query::EdgeFrom::recurrent_end};
    if (config_ && config_->flag("score_end", false))
      end = {eos, query::EdgeFrom::config_score_end};
    set_edges(info_, *tokenizer_, options, start, end);
  }

  // Layer by layer. What a layer's input adds to its gates is one product for all nodes; then depth
  // by depth, all nodes of a depth are one batch whose states come from their parents. Changed
  // inputs come last: what they take from others may stand further on in the sentence.
  void run(const PrefixTree& tree, const Watch& watch) {
    const size_t n = tree.nodes.size();
    std::vector<std::vector<uint32_t>> depths;
    for (size_t i = 0, base = 0; i < n; ++i) {
      if (i == tree.late.first) base = depths.size();
      const size_t depth = base + tree.nodes[i].depth;
      if (depth >= depths.size()) depths.resize(depth + 1);
      depths[depth].push_back(uint32_t(i));
    }
    state_.resize(layers_.size());
    for (size_t l = 0; l < layers_.size(); ++l) {
      if (l > 0)
        nn::linear(runtime_, state_[l - 1], layers_[l].input, from_input_);
      else if (watch)
        read_every_word(tree, watch);
      else
        read_words(tree);
      state_[l].resize(n, hidden_);
      memory_.resize(n, hidden_);
      for (const std::vector<uint32_t>& nodes : depths)
        if (!nodes.empty()) step(tree, nodes, l, watch);
    }
  }

  // The first layer's input is the word alone: one row for all nodes that have the same.
  void read_words(const PrefixTree& tree) {
    std::vector<tokenizer::TokenId> words;
    for (const PrefixTree::Node& node : tree.nodes) words.push_back(node.token);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    input_.resize(words.size(), words_.width());
    for (size_t i = 0; i < words.size(); ++i) words_.row(size_t(words[i]), input_.row(i));
    nn::linear(runtime_, input_, layers_[0].input, from_words_);
    from_input_.resize(tree.nodes.size(), from_words_.columns());
    runtime_.parallel(tree.nodes.size(), [&](size_t i, int) {
      auto word = std::lower_bound(words.begin(), words.end(), tree.nodes[i].token) - words.begin();
      std::memcpy(from_input_.row(i), from_words_.row(size_t(word)),
                  from_words_.columns() * sizeof(float));
    });
  }

  void read_every_word(const PrefixTree& tree, const Watch& watch) {
    std::vector<uint32_t> nodes(tree.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0u);
    input_.resize(nodes.size(), words_.width());
    for (uint32_t i : nodes) words_.row(size_t(tree.nodes[i].token), input_.row(i));
    watch({Site::embeddings, 0, nodes, input_});
    nn::linear(runtime_, input_, layers_[0].input, from_input_);
  }

  void step(const PrefixTree& tree, std::span<const uint32_t> nodes, size_t l, const Watch& watch) {
    nn::Matrix& state = state_[l];
    parents_.resize(nodes.size(), hidden_);
    for (size_t i = 0; i < nodes.size(); ++i) {
      uint32_t parent = tree.nodes[nodes[i]].parent;
      if (parent == PrefixTree::none)
        std::memset(parents_.row(i), 0, hidden_ * sizeof(float));
      else
        std::memcpy(parents_.row(i), state.row(parent), hidden_ * sizeof(float));
    }
    nn::linear(runtime_, parents_, layers_[l].recurrent, gates_);
    auto open = [&](size_t i) { open_gates(from_input_.row(nodes[i]), gates_.row(i)); };
    auto propose = [&](size_t i) {
      if (cell_ == Cell::gru) reset(from_input_.row(nodes[i]), gates_.row(i));
    };
    auto remember = [&](size_t i) {
      uint32_t parent = tree.nodes[nodes[i]].parent;
      const float* before = parent == PrefixTree::none ? nullptr : memory_.row(parent);
      if (cell_ == Cell::lstm) update(gates_.row(i), before, memory_.row(nodes[i]));
    };
    auto speak = [&](size_t i) {
      give(gates_.row(i), memory_.row(nodes[i]), parents_.row(i), state.row(nodes[i]));
    };
    if (!watch) {
      runtime_.parallel(nodes.size(),
                        [&](size_t i, int) { open(i), propose(i), remember(i), speak(i); });
      return;
    }
    for (size_t i = 0; i < nodes.size(); ++i) open(i);
    if (cell_ == Cell::gru) watch({Site::reset, uint32_t(l), nodes, gates_});
    for (size_t i = 0; i < nodes.size(); ++i) propose(i);
    watch({Site::gates, uint32_t(l), nodes, gates_});
    for (size_t i = 0; i < nodes.size(); ++i) remember(i);
    if (cell_ == Cell::lstm) see(Site::cell, l, nodes, memory_, watch, kMemory);
    for (size_t i = 0; i < nodes.size(); ++i) speak(i);
    see(Site::hidden, l, nodes, state, watch, {});
  }

  // Some rows of a matrix, watched and put back.
  void see(Site site, size_t l, std::span<const uint32_t> nodes, nn::Matrix& all,
           const Watch& watch, Part part) {
    nn::Matrix rows(nodes.size(), hidden_);
    for (size_t i = 0; i < nodes.size(); ++i)
      std::memcpy(rows.row(i), all.row(nodes[i]), hidden_ * sizeof(float));
    watch({site, uint32_t(l), nodes, rows, part});
    for (size_t i = 0; i < nodes.size(); ++i)
      std::memcpy(all.row(nodes[i]), rows.row(i), hidden_ * sizeof(float));
  }

  // `x` is what the input adds to the gates, `gates` what the last state adds, and then the gates.
  void open_gates(const float* x, float* gates) const {
    const nn::Kernels& k = runtime_.kernels();
    const size_t n = hidden_;
    if (cell_ == Cell::lstm) {
      for (size_t i = 0; i < 4 * n; ++i) gates[i] += x[i];
      k.activate(nn::Activation::sigmoid, gates, 2 * n);  // input and forget gates
      k.activate(nn::Activation::tanh, gates + 2 * n, n);
      k.activate(nn::Activation::sigmoid, gates + 3 * n, n);
    } else if (cell_ == Cell::gru) {
      for (size_t i = 0; i < 2 * n; ++i) gates[i] += x[i];
      k.activate(nn::Activation::sigmoid, gates, 2 * n);  // reset and update gates
    } else {
      for (size_t i = 0; i < n; ++i) gates[i] += x[i];
      k.activate(cell_ == Cell::relu ? nn::Activation::relu : nn::Activation::tanh, gates, n);
    }
  }

  // A GRU's candidate: as PyTorch has it, the reset gate stands after the last state's product.
  void reset(const float* x, float* gates) const {
    const size_t n = hidden_;
    for (size_t i = 0; i < n; ++i) gates[2 * n + i] = x[2 * n + i] + gates[i] * gates[2 * n + i];
    runtime_.kernels().activate(nn::Activation::tanh, gates + 2 * n, n);
  }

  // An LSTM's memory; `before` is null at the beginning.
  void update(const float* gates, const float* before, float* memory) const {
    const size_t n = hidden_;
    for (size_t i = 0; i < n; ++i)
      memory[i] = (before ? gates[n + i] * before[i] : 0) + gates[i] * gates[2 * n + i];
  }

  void give(const float* gates, const float* memory, const float* last, float* out) const {
    const size_t n = hidden_;
    if (cell_ == Cell::lstm) {
      std::memcpy(out, memory, n * sizeof(float));
      runtime_.kernels().activate(nn::Activation::tanh, out, n);
      for (size_t i = 0; i < n; ++i) out[i] *= gates[3 * n + i];
    } else if (cell_ == Cell::gru) {
      for (size_t i = 0; i < n; ++i)
        out[i] = (1 - gates[n + i]) * gates[2 * n + i] + gates[n + i] * last[i];
    } else {
      std::memcpy(out, gates, n * sizeof(float));
    }
  }

  Embedding words_;
  std::vector<Layer> layers_;
  nn::Linear output_;
  TreeOutputs outputs_;
  Cell cell_ = Cell::lstm;
  size_t hidden_ = 0;
  std::vector<nn::Matrix> state_;  // per layer, a row per node
  nn::Matrix input_, memory_, parents_, from_words_, from_input_, gates_;
};

}  // namespace

std::unique_ptr<query::Model> load_recurrent(const Source& source) {
  return std::make_unique<Recurrent>(source);
}

Family recurrent_family() {
  return {.model_types = {{"lstm",
                           "colorlessgreenRNNs, Gulordava et al. 2018; what 'minpair train' makes"},
                          {"gru", "PyTorch's word_language_model"},
                          {"rnn", "PyTorch's word_language_model"}},
          .make = load_recurrent,
          .sites = [](std::string_view type) {
            return type == "lstm" ? kSitesOfLstm : type == "gru" ? kSitesOfGru : kSitesOfRecurrent;
          }};
}

}  // namespace minpair::model
