#!/usr/bin/env python3
"""Changes every key of every configuration in tests/model/golden, one at a time, and writes what Hugging Face's library computes
then: a line for each, into walk.jsonl. Where the library fails, or would need other weights, there are no numbers.

  python3 tools/golden/walk.py tests/model/golden walk.jsonl [NAME...]        (where make_transformers.py runs)
"""
import copy
import json
import pathlib
import sys

import torch
import transformers
from make_transformers import attention_of, kind_of, logprobs_of

# What says nothing about the numbers: names, tokens, how a model was made or writes text.
SKIPPED = {"architectures", "model_type", "transformers_version", "dtype", "vocab_size", "id2label", "label2id", "vision_config",
           "return_dict", "output_hidden_states", "output_attentions", "problem_type", "chunk_size_feed_forward",
           "is_encoder_decoder", "use_cache", "tie_word_embeddings",  # what was saved belongs to one of its values
           "boi_token_index", "eoi_token_index", "image_token_index", "num_labels"}


def other(key, value):
    """Another value for a key, or None."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.5 + 0.1
    if isinstance(value, str) and ("act" in key or key == "afn"):
        return "relu" if "relu" not in value else "gelu"
    if key == "layer_types":
        return ["sliding_attention" if t == "full_attention" else "full_attention" for t in value]
    if value is None and key in ("sliding_window", "clip_qkv", "softmax_scale"):
        return 5
    if value is None and "softcapping" in key:
        return 2.0
    return None


def changes(config, path=()):
    for key, value in config.items():
        if key in SKIPPED or key.startswith("_") or "token_id" in key or "dropout" in key or key.endswith(("pdrop", "_index")):
            continue
        if isinstance(value, dict):
            yield from changes(value, path + (key,))
        elif (new := other(key, value)) is not None:
            yield path + (key,), new


def changed(config, path, value):
    config = copy.deepcopy(config)
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return config


def compute(model_class, config, weights, ids):
    try:
        config = model_class.config_class.from_dict(config)
        config._attn_implementation, config._experts_implementation = attention_of(model_class), "eager"
        model = model_class(config).double()
        found = model.load_state_dict(weights, strict=False)
        if found.missing_keys:
            return None
        return logprobs_of(model.eval(), kind_of(model_class.__name__), torch.tensor([ids]))
    except Exception:
        return None


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    with open(sys.argv[2], "w") as out:
        for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
            if not (folder / "config.json").exists() or not (folder / "reference.json").exists():
                continue
            if sys.argv[3:] and folder.name not in sys.argv[3:]:
                continue
            config = json.loads((folder / "config.json").read_text())
            ids = json.loads((folder / "reference.json").read_text())["inputs"][1]["ids"]
            model_class = getattr(transformers, config["architectures"][0], None)
            if not model_class:  # not of this library
                continue
            weights = model_class.from_pretrained(folder, dtype=torch.float64).state_dict()
            for path, value in changes(config):
                line = {"folder": folder.name, "path": path, "value": value}
                numbers = compute(model_class, changed(config, path, value), weights, ids)
                print(json.dumps(line | ({"logprobs": numbers} if numbers else {})), file=out, flush=True)
            print(folder.name, flush=True)


main()
