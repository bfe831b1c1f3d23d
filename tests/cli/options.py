#!/usr/bin/env python3
"""Every option acts or is refused, alone and beside every other option of its command.

    options.py PROGRAM SOURCE [COMMAND ...]                   every pair of options of these commands, or of all
    options.py PROGRAM SOURCE --pairs 300 [--seed 1]          every option, and 300 of the pairs

A command with an option must give another result than without it (standard output, notes, files), or exit with status 2. The
same holds for every pair of options. options.tsv has the calls, a value for every option, and what is excused, with its reason; an
excuse that nothing needs is an error, too.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("program", type=pathlib.Path)
parser.add_argument("source", type=pathlib.Path)
parser.add_argument("commands", nargs="*")
parser.add_argument("--pairs", type=int)
parser.add_argument("--seed", type=int, default=1)
asked = parser.parse_intermixed_args()
program, source = asked.program.resolve(), asked.source.resolve()
table = pathlib.Path(__file__).with_suffix(".tsv")
golden = source / "tests/model/golden"
wrong = []


def read_table():
    """Lines `call COMMAND ARGUMENTS`, `value COMMAND OPTION VALUE`, `excuse COMMAND OPTION OTHER REASON`, `skip COMMAND REASON`,
    `each COMMAND OPTION`."""
    calls, values, excuses, skipped, each = {}, {}, {}, {}, set()
    for line in table.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        kind, command, *rest = line.split("\t")
        if kind == "call":
            calls[command] = shlex.split(rest[0])
        elif kind == "value":
            values[command, rest[0]] = rest[1]
        elif kind == "excuse":
            excuses[command, rest[0], rest[1]] = rest[2]
        elif kind == "each":
            each.add((command, rest[0]))
        elif kind == "skip":
            skipped[command] = rest[0]
        else:
            sys.exit(f"{table}: there are no lines '{kind}'")
    return calls, values, excuses, skipped, each


def described():
    """COMMAND -> OPTION -> the words that give it, without a value that options.tsv must have."""
    options = collections.defaultdict(dict)
    for line in run(["describe"], pathlib.Path("/")).stdout.splitlines():
        command, *rest = line.split("\t")
        options[command]
        if rest and rest[1] != "argument":
            name, kind, choices, preset = rest
            options[command][name] = (kind, [c for c in choices.split("|") if c and c != preset])
    return options


def run(words, folder):
    environment = {**os.environ, "COLUMNS": "100", "MINPAIR_HOME": str(source), "HF_HUB_OFFLINE": "1"}
    return subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=120, errors="replace")


def result(fixtures, words):
    """What the call leaves behind: None where it is refused."""
    with tempfile.TemporaryDirectory(dir=fixtures.parent) as place:
        folder = pathlib.Path(place)
        for file in fixtures.iterdir():
            (folder / file.name).symlink_to(file) if not file.name.startswith("own-") else shutil.copy(file, folder)
        done = run(words, folder)
        if done.returncode == 2:
            return None
        if done.returncode != 0:
            return f"failed: {done.stderr}"
        said = re.sub(r"\b[0-9.]+ m?s\b|about [^,;]*|made with: .*|[0-9]+ MB", "", done.stdout + "\n" + done.stderr)
        files = [(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in sorted(folder.rglob("*"))
                 if f.is_file() and not f.is_symlink()]
        return hashlib.sha256(repr((said, files)).encode()).hexdigest()


def make_fixtures(folder):
    script = pathlib.Path(__file__).with_name("options_fixtures.sh")
    subprocess.run(["bash", "-e", script], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   env={**os.environ, "MINPAIR": str(program), "MINPAIR_SOURCE": str(source), "MINPAIR_HOME": str(source), "GOLDEN": str(golden)})


def words_of(command, option, values, kind, choices):
    if kind == "flag":
        return [option]
    value = values.get((command, option), values.get(("*", option)))
    if value is None and choices:
        value = choices[0]
    if value is None:
        wrong.append(f"{command}: options.tsv has no value for {option}")
        return None
    return [option, *value.split(" ", 1)] if value.startswith("-") else [option, value]


def main():
    calls, values, excuses, skipped, each = read_table()
    options = described()
    used = set()

    def excused(command, option, other):
        option, other = option.split()[0], other.split()[0]
        for key in ((command, option, other), (command, option, "*"), ("*", option, other), ("*", option, "*")):
            if key in excuses:
                return key
        return None

    for command in sorted(set(calls) | set(skipped)):
        if command not in options:
            wrong.append(f"{table.name}: there is no command '{command}'")
    wanted = asked.commands or [c for c in options if c not in skipped]
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        fixtures = pathlib.Path(place) / "fixtures"
        fixtures.mkdir()
        make_fixtures(fixtures)
        sets, bases = [], {}
        for command in wanted:
            if command not in calls:
                wrong.append(f"options.tsv has no call for '{command}'")
                continue
            base = [*command.split(), *[w.replace("$GOLDEN", str(golden)).replace("$SOURCE", str(source)) for w in calls[command]]]
            given = {o: words_of(command, o, values, *kind) for o, kind in options[command].items() if o not in base}
            given = {o: [w.replace("$GOLDEN", str(golden)) for w in words] for o, words in given.items() if words}
            for o in [o for o in given if (command, o) in each]:
                given |= {f"{o} {choice}": [o, choice] for choice in options[command][o][1]}
                del given[o]
            pairs = [(a, b) for a, b in itertools.combinations(given, 2) if a.split()[0] != b.split()[0]]
            bases[command] = base, given
            sets += [(command, chosen) for chosen in [(), *((o,) for o in given), *pairs]]
        if asked.pairs is not None:
            pairs = [s for s in sets if len(s[1]) == 2]
            kept = set(random.Random(asked.seed).sample(pairs, min(asked.pairs, len(pairs))))
            sets = [s for s in sets if len(s[1]) < 2 or s in kept]
        tried = {}
        for command, chosen in sets:
            base, given = bases[command]
            tried[command, chosen] = pool.submit(result, fixtures, base + sum((given[o] for o in chosen), []))
        counted, idle = collections.Counter(), collections.defaultdict(list)
        for (command, chosen), done in tried.items():
            it = done.result()
            if not chosen and (it is None or it.startswith("failed")):
                wrong.append(f"{command}: the call itself fails: {it}")
            for option in chosen:
                others = tuple(o for o in chosen if o != option)
                without = tried[command, others].result()
                acts = it is None or without is None or without.startswith("failed") or it != without
                counted["refused" if it is None else "acts" if acts else "excused"] += 1
                key = excused(command, option, others[0] if others else "-")
                if not acts and not key:
                    idle[command, option].append(" ".join(others) or "alone")
                if not acts and key:
                    used.add(key)
    for (command, option), beside in idle.items():
        wrong.append(f"{command} {option}: no effect, and not refused: {', '.join(beside)}")
    for key in sorted(set(excuses) - used):
        if not asked.commands and asked.pairs is None:
            wrong.append(f"options.tsv: nothing needs the excuse of {' '.join(key)}")
    print("\n".join(wrong) or f"{len(tried)} calls: {dict(counted)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
