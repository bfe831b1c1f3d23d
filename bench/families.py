#!/usr/bin/env python3
"""How near each family comes to one large matrix product of oneDNN, and to BERT, in arithmetic for each second of the processor, one
thread, fp32.

  families.py BUILD FOLDER [ROUNDS = 3 [FAMILY...]]      BUILD: with minpair and bench_matrix; FOLDER: of bench/make_families.py

Sentences of 40 random words, every token read; T5 reads each sentence once for each word, with a gap there. What is counted are the
products with weights. The time of few sentences is taken from that of many, so that loading does not count. oneDNN's product is timed
before and after, since processors waver: what counts is the median of the rounds' shares of the mean of both."""
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


def used(program, model, suite):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([program, "run", "-q", "-s", suite, "-m", model, "--method",
                                "ce" if model.name in MASKED else "pll" if model.name in GAPS else "lp", "--threads", "1", "-o", f"{folder}/r.db"],
                               stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
    if status:
        sys.exit(f"families: {model.name} does not run")
    return usage.ru_utime + usage.ru_stime


def rate(program, model, folder):
    token, question = map(int, model.with_name(model.name + ".matrices").read_text().split())
    few, many = GAPS.get(model.name, (FEW, MANY))
    for count in few, many:
        pairs(f"{folder}/{count}.csv", count)
    seconds = used(program, model, f"{folder}/{many}.csv") - used(program, model, f"{folder}/{few}.csv")
    read = 2 * (many - few) * WORDS
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
    rates, shares = ({name: [] for name in names} for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            before = matrix_rate(build)
            for name in names:
                own, after = rate(build / "minpair", models / name, folder), matrix_rate(build)
                rates[name].append(own)
                shares[name].append(2 * own / (before + after))
                print(f"{name:12} {own:6.1f} GFLOP a second, oneDNN {before:6.1f} and {after:6.1f}", file=sys.stderr, flush=True)
                before = after
    bert = statistics.median(shares["bert"])
    for name in names:
        share = statistics.median(shares[name])
        print(f"{name:12} {statistics.median(rates[name]):6.1f} GFLOP a second  {share:5.2f} of the matrix rate "
              f"({min(shares[name]):.2f} to {max(shares[name]):.2f})  {share / bert:5.2f} of BERT")


main()
