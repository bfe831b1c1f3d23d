#!/usr/bin/env python3
"""one_json.py SOURCE: JSON is written by base/json.h alone. The library's own dump() throws at the first byte that is not UTF-8."""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]) / "src"
places = [
    f"{path.relative_to(source)}:{number}"
    for path in sorted(source.rglob("*"))
    if path.suffix in (".h", ".cpp")
    for number, line in enumerate(path.read_text().splitlines(), 1)
    if re.search(r"(\.|->)dump\(", line)
]
wrong = [f"src/{place}: dump() is called here; json_text() of base/json.h replaces bad bytes" for place in places if not place.startswith("base/json.h:")]
if len(places) == len(wrong):
    wrong.append("src/base/json.h calls no dump(): is this test still about anything?")
print("\n".join(wrong) or "JSON is written in one place")
sys.exit(bool(wrong))
