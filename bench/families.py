#!/usr/bin/env python3
"""How near each family comes to BERT in arithmetic for each second of the processor, one thread, fp32.

  families.py MINPAIR FOLDER [ROUNDS = 3]      FOLDER: of bench/make_families.py

Sentences of 40 random words, every token read; what is counted are the products with weights. The time of few sentences is taken
from that of many, so that loading does not count; the least of the rounds."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FEW, MANY, WORDS, WIDTH, VOCABULARY = 5, 45, 40, 768, 4000
MASKED = {"bert", "deberta-v2", "modernbert", "mpnet"}


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
                                "ce" if model.name in MASKED else "lp", "--threads", "1", "-o", f"{folder}/r.db"],
                               stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
    if status:
        sys.exit(f"families: {model.name} does not run")
    return usage.ru_utime + usage.ru_stime


def rate(program, model, folder, rounds):
    matrices = int(model.with_name(model.name + ".matrices").read_text())
    seconds = min(used(program, model, f"{folder}/many.csv") - used(program, model, f"{folder}/few.csv")
                  for _ in range(rounds))
    return 2 * (matrices + WIDTH * VOCABULARY) * 2 * (MANY - FEW) * WORDS / seconds / 1e9


def main():
    program, models = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    names = sorted(p.stem for p in models.glob("*.matrices") if p.stem != "bert")
    with tempfile.TemporaryDirectory() as folder:
        pairs(f"{folder}/few.csv", FEW)
        pairs(f"{folder}/many.csv", MANY)
        bert = rate(program, models / "bert", folder, rounds)
        for name in ["bert", *names]:  # BERT again: how much the machine wavers
            own = rate(program, models / name, folder, rounds)
            print(f"{name:12} {own:6.1f} GFLOP a second  {own / bert:5.2f} of BERT", flush=True)


main()
