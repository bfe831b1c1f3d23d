#!/usr/bin/env python3
"""docs/architecture.md describes the rooms that the build knows: all of them, in order, with their first door."""
import pathlib
import re
import sys

source, listed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
built = [line.split("\t") for line in listed.read_text().splitlines()]
text = (source / "docs/architecture.md").read_text()
table = re.findall(r"^\| `(\w+)` \|.*\| `([\w/.]+)` \|$", text, re.M)
wrong = []
names = [room for room, _, _ in built]
documented = [room for room, _ in table if room not in ("cli", "train")]
if documented != names:
    wrong.append(f"the build has the rooms {' '.join(names)}\nthe page has      {' '.join(documented)}")
doors = {room: d.split() for room, d, _ in built}
for room, door in table:
    if room in doors and door not in doors[room]:
        wrong.append(f"{room}: the page starts reading at {door}, which is none of its doors: {' '.join(doors[room])}")
for room in names:
    for header in doors[room]:
        first = (source / "src" / room / header).read_text()
        if not re.match(r"#pragma once\n// \S", first):
            wrong.append(f"src/{room}/{header}: a door begins with what it is for")
for path in sorted((source / "src").rglob("*.[ch]*")):
    room = path.relative_to(source / "src").parts[0]
    if path.suffix in (".h", ".cpp") and room in doors and room != "base":
        content = path.read_text()
        for found in re.findall(r"^namespace (minpair[\w:]*)", content, re.M):
            if not re.match(rf"minpair::({'|'.join(names)})\b", found):
                wrong.append(f"{path.relative_to(source)}: namespace {found} belongs to no room")
print("\n".join(wrong) or f"{len(names)} rooms, as documented")
sys.exit(bool(wrong))
