#include "model/causal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "model/edges.h"
#include "model/interventions.h"
#include "model/mixing.h"
#include "tokenizer/word_ends.h"

namespace minpair::model {
namespace {

// Floats of gathered keys (and as many of values) at a time.
constexpr size_t kGatherFloats = size_t{4} << 20;

void copy_row(const nn::View& from, size_t row, nn::Matrix& to, size_t at) {
  std::memcpy(to.row(at), from.row(row), from.columns * sizeof(float));
}

}  // namespace

Decoder::Decoder(const Loading& from, const SizeKeys& keys)
    : Network(from.runtime), attention_(from.runtime) {
  read_sizes(from, keys);
}

void Decoder::embed(const PrefixTree& tree, const Watch& watch) {
  begin(tree.nodes.size(), watch);
  hidden_.resize(tree.nodes.size(), words_.width());
  for (size_t i = 0; i < tree.nodes.size(); ++i)
    words_.row(size_t(tree.nodes[i].token), hidden_.row(i));
}

const nn::Matrix& Decoder::last_norm(std::span<const uint32_t> rows) {
  keep(rows, {&hidden_});
  finish(hidden_);
  see(Site::output, 0, hidden_);
  return hidden_;
}

void Decoder::finish_parts(nn::Matrix& rows) {
  const HeldNorm held(norm_, std::span(rows.row(0), rows.columns()));
  for (size_t i = 0; i < rows.rows(); ++i) held.apply({rows.row(i), rows.columns()});
  if (!norm_.bias.empty()) std::ranges::copy(norm_.bias, rows.row(rows.rows() - 1));
}

float left_of_halved(size_t layer, size_t layers, size_t every) {
  float left = 1;
  for (size_t l = layer; l < layers && every > 0; ++l)
    if ((l + 1) % every == 0) left /= 2;
  return left;
}

void TreeAttention::run(const nn::AttentionShape& shape, const PrefixTree& tree,
                        const nn::View& queries, const nn::View& keys, const nn::View& values,
                        nn::Matrix& out) {
  out.resize(queries.rows, shape.heads * shape.width);
  if (mixing_) mixing_->attend(shape, queries, keys, values);
  std::vector<nn::Sequence> whole;  // chains that begin at a root lie in memory as they are
  std::vector<uint32_t> branches;
  for (uint32_t c = 0; c < tree.chains.size(); ++c) {
    const PrefixTree::Chain& chain = tree.chains[c];
    if (chain.first >= queries.rows) break;  // later layers have more
    if (chain.parent == PrefixTree::none)
      whole.push_back({chain.first, chain.count, chain.first, chain.count});
    else
      branches.push_back(c);
  }
  nn::attend(runtime_, shape, whole, queries, keys, values, out);
  size_t budget = std::max<size_t>(1, kGatherFloats / keys.columns);
  for (size_t begin = 0; begin < branches.size();) {
    size_t end = begin, rows = 0;
    while (end < branches.size()) {
      const PrefixTree::Chain& chain = tree.chains[branches[end]];
      size_t path = tree.nodes[chain.first].depth + chain.count;
      if (end > begin && rows + path > budget) break;
      rows += path;
      ++end;
    }
    run_gathered(shape, tree, std::span(branches).subspan(begin, end - begin), queries, keys,
                 values, out);
    begin = end;
  }
}

void TreeAttention::run_gathered(const nn::AttentionShape& shape, const PrefixTree& tree,
                                 std::span<const uint32_t> chains, const nn::View& queries,
                                 const nn::View& keys, const nn::View& values, nn::Matrix& out) {
  std::vector<nn::Sequence> sequences;
  size_t rows = 0;
  for (uint32_t c : chains) {
    const PrefixTree::Chain& chain = tree.chains[c];
    size_t path = tree.nodes[chain.first].depth + chain.count;
    sequences.push_back({chain.first, chain.count, rows, path});
    rows += path;
  }
  path_keys_.resize(rows, keys.columns);
  path_values_.resize(rows, values.columns);
  runtime_.parallel(chains.size(), [&](size_t i, int) {
    const PrefixTree::Chain& chain = tree.chains[chains[i]];
    size_t begin = sequences[i].key, at = begin + tree.nodes[chain.first].depth;
    for (uint32_t n = 0; n < chain.count; ++n) {
      copy_row(keys, chain.first + n, path_keys_, at + n);
      copy_row(values, chain.first + n, path_values_, at + n);
    }
    for (uint32_t n = chain.parent; n != PrefixTree::none; n = tree.nodes[n].parent) {
      --at;
      copy_row(keys, n, path_keys_, at);
      copy_row(values, n, path_values_, at);
    }
  });
  nn::attend(runtime_, shape, sequences, queries, path_keys_, path_values_, out);
}

CausalModel::CausalModel(const Source& source, MakeDecoder make_decoder, Parts parts)
    : NetworkModel(source, std::move(parts)) {
  config_->ignore({"is_decoder"});  // it is one, whatever it says
  config_->must_be("is_encoder_decoder", false, "one half of the model alone is not supported");
  decoder_ = make_network(make_decoder, source);
  // Between two products a state or a memory goes over wide rows several times: these stay in the
  // cache.
  if (!decoder_->attends()) info_.batch_tokens = 1024;
  set_edges(info_, *tokenizer_, source.options, start_of_text(*config_, *tokenizer_, info_),
            {-1, query::EdgeFrom::transformers});
}

std::vector<query::Answer> CausalModel::answer(std::span<const query::Query> queries) {
  return answer_by_logits(*this, queries, [&](std::span<const Input> asked) {
    Interventions changes(asked, info_);
    const std::span<const Input> inputs = changes.inputs();
    PrefixTree tree(inputs, changes.late());
    auto node_of = [&](size_t q, uint32_t position) { return tree.node_of(q, position); };
    changes.place(node_of);
    std::vector<uint32_t> nodes, rows;
    for (const PrefixTree::NodeRead& read : tree.reads) {
      rows.push_back(uint32_t(nodes.size()));
      nodes.push_back(read.node);
    }
    Taps taps(inputs, info_, node_of);
    if (nodes.empty() && taps.empty()) return tree.distribute(inputs, {});
    if (nodes.empty()) nodes.push_back(0);
    const nn::Matrix& hidden = decoder_->forward(tree, nodes, changes.watch(taps.watch()));
    auto all =
        tree.distribute(inputs, outputs_.read(runtime_, tree, hidden, rows, decoder_->output(),
                                              decoder_->logit_cap(), *tokenizer_));
    taps.read(runtime_, info_.hidden, decoder_->output(), decoder_->logit_cap(), all,
              [&](nn::Matrix& stream) {
                decoder_->finish(stream);
                return nn::View(stream);
              });
    return all;
  });
}

std::vector<Logits> TreeOutputs::read(const nn::Runtime& runtime, const PrefixTree& tree,
                                      const nn::View& states, std::span<const uint32_t> rows,
                                      const nn::Linear& output, float cap,
                                      const tokenizer::Tokenizer& tokenizer) {
  std::vector<Logits> answers(tree.reads.size());
  std::vector<nn::OutputRead> reads;
  std::vector<double> word_end(answers.size());
  bool any = false;
  for (size_t i = 0; i < answers.size(); ++i) {
    const PrefixTree::NodeRead& asked = tree.reads[i];
    // The set is the least of all numbers and comes first.
    size_t sets = !asked.targets.empty() && asked.targets[0] == query::kWordEnd;
    answers[i].logits.resize(asked.targets.size());
    reads.push_back({rows[i], std::span(asked.targets).subspan(sets), asked.normalized || sets,
                     answers[i].logits.data() + sets, &answers[i].log_sum_exp,
                     sets ? &word_end[i] : nullptr});
    any |= sets > 0;
  }
  if (any && word_ends_.empty()) {
    word_ends_.resize(output.weights.outputs());
    for (tokenizer::TokenId id : tokenizer::word_ends(tokenizer, uint32_t(word_ends_.size())))
      word_ends_[size_t(id)] = 1;
  }
  nn::read_outputs(runtime, states, output, reads, cap, word_ends_);
  for (size_t i = 0; i < answers.size(); ++i)
    if (reads[i].set_log_sum_exp) answers[i].logits[0] = float(word_end[i]);
  return answers;
}

const nn::Matrix& CausalModel::watch(const std::vector<tokenizer::TokenId>& ids,
                                     const Watch& watch) {
  query::check({ids, {}, {}}, *this);
  const Input alone{ids, {}};
  std::vector<uint32_t> rows(ids.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return decoder_->forward(PrefixTree({&alone, 1}), rows, watch);
}

std::vector<std::vector<float>> CausalModel::parts_at(const std::vector<tokenizer::TokenId>& ids,
                                                      uint32_t position, Mixing& mixing) {
  std::vector<std::vector<float>> parts;
  decoder_->listen(&mixing);
  const Watch take = [&](const Value& value) {
    if (value.site == Site::embeddings || value.site == Site::attention_output ||
        value.site == Site::mlp_output)
      parts.emplace_back(value.rows.row(position), value.rows.row(position) + value.rows.columns());
  };
  try {
    watch(ids, take);
  } catch (...) {
    decoder_->listen(nullptr);
    throw;
  }
  decoder_->listen(nullptr);
  return parts;
}

std::vector<double> CausalModel::direct_effects(std::span<const std::vector<float>> parts,
                                                tokenizer::TokenId good, tokenizer::TokenId bad) {
  const tokenizer::TokenId targets[] = {good, bad};
  const size_t each = sites().test(size_t(query::Site::mlp)) ? 2 : 1;  // of a layer
  auto layer_of = [&](size_t part) {
    return part == 0 ? 0 : std::min<size_t>((part - 1) / each, info_.layers - 1);
  };
  // The stream, its parts, nothing (the output's own bias), and what the norm adds.
  nn::Matrix rows(parts.size() + 3, parts[0].size());
  const size_t nothing = parts.size() + 1, norm = nothing + 1;
  for (size_t d = 0; d < rows.columns(); ++d) {
    double sum = 0;
    for (size_t i = 0; i < parts.size(); ++i)
      sum += double(rows.row(i + 1)[d] = parts[i][d] * decoder_->left_of(layer_of(i)));
    rows.row(0)[d] = float(sum);
    rows.row(norm)[d] = rows.row(nothing)[d] = 0;
  }
  decoder_->finish_parts(rows);
  std::vector<float> logits(2 * rows.rows());
  std::vector<nn::OutputRead> reads;
  for (size_t i = 0; i < rows.rows(); ++i)
    reads.push_back({i, targets, false, &logits[2 * i], nullptr});
  nn::read_outputs(runtime_, rows, decoder_->output(), reads);
  auto difference = [&](size_t row) {
    return double(logits[2 * row]) - double(logits[2 * row + 1]);
  };
  std::vector<double> effects;
  for (size_t i = 0; i < parts.size(); ++i)
    effects.push_back(difference(i + 1) - difference(nothing));
  effects.push_back(difference(norm));
  return effects;
}

}  // namespace minpair::model
