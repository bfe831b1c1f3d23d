#!/usr/bin/env python3
"""Makes one C++ file out of the examples at the top of the doors, so that the compiler reads them, too.

    tests/house/examples.py SOURCE_FOLDER ROOMS.tsv OUT.cpp

What an example takes for granted (a model, an item) is declared in tests/house/examples.txt. "..." is whatever the reader
would put there: an empty body or an empty value.
"""
import pathlib
import re
import sys

source, listed, out = (pathlib.Path(argument) for argument in sys.argv[1:])
given = {}
for line in (source / "tests/house/examples.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        door, parameters = line.split(": ", 1)
        given[door] = parameters


def example(header):
    """The code of the first comment: indented lines that end as statements do."""
    lines = []
    for line in header.splitlines()[1:]:
        if not line.startswith("//"):
            break
        if line.startswith("//   "):
            lines.append(re.sub(r"\s+// .*", "", line[5:]).rstrip())
    return lines if any(re.search(r"(;|\) \.\.\.)$", line) for line in lines) else []


def filled(line):
    line = re.sub(r"\{ \.\.\. \}", "{}", line)
    line = re.sub(r"= \.\.\.;", "= {};", line)
    return re.sub(r"\) \.\.\.$", ") {}", line)


includes, functions, used = [], [], set()
for row in listed.read_text().splitlines():
    room, doors, _ = row.split("\t")
    for door in doors.split():
        name = f"{room}/{door}"
        includes.append(f'#include "{name}"')
        code = example((source / "src" / name).read_text())
        if code:
            used.add(name)
            body = "\n".join("  " + filled(line) for line in code)
            functions.append(f"namespace minpair::{room} {{\n// {name}\n[[maybe_unused]] static void "
                             f"example_{len(functions)}({given.get(name, '')}) {{\n{body}\n}}\n}}")
if unknown := set(given) - used:
    sys.exit(f"tests/house/examples.txt declares things for doors without an example: {sorted(unknown)}")
out.write_text("#include <fmt/core.h>\n" + "\n".join(includes) + "\n\n" + "\n\n".join(functions) + "\n")
