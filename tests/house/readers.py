#!/usr/bin/env python3
"""readers.py SOURCE: every fuzz target has seeds and says whose reader it tries, of files that there are."""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
fuzz = source / "fuzz"
targets = {p.name.removesuffix("_fuzz.cpp") for p in fuzz.glob("*_fuzz.cpp")}
wrong = []
readers = {}
for line in (fuzz / "readers.tsv").read_text().splitlines():
    if not line.startswith("#"):
        target, files = line.split("\t")
        readers[target] = files.split()
for target in sorted(targets ^ set(readers)):
    wrong.append(f"{target}: a target and no line in fuzz/readers.tsv, or a line and no target")
for target, patterns in readers.items():
    for pattern in patterns:
        file, _, functions = pattern.partition(":")
        found = list((source / "src").glob(file))
        if not found:
            wrong.append(f"{target}: there is no src/{file}")
        text = "".join(p.read_text() for p in found)
        for name in filter(None, functions.removeprefix("!").split("|")):
            if name not in text:
                wrong.append(f"{target}: nothing in src/{file} is called {name}")
for target in sorted(targets):
    if not (fuzz / "seeds" / target).is_dir() or not any((fuzz / "seeds" / target).iterdir()):
        wrong.append(f"{target}: no seeds in fuzz/seeds/{target}")
entry = re.compile(r'"(?:[^\\"]|\\\\|\\"|\\x[0-9a-fA-F]{2})+"')
for dictionary in sorted((fuzz / "dictionaries").glob("*.dict")):
    if dictionary.stem not in targets:
        wrong.append(f"{dictionary.name}: there is no such target")
    for number, line in enumerate(dictionary.read_text().splitlines(), 1):
        if line and not line.startswith("#") and not entry.fullmatch(line):
            wrong.append(f"{dictionary.name}:{number}: libFuzzer does not read {line}")
print("\n".join(wrong) or f"{len(targets)} targets, each with seeds and a reader")
sys.exit(bool(wrong))
