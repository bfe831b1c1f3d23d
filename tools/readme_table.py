#!/usr/bin/env python3
"""Puts the table of gevalm's pairs into README.md, between its two markers: released scores beside a model that ships, on the same
pairs, by the same method.

    tools/readme_table.py PROGRAM GEVALM_FOLDER [RESULTS]

GEVALM_FOLDER has the published `input` and `output`; RESULTS keeps the scores, so that they are computed once.
"""
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, GEVALM = sys.argv[1], Path(sys.argv[2])
RESULTS = sys.argv[3] if len(sys.argv) > 3 else str(Path(tempfile.mkdtemp()) / "gevalm.db")
README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- table of gevalm's pairs -->", "<!-- end of the table -->"


def minpair(*words):
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def tests_of(model):
    text = minpair("report", RESULTS, "-m", model, "--lengths", "all", "--format", "csv")
    return {row["test"]: (int(row["pairs"]), float(row["accuracy"])) for row in csv.DictReader(io.StringIO(text))}


def line(title, published, shipped):
    assert published[0] == shipped[0], title  # the same pairs
    return f"| {title} | {published[0]:,} | {published[1]:.3f} | {shipped[1]:.3f} |"


def overall(tests):
    pairs = sum(n for n, _ in tests.values())
    return pairs, sum(n * x for n, x in tests.values()) / pairs


TITLES = {"SimplSent": "Simple sentence", "SVinSentCompl": "In a sentential complement", "SVshortVPCoord": "Short VP coordination",
          "SVmediumVPCoord": "Medium VP coordination", "SVlongVPCoord": "Long VP coordination",
          "SVPP": "Across a prepositional phrase", "SVSubjRelC": "Across a subject relative clause",
          "SVacrossObjRelC": "Across an object relative clause", "SVinObjRelC": "In an object relative clause",
          "SVModifier": "With a simple modifier", "SVextendedModifier": "With an extended modifier", "SVVorf": "Pre-field",
          "RA_acc": "Reflexives: person and number", "RA_case": "Reflexives: case"}

if not Path(RESULTS).exists():
    minpair("convert", "--from", "gevalm", str(GEVALM / "output"), RESULTS)
minpair("run", "-q", "-s", str(GEVALM / "input"), "-m", "de-mini", "--method", "ce", "-o", RESULTS)
published, shipped = tests_of("bert-base-german-dbmdz-cased"), tests_of("de-mini")
table = ["| | pairs | German BERT (110 million parameters) | de-mini (6 million) |", "|---|--:|--:|--:|"]
table += [line(title, published[test], shipped[test]) for test, title in TITLES.items()]
table.append(line("**All**", overall(published), overall(shipped)))
page = README.read_text()
begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
README.write_text(page[:begin] + "\n\n" + "\n".join(table) + "\n\n" + page[end:])
