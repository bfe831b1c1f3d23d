#!/usr/bin/env python3
"""No command writes, truncates or removes a file that it was not told to: writes.py MINPAIR SOURCE TRACE

The calls of tests/cli/options.tsv run with each of their calls to the system that can change a file noted (trace.c). What
they may touch are the files that they name as their output, and beside each the files that docs/results-format.md
names: its journals and its temporary files.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

minpair, source, trace = (pathlib.Path(word).resolve() for word in sys.argv[1:])
golden = source / "tests/model/golden"
MORE = [("convert", "s.jsonl folder --to blimp", "folder"), ("export", "r.db --what lm-eval -o folder", "folder"),
        ("extract", "t.conllu -o folder --language de", "folder"), ("report", "r.db --format latex", None),
        ("score", f"-m {golden}/bert wort7", None), ("introspect lens", "-s roles.jsonl -m de-mini --sample 2 -q -o inside.db", "inside.db"),
        ("run", f"-q -s s.jsonl -m {golden}/bert -o r.db", "r.db"), ("run", f"-q -s s.jsonl -m {golden}/bert --test none -o new.db", "new.db"),
        ("report", "absent.db", None), ("report", "s.jsonl", None), ("check", "cut.db", None), ("run", "-q -s s.jsonl -m absent -o new.db", "new.db")]


def output_of(command, words):
    for i, word in enumerate(words[:-1]):
        if word in ("-o", "--output"):
            return words[i + 1]
    return words[1] if command == "convert" else None


def allowed(what, path, output, folder):
    """May the call do this?"""
    if path in ("/dev/null", "/dev/tty"):
        return True
    if output is None or output == "-":
        return False
    told = str(folder / output)
    if path == told or path.startswith(told + "/"):
        return True
    if what == "unnamed":
        return pathlib.Path(path).resolve() == pathlib.Path(told).parent.resolve()
    return re.fullmatch(re.escape(told) + r"(-journal|-[0-9a-f]{16}\.answers|\.\d+\.tmp)", path) is not None


def contents(folder):
    return {file: (file.lstat().st_mtime_ns, file.lstat().st_size) for file in folder.rglob("*") if file.is_file()}


def main():
    calls = [(command, words, output_of(command, shlex.split(words)))
             for kind, command, words in (line.split("\t")[:3] for line in (source / "tests/cli/options.tsv").read_text().splitlines()
                                          if line.startswith("call\t"))]
    environment = {**os.environ, "MINPAIR_HOME": str(source), "MINPAIR_SOURCE": str(source), "HF_HUB_OFFLINE": "1", "GOLDEN": str(golden), "MINPAIR": str(minpair)}
    wrong = lines = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve() / "work"
        folder.mkdir()
        environment["HOME"] = str(folder / "home")
        subprocess.run(["bash", "-e", source / "tests/cli/options_fixtures.sh"], cwd=folder, env=environment, check=True,
                       capture_output=True)
        (folder / "cut.db").write_bytes((folder / "r.db").read_bytes()[:5000])
        (folder / "t.conllu").write_text("1\tEr\ter\tPRON\t_\tNumber=Sing\t2\tnsubj\t_\t_\n2\tgeht\tgehen\tVERB\t_\tNumber=Sing\t0\troot\t_\t_\n\n")
        for command, words, output in calls + MORE:
            log = pathlib.Path(place) / "log"
            log.write_text("")
            before = contents(folder)
            subprocess.run([minpair, *command.split(), *shlex.split(words.replace("$GOLDEN", str(golden)))], cwd=folder, timeout=120,
                           env={**environment, "LD_PRELOAD": str(trace), "TRACE": str(log)}, stdin=subprocess.DEVNULL,
                           capture_output=True, check=False)
            changed = [file for file, state in contents(folder).items() if before.get(file) != state]
            for line in log.read_text().splitlines() + [f"changed\t{file}" for file in changed]:
                what, path = line.split("\t", 1)
                lines += what != "changed"
                if not allowed(what, path, output, folder):
                    print(f"minpair {command} {words}: {what} {path}", flush=True)
                    wrong += 1
    print(f"{len(calls) + len(MORE)} calls, {lines} changes of files, {wrong} that nobody asked for")
    return bool(wrong) or lines < 50  # the trace itself must work


sys.exit(main())
