#!/usr/bin/env python3
"""A causal model with random weights in the size of a published one, for measuring speed.

  /usr/bin/python3 bench/make_causal.py gpt2|lstm FOLDER < sentences

gpt2: 12 layers, width 768, 50,257 pieces (GPT-2 small). lstm: 2 layers of 650, 50,000 words, tied (Gulordava's).
The vocabulary has the words of the sentences; for gpt2 long ones are two pieces, as in a vocabulary of its size.
Needs python3-numpy."""
import json
import os
import re
import struct
import sys

import numpy as np

kind, folder = sys.argv[1:]
random = np.random.default_rng(1)
os.makedirs(folder, exist_ok=True)
words = list(dict.fromkeys(w for line in sys.stdin for w in re.findall(r"\w+|[^\w\s]", line)))


def fill(pieces, size):
    pieces = list(dict.fromkeys(pieces))
    return pieces + [f"filler{i}" for i in range(size - len(pieces))]


def normal(*shape, scale=0.02):
    return (random.standard_normal(shape, dtype=np.float32) * scale).astype(np.float32)


def save(tensors):
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(f"{folder}/model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head)
        for t in tensors.values():
            f.write(t.tobytes())


if kind == "gpt2":
    h, layers, size = 768, 12, 50257
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    for w in words:
        pieces += [w] if len(w) <= 6 else [w[:5], "##" + w[5:]]
    vocabulary = fill(pieces, size)
    config = {"model_type": "gpt2", "n_embd": h, "n_layer": layers, "n_head": 12, "n_positions": 1024, "vocab_size": size}
    tensors = {"wte.weight": normal(size, h), "wpe.weight": normal(1024, h)}
    for i in range(layers):
        for name, a, b in (("attn.c_attn", h, 3 * h), ("attn.c_proj", h, h), ("mlp.c_fc", h, 4 * h), ("mlp.c_proj", 4 * h, h)):
            tensors[f"h.{i}.{name}.weight"], tensors[f"h.{i}.{name}.bias"] = normal(a, b), normal(b)
        for name in ("ln_1", "ln_2"):
            tensors[f"h.{i}.{name}.weight"], tensors[f"h.{i}.{name}.bias"] = 1 + normal(h), normal(h)
    tensors["ln_f.weight"], tensors["ln_f.bias"] = 1 + normal(h), normal(h)
    with open(f"{folder}/tokenizer_config.json", "w") as f:
        json.dump({"do_lower_case": False, "tokenizer_class": "BertTokenizer"}, f)
else:
    h, layers, size = 650, 2, 50000
    vocabulary = fill(["<unk>", "<eos>"] + words, size)
    config = {"model_type": "lstm"}
    tensors = {"encoder.weight": normal(size, h, scale=0.1), "decoder.bias": normal(size)}
    for i in range(layers):
        for what in ("ih", "hh"):
            tensors[f"rnn.weight_{what}_l{i}"] = normal(4 * h, h, scale=0.04)
            tensors[f"rnn.bias_{what}_l{i}"] = normal(4 * h)
with open(f"{folder}/config.json", "w") as f:
    json.dump(config, f)
with open(f"{folder}/vocab.txt", "w") as f:
    f.write("\n".join(vocabulary) + "\n")
save(tensors)
