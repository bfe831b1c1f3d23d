// T5 (Raffel et al. 2020), mT5 (Xue et al. 2021) and umT5 (Chung et al. 2023) as what they were
// trained to be: models that fill gaps. The encoder reads the sentence with a sentinel in place of
// the gap; the decoder reads the sentinel and says what comes next. So a query is that of a masked
// model: tokens masked in a row are one gap, and its first token is what can be asked for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "model/architecture.h"
#include "model/disentangled.h"
#include "model/gaps.h"

namespace minpair::model {
namespace {

struct Attention {
  nn::Norm norm;
  nn::Linear query, key_value, output;
  DistanceBias distances;
};

struct Block {
  Attention self, across;  // across: from the decoder to the encoder
  nn::Norm norm;
  nn::Linear up, down;
};

class T5 : public GapFiller {
 public:
  explicit T5(const Loading& from) : GapFiller(from.runtime, "T5") {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    read_sizes(from, {"num_layers", "d_model", "num_heads", ""});
    each_layer_ = info.architecture == "umt5";
    epsilon_ = c.real("layer_norm_epsilon", 1e-6);
    set_activation(c);
    shape_ = {
        .heads = info.heads, .key_heads = info.heads, .width = c.size("d_kv", 64), .scale = 1};
    inner_width_ = c.size("d_ff");
    start_ = tokenizer::TokenId(c.integer("decoder_start_token_id", c.integer("pad_token_id", 0)));
    if (start_ < 0 || uint32_t(start_) >= info.vocabulary)
      throw bad_input("\"decoder_start_token_id\" is not a token").at(c.file().string());
    const bool tied = c.flag("tie_word_embeddings", info.architecture != "mt5");
    if (info.architecture == "t5") scaled_ = c.flag("scale_decoder_outputs", tied);
    if (info.architecture == "umt5") scaled_ = tied;
    // Transformers 5 ties all of them, and scales none.
    if (info.architecture == "mt5") scaled_ = tied && c.written_by().first < 5;
    c.must_be("is_encoder_decoder", true, "one half of the model alone is not supported");
    c.ignore({"is_decoder", "output_past", "n_positions", "scalable_attention"});
    load_weights(from, tied);
  }

  void finish(nn::Matrix& stream) override {
    nn::normalize(runtime_, stream, norm_);
    if (scaled_) multiply(stream, float(1 / std::sqrt(double(stream.columns()))));
  }

 private:
  void set_activation(const Config& c) {
    std::string said = c.text("feed_forward_proj", "relu");
    gated_ = said.starts_with("gated-");
    if (gated_) said.erase(0, 6);
    if (gated_ && said == "gelu") said = "gelu_new";
    if (c.text("dense_act_fn", said) != said || c.flag("is_gated_act", gated_) != gated_)
      throw bad_input("\"feed_forward_proj\" contradicts \"dense_act_fn\", \"is_gated_act\"")
          .at(c.file().string());
    activation_ = nn::find_activation(said);
  }

