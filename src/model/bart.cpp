// BART (Lewis et al. 2020) and mBART (Liu et al. 2020) as what they were trained to be: models that
// write a damaged sentence anew. The encoder reads the sentence with a mask in place of the gap;
// the decoder reads what stands before the gap and says what comes next. So a query is that of a
// masked model: tokens masked in a row are one gap, and its first token is what can be asked for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "model/architecture.h"
#include "model/gaps.h"

namespace minpair::model {
namespace {

constexpr size_t kFirstPosition = 2;  // rows of the table before it are left from padding

struct Attention {
  nn::Linear query, key_value, output;
  nn::Norm norm;
};

struct Block {
  Attention self, across;  // across: from the decoder to the encoder
  nn::Linear up, down;
  nn::Norm norm;
};

// The encoder or the decoder.
struct Side {
  nn::AttentionShape shape;
  nn::Matrix positions;
  nn::Norm embedding_norm, last_norm;  // last_norm: mBART's
  std::vector<Block> blocks;
};

class Bart : public GapFiller {
 public:
  explicit Bart(const Loading& from)
      : GapFiller(from.runtime, "BART"), multilingual_(from.info.architecture == "mbart") {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    read_sizes(from, {"encoder_layers", "d_model", "encoder_attention_heads",
                      "max_position_embeddings", 1024});
    activation_ = nn::find_activation(c.text("activation_function", "gelu"));
    if (c.flag("scale_embedding", false)) times_ = std::sqrt(float(info.hidden));
    start_ = tokenizer::TokenId(c.integer("decoder_start_token_id", 2));
    if (start_ < 0 || uint32_t(start_) >= info.vocabulary)
      throw bad_input("\"decoder_start_token_id\" is not a token").at(c.file().string());
    c.must_be("normalize_before", multilingual_, "the norms stand elsewhere");
    c.must_be("add_final_layer_norm", multilingual_, "the norms stand elsewhere");
    c.must_be("normalize_embedding", true, "embeddings without a norm are not supported");
    c.must_be("static_position_embeddings", false, "positions must be learned");
    c.must_be("is_encoder_decoder", true, "one half of the model alone is not supported");
    c.ignore({"is_decoder", "forced_eos_token_id", "forced_bos_token_id", "add_bias_logits",
              "extra_pos_embeddings", "output_past", "tokenizer_class", "num_hidden_layers",
              "encoder_layerdrop", "decoder_layerdrop"});
    load_weights(from);
  }

  void finish(nn::Matrix& stream) override {
    if (multilingual_) nn::normalize(runtime_, stream, decoder_.last_norm);
  }

 private:
  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const size_t h = info.hidden;
    words_ = load.embedding("shared.weight", info.vocabulary, h);
    encoder_ = load_side(load, c, "encoder", info);
    decoder_ = load_side(load, c, "decoder", info);
    const bool tied = is_tied(c, load, "lm_head.weight", "shared.weight");
    output_.weights = load.matrix(tied ? "shared.weight" : "lm_head.weight", info.vocabulary, h);
    if (load.has("final_logits_bias"))
      output_.bias = load.numbers("final_logits_bias", {1, int64_t(info.vocabulary)});
    info.parameters = load.finish(multilingual_ ? "mBART" : "BART", {"lm_head", "decoder."});
    set_layers(encoder_.blocks.size(), decoder_.blocks.size(), decoder_.shape.heads, info);
    info.max_tokens -= 1;  // the decoder also reads its start
  }

  Side load_side(WeightLoader& load, const Config& c, const std::string& name,
                 const query::ModelInfo& info) const {
    const size_t h = info.hidden, inner = c.size(name + "_ffn_dim");
    Side side;
    side.shape = attention_shape(c, h, c.size(name + "_attention_heads"));
    side.positions =
        load.table(name + ".embed_positions.weight", info.max_tokens + kFirstPosition, h);
    side.embedding_norm = load.norm(name + ".layernorm_embedding", h, 1e-5);
    for (size_t i = 0; i < c.size(name + "_layers"); ++i) {
      const std::string p = fmt::format("{}.layers.{}.", name, i);
      Block block;
      block.self = load_attention(load, p + "self_attn", h);
      if (name == "decoder") block.across = load_attention(load, p + "encoder_attn", h);
      block.up = load.linear(p + "fc1", inner, h);
      block.down = load.linear(p + "fc2", h, inner);
      block.norm = load.norm(p + "final_layer_norm", h, 1e-5);
      side.blocks.push_back(std::move(block));
    }
    if (multilingual_) side.last_norm = load.norm(name + ".layer_norm", h, 1e-5);
    return side;
  }

