#!/usr/bin/env python3
"""Flips one operator or constant at a time in the rooms where a silent mistake would cost most, and runs the tests
of that room: a mutant that no test notices survives and is listed.

    tools/mutate.py build/release [--rooms judge,engine,method,stats] [--count 300] [--seed 1] [--jobs 2]

Builds the test programs concerned. Each mutant is one file compiled again and linked in front of its room; nothing in the
source tree changes. The mutated file checks the bounds of what it indexes, so that a mutant that reads past an
end is killed rather than lucky; without a mutant it must pass so, too. Each test program is run once without a mutant, so that
every mutant meets the quick tests first: most are killed by them, and only survivors cost the time of all tests. Mutants that do
not compile are not counted, and those that change nothing anybody could see are not tried: tools/same_mutants.tsv lists them,
with the reason. Exit status 1 when more than --allow survive.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

# Which test programs judge a room, cheapest first.
JUDGES = {
    "judge": ["judge", "store", "report"],
    "engine": ["engine"],
    "method": ["method", "engine"],
    "stats": ["stats"],
}
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "true": "false", "false": "true"}
# clang-format puts spaces around binary operators and none inside template brackets.
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-|\*|/)(?= )")
WORD = re.compile(r"\b(true|false)\b")
# Not the exponent of a tolerance.
NUMBER = re.compile(r"(?<![\w.'\"<])(?<!\de-)(\d+\.\d+|\d+)(?![\w.'\"])")
PURE = re.compile(r"\bvirtual\b.*= 0;")
SKIPPED_LINES = ("#", "//", "static_assert", "template", "using ", "case ", "enum ")


def blanked(text):
    """The text with comments and literals blanked out, so that nothing inside them is mutated."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def changed_number(text):
    return str(float(text) / 2 + (0.25 if text == "0.25" else 0.125)) if "." in text else str(int(text) + 1)


def drawn(mutant, seed, root):
    """Where a mutant stands in the sample of a seed: others that come or go do not change it."""
    _, key = described(mutant, root)
    return hashlib.sha256("\t".join((str(seed), *key)).encode()).hexdigest()


def same_mutants(root):
    """(file, line, change) of those that are known to change nothing."""
    rows = (root / "tools" / "same_mutants.tsv").read_text().splitlines()
    return {tuple(row.split("\t")[:3]) for row in rows if row and not row.startswith("#")}


def described(mutant, root):
    path, at, old, new = mutant
    text = path.read_text()
    number = text.count("\n", 0, at) + 1
    return number, (str(path.relative_to(root)), text.splitlines()[number - 1].strip(), f"{old} -> {new}")


def mutants_of(path):
    text = path.read_text()
    clean = blanked(text)
    for found in list(OPERATOR.finditer(clean)) + list(WORD.finditer(clean)) + list(NUMBER.finditer(clean)):
        start = clean.rfind("\n", 0, found.start()) + 1
        line = clean[start:clean.find("\n", found.start())]
        if text[start:].lstrip().startswith(SKIPPED_LINES) or "operator" in line or PURE.search(line):
            continue
        old = found[1]
        new = SWAPS.get(old) or changed_number(old)
        yield path, found.start(1), old, new


