#!/usr/bin/env python3
"""Prints, as Markdown, what a model's card says that it knows: accuracies on the shipped suites and on published pairs.

    models/figures.py MINPAIR DATA RESULTS MODEL METHOD

DATA has the published sentences (gevalm/input, clams/de_evalset). Scores are kept in RESULTS, so that a second call is quick.
"""
import json
import os
import subprocess
import sys

if len(sys.argv) != 6:
    sys.exit(__doc__)
MINPAIR, DATA, RESULTS, MODEL, METHOD = sys.argv[1:]
SUITES = ["de-agreement", "de-agreement-wide", "de-grammar", os.path.join(DATA, "gevalm/input"),
          os.path.join(DATA, "clams/de_evalset")]


def minpair(*words):
    return subprocess.run([MINPAIR, *words], stdout=subprocess.PIPE, check=True, text=True).stdout


for suite in SUITES:
    minpair("run", "-q", "-s", suite, "-m", MODEL, "--method", METHOD, "-o", RESULTS)
report = json.loads(minpair("report", RESULTS, "--format", "json"))
for suite in dict.fromkeys(row["suite"] for row in report["results"]):
    rows = [row for row in report["results"] if row["suite"] == suite]
    total = next(row for row in report["totals"] if row["suite"] == suite)
    print(f"\n## {suite}\n\n| test | accuracy | pairs |\n|---|--:|--:|")
    for row in rows:
        print(f"| {row['test']} | {row['accuracy']:.3f} | {row['pairs']:,} |")
    print(f"| mean of the {len(rows)} tests | {sum(row['accuracy'] for row in rows) / len(rows):.3f} | |")
    print(f"| all pairs | {total['accuracy']:.3f} | {total['pairs']:,} |")
