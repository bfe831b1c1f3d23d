#!/usr/bin/env python3
"""Makes tiny checkpoints in tests/model/golden with Hugging Face's own library, and what it computes with them: random
weights, saved with save_pretrained, read again with from_pretrained, scored in float64 with eager attention.

  python3 tools/golden/make_transformers.py tests/model/golden        (Debian unstable: python3-transformers, python3-torch)

Every folder gets config.json, model.safetensors (half precision), vocab.txt, tokenizer_config.json and reference.json:
for each input its ids, and the log-probability of every token but the first given those before it.
"""
import json
import pathlib
import sys

import torch
import transformers

VOCABULARY, LENGTHS = 120, [2, 9, 40]
SIZE = dict(vocab_size=VOCABULARY, bos_token_id=2, eos_token_id=3, pad_token_id=0)
HIDDEN = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4)
OPT = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4, ffn_dim=48, max_position_embeddings=64)
NEO = dict(hidden_size=32, num_layers=4, num_heads=4, intermediate_size=48, max_position_embeddings=64, window_size=8)
PHI = dict(HIDDEN, intermediate_size=48, max_position_embeddings=64)

MODELS = {
    "opt": ("OPT", OPT),
    "opt-after": ("OPT", dict(OPT, do_layer_norm_before=False, word_embed_proj_dim=16)),
    "opt-bare": ("OPT", dict(OPT, enable_bias=False, activation_function="gelu", tie_word_embeddings=False)),
    "xglm": ("XGLM", dict(d_model=32, num_layers=3, attention_heads=4, ffn_dim=48, max_position_embeddings=64)),
    "xglm-unscaled": ("XGLM", dict(d_model=32, num_layers=3, attention_heads=4, ffn_dim=48, max_position_embeddings=64,
                                   scale_embedding=False, activation_function="relu")),
    "gpt-neo": ("GPTNeo", dict(NEO, attention_types=[[["global", "local"], 2]])),
    "gptj": ("GPTJ", dict(n_embd=32, n_layer=3, n_head=4, n_positions=64, rotary_dim=4)),
    "gptj-inner": ("GPTJ", dict(n_embd=32, n_layer=3, n_head=4, n_positions=64, rotary_dim=8, n_inner=48)),
    "bloom": ("Bloom", dict(hidden_size=32, n_layer=3, n_head=4)),
    "bloom-heads": ("Bloom", dict(hidden_size=48, n_layer=2, n_head=6)),
    "phi": ("Phi", PHI),
    "phi-rotary": ("Phi", dict(PHI, partial_rotary_factor=0.25, rope_theta=500.0)),
}


def make(name, kind, settings, folder):
    torch.manual_seed(sum(map(ord, name)))
    config = getattr(transformers, kind + "Config")(**SIZE, **settings)
    config._attn_implementation = "eager"
    model = getattr(transformers, kind + "ForCausalLM")(config)
    for key, p in model.named_parameters():
        with torch.no_grad():
            if p.dim() > 1:
                p.normal_(0, 0.6 if "embed" in key or "wte" in key or "wpe" in key else 1.3 / p.shape[-1] ** 0.5)
            else:
                p.normal_(1.0 if key.endswith("weight") else 0.0, 0.2)
    model.tie_weights()
    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"wort{i}" for i in range(5, VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}')
    score(folder, kind)


def score(folder, kind):
    model = getattr(transformers, kind + "ForCausalLM").from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float64).eval()
    inputs = []
    for n in LENGTHS:
        ids = torch.randint(5, VOCABULARY, (1, n))
        with torch.no_grad():
            logprobs = torch.log_softmax(model(ids).logits[0].double(), -1)
        inputs.append({"ids": ids[0].tolist(),
                       "logprobs": [round(logprobs[i, ids[0, i + 1]].item(), 6) for i in range(n - 1)]})
    (folder / "reference.json").write_text(
        json.dumps({"made_by": f"transformers {transformers.__version__}", "inputs": inputs}) + "\n")


def main():
    wanted = sys.argv[2:] or MODELS
    for name in wanted:
        make(name, *MODELS[name], pathlib.Path(sys.argv[1]) / name)
        print(name, flush=True)


main()
