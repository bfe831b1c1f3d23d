#!/usr/bin/env python3
"""Makes a tiny LTG-BERT and two GPT-BERTs in tests/model/golden, and what PyTorch computes with them in double precision: the
models as their authors' code (github.com/ltgoslo/ltg-bert, github.com/ltgoslo/gpt-bert) defines them, which no library has,
written down again in few lines.

  python3 tools/golden/make_ltg.py [--long] FOLDER

FOLDER is tests/model/golden. With --long there is room for 1,000 tokens, and such a sentence is scored.
"""
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

VOCABULARY, HIDDEN, INNER, HEADS, LAYERS, BUCKETS, EPSILON = 120, 32, 40, 4, 2, 6, 1e-7
LONG = "--long" in sys.argv
POSITIONS, LENGTHS = (1024, (1, 100, 1000)) if LONG else (64, (2, 9, 40))


def matrix(*shape):
    return torch.randn(*shape) * 1.3 / shape[-1] ** 0.5


def common_weights(head):
    return {"embedding.word_embedding.weight": torch.randn(VOCABULARY, HIDDEN) * 0.6,
            "embedding.relative_embedding": torch.randn(2 * BUCKETS - 1, HIDDEN) * 0.6,
            "embedding.relative_layer_norm.weight": 1 + 0.2 * torch.randn(HIDDEN),
            "embedding.relative_layer_norm.bias": 0.2 * torch.randn(HIDDEN),
            head + ".nonlinearity.1.weight": matrix(HIDDEN, HIDDEN), head + ".nonlinearity.1.bias": 0.2 * torch.randn(HIDDEN),
            head + ".nonlinearity.5.bias": 0.2 * torch.randn(VOCABULARY)}


def projections(w, p, sizes):
    for name, rows in sizes:
        w[f"{p}{name}.weight"] = matrix(rows, HIDDEN)
        w[f"{p}{name}.bias"] = 0.2 * torch.randn(rows)


def ltg_weights():
    w = common_weights("classifier")
    for i in range(LAYERS):
        p = f"transformer.layers.{i}."
        projections(w, p + "attention.", (("in_proj_qk", 2 * HIDDEN), ("in_proj_v", HIDDEN), ("out_proj", HIDDEN)))
        w[p + "attention.post_layer_norm.weight"] = 1 + 0.2 * torch.randn(HIDDEN)
        w[p + "attention.post_layer_norm.bias"] = 0.2 * torch.randn(HIDDEN)
        w[p + "mlp.mlp.1.weight"] = matrix(2 * INNER, HIDDEN)
        w[p + "mlp.mlp.4.weight"] = matrix(HIDDEN, INNER)
    return w


def gpt_bert_weights(head, own_output):
    w = common_weights(head)
    if own_output:
        w[head + ".nonlinearity.5.weight"] = matrix(VOCABULARY, HIDDEN)
    for i in range(LAYERS):
        projections(w, f"attention_layers.{i}.", (("in_proj_qk", 2 * HIDDEN), ("in_proj_vg", 2 * HIDDEN), ("out_proj", HIDDEN)))
        w[f"mlp_layers.{i}.mlp.1.weight"] = matrix(2 * INNER, HIDDEN)
        w[f"mlp_layers.{i}.mlp.4.weight"] = matrix(HIDDEN, INNER)
    for i in range(2 * LAYERS):
        w[f"dwa_modules.alphas.{i}"] = torch.cat([0.3 * torch.randn(i + 1), torch.ones(1)])
    return w


def bucket(distance):
    """Of a distance: itself when it is small, else one of those that the far ones share."""
    half, far = BUCKETS // 2, min(abs(distance), POSITIONS - 1)
    if far <= half:
        return distance
    return int(math.copysign(math.ceil(math.log(far / half) / math.log((POSITIONS - 1) / half) * (half - 1)) + half, distance))


