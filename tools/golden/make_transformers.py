#!/usr/bin/env python3
"""Makes tiny checkpoints in tests/model/golden with Hugging Face's own library, and what it computes with them: random
weights, saved with save_pretrained, read again with from_pretrained, scored in float64 with eager attention.

  python3 tools/golden/make_transformers.py [--long] FOLDER [NAME...]        (Debian unstable: python3-transformers, python3-torch)

FOLDER is tests/model/golden. With --long the same models have room for 1,000 tokens, and such a sentence is scored; also said
is then how far the library itself is from that in single precision.

Every folder gets config.json, model.safetensors (half precision), vocab.txt, tokenizer_config.json and reference.json:
for each input its ids, and the log-probability of every token but the first given those before it.
"""
import contextlib
import copy
import json
import pathlib
import sys

import torch
import transformers
from published import PUBLISHED, config_of
from safetensors.torch import load_file, save_file

# FlauBERT with norms first asks its cache for a layer, which the library's own cache has not: it computes without one.
transformers.EncoderDecoderCache.__getitem__ = lambda cache, layer: None

# xLSTM's first weights fail where they are fused; all are set here.
transformers.models.xlstm.modeling_xlstm.xLSTMPreTrainedModel._init_weights = lambda model, module: None

VOCABULARY, LENGTHS, LONG = 120, [2, 9, 40], [1, 100, 1000]
BYT5, LAST_BYTE = 384, 258  # its vocabulary, and what stands for a gap
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx", "seq_length")  # what configurations call the room for tokens
SIZE = dict(vocab_size=VOCABULARY, bos_token_id=2, eos_token_id=3, pad_token_id=0)
HIDDEN = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4)
OPT = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4, ffn_dim=48, max_position_embeddings=64)
NEO = dict(hidden_size=32, num_layers=4, num_heads=4, intermediate_size=48, max_position_embeddings=64, window_size=8)
PHI = dict(HIDDEN, intermediate_size=48, max_position_embeddings=64)

BERT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40, max_position_embeddings=64)
XLM = dict(emb_dim=24, n_layers=2, n_heads=3, max_position_embeddings=64, pad_index=0, bos_index=2, eos_index=3, mask_index=4)
LLAMA = dict(BERT, num_key_value_heads=2)
WINDOW = dict(sliding_window=8, num_hidden_layers=4)
DEBERTA = dict(BERT, relative_attention=True, layer_norm_eps=1e-7)
V3 = dict(DEBERTA, position_biased_input=False, pos_att_type=["p2c", "c2p"], position_buckets=8, norm_rel_ebd="layer_norm",
          share_att_key=True, type_vocab_size=0)
T5 = dict(d_model=32, d_kv=8, d_ff=40, num_layers=2, num_decoder_layers=3, num_heads=4, relative_attention_num_buckets=8,
          relative_attention_max_distance=20, decoder_start_token_id=0)
BART = dict(d_model=32, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=40, decoder_ffn_dim=48, max_position_embeddings=64, decoder_start_token_id=3)
FEW = dict(num_layers=3, num_decoder_layers=2, relative_attention_max_distance=128)  # what GGUF can say
ETTIN = dict(BERT, num_hidden_layers=4, local_attention=16, cls_token_id=2, sep_token_id=3)
MOE = dict(LLAMA, num_experts_per_tok=2)

# Without a cache, whose size is rounded up where the memories' is not.
XLSTM = dict(hidden_size=32, num_hidden_layers=2, ffn_round_up_to_multiple_of=8, use_cache=False)
NEOX = dict(BERT, rotary_pct=0.5)
GEMMA = dict(LLAMA, head_dim=16)
ALBERT = dict(BERT, embedding_size=16, num_hidden_layers=5, num_hidden_groups=2, inner_group_num=2)
MODERN = dict(BERT, num_hidden_layers=4, local_attention=8, cls_token_id=2, sep_token_id=3, global_attn_every_n_layers=3)
SCALED = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)

# Positions of Ministral 3, whose queries grow after every 16 tokens.
FAR = dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16, beta_fast=32.0, beta_slow=1.0,
           mscale=1.0, mscale_all_dim=1.0, llama_4_scaling_beta=0.1)
