#!/usr/bin/env python3
"""Models of BERT-base's size with random weights, one of each family, for bench/families.py. Needs Hugging Face's transformers, and for
RWKV 5 to 7 what tools/golden/make_rwkv.py needs.

  make_families.py FOLDER [FAMILY...]

Beside each stands NAME.matrices: how many weights are multiplied with each token that is read, and how many more for each question
(those of T5's decoder, whose two tokens are read anew)."""
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
    "t5": ("T5ForConditionalGeneration", "T5Config", dict(
        d_model=768, d_ff=3072, d_kv=64, num_layers=12, num_heads=12, decoder_start_token_id=0, eos_token_id=3)),
}
RWKV = {"rwkv5": ("rwkv5", dict(hidden_size=768, attention_hidden_size=768, head_size=64, num_hidden_layers=12)),
        "rwkv6": ("rwkv6-folder", dict(hidden_size=768, attention_hidden_size=768, head_size=64, num_attention_heads=12,
                                       num_hidden_layers=12, rescale_every=0)),
        "rwkv7": ("rwkv7-folder", dict(hidden_size=768, head_dim=64, intermediate_size=3072, num_hidden_layers=12, value_dim=[768] * 12,
                                       decay_low_rank_dim=64, gate_low_rank_dim=128, a_low_rank_dim=64, v_low_rank_dim=32))}
# Looked up, not multiplied; the output layer is counted by itself.
OTHERS = ("embed_tokens", "word_embeddings", "position", "wte", "wpe", "tok_embeddings", "embeddings.weight", "A_log",
          "rel_embeddings", "lm_head", "decoder.weight", "embed_out", "token_type", "shared", "head.weight",
          "relative_attention_bias", "time_maa_w2")


def tokenizer(mask):
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", mask] + [f"w{i}" for i in range(VOCABULARY - 5)]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(names)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def multiplied(tensors):
    return sum(p.numel() for key, p in tensors if p.dim() == 2 and min(p.shape) > 1 and not any(other in key for other in OTHERS))


def make_rwkv(folder, name):
    """With a word of RWKV's own vocabulary for each word that families.py writes."""
    sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "golden"))
    import make_rwkv as golden
    base, sizes = RWKV[name]
    pieces = golden.world_pieces() + [f"{space}w{i}".encode() for i in range(VOCABULARY - 5) for space in ("", " ")]
    golden.world_pieces = lambda: pieces
    config = dict(golden.FOLDERS[base], **sizes, vocab_size=len(pieces) + 1)
    tensors = golden.TENSORS[name](config, len(pieces) + 1, 0)
    golden.save_file({key: p.contiguous() for key, p in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    (folder / golden.WORLD_FILE).write_text(golden.world_file())
    mixes = sum(p.numel() for key, p in tensors.items() if "time_maa_w2" in key)
    return multiplied(tensors.items()) + mixes + (len(pieces) + 1) * 768, 0


def make(folder, name):
    mask = "<extra_id_0>" if name == "t5" else "[MASK]"
    special = dict(unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", mask_token=mask,
                   bos_token="[CLS]", eos_token="[SEP]", tokenizer_class="PreTrainedTokenizerFast")
    network, config, keys = FAMILIES[name]
    torch.manual_seed(0)
    model = getattr(transformers, network)(getattr(transformers, config)(**{**COMMON, **keys}))
    model.save_pretrained(folder)
    made = tokenizer(mask)
    if name == "t5":
        special["additional_special_tokens"] = [special.pop("mask_token")]
        made.add_special_tokens([mask])
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(special))
    tensors, output = list(model.named_parameters()), VOCABULARY * 768
    if name != "t5":
        return multiplied(tensors) + output, 0
    # The decoder's keys and values of what the encoder read are computed for each of its tokens.
    decoder = [(key, p) for key, p in tensors if key.startswith("decoder")
               and not any(f"EncDecAttention.{letter}" in key for letter in "kv")]
    return multiplied(tensors) - multiplied(decoder), 2 * multiplied(decoder) + output


def main():
    for name in sys.argv[2:] or [*FAMILIES, *RWKV]:
        folder = pathlib.Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        counts = (make_rwkv if name in RWKV else make)(folder, name)
        folder.with_name(name + ".matrices").write_text("{} {}\n".format(*counts))
        print(name, *counts, flush=True)


main()
