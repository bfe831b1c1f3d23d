"""PyTorch as a careful user runs it: without gradients, on OpenBLAS or MKL, in batches of sentences of similar length.

    peer_torch.py bert MAKE_BERT.PY MODEL_DIR SENTENCES BATCH THREADS < LIST_OF_FILES   a BERT, cross-entropy of every token
    peer_torch.py make-lstm OUT SUITE.JSONL                                             an LSTM with random weights
    peer_torch.py lstm DIR SUITE.JSONL BATCH THREADS                                    log-probabilities of whole sentences

A batch of 1 is what the published evaluations did. The last line of the output is JSON with the rate.
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
        """Words by sentences to words by sentences by vocabulary."""
        return self.decoder(self.rnn(self.encoder(ids))[0])


def at_its_best(threads):
    """So many threads, and a BLAS worth comparing with: Debian's reference BLAS is ten times slower than OpenBLAS."""
    torch.set_num_threads(int(threads))
    torch.ones(64, 64) @ torch.ones(64, 64)
    if not any(fast in open("/proc/self/maps").read() for fast in ("openblas", "mkl", "blis")):
        sys.exit("PyTorch runs on the reference BLAS, which is no comparison (Debian: libopenblas0-pthread)")


def batches(sentences, size):
    """Shortest first, so that little is padded."""
    ordered = sorted(sentences, key=len)
    return [nn.utils.rnn.pad_sequence(ordered[i:i + size], batch_first=True, padding_value=-1) for i in range(0, len(ordered), size)]


def seconds_of(score, inputs):
    """One pass over all batches, after one batch to warm up."""
    with torch.inference_mode():
        score(inputs[0])
        began = time.monotonic()
        for batch in inputs:
            score(batch)
        return time.monotonic() - began


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


def first_sentences(files, vocabulary, most):
    """The first distinct ones, as bench_encoder and ort_score.mjs take them."""
    found = {}
    for file in files:
        for line in open(file, encoding="utf-8"):
            for tokens, *_ in json.loads(line)["tokenized"]:
                found.setdefault(" ".join(tokens), torch.tensor([vocabulary[t] for t in tokens]))
                if len(found) == most:
                    return list(found.values())
    return list(found.values())


def bert(classes, folder, sentences, batch, threads):
    at_its_best(threads)
    model = load_bert(classes, folder)
    vocabulary = {w: i for i, w in enumerate(open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n"))}
    inputs = first_sentences(sys.stdin.read().split(), vocabulary, int(sentences))
    losses = []

    def score(ids):
        logits = model(ids.clamp(min=0), ids >= 0)
        each = nn.functional.cross_entropy(logits.transpose(1, 2), ids, ignore_index=-1, reduction="none")
        losses.extend((each.sum(1) / (ids >= 0).sum(1)).tolist())

    seconds = seconds_of(score, batches(inputs, int(batch)))
    return {"tokens_per_second": sum(map(len, inputs)) / seconds, "first_loss": losses[0]}


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


def lstm(folder, suite, batch, threads):
    at_its_best(threads)
    words = open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n")[:-1]
    ids = {w: i for i, w in enumerate(words)}
    model = RNNModel(len(words), 650, 650, 2).eval()
    model.load_state_dict(torch.load(os.path.join(folder, "model.pt")))
    inputs = [torch.tensor([1] + [ids.get(w, 0) for w in sentence]) for sentence in words_of(suite)]

    def score(sentences):
        asked = sentences[:, 1:]
        scores = torch.log_softmax(model(sentences[:, :-1].clamp(min=0).T).transpose(0, 1), -1)
        (scores.gather(2, asked.clamp(min=0)[..., None])[..., 0] * (asked >= 0)).sum(1).tolist()

    return {"sentences_per_second": len(inputs) / seconds_of(score, batches(inputs, int(batch)))}


if __name__ == "__main__":
    print(json.dumps({"bert": bert, "make-lstm": make_lstm, "lstm": lstm}[sys.argv[1]](*sys.argv[2:])))
