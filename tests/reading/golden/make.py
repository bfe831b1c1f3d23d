#!/usr/bin/env python3
"""Two invented texts, reading times of two readers, and two models' surprisals: times.tsv, a.csv, b.csv, counts.tsv."""
import random

random.seed(7)
lexicon = {"der": 900, "die": 800, "Autor": 12, "Autoren": 9, "lacht": 7, "sehr": 150, "weil": 210, "Nachbarin": 3, "gern": 60,
           "kommt": 120, "heute": 170, "Haus": 95, "groß": 88, "ein": 700, "alte": 40, "Geschichte": 51, "schläft": 6}
texts = {name: [random.choice(list(lexicon)) for _ in range(30)] for name in ("eins", "zwei")}
times = ["story\tplace\tform\treader\tms"]
models = {"a": ["text,position,word,pieces,surprisal"], "b": ["text,position,word,pieces,surprisal"]}
for name, words in texts.items():
    words[9] += "."
    words[20] += ","
    before = 0
    for i, word in enumerate(words, 1):
        bare = word.strip(".,")
        surprise = 12 - 1.1 * len(str(lexicon[bare])) + random.gauss(0, 1.5)
        for model, noise in (("a", 0.4), ("b", 3.0)):
            value = f"{surprise + random.gauss(0, noise):.4f}" if i > 1 else ""
            word_text = f'"{word}"' if "," in word else word
            models[model].append(f"{name},{i},{word_text},1,{value}")
        for reader in ("r1", "r2"):
            ms = 250 + 4 * len(word) + 9 * surprise + 5 * before + random.gauss(0, 25)
            times.append(f"{name}\t{i}\t{word}\t{reader}\t" + ("NA" if (i, reader) == (12, "r2") else f"{ms:.1f}"))
        before = surprise
open("times.tsv", "w").write("\n".join(times) + "\n")
for model, rows in models.items():
    open(model + ".csv", "w").write("\n".join(rows) + "\n")
open("counts.tsv", "w").write("".join(f"{w}\t{n}\n" for w, n in lexicon.items() if w != "schläft"))
