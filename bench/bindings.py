#!/usr/bin/env python3
"""What Python costs: m.score over the sentences of a suite beside `minpair run` on the same, in seconds of processor time.

    bench/bindings.py PROGRAM LIBRARY [SENTENCES] [ROUNDS]

Each is a process of its own and takes turns with the other; loading the model and starting count. Scores must be the same bits.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

SCORE = """
import sys, time
start = time.process_time()
import minpair as mp
print(f"{time.process_time() - start:.3f}", end=" ")
texts = open(sys.argv[1]).read().splitlines()
scores = mp.load("de-mini", threads=1).score(texts, method="pll-word-l2r", norm="sum", progress=False)
open(sys.argv[2], "w").write("".join(f"{float(s)!r}\\n" for s in scores))
"""


def seconds(*command, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main(program, library, sentences=10000, rounds=3):
    program, library = os.path.abspath(program), os.path.abspath(library)
    source = pathlib.Path(__file__).resolve().parents[1]
    environment = {**os.environ, "MINPAIR_LIBRARY": library, "PYTHONPATH": str(source / "python"), "MINPAIR_HOME": str(source)}
    with tempfile.TemporaryDirectory() as folder:
        def run(out):
            return seconds(program, "run", "-q", "-s", "de-agreement", "--sample", str(sentences // 2), "-m", "de-mini", "--method",
                           "pll-word-l2r", "--threads", "1", "-o", out, cwd=folder, env=environment)[0]

        native, bound, imports = [], [], []
        for number in range(rounds):
            native.append(run(f"{number}.db"))
            if number == 0:
                rows = subprocess.run([program, "export", "0.db", "--what", "sentences", "--norm", "sum", "--format", "tsv"], cwd=folder,
                                      check=True, capture_output=True, text=True).stdout.splitlines()
                names = rows[0].split("\t")
                cells = [row.split("\t") for row in rows[1:]]
                pathlib.Path(folder, "texts").write_text("".join(c[names.index("text")] + "\n" for c in cells))
                expected = [float(c[names.index("score")]) for c in cells]
            taken, said = seconds(sys.executable, "-c", SCORE, "texts", "scores", cwd=folder, env=environment)
            bound.append(taken)
            imports.append(float(said))
            assert [float(s) for s in pathlib.Path(folder, "scores").read_text().split()] == expected
            print(f"minpair run {native[-1]:.2f} s, m.score {taken:.2f} s of {len(expected)} sentences; import {imports[-1]} s", flush=True)
    print(f"m.score takes {100 * sum(bound) / sum(native):.1f} % of minpair run's processor time")


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
