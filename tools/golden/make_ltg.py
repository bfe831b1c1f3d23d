#!/usr/bin/env python3
"""Makes a tiny LTG-BERT in tests/model/golden, and what PyTorch computes with it in double precision: the model as its authors'
code (github.com/ltgoslo/ltg-bert) defines it, which no library has, written down again in few lines.

  python3 tools/golden/make_ltg.py tests/model/golden
"""
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

VOCABULARY, HIDDEN, INNER, HEADS, LAYERS, BUCKETS, POSITIONS, EPSILON = 120, 32, 40, 4, 2, 6, 64, 1e-7


def weights():
    def matrix(*shape):
        return torch.randn(*shape) * 1.3 / shape[-1] ** 0.5

    w = {"embedding.word_embedding.weight": torch.randn(VOCABULARY, HIDDEN) * 0.6,
         "embedding.relative_embedding": torch.randn(2 * BUCKETS - 1, HIDDEN) * 0.6,
         "embedding.relative_layer_norm.weight": 1 + 0.2 * torch.randn(HIDDEN),
         "embedding.relative_layer_norm.bias": 0.2 * torch.randn(HIDDEN),
         "classifier.nonlinearity.1.weight": matrix(HIDDEN, HIDDEN), "classifier.nonlinearity.1.bias": 0.2 * torch.randn(HIDDEN),
         "classifier.nonlinearity.5.bias": 0.2 * torch.randn(VOCABULARY)}
    for i in range(LAYERS):
        p = f"transformer.layers.{i}."
        for name, rows in (("in_proj_qk", 2 * HIDDEN), ("in_proj_v", HIDDEN), ("out_proj", HIDDEN)):
            w[f"{p}attention.{name}.weight"] = matrix(rows, HIDDEN)
            w[f"{p}attention.{name}.bias"] = 0.2 * torch.randn(rows)
        w[p + "attention.post_layer_norm.weight"] = 1 + 0.2 * torch.randn(HIDDEN)
        w[p + "attention.post_layer_norm.bias"] = 0.2 * torch.randn(HIDDEN)
        w[p + "mlp.mlp.1.weight"] = matrix(2 * INNER, HIDDEN)
        w[p + "mlp.mlp.4.weight"] = matrix(HIDDEN, INNER)
    return {name: tensor.half() for name, tensor in w.items()}


def bucket(distance):
    """Of a distance: itself when it is small, else one of those that the far ones share."""
    half, far = BUCKETS // 2, min(abs(distance), POSITIONS - 1)
    if far <= half:
        return distance
    return int(math.copysign(math.ceil(math.log(far / half) / math.log((POSITIONS - 1) / half) * (half - 1)) + half, distance))


def forward(w, ids):
    def norm(x, name=None):
        return F.layer_norm(x, x.shape[-1:], *((w[name + ".weight"], w[name + ".bias"]) if name else (None, None)), eps=EPSILON)

    def linear(x, name, bias=True):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"] if bias else None)

    def heads(x):
        return x.view(x.shape[0], HEADS, -1).transpose(0, 1)

    n = len(ids)
    rows = torch.tensor([[BUCKETS - 1 + bucket(i - j) for j in range(n)] for i in range(n)])
    distances = norm(w["embedding.relative_embedding"], "embedding.relative_layer_norm")
    x = norm(w["embedding.word_embedding.weight"][ids])
    for i in range(LAYERS):
        p = f"transformer.layers.{i}."
        y = norm(x)
        query, key = map(heads, linear(y, p + "attention.in_proj_qk").chunk(2, -1))
        far_query, far_key = map(heads, linear(distances, p + "attention.in_proj_qk").chunk(2, -1))
        scores = query @ key.transpose(1, 2)
        scores = scores + torch.gather(query @ far_key.transpose(1, 2), 2, rows.expand(HEADS, n, n))
        scores = scores + torch.gather(key @ far_query.transpose(1, 2), 2, rows.t().expand(HEADS, n, n)).transpose(1, 2)
        mixed = torch.softmax(scores / math.sqrt(3 * HIDDEN / HEADS), -1) @ heads(linear(y, p + "attention.in_proj_v"))
        mixed = linear(mixed.transpose(0, 1).reshape(n, HIDDEN), p + "attention.out_proj")
        x = x + norm(mixed, p + "attention.post_layer_norm")
        y, gate = linear(norm(x), p + "mlp.mlp.1", False).chunk(2, -1)
        x = x + linear(norm(y * F.gelu(gate, approximate="tanh")), p + "mlp.mlp.4", False)
    y = norm(F.gelu(linear(norm(x), "classifier.nonlinearity.1")))
    return torch.log_softmax(y @ w["embedding.word_embedding.weight"].t() + w["classifier.nonlinearity.5.bias"], -1)


def main():
    torch.manual_seed(7)
    folder = pathlib.Path(sys.argv[1]) / "ltg-bert"
    folder.mkdir(parents=True, exist_ok=True)
    w = weights()
    save_file(w, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({
        "model_type": "ltgbert", "architectures": ["LtgbertForMaskedLM"], "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
        "intermediate_size": INNER, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "position_bucket_size": BUCKETS,
        "max_position_embeddings": POSITIONS, "layer_norm_eps": EPSILON, "output_all_encoded_layers": True}, indent=1))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"wort{i}" for i in range(5, VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}')
    w, inputs = {name: tensor.double() for name, tensor in w.items()}, []
    for n in (2, 9, 40):
        ids = torch.randint(5, VOCABULARY, (n,))
        logprobs = forward(w, ids)
        inputs.append({"ids": ids.tolist(), "logprobs": [round(logprobs[i, ids[i]].item(), 6) for i in range(n)]})
    (folder / "reference.json").write_text(
        json.dumps({"made_by": f"PyTorch {torch.__version__}", "kind": "masked", "inputs": inputs}) + "\n")


main()