QWEN35 = dict(LLAMA, num_hidden_layers=4, head_dim=16, linear_key_head_dim=8, linear_value_head_dim=8, linear_num_key_heads=2,
              linear_num_value_heads=2, rope_parameters=dict(
                  rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.25, mrope_section=[1, 1, 0], mrope_interleaved=True))

# What a folder's model is: the class, and how its configuration differs from the class's own.
MODELS = {
    # The first ones; make_models.py has their twins, with what happens inside them.
    "bert-saved": ("BertForMaskedLM", BERT),
    "bert-saved-untied": ("BertForMaskedLM", dict(BERT, tie_word_embeddings=False, hidden_act="gelu_new", layer_norm_eps=1e-5)),
    "distilbert-saved": ("DistilBertForMaskedLM", dict(dim=32, n_layers=2, n_heads=4, hidden_dim=40, max_position_embeddings=64)),
    "roberta-saved": ("RobertaForMaskedLM", dict(BERT, pad_token_id=1, type_vocab_size=1)),
    "xlm-roberta-saved": ("XLMRobertaForMaskedLM", dict(BERT, pad_token_id=1, type_vocab_size=1, layer_norm_eps=1e-5)),
    "camembert-saved": ("CamembertForMaskedLM", dict(BERT, pad_token_id=1, type_vocab_size=1, layer_norm_eps=1e-5)),
    "electra-saved": ("ElectraForMaskedLM", dict(BERT, embedding_size=16)),
    "electra-saved-wide": ("ElectraForMaskedLM", dict(BERT, embedding_size=32)),
    "albert-saved": ("AlbertForMaskedLM", ALBERT),
    "modernbert-saved": ("ModernBertForMaskedLM", MODERN),
    "modernbert-saved-bias": ("ModernBertForMaskedLM", dict(
        MODERN, norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True, hidden_activation="silu",
        classifier_activation="relu")),
    "gpt2-saved": ("GPT2LMHeadModel", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64)),
    "gpt2-saved-inner": ("GPT2LMHeadModel", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, n_inner=40,
                                                 activation_function="relu", tie_word_embeddings=False)),
    "gpt-neox-saved": ("GPTNeoXForCausalLM", NEOX),
    "gpt-neox-saved-serial": ("GPTNeoXForCausalLM", dict(BERT, rotary_pct=1.0, use_parallel_residual=False, rotary_emb_base=500)),
    "llama-saved": ("LlamaForCausalLM", LLAMA),
    "llama-saved-bias": ("LlamaForCausalLM", dict(LLAMA, attention_bias=True, mlp_bias=True, head_dim=12,
                                                  tie_word_embeddings=True)),
    "llama3-saved": ("LlamaForCausalLM", dict(LLAMA, num_key_value_heads=1, rope_parameters=SCALED)),
    "mistral-saved": ("MistralForCausalLM", dict(LLAMA, sliding_window=8)),
    "qwen2-saved": ("Qwen2ForCausalLM", LLAMA),
    "qwen2-saved-window": ("Qwen2ForCausalLM", dict(LLAMA, **WINDOW, use_sliding_window=True, max_window_layers=2)),
    "qwen3-saved": ("Qwen3ForCausalLM", dict(LLAMA, head_dim=16)),
    "gemma-saved": ("GemmaForCausalLM", GEMMA),
    "gemma2-saved": ("Gemma2ForCausalLM", dict(GEMMA, **WINDOW, query_pre_attn_scalar=24, attn_logit_softcapping=2.0,
                                               final_logit_softcapping=3.0)),
    "gemma3-saved": ("Gemma3ForCausalLM", dict(GEMMA, sliding_window=8, num_hidden_layers=7, query_pre_attn_scalar=24)),
    # GPT's elder relatives.
    "opt": ("OPTForCausalLM", OPT),
    "opt-after": ("OPTForCausalLM", dict(OPT, do_layer_norm_before=False, word_embed_proj_dim=16)),
    "opt-bare": ("OPTForCausalLM", dict(OPT, enable_bias=False, activation_function="gelu", tie_word_embeddings=False)),
    "xglm": ("XGLMForCausalLM", dict(d_model=32, num_layers=3, attention_heads=4, ffn_dim=48, max_position_embeddings=64)),
    "xglm-unscaled": ("XGLMForCausalLM", dict(d_model=32, num_layers=3, attention_heads=4, ffn_dim=48,
                                              max_position_embeddings=64, scale_embedding=False, activation_function="relu")),
    "gpt-neo": ("GPTNeoForCausalLM", dict(NEO, attention_types=[[["global", "local"], 2]])),
    "gptj": ("GPTJForCausalLM", dict(n_embd=32, n_layer=3, n_head=4, n_positions=64, rotary_dim=4)),
    "gptj-inner": ("GPTJForCausalLM", dict(n_embd=32, n_layer=3, n_head=4, n_positions=64, rotary_dim=8, n_inner=48)),
    "bloom": ("BloomForCausalLM", dict(hidden_size=32, n_layer=3, n_head=4)),
    "bloom-heads": ("BloomForCausalLM", dict(hidden_size=48, n_layer=2, n_head=6)),
    "phi": ("PhiForCausalLM", PHI),
    "phi2": ("PhiForCausalLM", dict(PHI, intermediate_size=128)),
    "phi-rotary": ("PhiForCausalLM", dict(PHI, partial_rotary_factor=0.25, rope_theta=500.0)),
    # Disentangled attention.
    "deberta": ("DebertaForMaskedLM", dict(DEBERTA, pos_att_type="c2p|p2c", position_biased_input=False)),
    "deberta-c2p": ("DebertaForMaskedLM", dict(DEBERTA, pos_att_type="c2p", max_relative_positions=10, type_vocab_size=2)),
    "deberta-v2": ("DebertaV2ForMaskedLM", dict(V3, conv_kernel_size=3, conv_act="gelu")),
    "deberta-v2-unshared": ("DebertaV2ForMaskedLM", dict(V3, share_att_key=False, norm_rel_ebd="none", position_buckets=-1,
                                                         max_relative_positions=12, embedding_size=16, type_vocab_size=2,
                                                         position_biased_input=True)),
    "deberta-v3": ("DebertaV2ForMaskedLM", dict(V3, legacy=False, pos_att_type=["p2c"], tie_word_embeddings=False)),
    # Llama's relatives.
    "olmo": ("OlmoForCausalLM", dict(LLAMA, clip_qkv=1.0)),
    "olmo2": ("Olmo2ForCausalLM", LLAMA),
    "olmo3": ("Olmo3ForCausalLM", dict(LLAMA, **WINDOW)),
    "olmo3-yarn": ("Olmo3ForCausalLM", dict(LLAMA, **WINDOW, rope_parameters=dict(
        rope_type="yarn", rope_theta=500000.0, factor=8.0, original_max_position_embeddings=8, attention_factor=1.2,
        beta_fast=32.0, beta_slow=1.0))),
    "stablelm": ("StableLmForCausalLM", dict(LLAMA, use_qkv_bias=True)),
    "stablelm-parallel": ("StableLmForCausalLM", dict(LLAMA, use_parallel_residual=True, qk_layernorm=True,
                                                      partial_rotary_factor=0.5)),
    "cohere": ("CohereForCausalLM", dict(LLAMA, logit_scale=0.3)),
    "cohere-norms": ("CohereForCausalLM", dict(LLAMA, use_qk_norm=True, attention_bias=True, tie_word_embeddings=False)),
    "cohere2": ("Cohere2ForCausalLM", dict(LLAMA, **WINDOW)),
    "granite": ("GraniteForCausalLM", dict(LLAMA, embedding_multiplier=3.0, attention_multiplier=0.4,
                                           residual_multiplier=0.6, logits_scaling=2.0)),
    "smollm3": ("SmolLM3ForCausalLM", dict(LLAMA, num_hidden_layers=4)),
    "starcoder2": ("Starcoder2ForCausalLM", dict(LLAMA, sliding_window=8)),
    "starcoder2-open": ("Starcoder2ForCausalLM", dict(LLAMA, sliding_window=None)),
    "starcoder2-bare": ("Starcoder2ForCausalLM", dict(LLAMA, use_bias=False, tie_word_embeddings=False)),
    "phi3": ("Phi3ForCausalLM", dict(LLAMA, sliding_window=8, original_max_position_embeddings=64)),
    "phi4": ("Phi3ForCausalLM", dict(LLAMA, partial_rotary_factor=0.75, hidden_size=64, original_max_position_embeddings=64,
                                     tie_word_embeddings=True)),
    "helium": ("HeliumForCausalLM", dict(LLAMA, head_dim=8)),
    "helium-bias": ("HeliumForCausalLM", dict(LLAMA, head_dim=8, attention_bias=True)),
    "mixtral": ("MixtralForCausalLM", dict(MOE, num_local_experts=4)),
    "qwen2-moe": ("Qwen2MoeForCausalLM", dict(MOE, num_experts=4, moe_intermediate_size=16, num_hidden_layers=3,
                                              shared_expert_intermediate_size=24, mlp_only_layers=[1])),
    "qwen2-moe-all": ("Qwen2MoeForCausalLM", dict(MOE, num_experts=4, moe_intermediate_size=16,
                                                  shared_expert_intermediate_size=24)),
    "qwen3-moe": ("Qwen3MoeForCausalLM", dict(MOE, num_experts=4, moe_intermediate_size=16, norm_topk_prob=True)),
    "olmoe": ("OlmoeForCausalLM", dict(MOE, num_experts=4, clip_qkv=2.0)),
    "olmoe-open": ("OlmoeForCausalLM", dict(MOE, num_experts=4)),
    "gemma3-whole": ("Gemma3ForConditionalGeneration", dict(
        text_config=dict(LLAMA, **WINDOW, **SIZE, head_dim=8, query_pre_attn_scalar=8),
        vision_config=dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=8,
                           patch_size=4), mm_tokens_per_image=4)),
    "ministral": ("MinistralForCausalLM", dict(GEMMA, sliding_window=8, layer_types=["sliding_attention", "full_attention"])),
    "ministral3": ("Ministral3ForCausalLM", dict(LLAMA, head_dim=16, max_position_embeddings=64, rope_parameters=FAR)),
    "ministral3-whole": ("Mistral3ForConditionalGeneration", dict(
        text_config=dict(LLAMA, **SIZE, model_type="ministral3", head_dim=8, rope_parameters=FAR),
        vision_config=dict(model_type="pixtral", hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
                           head_dim=8, image_size=8, patch_size=4))),
    "apertus": ("ApertusForCausalLM", dict(LLAMA, rope_parameters=dict(SCALED, rope_theta=12e6))),
    "apertus-bias": ("ApertusForCausalLM", dict(LLAMA, attention_bias=True, hidden_act="relu", tie_word_embeddings=True)),
    "qwen3.5-text": ("Qwen3_5ForCausalLM", QWEN35),
    "qwen3.5-shared": ("Qwen3_5ForCausalLM", dict(QWEN35, linear_num_value_heads=4, full_attention_interval=2, tie_word_embeddings=True)),
    "qwen3.5-whole": ("Qwen3_5ForConditionalGeneration", dict(
        text_config={**QWEN35, **SIZE, "linear_value_head_dim": 16, "attention_bias": True}, vision_config=dict(
            depth=1, hidden_size=8, intermediate_size=8, num_heads=1, out_hidden_size=32, num_position_embeddings=16, patch_size=4))),
    "lfm2": ("Lfm2ForCausalLM", dict(LLAMA, num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"],
                                     block_auto_adjust_ff_dim=False)),
    "lfm2-bias": ("Lfm2ForCausalLM", dict(LLAMA, num_hidden_layers=3, full_attn_idxs=[2], conv_bias=True, conv_L_cache=4,
                                          block_multiple_of=16, block_ffn_dim_multiplier=1.3, tie_word_embeddings=False)),
    # GPT's relatives.
    "falcon": ("FalconForCausalLM", BERT),
    "falcon-new": ("FalconForCausalLM", dict(BERT, new_decoder_architecture=True, num_kv_heads=2, bias=True)),
    "falcon-two-norms": ("FalconForCausalLM", dict(BERT, new_decoder_architecture=True, num_kv_heads=2)),
    "falcon-one-norm": ("FalconForCausalLM", dict(BERT, new_decoder_architecture=True, num_kv_heads=2,
                                                  num_ln_in_parallel_attn=1)),
    "falcon-rw": ("FalconForCausalLM", dict(BERT, alibi=True, multi_query=False, parallel_attn=False, bias=True)),
    "mpt": ("MptForCausalLM", dict(d_model=32, n_heads=4, n_layers=2, expansion_ratio=2, max_seq_len=64)),
    "mpt-clipped": ("MptForCausalLM", dict(d_model=32, n_heads=4, n_layers=2, max_seq_len=64, attn_config=dict(clip_qkv=0.8))),
    "mpt-clip": ("MptForCausalLM", dict(d_model=48, n_heads=6, n_layers=2, expansion_ratio=2, max_seq_len=64,
                                        attn_config=dict(clip_qkv=0.8, softmax_scale=0.5))),
    "openai-gpt": ("OpenAIGPTLMHeadModel", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64)),
    "codegen": ("CodeGenForCausalLM", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4)),
    "bigcode": ("GPTBigCodeForCausalLM", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64)),
    "bigcode-heads": ("GPTBigCodeForCausalLM", dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, n_inner=40,
                                                    multi_query=False)),
    # State spaces.
    "mamba": ("MambaForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=4)),
    "mamba-bias": ("MambaForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=4, use_bias=True, conv_kernel=3,
                                            use_conv_bias=False, time_step_rank=3, tie_word_embeddings=False)),
    "mamba2": ("Mamba2ForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=8, head_dim=8,
                                         n_groups=2, chunk_size=16)),
    "mamba2-group": ("Mamba2ForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=4, head_dim=16,
                                               n_groups=1, chunk_size=16)),
    "mamba2-bias": ("Mamba2ForCausalLM", dict(hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=8, head_dim=8,
                                              n_groups=1, use_bias=True, use_conv_bias=False, conv_kernel=3,
                                              time_step_limit=[0.1, 0.8], tie_word_embeddings=True)),
    "rwkv": ("RwkvForCausalLM", dict(hidden_size=32, num_hidden_layers=3, rescale_every=0)),
    "rwkv-halved": ("RwkvForCausalLM", dict(hidden_size=32, num_hidden_layers=4, rescale_every=2, intermediate_size=40,
                                            tie_word_embeddings=True)),
    "xlstm": ("xLSTMForCausalLM", dict(XLSTM, num_heads=4)),
    "xlstm-fused": ("xLSTMForCausalLM", dict(XLSTM, num_heads=2, weight_mode="fused", use_bias=True, qk_dim_factor=1.0,
                                             v_dim_factor=0.5, gate_soft_cap=4.0, output_logit_soft_cap=6.0, chunk_size=16)),
    # ModernBERT's layers, from left to right.
    "modernbert-decoder": ("ModernBertDecoderForCausalLM", dict(ETTIN)),
    "modernbert-decoder-bias": ("ModernBertDecoderForCausalLM", dict(
        ETTIN, norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True, decoder_bias=False,
        hidden_activation="silu", classifier_activation="relu", tie_word_embeddings=False)),
    # XLM, whose feed-forward layers are four times as wide.
    "xlm": ("XLMWithLMHeadModel", dict(XLM, sinusoidal_embeddings=True, gelu_activation=False)),
    "xlm-languages": ("XLMWithLMHeadModel", dict(XLM, n_langs=3, layer_norm_eps=1e-6, tie_word_embeddings=False)),
    "flaubert": ("FlaubertWithLMHeadModel", XLM),
    "flaubert-norms-first": ("FlaubertWithLMHeadModel", dict(XLM, pre_norm=True, layerdrop=0.2, layer_norm_eps=1e-6)),
    # Encoders and decoders.
    "t5": ("T5ForConditionalGeneration", T5),
    "t5-v1.1": ("T5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)),
    "ul2": ("T5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-silu", tie_word_embeddings=False)),
    "t5-few": ("T5ForConditionalGeneration", dict(T5, **FEW)),
    "umt5-few": ("UMT5ForConditionalGeneration", dict(T5, **FEW, feed_forward_proj="gated-gelu")),
    "mt5": ("MT5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)),
    "byt5": ("T5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False, vocab_size=BYT5)),
    "umt5": ("UMT5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu")),
    "bart": ("BartForConditionalGeneration", BART),
    "bart-scaled": ("BartForConditionalGeneration", dict(BART, scale_embedding=True, activation_function="relu",
                                                         encoder_attention_heads=2, decoder_start_token_id=6)),
    "mbart": ("MBartForConditionalGeneration", dict(BART, scale_embedding=True)),
    # BERT's relatives.
    "mpnet": ("MPNetForMaskedLM", dict(BERT, pad_token_id=1)),
    "roberta-prelayernorm": ("RobertaPreLayerNormForMaskedLM", dict(BERT, pad_token_id=1)),
    "xlm-roberta-xl": ("XLMRobertaXLForMaskedLM", dict(BERT, pad_token_id=1)),
    "megatron-bert": ("MegatronBertForMaskedLM", BERT),
    "data2vec-text": ("Data2VecTextForMaskedLM", dict(BERT, pad_token_id=1)),
    "ernie": ("ErnieForMaskedLM", dict(BERT, use_task_id=True)),
    "roformer": ("RoFormerForMaskedLM", dict(BERT, embedding_size=16)),
    "roformer-value": ("RoFormerForMaskedLM", dict(BERT, embedding_size=32, rotary_value=True)),
    "nomic-bert": ("NomicBertForMaskedLM", BERT),
    "eurobert": ("EuroBertForMaskedLM", dict(LLAMA, mask_token_id=4)),
    "eurobert-bias": ("EuroBertForMaskedLM", dict(BERT, mask_token_id=4, attention_bias=True, mlp_bias=True, head_dim=10,
                                                  rope_theta=500.0, tie_word_embeddings=True)),
}


