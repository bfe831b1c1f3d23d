#!/usr/bin/env python3
"""Models of BERT-base's size with random weights, one of each family, for bench/families.py. Needs Hugging Face's transformers.

  make_families.py FOLDER [FAMILY...]

Beside each stands NAME.matrices: how many weights of its layers are in matrix products."""
import json
import pathlib
import sys

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

VOCABULARY = 4000
COMMON = dict(vocab_size=VOCABULARY, pad_token_id=0, bos_token_id=2, eos_token_id=3)
BASE = dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072)
FAMILIES = {
    "bert": ("BertForMaskedLM", "BertConfig", {}),
    "deberta-v2": ("DebertaV2ForMaskedLM", "DebertaV2Config", dict(
        BASE, relative_attention=True, position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True,
        pos_att_type=["p2c", "c2p"], max_relative_positions=-1, position_biased_input=False, type_vocab_size=0)),
    "modernbert": ("ModernBertForMaskedLM", "ModernBertConfig", dict(num_hidden_layers=12, cls_token_id=2, sep_token_id=3)),
    "mpnet": ("MPNetForMaskedLM", "MPNetConfig", {}),
    "opt": ("OPTForCausalLM", "OPTConfig", dict(word_embed_proj_dim=768)),
    "bloom": ("BloomForCausalLM", "BloomConfig", dict(hidden_size=768, n_layer=12, n_head=12)),
    "gpt_neo": ("GPTNeoForCausalLM", "GPTNeoConfig", dict(
        hidden_size=768, num_layers=12, num_heads=12, attention_types=[[["global", "local"], 6]])),
    "olmo2": ("Olmo2ForCausalLM", "Olmo2Config", BASE),
    "falcon": ("FalconForCausalLM", "FalconConfig", dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12)),
    "phi": ("PhiForCausalLM", "PhiConfig", BASE),
    "mamba": ("MambaForCausalLM", "MambaConfig", dict(hidden_size=768, num_hidden_layers=24)),
    "mamba2": ("Mamba2ForCausalLM", "Mamba2Config", dict(
        hidden_size=768, num_hidden_layers=24, expand=2, num_heads=24, head_dim=64, n_groups=1)),
    "rwkv": ("RwkvForCausalLM", "RwkvConfig", dict(
        hidden_size=768, attention_hidden_size=768, intermediate_size=3072, num_hidden_layers=12, context_length=1024)),
    "xlstm": ("xLSTMForCausalLM", "xLSTMConfig", dict(hidden_size=768, num_blocks=12, num_heads=4)),
}
# Looked up, not multiplied; or the output layer, which families.py counts itself.
OTHERS = ("embed_tokens", "word_embeddings", "position", "wte", "wpe", "tok_embeddings", "embeddings.weight", "A_log",
          "rel_embeddings", "lm_head", "decoder.weight", "embed_out", "token_type")


def tokenizer():
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(VOCABULARY - 5)]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(names)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def main():
    folder = pathlib.Path(sys.argv[1])
    special = dict(unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
                   bos_token="[CLS]", eos_token="[SEP]", tokenizer_class="PreTrainedTokenizerFast")
    for name in sys.argv[2:] or FAMILIES:
        network, config, keys = FAMILIES[name]
        torch.manual_seed(0)
        model = getattr(transformers, network)(getattr(transformers, config)(**{**COMMON, **keys}))
        model.save_pretrained(folder / name)
        tokenizer().save(str(folder / name / "tokenizer.json"))
        (folder / name / "tokenizer_config.json").write_text(json.dumps(special))
        matrices = sum(p.numel() for key, p in model.named_parameters()
                       if p.dim() == 2 and not any(other in key for other in OTHERS))
        (folder / f"{name}.matrices").write_text(str(matrices))
        print(name, matrices, flush=True)


main()
