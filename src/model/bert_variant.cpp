#include "model/bert_variant.h"

namespace minpair::model {
namespace {

using Variant = BertVariant;

Variant distilbert() {
  Variant v{.name = "DistilBERT",
            .layers = "n_layers",
            .hidden = "dim",
            .heads = "n_heads",
            .inner = "hidden_dim",
            .activation = "activation",
            .epsilon = "",  // not configurable
            .segments = 0};
  v.layer = "transformer.layer.{}.";
  v.qkv = {"attention.q_lin", "attention.k_lin", "attention.v_lin"};
  v.attention_output = "attention.out_lin", v.attention_norm = "sa_layer_norm";
  v.up = {"ffn.lin1"}, v.down = "ffn.lin2", v.output_norm = "output_layer_norm";
  v.head = "vocab_", v.head_dense = "vocab_transform", v.head_norm = "vocab_layer_norm";
  v.decoder = "vocab_projector.weight", v.decoder_bias = {"vocab_projector.bias"};
  return v;
}

Variant roberta() {
  Variant v{.name = "RoBERTa", .positions = 514, .segments = 1, .positions_after_padding = true};
  v.head = "lm_head.", v.head_dense = "lm_head.dense", v.head_norm = "lm_head.layer_norm";
  v.decoder = "lm_head.decoder.weight", v.decoder_bias = {"lm_head.bias", "lm_head.decoder.bias"};
  v.gelu_in_head = true;
  return v;
}

Variant roberta_norms_first() {
  Variant v = roberta();
  v.name = "RoBERTa-PreLayerNorm";
  v.norms_first = true;
  v.attention_norm = "attention.LayerNorm", v.output_norm = "intermediate.LayerNorm";
  v.last_norm = "LayerNorm";
  return v;
}

Variant large_xlm_roberta() {
  Variant v = roberta();
  v.name = "XLM-R XL", v.usual_epsilon = 1e-5;
  v.norms_first = true;
  v.attention_norm = "attention.self_attn_layer_norm", v.output_norm = "LayerNorm";
  v.last_norm = "encoder.LayerNorm", v.embedding_norm.clear();
  return v;
}

Variant mpnet(const Config& c) {
  Variant v = roberta();
  v.name = "MPNet", v.segments = 0, v.padding = 1,
  v.distances = "encoder.relative_attention_bias.weight";
  v.qkv = {"attention.attn.q", "attention.attn.k", "attention.attn.v"};
  v.attention_output = "attention.attn.o", v.attention_norm = "attention.LayerNorm";
  c.ignore({"relative_attention_num_buckets"});
  return v;
}

Variant electra() {
  Variant v{.name = "ELECTRA", .widen = "embeddings_project"};
  v.head = "generator_", v.head_dense = "generator_predictions.dense";
  v.head_norm = "generator_predictions.LayerNorm";
  v.decoder = "generator_lm_head.weight", v.decoder_bias = {"generator_lm_head.bias"};
  v.gelu_in_head = true;
  return v;
}

Variant albert() {
  Variant v{.name = "ALBERT",
            .usual_activation = "gelu_new",
            .widen = "encoder.embedding_hidden_mapping_in",
            .shares_layers = true};
  v.layer = "encoder.albert_layer_groups.{}.albert_layers.{}.";
  v.qkv = {"attention.query", "attention.key", "attention.value"};
  v.attention_output = "attention.dense", v.attention_norm = "attention.LayerNorm";
  v.up = {"ffn"}, v.down = "ffn_output", v.output_norm = "full_layer_layer_norm";
  v.head = "predictions.", v.head_dense = "predictions.dense";
  v.head_norm = "predictions.LayerNorm", v.decoder = "predictions.decoder.weight";
  v.decoder_bias = {"predictions.bias", "predictions.decoder.bias"};
  return v;
}

Variant megatron() {
  Variant v{.name = "Megatron-BERT", .norms_first = true, .last_norm = "encoder.ln"};
  v.embedding_norm.clear();
  v.attention_norm = "attention.ln", v.output_norm = "ln";
  return v;
}

Variant ernie(const Config& c) {
  Variant v{.name = "ERNIE"};
  if (c.flag("use_task_id", false)) v.tasks = "embeddings.task_type_embeddings.weight";
  return v;
}

Variant roformer(const Config& c) {
  Variant v{.name = "RoFormer",
            .positions = 1536,
            .rotary_theta = 10000,
            .neighbours = true,
            .exact_angles = true};
  v.turns_values = c.flag("rotary_value", false);
  if (c.has("embedding_size")) v.widen = "embeddings_project";
  return v;
}

Variant nomic(const Config& c) {
  Variant v{.name = "NomicBERT", .usual_activation = "silu", .positions = 2048};
  v.rotary_theta = c.real("rotary_emb_base", 1000);
  v.gated = true, v.biases = false;
  v.embedding_norm = "emb_ln", v.layer = "encoder.layers.{}.";
  v.qkv = {"attn.Wqkv"}, v.attention_output = "attn.out_proj", v.attention_norm = "norm1";
  // The second one is the gate.
  v.up = {"mlp.fc12", "mlp.fc11"}, v.down = "mlp.fc2", v.output_norm = "norm2";
  v.head_norm = "cls.predictions.transform.layer_norm";
  return v;
}

}  // namespace

BertVariant bert_variant(const Config& c, const std::string& type) {
  if (type == "distilbert") return distilbert();
  if (type == "electra") return electra();
  if (type == "albert") return albert();
  if (type == "megatron-bert") return megatron();
  if (type == "ernie") return ernie(c);
  if (type == "roformer") return roformer(c);
  if (type == "nomic_bert") return nomic(c);
  if (type == "mpnet") return mpnet(c);
  if (type == "roberta-prelayernorm") return roberta_norms_first();
  if (type == "xlm-roberta-xl") return large_xlm_roberta();
  return type == "bert" ? Variant() : roberta();
}

}  // namespace minpair::model
