#!/usr/bin/env python3
"""Runs the commands of one page, in order, as a reader would paste them. See README.md beside this file.

    run.py PROGRAM SOURCE PAGE [--list]
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("minpair", "make", "cmake", "ctest", "mpirun", "sqlite3", "tools/")
HERE = Path(__file__).parent


@dataclass
class Command:
    line: int
    text: str
    needs: str = ""  # why it is not run


def is_command(line):
    """`line` without its indentation: "$ anything", or one of our programs and what it is to do."""
    if line.startswith("$ "):
        return True
    word, _, rest = line.partition(" ")
    return bool(rest) and (word in PROGRAMS or word.startswith("tools/")) and not rest.startswith("|")


def commands_of(page):
    """Of code blocks: fenced, or indented by four spaces."""
    commands, fenced, needs = [], False, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        comment = re.match(r"<!-- (run|needs): (.*?) *-->$", line)
        if comment and comment[1] == "run":
            commands.append(Command(number, comment[2]))
        elif comment:
            needs = comment[2]
        elif line.startswith("```"):
            fenced = not fenced
            needs = needs if fenced else ""
        elif fenced or line.startswith("    "):
            text = line if fenced else line[4:]
            if commands and commands[-1].text.endswith("\\"):
                commands[-1].text = commands[-1].text[:-1] + text.strip()
            elif is_command(text):
                commands.append(Command(number, text.removeprefix("$ "), needs))
        elif line:
            needs = ""
    for c in commands:
        own = re.search(r"#.*\bneeds: (.*)$", c.text)
        if own:
            c.needs = own[1]
        elif not c.needs and re.search(r"(^| )\.\.\.( |$)", c.text):
            c.needs = "the rest of a command that is only sketched ('...')"
        elif not c.needs and re.match(r"(make|cmake|ctest) ", c.text):
            c.needs = "a build of its own: tools/fresh.sh and .ci/run run it"
    return commands


def beside(source, variable, folder):
    """A folder of reference models or published data, where there is one."""
    return Path(os.environ.get(variable) or Path(source) / "../shared" / folder)


def can_run(command, places):
    return not command.needs or (command.needs in places and places[command.needs].is_dir())


def shell_text(command):
    """A server is asked to end, and takes any free port, so that pages can be tried side by side."""
    if re.match(r"minpair serve\b", command):
        words = command.split(" #")[0]
        return f"timeout --signal=INT --preserve-status 4 {words} --port 0"
    return command


def environment(program, source, folder, places):
    return dict(os.environ, PATH=f"{Path(program).parent}:{os.environ['PATH']}", MINPAIR_SOURCE=source, COLUMNS="100",
                HOME=str(folder), LC_ALL="C.UTF-8", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                MODELS=str(places["models"]), DATA=str(places["data"]))


def run(text, env, cwd):
    return subprocess.run(["bash", "-c", text], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")


def main():
    program, source, page = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    commands = commands_of(page)
    if "--list" in sys.argv:
        for c in commands:
            print(f"{page.name}:{c.line}: {c.text}" + (f"   [not run: {c.needs}]" if c.needs else ""))
        return 0
    places = {"models": beside(source, "MINPAIR_MODELS", "models"), "data": beside(source, "MINPAIR_DATA", "data")}
    with tempfile.TemporaryDirectory(prefix="minpair-docs-") as folder:
        work = Path(folder) / "work"
        work.mkdir()
        env = environment(program, source, folder, places)
        wanted = [c for c in commands if can_run(c, places)]
        if wanted:
            made = run(shlex.quote(str(HERE / "setup.sh")) + " " + shlex.quote(page.stem), env, work)
            if made.returncode:
                print(f"setup.sh failed:\n{made.stdout}")
                return 1
        for c in wanted:
            done = run(shell_text(c.text), env, work)
            if done.returncode:
                print(f"{page}:{c.line}: $ {c.text}\nexit status {done.returncode}\n{done.stdout[-3000:]}")
                return 1
    print(f"{page.name}: {len(wanted)} commands run")
    for c in commands:
        if not can_run(c, places):
            print(f"not run: {page.name}:{c.line}: {c.text.split('  #')[0].strip()}: needs {c.needs}")
    return 0


sys.exit(main())
