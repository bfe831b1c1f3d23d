#!/usr/bin/env python3
"""Runs that begin together end well: together.py MINPAIR SOURCE [ROUNDS]

- the same command several times, into one new file: each ends with status 0, and the file has each score once;
- different commands into one new file, one of them wrong: the right ones end well, and the file is whole;
- a job array of fifty shards, each with a file of its own in one folder: merged, they are the whole run;
- fifty shards into one file.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

minpair, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
bert, gpt2 = (str(source / "tests/model/golden" / name) for name in ("bert", "gpt2"))
environment = {**os.environ, "MINPAIR_HOME": str(source), "MINPAIR_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def begin(*words):
    return subprocess.Popen([minpair, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def together(what, commands):
    """All of these at once, wrong ones marked by None in front."""
    running = [(c[0] is None, c, begin(*c[c[0] is None:])) for c in commands]
    for wrong, command, process in running:
        said = process.communicate(timeout=300)[0]
        if (process.returncode != 0) != wrong:
            sys.exit(f"{what}: {' '.join(map(str, command[wrong:]))}: status {process.returncode}: {said}")


def exported(file):
    def said(*words):
        return subprocess.run([minpair, *words], env=environment, check=True, capture_output=True, text=True).stdout
    said("check", file)
    return sorted(said("export", file, "--what", "sentences").splitlines())


def suite(items):
    return "".join(f'{{"id":"{i}","test":"t","sentences":[{{"text":"wort{7 + i % 50} wort{7 + i // 50} wort12","grammatical":true}},'
                   f'{{"text":"wort{7 + i % 50} wort{7 + i // 50} wort13","grammatical":false}}]}}\n' for i in range(items))


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
    os.chdir(place)
    pathlib.Path("s.jsonl").write_text(suite(400))
    run = ["run", "-q", "-s", "s.jsonl", "-m", bert, "--method", "pll"]
    together("alone", [[*run, "-o", "alone.db"]])
    alone = exported("alone.db")
    for n in range(rounds):
        together("the same", [[*run, "-o", f"same{n}.db"]] * 3)
        if exported(f"same{n}.db") != alone:
            sys.exit("the same command three times: other results")
        together("different", [[*run, "-o", f"more{n}.db"], ["run", "-q", "-s", "s.jsonl", "-m", gpt2, "-o", f"more{n}.db"],
                               [None, *run, "--test", "none", "-o", f"more{n}.db"]])
        exported(f"more{n}.db")
    together("a job array", [[*run, "--shard", f"{i}/50", "-o", f"shard{i}.db"] for i in range(1, 51)])
    together("merging", [["merge", "-o", "merged.db", *(f"shard{i}.db" for i in range(1, 51))]])
    together("into one file", [[*run, "--shard", f"{i}/50", "-o", "one.db"] for i in range(1, 51)])
    for file in ("merged.db", "one.db"):
        if exported(file) != alone:
            sys.exit(f"fifty shards, {file}: other results than of the whole run")
    left = [name for name in os.listdir(".") if not name.endswith((".db", ".jsonl"))]
    if left:
        sys.exit(f"left behind: {left}")
print(f"{5 * rounds + 102} runs that began together: all ended well")
