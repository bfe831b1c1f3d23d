#!/usr/bin/env python3
"""Every call fails once: sweep.py MINPAIR SOURCE SHIM [--of run|export] [--most N] [--only KIND] [--sites] [--jobs N] [--threads N]

For each kind of call, the n-th one of a short run fails, for every n (with --most, for so many n spread over all of
them; with --sites, of the allocations that are asked for in the same way only the first), once and for good. Then:
- the program ends by itself, with status 0 or 1, and says what was wrong when it is 1;
- status 0 means that the results are those of an undisturbed run, byte for byte;
- the same command afterwards ends with these bytes, and nothing else lies in the folder. (Where a trial leaves what an
  earlier one has left, byte for byte, this is known already.)
Calls of sockets fail in a `serve` instead, which either says what is wrong or goes on serving, and stops when told.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import queue
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

KINDS = ["write", "sync", "open", "mmap", "thread", "socket", "malloc"]


def suite(path):
    words = [f"wort{i}" for i in range(7, 13)]
    path.write_text("".join(
        '{"id":"%d","test":"t","sentences":[{"text":"%s wort11 wort12","grammatical":true},'
        '{"text":"%s wort13 wort12","grammatical":false}]}\n' % (i, w, w) for i, w in enumerate(words)))


def says_why(text):
    return text.startswith(b"minpair: ") or b"\nminpair: " in text


class Runs:
    """A program that is loaded once, and runs as a child for each trial."""

    def __init__(self, command, folder, environment):
        self.process = subprocess.Popen(command, cwd=folder, env={**environment, "FAULT_SERVE": "1"}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, where, n, keep):
        """(exit status, output, messages)"""
        where.mkdir(exist_ok=True)
        self.process.stdin.write(f"{n} {int(keep)} {where}\n")
        self.process.stdin.flush()
        status = os.waitstatus_to_exitcode(int(self.process.stdout.readline()))
        said = []
        for name in (f"{where}.out", f"{where}.err"):
            said.append(pathlib.Path(name).read_bytes())
            os.unlink(name)
        return status, *said

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Sweep:
    def __init__(self, call):
        self.call = call
        shared = pathlib.Path("/dev/shm")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=shared if shared.is_dir() else None))
        self.model = call.source + "/tests/model/golden/bert"
        suite(self.folder / "suite.jsonl")
        self.output = "items.csv" if call.of == "export" else "results.db"
        self.trials = self.refused = 0
        self.counting = threading.Lock()
        self.findings = []
        self.continued = set()  # what trials left, and could be gone on with

    def environment(self, kind="", **fault):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT_")}
        threads = self.call.threads or (1 if kind == "malloc" else 3)
        environment.update(LC_ALL="C.UTF-8", MINPAIR_THREADS=str(threads))
        if kind:
            environment.update(LD_PRELOAD=self.call.shim, FAULT_CALL=kind, **fault)
        return environment

    def command(self):
        if self.call.of == "export":
            return [self.call.program, "export", "../made.db", "-o", self.output]
        return self.scoring(self.output)

    def scoring(self, output):
        return [self.call.program, "run", "-s", "../suite.jsonl", "-m", self.model, "--method", "ce,pll", "-o", output]

    def run(self, where, kind="", **fault):
        where.mkdir(exist_ok=True)
        try:
            return subprocess.run(self.command(), cwd=where, env=self.environment(kind, **fault), capture_output=True,
                                  timeout=120)
        except subprocess.TimeoutExpired:
            return None

    def numbers(self, kind):
        """Which calls are to fail, and how many there are."""
        count, sites = self.folder / "count", self.folder / "sites"
        where = self.folder / f"count-{kind}"
        fault = {"FAULT_AT": "0", "FAULT_COUNT": str(count), **({"FAULT_SITES": str(sites)} if kind == "malloc" else {})}
        if kind == "socket":
            self.serve(fault)
        else:
            self.run(where, kind, **fault)
        total = int(count.read_text())
        numbers = list(range(1, total + 1))
        if kind == "malloc":  # the first of each site first
            first = {}
            for n, site in enumerate(sites.read_text().split(), 1):
                first.setdefault(site, n)
            ways = set(first.values())
            numbers = sorted(ways) + ([] if self.call.sites else [n for n in numbers if n not in ways])
            print(f"malloc   {total:7} calls at {len(ways)} sites", flush=True)
        if self.call.most and len(numbers) > self.call.most:
            numbers = sorted({numbers[i * (len(numbers) - 1) // (self.call.most - 1)] for i in range(self.call.most)})
        return numbers, total

    def reference(self):
        where = self.folder / "undisturbed"
        where.mkdir()
        if self.call.of == "export":
            subprocess.run(self.scoring("../made.db"), cwd=where, env=self.environment(), capture_output=True, check=True)
        done = self.run(where)
        assert done.returncode == 0, done.stderr.decode()
        self.bytes = (where / self.output).read_bytes()
        self.table = done.stdout

    def found(self, name, what, text=b""):
        self.findings.append(f"{name}: {what}\n    {text.decode(errors='replace').strip()[-4000:]}")
        print(self.findings[-1], flush=True)

    def trial(self, runs, kind, n, keep):
        name = f"{kind} {n}{' and after' if keep else ''}"
        where = self.folder / f"{kind}-{n}-{keep}"
        status, output, said = runs(where, n, keep)
        if status == -signal.SIGALRM:
            return self.found(name, "it hangs")
        if status not in (0, 1):
            return self.found(name, f"it ends with {status}", said)
        results = where / "results.db"
        if status == 0:
            if results.read_bytes() != self.bytes or output != self.table:
                self.found(name, "it says all is well, but the results differ", said)
        else:
            with self.counting:
                self.refused += 1
            if not says_why(said):
                self.found(name, "it says nothing", said)
        left = hashlib.sha256()
        for path in sorted(where.iterdir()):
            left.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        if left.digest() not in self.continued:
            if not self.goes_on(name, where):
                return
            self.continued.add(left.digest())
        shutil.rmtree(where)

    def goes_on(self, name, where):
        again = self.run(where)
        if again is None or again.returncode != 0:
            self.found(name, "the same command does not go on", again.stderr if again else b"")
        elif (where / self.output).read_bytes() != self.bytes:
            self.found(name, "afterwards the results differ")
        elif left := sorted(p.name for p in where.iterdir() if p.name != self.output):
            self.found(name, f"it leaves {left}")
        else:
            return True
        return False

    def serve(self, fault):
        """A served page is asked for three times; (exit status, messages, answers)."""
        process = subprocess.Popen([self.call.program, "serve", "-m", self.model, "--port", "0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment("socket", **fault))
        answers = 0
        try:
            if select.select([process.stdout], [], [], 60)[0] and (url := process.stdout.readline().decode().strip()):
                for _ in range(3):
                    try:
                        answers += urllib.request.urlopen(url + "version", timeout=5).status == 200
                    except (OSError, ValueError):
                        pass
                process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b"", answers
        return process.returncode, said, answers

    def serving(self, n, keep):
        name = f"socket {n}{' and after' if keep else ''}"
        status, said, answers = self.serve({"FAULT_AT": str(n), **({"FAULT_KEEP": "1"} if keep else {})})
        if status is None:
            return self.found(name, "it hangs")
        if status not in (0, 1):
            return self.found(name, f"it ends with {status}", said)
        if status == 1:
            self.refused += 1
            if not says_why(said):
                self.found(name, "it says nothing", said)
        elif answers < 2 and not keep:
            self.found(name, f"one call failed, and {answers} of 3 requests were answered", said)

    def sweep(self, kind):
        numbers, total = self.numbers(kind)
        # The file before it is renamed, and its folder afterwards.
        if kind == "sync" and total < 2:
            self.found(kind, f"there are only {total} calls")
        before, began = (self.trials, self.refused), time.time()
        trials = [(n, keep) for n in numbers for keep in (False, True)]
        if kind == "socket":
            for n, keep in trials:
                self.serving(n, keep)
        else:
            self.try_all(kind, trials)
        self.trials += len(trials)
        print(f"{kind:8} {total:7} calls, {self.trials - before[0]:5} trials, {self.refused - before[1]:5} refused with a "
              f"message, {time.time() - began:.0f} s", flush=True)

    def try_all(self, kind, trials):
        idle = queue.SimpleQueue()
        for _ in range(self.call.jobs):
            idle.put(Runs(self.command(), self.folder, self.environment(kind)))

        def one(what):
            runs = idle.get()
            self.trial(runs, kind, *what)
            idle.put(runs)

        with concurrent.futures.ThreadPoolExecutor(self.call.jobs) as pool:
            for done, _ in enumerate(pool.map(one, trials), 1):
                if done % 1000 == 0:
                    print(f"  {done} trials of {len(trials)}", flush=True)
        while not idle.empty():
            idle.get().end()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("shim")
    parser.add_argument("--of", choices=["run", "export"], default="run", help="the command")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, help="of the program: 3; with allocations 1, which asks in the same order every time")
    call = parser.parse_args()
    call.program, call.shim = map(os.path.abspath, (call.program, call.shim))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sweep = Sweep(call)
    sweep.reference()
    for kind in [sweep.call.only] if sweep.call.only else KINDS:
        sweep.sweep(kind)
    print(f"{sweep.trials} trials, {len(sweep.findings)} findings"
          + (f"; what they left is in {sweep.folder}" if sweep.findings else ""))
    if not sweep.findings:
        shutil.rmtree(sweep.folder)
    return 1 if sweep.findings else 0


if __name__ == "__main__":
    sys.exit(main())
