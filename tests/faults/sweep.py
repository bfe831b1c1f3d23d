#!/usr/bin/env python3
"""Every call fails once: sweep.py MINPAIR SOURCE SHIM [--most N] [--only KIND]

For each kind of call, the n-th one of a short run fails, for every n (with --most, for so many n spread over all of
them), once and for good. Then it must hold:
- the program ends by itself, with status 0 or 1, and says what was wrong when it is 1;
- status 0 means that the results are those of an undisturbed run, byte for byte;
- the same command afterwards ends with these bytes, and nothing else lies in the folder.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

KINDS = ["write", "sync", "open", "mmap", "thread", "malloc"]


def suite(path):
    words = [f"wort{i}" for i in range(7, 13)]
    path.write_text("".join(
        '{"id":"%d","test":"t","sentences":[{"text":"%s wort11 wort12","grammatical":true},'
        '{"text":"%s wort13 wort12","grammatical":false}]}\n' % (i, w, w) for i, w in enumerate(words)))


class Sweep:
    def __init__(self, call):
        self.call = call
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
        suite(self.folder / "suite.jsonl")
        self.trials = self.refused = 0
        self.findings = []

    def run(self, where, **fault):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT_")}
        environment.update(LC_ALL="C.UTF-8", MINPAIR_THREADS="3")
        if fault:
            environment.update(LD_PRELOAD=self.call.shim, **fault)
        where.mkdir(exist_ok=True)
        command = [self.call.program, "run", "-s", "../suite.jsonl", "-m",
                   self.call.source + "/tests/model/golden/bert", "--method", "ce,pll", "-o", "results.db"]
        try:
            return subprocess.run(command, cwd=where, env=environment, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None

    def count(self, kind):
        where = self.folder / f"count-{kind}"
        self.run(where, FAULT_CALL=kind, FAULT_AT="0", FAULT_COUNT=str(self.folder / "count"))
        return int((self.folder / "count").read_text())

    def reference(self):
        done = self.run(self.folder / "undisturbed")
        assert done.returncode == 0, done.stderr.decode()
        self.bytes = (self.folder / "undisturbed/results.db").read_bytes()
        self.table = done.stdout

    def trial(self, kind, n, keep):
        name = f"{kind} {n}{' and after' if keep else ''}"
        where = self.folder / f"{kind}-{n}-{keep}"
        fault = {"FAULT_CALL": kind, "FAULT_AT": str(n), **({"FAULT_KEEP": "1"} if keep else {})}
        done = self.run(where, **fault)
        self.trials += 1

        def found(what):
            text = "" if done is None else done.stderr.decode(errors="replace").strip()[-300:]
            self.findings.append(f"{name}: {what}\n    {text}")

        if done is None:
            return found("it hangs")
        if done.returncode not in (0, 1):
            return found(f"it ends with {done.returncode}")
        results = where / "results.db"
        if done.returncode == 0:
            if results.read_bytes() != self.bytes or done.stdout != self.table:
                found("it says all is well, but the results differ")
        else:
            self.refused += 1
            if not done.stderr.startswith(b"minpair: ") and b"\nminpair: " not in done.stderr:
                found("it says nothing")
        again = self.run(where)
        if again is None or again.returncode != 0:
            return found(f"the same command does not go on: {again and again.stderr.decode()[-300:]}")
        if results.read_bytes() != self.bytes:
            return found("afterwards the results differ")
        left = sorted(p.name for p in where.iterdir() if p.name != "results.db")
        if left:
            return found(f"it leaves {left}")
        results.unlink()
        where.rmdir()

    def sweep(self, kind):
        total = self.count(kind)
        numbers = list(range(1, total + 1))
        if self.call.most and total > self.call.most:
            numbers = sorted({1 + i * (total - 1) // (self.call.most - 1) for i in range(self.call.most)})
        before = self.trials, self.refused
        for n in numbers:
            for keep in (False, True):
                self.trial(kind, n, keep)
        print(f"{kind:8} {total:7} calls, {self.trials - before[0]:5} trials, "
              f"{self.refused - before[1]:5} refused with a message", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("shim")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--only", choices=KINDS)
    sweep = Sweep(parser.parse_args())
    sweep.reference()
    for kind in [sweep.call.only] if sweep.call.only else KINDS:
        sweep.sweep(kind)
    for finding in sweep.findings:
        print(finding)
    print(f"{sweep.trials} trials, {len(sweep.findings)} findings"
          + (f"; what they left is in {sweep.folder}" if sweep.findings else ""))
    if not sweep.findings:
        subprocess.run(["rm", "-rf", sweep.folder], check=True)
    return 1 if sweep.findings else 0


if __name__ == "__main__":
    sys.exit(main())