def kind_of(name):
    if name.startswith(("T5", "MT5", "UMT5", "Bart", "MBart")):
        return "spans"
    return "masked" if "Masked" in name or name.startswith(("XLMWith", "Flaubert")) else "causal"


def lengthened(settings):
    """With room for the longest sentence."""
    longer = {key: lengthened(value) if isinstance(value, dict) else LONG[-1] + 24 if key in POSITIONS else value
              for key, value in settings.items()}
    if "original_max_position_embeddings" in longer and "max_position_embeddings" in longer:  # Phi
        longer["original_max_position_embeddings"] = LONG[-1] + 24
    return longer


HEADS = {"deberta": "DebertaForMaskedLM", "deberta-v2": "DebertaV2ForMaskedLM"}  # of configurations that name no class


def make(name, folder, long):
    """A model of the list above; or a published one, whose configuration stays in the form that it has."""
    lengths, written = LONG if long else LENGTHS, None
    if name in MODELS:
        kind, settings = MODELS[name]
        model_class = getattr(transformers, kind)
        config = model_class.config_class(**{**SIZE, **(lengthened(settings) if long else settings)})
    else:
        written = lengthened(config_of(name)) if long else config_of(name)
        model_class = getattr(transformers, written.get("architectures", [HEADS.get(written["model_type"])])[0])
        config = model_class.config_class.from_dict(copy.deepcopy(written))
    fill(name, model_class, config, folder)
    if written:
        (folder / "config.json").write_text(json.dumps(written, indent=1) + "\n")
        if "t5" in written["model_type"] and not written.get("tie_word_embeddings", True):
            add_output(folder / "model.safetensors", written)
    score(folder, model_class, lengths)


