#!/usr/bin/env python3
"""Makes tiny vocabularies for XLM's and FlauBERT's tokenizers in tests/golden/tokenizer, and what Hugging Face's classes make of
some texts with them.

  python3 tools/golden/make_fast_bpe.py tests/golden/tokenizer        (transformers, and sacremoses, which both classes ask for)
"""
import collections
import json
import pathlib
import sys

import transformers

TEXTS = [
    "The gardener who feeds the cats is tired.",
    "I don't think they'll come; we've seen what he'd do, and I'm sure it's the 1990's.",
    "Mr. Smith met Dr. No. No. 5 is ours, pp. 3 and Art. 7, says Prof. J. R. Jones vs. the U.S. He left at 5 p.m. Then he slept.",
    "Les élèves que le professeur aime chantent déjà à l’école, n'est-ce pas ?",
    "M. Dupont et Mme. Durand, etc. Cf. l'art. 3, c.-à-d. p. 12, vol. 2. Fin.",
    "« Aujourd'hui », dit-il, « l'homme qu'elle aime s'en va. »",
    "Il dit : «\u00a0Oui\u00a0!\u00a0» et paya 1\u00a0000 francs, soit 50\u00a0%, à 3,5 ou 3.5 km.",
    "L'Œuvre de l'été coûte 5,300 €; A,B,C,D,E et 3,x ou x,3,",
    'He said "yes," and "no". \'Quoted\' `so` ``and so\'\' end.\'',
    "Wait... what?! a..b ....c .. end...",
    "(a) [b] {c} <d> a+b=c 50% #1 $9 a_b & | foo-bar/baz -- x — y – z",
    "Der Bäcker, den die Kinder mögen, schläft: „Übermäßig!“, rief sie.",
    "Девочка, которую любят соседи, читает книгу. Ёлка.",
    "孩子们在花园里唱歌，老师很高兴。（１２％）",
    "tab\tnewline\nreturn\rend  two   spaces ", "", " ", "e\u0301te\u0301 E\u0301TE\u0301 ÉTÉ",
    "Le <special1> que j'aime <special1>.",
]
SPECIAL = ["<s>", "</s>", "<pad>", "<unk>"] + [f"<special{i}>" for i in range(10)]


def learnt(words, count):
    """The merges that byte-pair encoding finds in these words."""
    words, merges = {tuple(w[:-1]) + (w[-1] + "</w>",): n for w, n in words.items()}, []
    while len(merges) < count:
        pairs = collections.Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append((best, pairs[best]))
        joined = {}
        for word, n in words.items():
            out, i = [], 0
            while i < len(word):
                both = word[i:i + 2] == best
                out.append("".join(word[i:i + 2]) if both else word[i])
                i += 2 if both else 1
            joined[tuple(out)] = joined.get(tuple(out), 0) + n
        words = joined
    return merges, words


def make(folder, name, settings):
    folder.mkdir(parents=True, exist_ok=True)
    words = collections.Counter(w.lower() if i % 2 else w for i, t in enumerate(TEXTS * 2) for w in t.replace("'", "' ").split())
    merges, cut = learnt(words, 160)
    # As fastBPE does: only what is left after all merges is in the vocabulary, and rare pieces are not.
    pieces = collections.Counter()
    for word, n in cut.items():
        for piece in word:
            pieces[piece] += n
    vocabulary = SPECIAL + sorted(p for p, n in pieces.items() if n > 1)
    (folder / "vocab.json").write_text(json.dumps({p: i for i, p in enumerate(vocabulary)}, ensure_ascii=False) + "\n")
    (folder / "merges.txt").write_text("".join(f"{a} {b} {n}\n" for (a, b), n in merges))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, **settings}) + "\n")
    tokenizer = getattr(transformers, name)(folder / "vocab.json", folder / "merges.txt", **settings)
    with open(folder / "expected.jsonl", "w") as out:
        for text in TEXTS:
            print(json.dumps({"text": text, "ids": tokenizer(text)["input_ids"]}, ensure_ascii=False), file=out)


def main():
    golden = pathlib.Path(sys.argv[1])
    make(golden / "xlm", "XLMTokenizer", {})
    make(golden / "xlm-cased", "XLMTokenizer", {"do_lowercase_and_remove_accent": False})
    make(golden / "flaubert", "FlaubertTokenizer", {})
    make(golden / "flaubert-uncased", "FlaubertTokenizer", {"do_lowercase": True})


main()
