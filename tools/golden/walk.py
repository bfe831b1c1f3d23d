#!/usr/bin/env python3
"""Changes every key of every configuration in tests/model/golden, one at a time, and writes what Hugging Face's library computes
then: a line for each, into walk.jsonl. The keys are those that were saved and, of the first folder of each type, those of the
configuration's class; of the other folders, tokens, dropout and what every configuration has are left out.

  python3 tools/golden/walk.py tests/model/golden walk.jsonl [NAME...]        (where make_transformers.py runs)

"logprobs": the library's numbers; "same": they are those without the change. Neither: it fails, or would need other weights.
"""
import copy
import json
import pathlib
import sys
import tempfile

import torch
import transformers
from make_transformers import MODELS, attention_of, kind_of, logprobs_of

# What is not a setting of the network: which one it is, the number type that weights are read in, how many words there are, names of
# classes to be told apart, and the part that sees pictures.
SKIPPED = {"architectures", "model_type", "transformers_version", "dtype", "torch_dtype", "vocab_size", "id2label", "label2id",
           "num_labels", "vision_config"}
USUAL = transformers.PreTrainedConfig().to_dict()
# What the library itself says instead of one thing.
TEXTS = {"feed_forward_proj": ["gated-gelu", "relu"], "position_embedding_type": ["relative_key"], "norm_rel_ebd": ["none"],
         "pos_att_type": ["c2p", "p2c"], "weight_mode": ["single", "fused"], "conv_act": ["relu"]}
ROPES = [dict(rope_type="linear", factor=2.0), dict(rope_type="dynamic", factor=2.0),
         dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16),
         dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16),
         dict(rope_type="longrope", long_factor=[2.0, 3.0], short_factor=[1.5, 1.2], original_max_position_embeddings=16),
         dict(rope_theta=300.0), dict(partial_rotary_factor=0.5)]


def others(key, value):
    """Other values for a key; of some, the first one that the library takes is enough."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1] + [value - 1] * (value > 1)
    if isinstance(value, float):
        return [value * 1.5 + 0.1]
    if isinstance(value, str):
        known = TEXTS.get(key) or (["relu", "gelu"] if "act" in key or key == "afn" else ["other"])
        return [text for text in known if text != value]
    if isinstance(value, list) and value and isinstance(value[0], str):
        if key == "layer_types":
            return [["sliding_attention" if t == "full_attention" else "full_attention" for t in value]]
        return [value[:-1]]
    if isinstance(value, list) and value and all(isinstance(x, (int, float)) for x in value):
        return [[type(x)(x * 2 + 1) for x in value]]
    return [(5, 0.7, True)] if value is None else []


def is_common(key):
    return "token_id" in key or "drop" in key or key in USUAL


def changes(config, all_of_them, path=()):
    for key, value in config.items():
        if key in SKIPPED or key.startswith("_") or (is_common(key) and not all_of_them):
            continue
        if key in ("rope_parameters", "rope_scaling"):
            for rope in ROPES:
                yield path + (key,), {**(value or {}), **rope}
        if isinstance(value, dict):
            yield from changes(value, all_of_them, path + (key,))
        else:
            for new in others(key, value):
                yield path + (key,), new


def all_keys(config, model_class):
    """Also those that are not saved where they have their usual value."""
    usual = model_class.config_class().to_dict()
    return {**{key: value for key, value in usual.items() if not isinstance(value, dict)}, **config}


def changed(config, path, value):
    config = copy.deepcopy(config)
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return config


def compute(model_class, folder, config, ids):
    with tempfile.TemporaryDirectory() as scratch:
        for file in folder.iterdir():
            if file.name != "config.json":
                (pathlib.Path(scratch) / file.name).symlink_to(file.resolve())
        (pathlib.Path(scratch) / "config.json").write_text(json.dumps(config))
        try:
            model, found = model_class.from_pretrained(
                scratch, attn_implementation=attention_of(model_class), experts_implementation="eager", dtype=torch.float64,
                output_loading_info=True)
            if found["missing_keys"] or found["mismatched_keys"]:
                return None
            return logprobs_of(model.eval(), kind_of(model_class.__name__), torch.tensor([ids]))
        except Exception:
            return None


def walk(folder, out, types):
    config = json.loads((folder / "config.json").read_text())
    reference = json.loads((folder / "reference.json").read_text())["inputs"][1]
    model_class = getattr(transformers, config["architectures"][0], None)
    if not model_class:  # not of this library
        return 0
    lines, first = 0, config["model_type"] not in types
    types.add(config["model_type"])
    for path, values in changes(all_keys(config, model_class) if first else config, first):
        tried = values if isinstance(values, tuple) else (values,)
        for value in tried:
            numbers = compute(model_class, folder, changed(config, path, value), reference["ids"])
            if numbers:
                break
        line = {"folder": folder.name, "path": path, "value": value if numbers else tried[0]}
        if numbers and max(abs(a - b) for a, b in zip(numbers, reference["logprobs"])) < 2e-6:
            line["same"] = True
        elif numbers:
            line["logprobs"] = numbers
        print(json.dumps(line), file=out, flush=True)
        lines += 1
    return lines


def main():
    transformers.logging.set_verbosity(50)
    transformers.logging.disable_progress_bar()
    types = set()
    with open(sys.argv[2], "w") as out:
        for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
            if not (folder / "config.json").exists() or not (folder / "reference.json").exists():
                continue
            if folder.name in (sys.argv[3:] or MODELS):
                print(folder.name, walk(folder, out, types), flush=True)


main()