  void load_weights(const Loading& from, bool tied) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "transformer."});
    const size_t h = info.hidden, decoders = c.size("num_decoder_layers", info.layers);
    // GGUF calls all of them T5.
    each_layer_ |= load.has("encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight");
    words_ = load.embedding("shared.weight", info.vocabulary, h);
    for (size_t i = 0; i < info.layers; ++i)
      encoder_.push_back(
          load_block(load, c, fmt::format("encoder.block.{}.layer.", i), h, i, false));
    for (size_t i = 0; i < decoders; ++i)
      decoder_.push_back(
          load_block(load, c, fmt::format("decoder.block.{}.layer.", i), h, i, true));
    encoder_norm_ = norm(load, "encoder.final_layer_norm", h);
    norm_ = norm(load, "decoder.final_layer_norm", h);
    const bool own = !is_tied(c, load, "lm_head.weight", "shared.weight", tied);
    output_.weights = load.matrix(own ? "lm_head.weight" : "shared.weight", info.vocabulary, h);
    info.parameters = load.finish("T5", {"lm_head", "decoder."});
    set_layers(encoder_.size(), decoders, shape_.heads, info);
  }

  nn::Norm norm(WeightLoader& load, const std::string& name, size_t h) const {
    return load.rms_norm(name, h, epsilon_);
  }

  Attention load_attention(WeightLoader& load, const std::string& p, const std::string& name,
                           size_t h) const {
    const size_t w = shape_.heads * shape_.width;
    const std::string a = p + name + ".";
    Attention attention;
    attention.norm = norm(load, p + "layer_norm", h);
    attention.query = load.linear(a + "q", w, h, false);
    attention.key_value = load.stacked({a + "k", a + "v"}, w, h, false);
    attention.output = load.linear(a + "o", h, w, false);
    return attention;
  }

  Block load_block(WeightLoader& load, const Config& c, const std::string& p, size_t h, size_t i,
                   bool decodes) const {
    Block block;
    block.self = load_attention(load, p + "0.", "SelfAttention", h);
    if (i == 0 || each_layer_)
      block.self.distances =
          DistanceBias(load.table(p + "0.SelfAttention.relative_attention_bias.weight",
                                  c.size("relative_attention_num_buckets", 32), shape_.heads),
                       c.size("relative_attention_max_distance", 128), !decodes);
    if (decodes) block.across = load_attention(load, p + "1.", "EncDecAttention", h);
    const std::string m = p + (decodes ? "2." : "1.");
    block.norm = norm(load, m + "layer_norm", h);
    const std::string f = m + "DenseReluDense.";
    block.up = gated_ ? load.stacked({f + "wi_0", f + "wi_1"}, inner_width_, h, false)
                      : load.linear(f + (load.has(f + "wi.weight") ? "wi" : "wi_1"), inner_width_,
                                    h, false);
    block.down = load.linear(f + "wo", h, inner_width_, false);
    return block;
  }

  void embed(std::span<const tokenizer::TokenId> ids, nn::Matrix& to) const {
    to.resize(ids.size(), words_.width());
    for (size_t i = 0; i < ids.size(); ++i) words_.row(size_t(ids[i]), to.row(i));
  }

  void embed() override {
    embed(gaps_.ids, encoded_);
    embed(lines_.ids, hidden_);
  }

  // After the sentinel stands the gap's first token.
  std::vector<tokenizer::TokenId> read_before(size_t) const override { return {start_, mask_}; }

  void attend(const Attention& attention, const nn::MoreScores* more,
              std::span<const nn::Sequence> sequences, bool causal, const nn::Matrix& in,
              const nn::View& seen) {
    const size_t w = shape_.heads * shape_.width;
    nn::linear(runtime_, in, attention.query, query_);
    nn::linear(runtime_, seen, attention.key_value, key_value_);
    nn::AttentionShape shape = shape_;
    shape.more = more;
    if (causal) shape.after = 0;
    nn::attend(runtime_, shape, sequences, query_, key_value_.part(0, w), key_value_.part(w, w),
               context_);
  }

  void encode() override {
    for (size_t l = 0; l < encoder_.size(); ++l) {
      const Block& block = encoder_[l];
      const DistanceBias& distances = encoder_[each_layer_ ? l : 0].self.distances;
      nn::MoreScores more = [&](const nn::ScoreBlock& b) { distances.add(b); };
      join_encoder(l);
      nn::normalize(runtime_, encoded_, block.self.norm, normed_);
      attend(block.self, &more, gaps_.sentences_of(encoded_.rows()), false, normed_, normed_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, block.self.output, encoded_, attended_);
      nn::normalize(runtime_, attended_, block.norm, normed_);
      feed_forward(l, normed_, block.up, gated_, block.down, attended_, encoded_);
      see_encoded(Site::residual, l);
    }
    join_encoder(encoder_.size());
    nn::normalize(runtime_, encoded_, encoder_norm_);
  }

  void decode() override {
    for (size_t i = 0; i < decoder_.size(); ++i) {
      const Block& block = decoder_[i];
      const size_t l = of_decoder(i);
      const DistanceBias& distances = decoder_[each_layer_ ? i : 0].self.distances;
      nn::MoreScores more = [&](const nn::ScoreBlock& b) { distances.add(b); };
      join_decoder(i);
      const size_t rows = hidden_.rows();
      nn::normalize(runtime_, hidden_, block.self.norm, normed_);
      attend(block.self, &more, lines_.own_of(rows), true, normed_, normed_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, block.self.output, hidden_, attended_);
      nn::normalize(runtime_, attended_, block.across.norm, normed_);
      attend(block.across, nullptr, lines_.across_of(rows), false, normed_,
             lines_.seen_by(rows, encoded_));
      see(Site::heads, l, context_, kAcross);
      add(Site::attention_output, l, context_, block.across.output, attended_, hidden_, {}, 1,
          kAcross);
      nn::normalize(runtime_, hidden_, block.norm, normed_);
      feed_forward(l, normed_, block.up, gated_, block.down, hidden_, attended_);
      std::swap(hidden_, attended_);
      see_decoded(i);
    }
  }

  bool each_layer_ = false, gated_ = false, scaled_ = false;
  double epsilon_ = 0;
  size_t inner_width_ = 0;
  tokenizer::TokenId start_ = 0;
  std::vector<Block> encoder_, decoder_;
  nn::Norm encoder_norm_;
  nn::Matrix query_, key_value_;
};

