#!/usr/bin/env python3
"""How near each family comes to one large matrix product of oneDNN, and to BERT, in arithmetic for each second of the processor, one
thread, fp32.

  families.py BUILD FOLDER [ROUNDS = 3 [FAMILY...]]      BUILD: with minpair and bench_matrix; FOLDER: of bench/make_families.py

Sentences of 40 random words, every token read; T5 reads each sentence once for each word, with a gap there. What is counted are the
products with weights. The least time of few sentences is taken from that of many, so that loading does not count. oneDNN's product is
timed after each run, and the median of its rates counts."""
import collections
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

FEW, MANY, WORDS = 5, 45, 40
MASKED = {"bert", "deberta-v2", "modernbert", "mpnet"}
GAPS = {"t5": (2, 4)}  # that many sentences are enough


def pairs(path, count):
    dice = random.Random(count)
    with open(path, "w") as out:
        out.write("good,bad\n")
        for _ in range(count):
            words = [f"w{dice.randrange(3000)}" for _ in range(WORDS)]
            out.write(f"{' '.join(words)},{' '.join([f'w{3000 + dice.randrange(900)}'] + words[1:])}\n")


def counts_of(model):
    return GAPS.get(model.name, (FEW, MANY))


def used(program, model, suite):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([program, "run", "-q", "-s", suite, "-m", model, "--method",
                                "ce" if model.name in MASKED else "pll" if model.name in GAPS else "lp", "--threads", "1", "-o", f"{folder}/r.db"],
                               stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
    if status:
        sys.exit(f"families: {model.name} does not run")
    return usage.ru_utime + usage.ru_stime


def rate(model, times):
    """Of what was computed in the least time of many sentences, less that of few: loading wavers more than computing."""
    token, question = map(int, model.with_name(model.name + ".matrices").read_text().split())
    few, many = counts_of(model)
    seconds = min(times[many]) - min(times[few])
    read = 2 * (many - few) * (WORDS + 2 * (model.name in MASKED))  # [CLS] and [SEP]
    if model.name in GAPS:
        # The two sentences of a pair differ in the first word, so that its gap is asked for once; the sentinel is read, too, and no end.
        questions = (many - few) * (2 * WORDS - 1)
        return 2 * (questions * WORDS * token + questions * question) / seconds / 1e9
    return 2 * read * token / seconds / 1e9


def matrix_rate(build):
    return json.loads(subprocess.run([build / "bench_matrix"], check=True, capture_output=True).stdout)["gflops"]


def main():
    build, models = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    names = sys.argv[4:] or sorted(p.stem for p in models.glob("*.matrices") if p.stem != "bert")
    names = ["bert", *names]
    times, products = {name: collections.defaultdict(list) for name in names}, [matrix_rate(build)]
    with tempfile.TemporaryDirectory() as folder:
        for name in names * rounds:
            for count in counts_of(models / name):
                pairs(f"{folder}/{count}.csv", count)
                times[name][count].append(used(build / "minpair", models / name, f"{folder}/{count}.csv"))
            products.append(matrix_rate(build))
            print(f"{name:12} {dict(times[name])}, oneDNN {products[-1]:6.1f}", file=sys.stderr, flush=True)
    matrix, bert = statistics.median(products), rate(models / "bert", times["bert"])
    print(f"oneDNN       {matrix:6.1f} GFLOP a second ({min(products):.1f} to {max(products):.1f})")
    for name in names:
        own = rate(models / name, times[name])
        print(f"{name:12} {own:6.1f} GFLOP a second  {own / matrix:5.2f} of the matrix rate  {own / bert:5.2f} of BERT")


main()
