#!/usr/bin/env python3
"""clang-tidy over our sources; a file that was clean, and of which nothing has changed since, is not looked at again.

    tools/lint.py BUILD_FOLDER [--jobs 2] [--nodes N] [FILE...]      the folder has compile_commands.json; default: all of src but train

The static analyser leaves a function after so many nodes (clang's own limits: 225,000, and 75,000 for its shallow mode). With a third of
them it takes a third of the time.

What a verdict depends on is hashed: the file, every header of ours that it reads, directly or not, how it is compiled, .clang-tidy,
clang-tidy itself, and the versions of the libraries installed. Hashes of clean files are kept in the user's cache folder
(MINPAIR_LINT_CACHE: another one), so that a new clone profits as well.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def read(path):
    """A file's text, and the headers of ours that it names."""
    text = path.read_bytes()
    beside = [(path.parent / name.decode(), ROOT / "src" / name.decode()) for name in INCLUDE.findall(text)]
    return text, [next(p for p in places if p.is_file()).resolve() for places in beside if any(p.is_file() for p in places)]


def all_of(path):
    """The file and every header that it reads, in an order that is the same everywhere."""
    found, rest = {path}, [path]
    while rest:
        for header in read(rest.pop())[1]:
            if header not in found:
                found.add(header)
                rest.append(header)
    return sorted(found)


def key(path, command, surroundings):
    sha = hashlib.sha256(surroundings.encode())
    sha.update(command.replace(str(ROOT), "").encode())
    for part in all_of(path):
        text = read(part)[0]
        sha.update(f"\0{part.relative_to(ROOT)}\0{len(text)}\0".encode() + text)
    return sha.hexdigest()


def looked_at(build, path, nodes):
    limit = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={nodes}")] if nodes else []
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", *limit, str(path)], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + ("" if done.returncode == 0 else done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("files", nargs="*")
    options = parser.parse_intermixed_args()
    commands = {e["file"]: e["command"] for e in json.loads(pathlib.Path(options.build, "compile_commands.json").read_text())}
    names = options.files or [f for f in output("git", "ls-files", "src/*.cpp").split() if not f.startswith("src/train/")]
    surroundings = (ROOT / ".clang-tidy").read_text() + output("clang-tidy", "--version") + \
        output("dpkg-query", "-W", "-f=${Package} ${Version}\n", "lib*-dev", "*json*-dev")
    home = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    cache = pathlib.Path(os.environ.get("MINPAIR_LINT_CACHE", os.path.join(home, "minpair-lint")))
    cache.mkdir(parents=True, exist_ok=True)

    keys = {path: key(path, commands.get(str(path), ""), surroundings) for path in (ROOT / name for name in names)}

    def kept(path):  # what was clean with all nodes is so with fewer
        return [cache / keys[path]] + ([cache / f"{keys[path]}-{options.nodes}"] if options.nodes else [])

    rest = sorted((p for p in keys if not any(k.exists() for k in kept(p))), key=lambda p: -p.stat().st_size)
    print(f"clang-tidy: {len(rest)} of {len(keys)} files to look at", flush=True)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (clean, text) in zip(rest, pool.map(lambda p: looked_at(options.build, p, options.nodes), rest)):
            if clean:
                kept(path)[-1].touch()
            else:
                bad += 1
                print(f"{path.relative_to(ROOT)}:\n{text}", flush=True)
    print(f"clang-tidy: {bad} of {len(keys)} files with findings" if bad else f"clang-tidy: {len(keys)} files clean")
    return bad > 0


sys.exit(main())
