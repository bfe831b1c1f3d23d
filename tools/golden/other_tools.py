#!/usr/bin/env python3
"""The sentences of docs/other-tools.md, scored by the rules of other programs with Hugging Face's library alone.

    other_tools.py FOLDER CAUSAL_MODEL MASKED_MODEL

FOLDER has english.tsv and german.tsv (docs/tutorials).

A rule is what the program's source says (versions: docs/other-tools.md); the programs themselves are not run. Needs transformers
and torch. Everything is in fp32; the last lines say what the library's own choice of precision changes.
"""
import csv
import sys

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer


def sentences(path):
    with open(path, newline="") as file:
        return [row[column] for row in csv.DictReader(file, delimiter="\t") for column in ("good", "bad")]


def logprobs(logits):
    return logits.double().log_softmax(-1)


def from_left_to_right(model, ids):
    """Of every token but the first, given those before it."""
    with torch.no_grad():
        p = logprobs(model(torch.tensor([ids])).logits[0])
    return [p[i - 1, ids[i]].item() for i in range(1, len(ids))]


def masked(model, ids, hide, asked, mask):
    """Of the tokens `asked` where those of `hide` are masked."""
    hidden = [mask if i in hide else t for i, t in enumerate(ids)]
    with torch.no_grad():
        p = logprobs(model(torch.tensor([hidden])).logits[0])
    return sum(p[i, ids[i]].item() for i in asked)


def causal_table(folder, texts):
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    print("sentence\twith <s>, sum\twith <s>, mean\twithout <s>, sum")
    for text in texts:
        plain = tokenizer(text, add_special_tokens=False)["input_ids"]
        scores = from_left_to_right(model, [tokenizer.bos_token_id] + plain)
        without = from_left_to_right(model, plain)
        print(f"{text}\t{sum(scores):.4f}\t{sum(scores) / len(scores):.4f}\t{sum(without):.4f}")


def masked_table(folder, texts):
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    mask = tokenizer.mask_token_id
    print("sentence\teach token, sum\teach token, mean\trest of the word, sum\tnothing masked, mean")
    for text in texts:
        encoding = tokenizer(text)
        ids, words = encoding["input_ids"], encoding.word_ids()
        inside = [i for i, w in enumerate(words) if w is not None]
        each = sum(masked(model, ids, {i}, [i], mask) for i in inside)
        rest = sum(masked(model, ids, {j for j in inside if words[j] == words[i] and j >= i}, [i], mask) for i in inside)
        seen = masked(model, ids, set(), range(len(ids)), mask)
        print(f"{text}\t{each:.4f}\t{each / len(inside):.4f}\t{rest:.4f}\t{seen / len(ids):.4f}")


def stored_precision(kind, folder, texts):
    """transformers 5 loads weights in the precision in which they are stored. How much does that change?"""
    tokenizer, exact = AutoTokenizer.from_pretrained(folder), kind.from_pretrained(folder, dtype=torch.float32).eval()
    stored, most = kind.from_pretrained(folder).eval(), 0.0
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        if kind is AutoModelForCausalLM:
            sums = [sum(from_left_to_right(m, ids)) for m in (exact, stored)]
        else:
            sums = [sum(masked(m, ids, {i}, [i], tokenizer.mask_token_id) for i in range(1, len(ids) - 1)) for m in (exact, stored)]
        most = max(most, abs(sums[0] - sums[1]))
    print(f"loaded as {stored.dtype} unless told otherwise: a sum differs by at most {most:.4f}")


english, german = (sentences(f"{sys.argv[1]}/{name}.tsv") for name in ("english", "german"))
causal_table(sys.argv[2], english)
masked_table(sys.argv[3], german)
stored_precision(AutoModelForCausalLM, sys.argv[2], english)
stored_precision(AutoModelForMaskedLM, sys.argv[3], german)