class Workshop:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.compile = {pathlib.Path(c["file"]): c for c in commands}
        self.links = {}
        self.filters = {}
        self.timing = threading.Lock()
        self.headers = {}
        self.folder = tempfile.TemporaryDirectory()

    def checked(self, command, directory):
        """The command of a compiler with libstdc++'s assertions; headers are precompiled once with them, too."""
        command = command + ["-w", "-Wno-error", "-D_GLIBCXX_ASSERTIONS"]
        if "-include" not in command:
            return command
        at = command.index("-include") + 1
        with self.timing:
            header = command[at]
            if header not in self.headers:
                copy = pathlib.Path(self.folder.name) / f"{len(self.headers)}.hxx"
                copy.write_text(pathlib.Path(header).read_text())
                rest = command[:at - 1] + command[at + 1:]
                rest[rest.index("-o") + 1] = f"{copy}.gch"
                source = rest.index("-c")
                rest[source:source + 2] = ["-x", "c++-header", str(copy)]
                subprocess.run(rest, cwd=directory, check=True)
                self.headers[header] = str(copy)
        command[at] = self.headers[header]
        return command

    def quick_first(self, test):
        """Filters for the tests of a program: first those that take a fifth of its time together, then the others. And how long
        all of them may take before a mutant counts as one that never ends: other work on the machine makes no mutant killed."""
        with self.timing:
            if test not in self.filters:
                began = time.monotonic()
                with tempfile.TemporaryDirectory() as folder:
                    report = pathlib.Path(folder) / "times.json"
                    subprocess.run([self.build / f"test_{test}", f"--gtest_output=json:{report}"], cwd=self.build,
                                   capture_output=True, check=True)
                    suites = json.loads(report.read_text())["testsuites"]
                times = sorted((float(t["time"].rstrip("s")), f"{s['name']}.{t['name']}") for s in suites for t in s["testsuite"])
                spent = list(itertools.accumulate(seconds for seconds, _ in times))
                quick = sum(s <= spent[-1] / 5 for s in spent)
                parts = [times[:quick], times[quick:]]
                names = [":".join(name for _, name in part) for part in parts if part]
                self.filters[test] = names, 60 + 5 * (time.monotonic() - began)
            return self.filters[test]

    def passes(self, program, test):
        """Whether no test notices the mutant."""
        filters, seconds = self.quick_first(test)
        for names in filters:
            try:
                ran = subprocess.run([program, f"--gtest_filter={names}", "--gtest_fail_fast", "--gtest_brief=1"],
                                     cwd=self.build, capture_output=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return False
            if ran.returncode != 0:
                return False
        return True

    def link_command(self, test):
        if test not in self.links:
            out = subprocess.run(["ninja", "-C", self.build, "-t", "commands", f"test_{test}"], capture_output=True,
                                 text=True, check=True).stdout.strip().splitlines()
            self.links[test] = next(c for c in reversed(out) if f"-o test_{test} " in c or f"-o {test}" in c)
        return self.links[test]

    def compiled(self, path, text, folder):
        """The object file of that text in the place of a source file; none where it does not compile."""
        source = pathlib.Path(folder) / path.name
        source.write_text(text)
        entry = self.compile[path]
        command = shlex.split(entry["command"])
        compiler = next(i for i, word in enumerate(command) if word.endswith(("c++", "g++", "clang++")))
        command = command[compiler:]
        command[command.index("-c") + 1] = str(source)
        made = source.with_suffix(".o")
        command[command.index("-o") + 1] = str(made)
        done = subprocess.run(self.checked(command, entry["directory"]), cwd=entry["directory"], capture_output=True)
        return made if done.returncode == 0 else None

    def judged(self, made, tests, folder):
        """'killed', 'survived' or 'invalid': the tests with these object files in front of their room."""
        if None in made:
            return "invalid"
        for test in tests:
            program = pathlib.Path(folder) / f"test_{test}"
            objects = " ".join(shlex.quote(str(m)) for m in made)
            link = re.sub(rf"-o test_{test}\b", f"{objects} -o {shlex.quote(str(program))}", self.link_command(test))
            if subprocess.run(link, shell=True, cwd=self.build, capture_output=True).returncode != 0:
                return "invalid"
            if not self.passes(program, test):
                return "killed"
        return "survived"

    def judged_mutant(self, mutant, tests):
        path, at, old, new = mutant
        text = path.read_text()
        with tempfile.TemporaryDirectory() as folder:
            return self.judged([self.compiled(path, text[:at] + new + text[at + len(old):], folder)], tests, folder)

    def passes_unchanged(self, paths, test):
        with tempfile.TemporaryDirectory() as folder:
            return self.judged([self.compiled(path, path.read_text(), folder) for path in paths], [test], folder) == "survived"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rooms", default="judge,engine,method,stats")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--allow", type=int, default=0)
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    workshop = Workshop(options.build)

    same = same_mutants(root)
    tests = {f"test_{t}" for room in options.rooms.split(",") for t in JUDGES.get(room, [room])}
    subprocess.run(["ninja", "-C", options.build, "-j", str(options.jobs), *sorted(tests)], stdout=sys.stderr, check=True)
    mutants = []
    for room in options.rooms.split(","):
        for path in sorted((root / "src" / room).rglob("*.cpp")):
            # Leaves out files that no test links, such as the MPI plug-in.
            if path in workshop.compile and f"minpair_{room}.dir" in workshop.compile[path]["command"]:
                mutants += [(room, m) for m in mutants_of(path) if described(m, root)[1] not in same]
    mutants.sort(key=lambda m: drawn(m[1], options.seed, root))
    mutants = mutants[:options.count]
    print(f"{len(mutants)} mutants", file=sys.stderr)

    counts = {"killed": 0, "survived": 0, "invalid": 0}
    survivors = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        unchanged = {}
        for room in {room for room, _ in mutants}:
            paths = {path for its, (path, *_) in mutants if its == room}
            unchanged[room] = pool.submit(workshop.passes_unchanged, sorted(paths), JUDGES.get(room, [room])[0])
        for room, job in unchanged.items():
            if not job.result():
                sys.exit(f"mutate: the tests of {room} fail with its indices checked and nothing changed")
        jobs = {pool.submit(workshop.judged_mutant, m, JUDGES.get(room, [room])): m for room, m in mutants}
        for n, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            verdict = job.result()
            counts[verdict] += 1
            if verdict == "survived":
                survivors.append(jobs[job])
                number, (path, line, change) = described(jobs[job], root)
                print(f"{path}:{number}: {change}: {line}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{n} of {len(mutants)}, {len(survivors)} survived", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{counts['killed']} killed, {counts['survived']} survived, {counts['invalid']} did not compile")
    return 1 if counts["survived"] > options.allow else 0


sys.exit(main())