class Network:
    def __init__(self, w, head):
        self.w, self.head = w, head
        self.distances = self.norm(w["embedding.relative_embedding"], "embedding.relative_layer_norm")

    def norm(self, x, name=None):
        weights = (self.w[name + ".weight"], self.w[name + ".bias"]) if name else (None, None)
        return F.layer_norm(x, x.shape[-1:], *weights, eps=EPSILON)

    def linear(self, x, name, bias=True):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"] if bias else None)

    def mixed(self, y, value, name, hidden=None):
        """What attention gives; `hidden`: the pairs that do not see each other."""
        def heads(x):
            return x.view(x.shape[0], HEADS, -1).transpose(0, 1)

        n = len(y)
        steps = {d: BUCKETS - 1 + bucket(d) for d in range(1 - n, n)}
        rows = torch.tensor([[steps[i - j] for j in range(n)] for i in range(n)])
        query, key = map(heads, self.linear(y, name).chunk(2, -1))
        far_query, far_key = map(heads, self.linear(self.distances, name).chunk(2, -1))
        scores = query @ key.transpose(1, 2)
        scores = scores + torch.gather(query @ far_key.transpose(1, 2), 2, rows.expand(HEADS, n, n))
        scores = scores + torch.gather(key @ far_query.transpose(1, 2), 2, rows.t().expand(HEADS, n, n)).transpose(1, 2)
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        mixed = torch.softmax(scores / math.sqrt(3 * HIDDEN / HEADS), -1) @ heads(value)
        return mixed.transpose(0, 1).reshape(n, HIDDEN)

    def feed_forward(self, x, name):
        y, gate = self.linear(self.norm(x), name + "1", False).chunk(2, -1)
        return self.linear(self.norm(y * F.gelu(gate, approximate="tanh")), name + "4", False)

    def logprobs(self, x):
        y = self.norm(F.gelu(self.linear(self.norm(x), self.head + ".nonlinearity.1")))
        output = self.w.get(self.head + ".nonlinearity.5.weight", self.w["embedding.word_embedding.weight"])
        return torch.log_softmax(y @ output.t() + self.w[self.head + ".nonlinearity.5.bias"], -1)

    def ltg(self, ids):
        x = self.norm(self.w["embedding.word_embedding.weight"][ids])
        for i in range(LAYERS):
            p = f"transformer.layers.{i}."
            y = self.norm(x)
            mixed = self.mixed(y, self.linear(y, p + "attention.in_proj_v"), p + "attention.in_proj_qk")
            x = x + self.norm(self.linear(mixed, p + "attention.out_proj"), p + "attention.post_layer_norm")
            x = x + self.feed_forward(x, p + "mlp.mlp.")
        return self.logprobs(x)

    def gpt_bert(self, ids, causal):
        n = len(ids)
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1) if causal else None
        streams = [self.norm(self.w["embedding.word_embedding.weight"][ids])]
        x = streams[0]

        def weighted():
            return torch.tensordot(self.w[f"dwa_modules.alphas.{len(streams) - 2}"], torch.stack(streams), dims=1)

        for i in range(LAYERS):
            y = self.norm(x)
            value, gate = self.linear(y, f"attention_layers.{i}.in_proj_vg").chunk(2, -1)
            mixed = self.mixed(y, value, f"attention_layers.{i}.in_proj_qk", hidden) * F.gelu(gate)
            streams.append(x + self.linear(self.norm(mixed), f"attention_layers.{i}.out_proj"))
            x = weighted()
            streams.append(x + self.feed_forward(x, f"mlp_layers.{i}.mlp."))
            x = weighted()
        return self.logprobs(x)


def make(folder, seed, w, head, saved_name, config, kind, forward):
    torch.manual_seed(seed)
    w = {name: tensor.half() for name, tensor in w().items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file({saved_name(name): tensor for name, tensor in w.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({
        **config, "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "intermediate_size": INNER, "num_attention_heads": HEADS,
        "position_bucket_size": BUCKETS, "max_position_embeddings": POSITIONS, "layer_norm_eps": EPSILON}, indent=1))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"wort{i}" for i in range(5, VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}')
    network, inputs = Network({name: tensor.double() for name, tensor in w.items()}, head), []
    for n in LENGTHS:
        if n == 1 and kind != "masked":
            continue
        ids = torch.randint(5, VOCABULARY, (n,))
        logprobs = forward(network, ids)
        of = [(i, i) for i in range(n)] if kind == "masked" else [(i, i + 1) for i in range(n - 1)]
        inputs.append({"ids": ids.tolist(), "logprobs": [round(logprobs[i, ids[j]].item(), 6) for i, j in of]})
    (folder / "reference.json").write_text(
        json.dumps({"made_by": f"PyTorch {torch.__version__}", "kind": kind, "inputs": inputs}) + "\n")


def main():
    folder = pathlib.Path([a for a in sys.argv[1:] if a != "--long"][0])
    make(folder / "ltg-bert", 7, ltg_weights, "classifier", lambda name: name,
         {"model_type": "ltgbert", "architectures": ["LtgbertForMaskedLM"], "num_hidden_layers": LAYERS,
          "output_all_encoded_layers": True},
         "masked", lambda network, ids: network.ltg(ids))
    # As its authors publish it: under LTG-BERT's name.
    make(folder / "gpt-bert", 8, lambda: gpt_bert_weights("classifier", True), "classifier",
         lambda name: name if name.startswith(("embedding", "classifier")) else "transformer." + name,
         {"model_type": "ltgbert", "architectures": ["LtgbertForMaskedLM"], "num_hidden_layers": LAYERS, "temperature": 1.0},
         "masked but the first", lambda network, ids: network.gpt_bert(ids, False))
    # As BabyLM's baselines of 2025 do.
    make(folder / "gpt-bert-causal", 9, lambda: gpt_bert_weights("lm_head", False), "lm_head",
         lambda name: name if name.startswith("lm_head") else "model." + name,
         {"model_type": "gpt-bert", "architectures": ["GPTBERTForCausalLM"], "num_layers": LAYERS},
         "causal", lambda network, ids: network.gpt_bert(ids, True))


main()
