#!/usr/bin/env python3
"""BERT-base (12 layers of 768) with random weights and the vocabulary of another model, for measuring speed.

  python3 bench/make_bert.py VOCABULARY_FOLDER FOLDER

Standard library alone: weights are cut from one long row of random numbers, each from another place on."""
import array
import json
import os
import random
import shutil
import struct
import sys

source, folder = sys.argv[1:]
width, layers, inner, places = 768, 12, 3072, 512
os.makedirs(folder, exist_ok=True)
for name in ("vocab.txt", "tokenizer_config.json"):
    shutil.copy(f"{source}/{name}", folder)
with open(f"{source}/vocab.txt", encoding="utf-8") as f:
    size = sum(1 for _ in f)

dice = random.Random(1)
row = array.array("f", (dice.gauss(0, 0.02) for _ in range(100003))).tobytes()
shapes = {"bert.embeddings.word_embeddings.weight": (size, width), "bert.embeddings.position_embeddings.weight": (places, width),
          "bert.embeddings.token_type_embeddings.weight": (2, width), "bert.embeddings.LayerNorm": (width,)}
for i in range(layers):
    p = f"bert.encoder.layer.{i}."
    for name, out, into in (("attention.self.query", width, width), ("attention.self.key", width, width), ("attention.self.value", width, width),
                            ("attention.output.dense", width, width), ("intermediate.dense", inner, width), ("output.dense", width, inner)):
        shapes[p + name + ".weight"], shapes[p + name + ".bias"] = (out, into), (out,)
    shapes[p + "attention.output.LayerNorm"] = shapes[p + "output.LayerNorm"] = (width,)
shapes["cls.predictions.transform.dense.weight"], shapes["cls.predictions.transform.dense.bias"] = (width, width), (width,)
shapes["cls.predictions.transform.LayerNorm"], shapes["cls.predictions.bias"] = (width,), (size,)

header, at, order = {}, 0, []
for name, shape in shapes.items():
    norm = name.endswith("LayerNorm")
    for part in (".weight", ".bias") if norm else ("",):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name + part] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + 4 * count]}
        order.append((count, norm and part == ".weight"))
        at += 4 * count
head = json.dumps(header).encode()
head += b" " * (-len(head) % 8)
with open(f"{folder}/model.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(head)) + head)
    for count, ones in order:
        if ones:
            f.write(struct.pack("<f", 1) * count)
            continue
        skip = 4 * dice.randrange(len(row) // 4)
        turned = row[skip:] + row[:skip]
        f.write((turned * (4 * count // len(turned) + 1))[: 4 * count])
with open(f"{folder}/config.json", "w", encoding="utf-8") as f:
    json.dump({"architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_size": width, "num_hidden_layers": layers,
               "num_attention_heads": 12, "intermediate_size": inner, "max_position_embeddings": places, "type_vocab_size": 2,
               "vocab_size": size, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0, "tie_word_embeddings": True}, f)