Gguf::Stack stack_of(const std::string& theirs, const std::string& ours, const std::string& mlp) {
  Gguf::Stack stack{theirs, ours, {}};
  auto attention = [&](const std::string& begin, const std::string& layer, const char* name) {
    stack.in_layer.emplace_back(begin + "norm.", layer + "layer_norm.");
    stack.in_layer.emplace_back(begin + "rel_b.", layer + name + ".relative_attention_bias.");
    for (const char* part : {"q.", "k.", "v.", "o."})
      stack.in_layer.emplace_back(begin + part, layer + name + "." + part);
  };
  attention("attn_", "layer.0.", "SelfAttention");
  attention("cross_attn_", "layer.1.", "EncDecAttention");
  const std::string f = mlp + "DenseReluDense.";
  stack.in_layer.insert(stack.in_layer.end(), {{"ffn_norm.", mlp + "layer_norm."},
                                               {"ffn_gate.", f + "wi_0."},
                                               {"ffn_up.", f + "wi_1."},
                                               {"ffn_down.", f + "wo."}});
  return stack;
}

// Its vocabulary may not name the sentinels (tokenizer/gguf.cpp).
Gguf t5_gguf() {
  return {
      .architecture = "t5",
      .model_type = "t5",
      .keys = renames("embedding_length=d_model block_count=num_layers feed_forward_length=d_ff "
                      "attention.head_count=num_heads attention.key_length=d_kv "
                      "attention.layer_norm_rms_epsilon=layer_norm_epsilon"),
      .tensors = renames("token_embd.=shared. enc.output_norm.=encoder.final_layer_norm. "
                         "dec.output_norm.=decoder.final_layer_norm. output.=lm_head."),
      .more =
          [](const checkpoint::Metadata& m) {
            return Gguf::integers(m, "t5.",
                                  renames("decoder_block_count=num_decoder_layers "
                                          "attention.relative_buckets_count=relative_attention_num_"
                                          "buckets decoder_start_token_id=decoder_start_token_id"));
          },
      .stacks = {stack_of("enc.blk.", "encoder.block.", "layer.1."),
                 stack_of("dec.blk.", "decoder.block.", "layer.2.")}};
}

}  // namespace

Family t5_family() {
  return {
      .model_types = {{"t5", "T5, T5 1.1, Flan-T5, UL2, ByT5"}, {"mt5", "mT5"}, {"umt5", "umT5"}},
      .make = make<Encoder, T5>,
      .gguf = {t5_gguf()},
      .fills_gaps = true};
}

}  // namespace minpair::model
