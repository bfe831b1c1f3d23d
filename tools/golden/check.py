#!/usr/bin/env python3
"""Makes the checkpoints of make_transformers.py, make_ltg.py and make_rwkv.py again and compares them with those in the tree; then lets the
tests compare them with minpair, larger ones over 1,000 tokens, what llama.cpp's converter makes of them and what every changed key
does (walk.py), and writes the table of docs/models.md.

  tools/golden/check.py build/release/test_model [FOLDER]

FOLDER: where what is made stays, and what is there already is not made again.
GOLDEN_PYTHON: a command that runs a Python with transformers, PyTorch, gguf and libllama (python3); it is given the script and the folder.
ORACLE: a folder with a system that has them, made where it is not there (oracle.sh).
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
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = SOURCE / "tests/model/golden"
CLOSE = 2e-6  # references have six digits


def python():
    if oracle := os.environ.get("ORACLE"):
        return [str(SOURCE / "tools/golden/oracle.sh"), oracle, "python3", "-W", "ignore"]
    return shlex.split(os.environ.get("GOLDEN_PYTHON", "python3 -W ignore"))


def run(script, *arguments):
    began = time.monotonic()
    done = subprocess.run([*python(), str(SOURCE / "tools/golden" / script), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script}: {done.stderr[-3000:]}")
    print(f"{script} {' '.join(map(str, arguments))}: {time.monotonic() - began:.0f} s", flush=True)


def make(folder, *options):
    if any(folder.iterdir()):
        return
    for script in ("make_transformers.py", "make_ltg.py", "make_rwkv.py"):
        run(script, *options, folder)


def make_more(folder):
    """What is made of the checkpoints."""
    if not (folder / "gguf").exists():
        run("make_gguf.py", folder)
    if not (folder / "walk.jsonl").exists():
        run("walk.py", folder, folder / "walk.jsonl.part")
        (folder / "walk.jsonl.part").rename(folder / "walk.jsonl")


def differences(folder):
    """What of `folder` differs from the tree."""
    wrong = []
    for new in sorted(file.parent for file in folder.glob("*/reference.json")):
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


def measured(program, folder):
    """Of each model in `folder`: its type, how many tokens were compared, and the worst difference; and whether all are close."""
    print(f"{program} with {folder}", flush=True)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([program, "--gtest_filter=*/Made.EveryTokenAsInTheLibrary/*", "--gtest_brief=1",
                               f"--gtest_output=json:{file.name}"], env=dict(os.environ, MINPAIR_GOLDEN=str(folder)))
        suites = json.load(open(file.name))["testsuites"]
    figures = {t["folder"]: (t["type"], int(t["tokens"]), float(t["worst"])) for s in suites for t in s["testsuite"]}
    return figures, done.returncode == 0


def measured_as_gguf(program, folder):
    """Of each GGUF file: the worst difference."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "--gtest_filter=Parity.GgufOfLlamaCppIsTheSameModel", "--gtest_brief=1",
                        f"--gtest_output=json:{file.name}"], env=dict(os.environ, MINPAIR_GOLDEN=str(folder)))
        test = json.load(open(file.name))["testsuites"][0]["testsuite"][0]
    return {path.stem: float(test[path.stem]) for path in (folder / "gguf").glob("*.gguf") if path.stem in test}


def more_is_close(program, folder):
    """GGUF files, changed configurations, texts."""
    return subprocess.run([program, "--gtest_filter=Parity.*", "--gtest_brief=1"],
                          env=dict(os.environ, MINPAIR_GOLDEN=str(folder))).returncode == 0


def lost_by_the_library(folder):
    """Of each model in `folder`: how far the library in single precision is from itself in double; None: not asked."""
    lost = {}
    for model in folder.iterdir():
        inputs = json.loads((model / "reference.json").read_text())["inputs"]
        lost[model.name] = max((i["single"] for i in inputs if "single" in i), default=None)
    return lost


def published_tokenizers():
    """By model type, the published tokenizers that are compared (docs/tokenizers.md)."""
    names = collections.defaultdict(list)
    for one in json.loads((SOURCE / "tests/tokenizer/real/families.json").read_text()):
        names[one["config"]["model_type"]].append(one["name"])
    return names


def table(short, long, lost, gguf):
    by_type, tokenizers = collections.defaultdict(list), published_tokenizers()
    for folder, (model_type, _, _) in short.items():
        by_type[model_type].append(folder)
    for model_type, folders in sorted(by_type.items()):
        cells = []
        for figures in (short, long):
            _, tokens, worst = zip(*(figures[f] for f in folders))
            cells += [f"{sum(tokens):,}", f"{max(worst):.0e}"]
        theirs = [lost[f] for f in folders if lost[f] is not None]
        cells.append(f"{max(theirs):.0e}" if theirs else "-")
        of_gguf = [gguf[f] for f in folders if f in gguf]
        cells.append(f"{max(of_gguf):.0e}" if of_gguf else "-")
        cells.append(", ".join(tokenizers[model_type]) or "-")
        yield f"| `{model_type}` | {', '.join(sorted(folders))} | {' | '.join(cells)} |\n"


def check(program, again, larger):
    make(again)
    make_more(again)
    wrong = differences(again)
    make(larger, "--long")
    short, close = measured(program, GOLDEN)
    long, long_close = measured(program, larger)
    if not all([close, long_close, more_is_close(program, again)]):
        wrong.append("minpair differs from the library")
    return wrong, table(short, long, lost_by_the_library(larger), measured_as_gguf(program, GOLDEN))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else scratch).resolve()
        folders = root / "again", root / "larger"
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        wrong, rows = check(sys.argv[1], *folders)
        rows = "".join(rows)
    page = SOURCE / "docs/models.md"
    head = ("| model type | variations | tokens | worst difference | of long sentences | worst difference | the library's own | GGUF "
            "| tokenizers |\n|---|---|---|---|---|---|---|---|---|\n")
    text = re.sub(r"(<!-- table: golden -->\n).*?(<!-- end -->)",
                  lambda m: m[1] + head + rows + m[2], page.read_text(), flags=re.S)
    page.write_text(text)
    print("\n".join(wrong) or "golden-check: all as in the tree")
    sys.exit(bool(wrong))


main()