def add_output(file, config):
    """T5's files have an output layer of their own, although the library ties it when it makes one."""
    weights = load_file(file)
    weights["lm_head.weight"] = torch.normal(0, 0.2, (config["vocab_size"], config["d_model"])).half()
    save_file(weights, file, {"format": "pt"})


def fill(name, model_class, config, folder):
    torch.manual_seed(sum(map(ord, name)))
    config._attn_implementation, config._experts_implementation = attention_of(model_class), "eager"
    model = model_class(config)
    for key, p in model.named_parameters():
        if not p.requires_grad:  # a table that could be computed
            continue
        with torch.no_grad():
            if p.dim() > 1:
                p.normal_(0, 0.6 if "embed" in key or "wte" in key or "wpe" in key else 1.3 / p.shape[-1] ** 0.5)
            else:
                p.normal_(1.0 if key.endswith("weight") else 0.0, 0.2)
    model.tie_weights()
    folder.mkdir(parents=True, exist_ok=True)
    if not name.startswith("roformer"):  # which keeps its sines among the weights
        model.half()
    if name.startswith("qwen3.5"):  # llama.cpp's converter computes with its weights in the type that is stored
        model.float()
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if config.get_text_config().vocab_size == BYT5:
        (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
        return
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"wort{i}" for i in range(5, VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}')


def attention_of(model_class):
    # The library's own plain attention counts ALiBi twice in Falcon.
    return "sdpa" if model_class.__name__.startswith("Falcon") else "eager"


def mask_of(config):
    return LAST_BYTE if config.vocab_size == BYT5 else 4


def before_span(config, ids):
    """What the decoder reads before the span: the sentinel that stands for it; in BART's family the sentence so far."""
    if "bart" not in config.model_type:
        return torch.tensor([[config.decoder_start_token_id, mask_of(config)]])
    start = ids[0, -1].item() if config.model_type == "mbart" else config.decoder_start_token_id
    return torch.tensor([[start, *ids[0, :ids[0].tolist().index(4)].tolist()]])


@contextlib.contextmanager
def all_in_double(model):
    """Qwen 3.5's code goes back to single precision on its way."""
    single, to = torch.Tensor.float, torch.Tensor.to
    if model.dtype == torch.float64 and model.config.model_type.startswith("qwen3_5"):
        torch.Tensor.float = lambda x: x if x.dtype == torch.float64 else single(x)
        torch.Tensor.to = lambda x, *more, **named: x if x.dtype == torch.float64 and more == (torch.float32,) else to(x, *more, **named)
    try:
        yield
    finally:
        torch.Tensor.float, torch.Tensor.to = single, to


def logprobs_of(model, kind, ids):
    more = dict(decoder_input_ids=before_span(model.config, ids)) if kind == "spans" else {}
    with torch.no_grad(), all_in_double(model):
        all = torch.log_softmax(model(ids, **more).logits[0].double(), -1)
    if kind == "spans":
        chosen = all[-1, 5:25].tolist()
    elif kind == "masked":
        chosen = [all[i, ids[0, i]].item() for i in range(ids.shape[1])]
    else:
        chosen = [all[i, ids[0, i + 1]].item() for i in range(ids.shape[1] - 1)]
    return [round(x, 6) for x in chosen]


def score(folder, model_class, lengths):
    def read(dtype):
        return model_class.from_pretrained(folder, attn_implementation=attention_of(model_class), experts_implementation="eager",
                                           dtype=dtype).eval()

    model, single = read(torch.float64), read(torch.float32) if lengths == LONG else None
    kind, inputs = kind_of(model_class.__name__), []
    for n in lengths:
        if n == 1 and kind == "causal":  # nothing follows
            continue
        ids = torch.randint(5, VOCABULARY, (1, n))
        if kind == "spans":
            ids[0, n // 2] = mask_of(model.config)
        inputs.append({"ids": ids[0].tolist(), "logprobs": logprobs_of(model, kind, ids)})
        if single:
            inputs[-1]["single"] = max(abs(a - b) for a, b in zip(logprobs_of(single, kind, ids), inputs[-1]["logprobs"]))
    (folder / "reference.json").write_text(
        json.dumps({"made_by": f"transformers {transformers.__version__}", "kind": kind, "inputs": inputs}) + "\n")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--long"]
    long = len(arguments) < len(sys.argv) - 1
    for name in arguments[1:] or [*MODELS, *PUBLISHED]:
        make(name, pathlib.Path(arguments[0]) / name, long)
        print(name, flush=True)


if __name__ == "__main__":
    main()
