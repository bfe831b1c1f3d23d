#!/usr/bin/env python3
"""Makes the checkpoints of make_transformers.py again and compares them with those in the tree; then lets the tests compare
them with minpair, and writes the table of docs/models.md.

  tools/golden/check.py build/release/test_model

GOLDEN_PYTHON: a command that runs a Python with transformers and PyTorch (python3); it is given the script and the folder.
"""
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = SOURCE / "tests/model/golden"
CLOSE = 2e-6  # references have six digits


def made_again(folder):
    """What differs from the tree, made in `folder`."""
    python = shlex.split(os.environ.get("GOLDEN_PYTHON", "python3 -W ignore"))
    subprocess.run([*python, str(SOURCE / "tools/golden/make_transformers.py"), folder], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wrong = []
    for new in sorted(pathlib.Path(folder).iterdir()):
        old = GOLDEN / new.name
        if not old.exists():
            wrong.append(f"{new.name}: not in the tree")
            continue
        ours, theirs = (json.loads((f / "reference.json").read_text())["inputs"] for f in (old, new))
        if [i["ids"] for i in ours] != [i["ids"] for i in theirs]:
            wrong.append(f"{new.name}: other inputs")
        elif max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x["logprobs"], y["logprobs"])) > CLOSE:
            wrong.append(f"{new.name}: other log-probabilities")
    return wrong


def measured(program):
    """Of each folder: how many tokens were compared, and the worst difference."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "--gtest_filter=*/Made.EveryTokenAsInTheLibrary/*", "--gtest_brief=1",
                        f"--gtest_output=json:{file.name}"], check=True)
        suites = json.load(open(file.name))["testsuites"]
    return {t["folder"]: (int(t["tokens"]), float(t["worst"])) for s in suites for t in s["testsuite"]}


def table(figures):
    by_type = collections.defaultdict(list)
    for folder in figures:
        by_type[json.loads((GOLDEN / folder / "config.json").read_text())["model_type"]].append(folder)
    for model_type, folders in sorted(by_type.items()):
        tokens, worst = zip(*(figures[f] for f in folders))
        yield f"| `{model_type}` | {', '.join(sorted(folders))} | {sum(tokens)} | {max(worst):.0e} |\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = made_again(folder) if len(sys.argv) == 2 else []
    page = SOURCE / "docs/models.md"
    head = "| model type | variations | tokens | worst difference |\n|---|---|---|---|\n"
    text = re.sub(r"(<!-- table: golden -->\n).*?(<!-- end -->)",
                  lambda m: m[1] + head + "".join(table(measured(sys.argv[1]))) + m[2], page.read_text(), flags=re.S)
    page.write_text(text)
    print("\n".join(wrong) or "golden-check: all as in the tree")
    sys.exit(bool(wrong))


main()