  static Attention load_attention(WeightLoader& load, const std::string& name, size_t h) {
    Attention attention;
    attention.query = load.linear(name + ".q_proj", h, h);
    attention.key_value = load.stacked({name + ".k_proj", name + ".v_proj"}, h, h);
    attention.output = load.linear(name + ".out_proj", h, h);
    attention.norm = load.norm(name + "_layer_norm", h, 1e-5);
    return attention;
  }

  void embed(const Side& side, std::span<const tokenizer::TokenId> ids,
             std::span<const nn::Sequence> sequences, nn::Matrix& to) const {
    to.resize(ids.size(), words_.width());
    for (const nn::Sequence& s : sequences)
      for (size_t i = 0; i < s.queries; ++i) {
        float* x = to.row(s.query + i);
        words_.row(size_t(ids[s.query + i]), x);
        const float* position = side.positions.row(kFirstPosition + i);
        for (size_t d = 0; d < to.columns(); ++d) x[d] = x[d] * times_ + position[d];
      }
    nn::normalize(runtime_, to, side.embedding_norm);
  }

  void embed() override {
    embed(encoder_, gaps_.ids, gaps_.sentences, encoded_);
    embed(decoder_, lines_.ids, lines_.own, hidden_);
  }

  // The start, and what stands before the gap.
  std::vector<tokenizer::TokenId> read_before(size_t sentence) const override {
    const nn::Sequence& read = gaps_.sentences[sentence];
    // mBART's sentences end in their language, and that is what the decoder begins with.
    std::vector<tokenizer::TokenId> ids{multilingual_ ? gaps_.ids[read.query + read.queries - 1]
                                                      : start_};
    ids.insert(ids.end(), gaps_.ids.begin() + ptrdiff_t(read.query),
               gaps_.ids.begin() + ptrdiff_t(gaps_.gap_of[sentence]));
    return ids;
  }

  // stream += attention; BART norms the sum, mBART what goes in.
  void attend(size_t layer, const Attention& attention, const nn::AttentionShape& shape,
              std::span<const nn::Sequence> sequences, const nn::View* seen, nn::Matrix& stream,
              Part part = {}) {
    const size_t h = stream.columns();
    if (multilingual_) nn::normalize(runtime_, stream, attention.norm, normed_);
    const nn::Matrix& in = multilingual_ ? normed_ : stream;
    nn::linear(runtime_, in, attention.query, query_);
    nn::linear(runtime_, seen ? *seen : nn::View(in), attention.key_value, key_value_);
    nn::attend(runtime_, shape, sequences, query_, key_value_.part(0, h), key_value_.part(h, h),
               context_);
    see(Site::heads, layer, context_, part);
    add(Site::attention_output, layer, context_, attention.output, stream, sum_, {}, 1, part);
    std::swap(stream, sum_);
    if (!multilingual_) nn::normalize(runtime_, stream, attention.norm);
  }

  void feed_forward(size_t layer, const Block& block, nn::Matrix& stream) {
    if (multilingual_) nn::normalize(runtime_, stream, block.norm, normed_);
    GapFiller::feed_forward(layer, multilingual_ ? normed_ : stream, block.up, false, block.down,
                            stream, sum_);
    std::swap(stream, sum_);
    if (!multilingual_) nn::normalize(runtime_, stream, block.norm);
  }

  void encode() override {
    for (size_t l = 0; l < encoder_.blocks.size(); ++l) {
      const Block& block = encoder_.blocks[l];
      join_encoder(l);
      attend(l, block.self, encoder_.shape, gaps_.sentences_of(encoded_.rows()), nullptr, encoded_);
      feed_forward(l, block, encoded_);
      see_encoded(Site::residual, l);
    }
    join_encoder(encoder_.blocks.size());
    if (multilingual_) nn::normalize(runtime_, encoded_, encoder_.last_norm);
  }

  void decode() override {
    nn::AttentionShape causal = decoder_.shape;
    causal.after = 0;
    for (size_t i = 0; i < decoder_.blocks.size(); ++i) {
      const Block& block = decoder_.blocks[i];
      const size_t l = of_decoder(i);
      join_decoder(i);
      const size_t rows = hidden_.rows();
      const nn::View seen = lines_.seen_by(rows, encoded_);
      attend(l, block.self, causal, lines_.own_of(rows), nullptr, hidden_);
      attend(l, block.across, decoder_.shape, lines_.across_of(rows), &seen, hidden_, kAcross);
      feed_forward(l, block, hidden_);
      see_decoded(i);
    }
  }

  bool multilingual_;
  float times_ = 1;
  tokenizer::TokenId start_ = 0;
  Side encoder_, decoder_;
  nn::Matrix query_, key_value_, sum_;
};

}  // namespace

Family bart_family() {
  return {.model_types = {{"bart", "BART base and large"},
                          {"mbart", "mBART 25 and 50, BARThez, BARTpho"}},
          .make = make<Encoder, Bart>,
          .fills_gaps = true};
}

}  // namespace minpair::model
