#!/usr/bin/env python3
"""Makes tests/golden/recurrent: tiny recurrent language models saved the way PyTorch's word_language_model example saves
them, and what PyTorch says about two inputs.

  /usr/bin/python3 tools/golden/make_recurrent.py tests/golden/recurrent       (needs Debian's python3-torch)
"""
import json
import os
import sys

import torch
from torch import nn


class RNNModel(nn.Module):
    def __init__(self, kind, words, width, hidden, layers, tied):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        if kind in ("LSTM", "GRU"):
            self.rnn = getattr(nn, kind)(width, hidden, layers)
        else:
            self.rnn = nn.RNN(width, hidden, layers, nonlinearity=kind.lower())
        self.decoder = nn.Linear(hidden, words)
        if tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, ids):
        out, _ = self.rnn(self.encoder(ids)[:, None])
        return self.decoder(out[:, 0])


out = sys.argv[1]
os.makedirs(out, exist_ok=True)
words = 37
open(os.path.join(out, "vocab.txt"), "w").write("\n".join(["<unk>", "<eos>"] + [f"w{i}" for i in range(2, words)]) + "\n")
golden = []
for i, (kind, width, hidden, layers, tied, whole) in enumerate([
        ("LSTM", 20, 24, 2, False, False), ("LSTM", 16, 16, 1, True, True), ("GRU", 12, 18, 2, False, False),
        ("TANH", 10, 10, 1, False, True), ("RELU", 10, 14, 2, False, True)]):
    torch.manual_seed(i)
    model = RNNModel(kind, words, width, hidden, layers, tied)
    for p in model.parameters():
        nn.init.uniform_(p, -0.5, 0.5)
    name = f"{kind.lower()}{i}.pt"
    # A whole module, as Gulordava et al. and CLAMS published theirs, or its tensors alone.
    torch.save(model if whole else model.state_dict(), os.path.join(out, name), _use_new_zipfile_serialization=i % 2 == 0)
    inputs = [[1, 5, 9, 2, 30, 36, 7], [1, 5, 9, 3]]
    with torch.no_grad():
        logprobs = [torch.log_softmax(model(torch.tensor(ids)), -1).tolist() for ids in inputs]
        # After every word of the second input, the state of every layer, and an LSTM's memory.
        states, steps = None, []
        for word in inputs[1]:
            _, states = model.rnn(model.encoder(torch.tensor([word]))[:, None], states)
            steps.append([s[:, 0].tolist() for s in (states if kind == "LSTM" else [states])])
    rounded = lambda x: [rounded(y) for y in x] if isinstance(x, list) else round(x, 6)
    golden.append({"file": name, "inputs": inputs, "logprobs": rounded(logprobs), "hidden": rounded([s[0] for s in steps]),
                   "cell": rounded([s[1] for s in steps if len(s) > 1])})
json.dump(golden, open(os.path.join(out, "expected.json"), "w"))
