#!/usr/bin/env python3
"""Released files stored otherwise give the same results: every importer of `convert --from`, with the authors' files as they are and
then with columns in another order and more of them, a byte-order mark, Windows' line ends, quotes around everything, semicolons, folders
with accents, packed or unpacked, and what file managers leave behind.

    otherwise.py PROGRAM PAPER [DATA]

DATA is the folder with all papers' files, by default $MINPAIR_DATA or ../shared/data. Without it nothing is tested (exit status 77).
"""
import csv
import gzip
import io
import json
import lzma
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

# What each importer reads, below DATA; the rest of a folder is left out. Which files are tables, by their ending.
PAPERS = {
    "aann": ("aann", ["aann/*.csv", "items/*.csv", "mturk*.csv"]),
    "babylm": (".", ["babylm/*.json.gz", "blimp/*.jsonl"]),
    "blimp": ("blimp-human", ["human_responses.csv.xz"]),
    "gulordava-hebrew": ("gulordava-more", ["lstm_best_model.he.tab"]),
    "qfrblimp": ("qfrblimp", ["annotations.tsv", "predictions/*.tsv"]),
    "sap": ("sap", ["gpt2/*.csv", "lstm/*.csv"]),
    "syntaxgym": ("syntaxgym", ["results/*.csv"]),
    "task-demands": ("task-demands", ["blimp/*.csv"]),
    "turblimp": ("turblimp-human", ["*.csv"]),
    "zhoblimp": ("zhoblimp-human", ["*.csv"]),
    "zorro": ("zorro", ["roberta-base/*.txt"]),
}
MORE = {"Größe, é": 'ein "Wort", drei', "model": "another", "file": "elsewhere", "star": "*", "number": "77", "role": "neither"}
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def unpacked(path):
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes()), path.stem
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()), path.stem
    return path.read_bytes(), path.name


def shuffled(names):
    order = list(range(len(names)))
    random.Random(len(names)).shuffle(order)
    return order


def table(text, separator, written, quoting):
    """Columns in another order, with more of them that no importer asked for."""
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    more = {name: cell for name, cell in MORE.items() if name not in rows[0]}
    rows = [row + list(more if number == 0 else more.values()) for number, row in enumerate(rows)]
    order = shuffled(rows[0])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=written, quoting=quoting, lineterminator="\r\n")
    writer.writerows([[row[i] for i in order] for row in rows])
    writer.writerow([""] * len(order))  # spreadsheets leave empty rows below a table
    return out.getvalue()


def value(json_value):
    """Members in another order, with one more; lists stay."""
    if isinstance(json_value, list):
        return [value(v) for v in json_value]
    if not isinstance(json_value, dict):
        return json_value
    members = [(name, value(v)) for name, v in json_value.items()]
    return dict(members[i] for i in shuffled(members))


def rewritten(name, text, number):
    """The same content, as another program would have written it."""
    ending = pathlib.Path(name).suffix
    if ending in SEPARATORS:
        # In turns: all cells in quotes, or a spreadsheet's semicolons.
        quotes = csv.QUOTE_ALL if number % 2 == 0 else csv.QUOTE_MINIMAL
        written = ";" if ending == ".csv" and number % 2 else SEPARATORS[ending]
        return "\ufeff" + table(text, SEPARATORS[ending], written, quotes)
    if ending == ".jsonl":
        lines = [json.dumps({"é": [1, {"ü": None}], **value(json.loads(line))}, ensure_ascii=number % 2 == 0) for line in text.splitlines()]
        return "\r\n".join(lines) + "\r\n\r\n"
    if ending == ".json":
        return json.dumps(value(json.loads(text)), indent=1)
    return "\ufeff" + text.replace("\n", "\r\n") + "\r\n"


def store_otherwise(source, patterns, target):
    number = 0
    for pattern in patterns:
        found = sorted(source.glob(pattern))
        assert found, f"{source}/{pattern}"
        for path in found:
            content, name = unpacked(path)
            place = target / path.relative_to(source).parent
            place.mkdir(parents=True, exist_ok=True)
            changed = rewritten(name, content.decode(), number).encode()
            if number % 3 == 2 and path.suffix not in (".xz", ".gz"):
                (place / (name + ".gz")).write_bytes(gzip.compress(changed))
            else:
                (place / name).write_bytes(changed)
            (place / f"._{name}").write_bytes(b"\0\5\26\7")
            number += 1


def results(program, paper, folder, where):
    """What there is of each item and of each judgment, in an order of its own."""
    done = subprocess.run([program, "convert", "--quiet", "--from", paper, folder, where], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tables = []
    for command in (["export", where, "--what", "sentences"], ["people", where, "--format", "csv"]):
        done = subprocess.run([program, *command], capture_output=True, text=True)
        # Where nobody was asked, `people` says so.
        assert done.returncode == 0 or "people" in command, done.stderr
        tables.append(unordered(done.stdout))
    return tables


def unordered(text):
    """Rows without their place: where members of an object stand in another order, items do."""
    rows = list(csv.reader(io.StringIO(text)))
    place = rows[0].index("ordinal") if rows and "ordinal" in rows[0] else None
    return sorted([cell for i, cell in enumerate(row) if i != place] for row in rows)


def main(program, paper, data=None):
    beside = pathlib.Path(__file__).resolve().parents[2] / "../shared/data"
    folder, patterns = PAPERS[paper]
    source = pathlib.Path(data or os.environ.get("MINPAIR_DATA") or beside) / folder
    if not source.is_dir():
        print("skipped: needs the published data; set MINPAIR_DATA to its folder")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        other = pathlib.Path(scratch) / "Été à Göteborg; 1, «2»"
        store_otherwise(source, patterns, other)
        expected = results(program, paper, source, pathlib.Path(scratch) / "as-it-is.db")
        found = results(program, paper, other, pathlib.Path(scratch) / "otherwise.db")
        shutil.rmtree(other)
    rows = len(expected[0]) - 1
    assert rows > 100, rows
    for was, now in zip(expected, found):
        if was != now:
            different = [(a, b) for a, b in zip(was, now) if a != b]
            sys.exit(f"{paper}: {len(different)} rows differ of {len(was)} and {len(now)}; the first: {different[:1]}")
    print(f"{paper}: {rows} sentences, the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
