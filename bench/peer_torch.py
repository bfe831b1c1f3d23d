"""PyTorch as the published evaluations used it: one sentence at a time, all logits of all positions.

    peer_torch.py bert MAKE_BERT.PY MODEL_DIR SENTENCES THREADS < SAMPLE.JSONL   a BERT, cross-entropy of every token
    peer_torch.py make-lstm OUT SUITE.JSONL                                      an LSTM with random weights
    peer_torch.py lstm DIR SUITE.JSONL THREADS                                   log-probabilities of whole sentences

The last line of the output is JSON with the rate.
"""
import importlib.util
import json
import os
import sys
import time

import torch
from torch import nn


class RNNModel(nn.Module):
    """The model of PyTorch's word_language_model example, which the published LSTMs come from."""

    def __init__(self, words, width, hidden, layers):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, hidden, layers)
        self.decoder = nn.Linear(hidden, words)

    def forward(self, ids):
        out, _ = self.rnn(self.encoder(ids)[:, None])
        return self.decoder(out[:, 0])


def safetensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    for name, t in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = t["data_offsets"]
            yield name, torch.frombuffer(bytearray(data[8 + size + begin:8 + size + end]), dtype=torch.float32).reshape(t["shape"])


def load_bert(classes, folder):
    spec = importlib.util.spec_from_file_location("make_bert", classes)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    c = json.load(open(os.path.join(folder, "config.json")))
    model = module.Bert(c["num_hidden_layers"], c["hidden_size"], c["num_attention_heads"], c["intermediate_size"], c["vocab_size"])
    weights = dict(safetensors(os.path.join(folder, "model.safetensors")))
    for name, parameter in model.hf_names():
        if name in weights:
            parameter.data.copy_(weights[name])
    return model.eval()


def bert(classes, folder, sentences, threads):
    torch.set_num_threads(int(threads))
    model = load_bert(classes, folder)
    vocabulary = {w: i for i, w in enumerate(open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n"))}
    lines = [s[0] for file in sys.stdin.read().split() for line in open(file, encoding="utf-8") for s in json.loads(line)["tokenized"]]
    lines = lines[::max(1, len(lines) // int(sentences))][:int(sentences)]
    inputs = [torch.tensor([[vocabulary[t] for t in tokens]]) for tokens in lines]
    losses = []

    def score(ids):
        losses.append(nn.functional.cross_entropy(model(ids, torch.ones_like(ids))[0], ids[0]).item())

    with torch.no_grad():
        score(inputs[0])
        began = time.monotonic()
        for ids in inputs:
            score(ids)
    seconds = time.monotonic() - began
    return {"tokens_per_second": sum(i.shape[1] for i in inputs) / seconds, "first_loss": losses[1], "first": " ".join(lines[0])}


def words_of(suite):
    for line in open(suite, encoding="utf-8"):
        for sentence in json.loads(line)["sentences"]:
            yield sentence["text"].split()


def make_lstm(out, suite):
    os.makedirs(out, exist_ok=True)
    words = ["<unk>", "<eos>"] + sorted({w for sentence in words_of(suite) for w in sentence})
    words += [f"word{i}" for i in range(50000 - len(words))]
    open(os.path.join(out, "vocab.txt"), "w", encoding="utf-8").write("\n".join(words) + "\n")
    torch.manual_seed(1)
    torch.save(RNNModel(len(words), 650, 650, 2).state_dict(), os.path.join(out, "model.pt"))
    return {}


def lstm(folder, suite, threads):
    torch.set_num_threads(int(threads))
    words = open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n")[:-1]
    ids = {w: i for i, w in enumerate(words)}
    model = RNNModel(len(words), 650, 650, 2)
    model.load_state_dict(torch.load(os.path.join(folder, "model.pt")))
    inputs = [torch.tensor([1] + [ids.get(w, 0) for w in sentence]) for sentence in words_of(suite)][:120]
    with torch.no_grad():
        model(inputs[0])
        began = time.monotonic()
        for sentence in inputs:
            scores = torch.log_softmax(model(sentence[:-1]), -1)
            scores.gather(1, sentence[1:, None]).sum().item()
    return {"sentences_per_second": len(inputs) / (time.monotonic() - began)}


if __name__ == "__main__":
    print(json.dumps({"bert": bert, "make-lstm": make_lstm, "lstm": lstm}[sys.argv[1]](*sys.argv[2:])))
