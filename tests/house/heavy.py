#!/usr/bin/env python3
"""Headers that cost seconds in every file that reads them stay where they are needed: compile time does not creep back.

A library's large header may be read by the rooms named here, and by none of our own headers but those named here.
"""
import pathlib
import re
import sys

HEAVY = {  # header: (rooms or files, our headers that may pass it on)
    "nlohmann/json.hpp": ("corpus engine/texts_json.cpp hub model papers report serve store suite train cli api", ""),
    "CLI/CLI.hpp": ("cli/cli.cpp train", ""),
    "simdjson.h": ("suite tokenizer checkpoint", "tokenizer/json.h"),
    "httplib.h": ("", ""),
    "curl/curl.h": ("hub", ""),
    "sqlite3.h": ("papers store", "store/sqlite.h"),
    "unicode/": ("base suite tokenizer", ""),
    "torch/": ("train", "train/"),
    "Eigen/": ("stats", "stats/minimum.h"),
    "boost/": ("stats/distributions.cpp stats/likelihood.cpp stats/cluster_likelihood.h serve/http.cpp serve/listener.cpp", "stats/cluster_likelihood.h"),
    "regex": ("", ""),
    "iostream": ("", ""),
    "ranges": ("", ""),
}
source = pathlib.Path(sys.argv[1]) / "src"
wrong, seen = [], set()
for path in sorted(source.rglob("*")):
    if path.suffix not in (".h", ".cpp"):
        continue
    name = str(path.relative_to(source))
    for included in re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
        for heavy, (rooms, headers) in HEAVY.items():
            if included != heavy and not (heavy.endswith("/") and included.startswith(heavy)):
                continue
            seen.add(heavy)
            if name.split("/")[0] not in rooms.split() and name not in rooms.split():
                wrong.append(f"src/{name}: {included} is for {rooms or 'none of us'}: it makes every build slower")
            elif path.suffix == ".h" and not any(name.startswith(h) for h in headers.split()):
                wrong.append(f"src/{name}: a header that passes {included} on makes everybody who reads it slower")
wrong += [f"{heavy} is read nowhere: take it off the list" for heavy, (rooms, _) in HEAVY.items() if rooms and heavy not in seen]
print("\n".join(wrong) or f"{len(HEAVY)} heavy headers, each in its place")
sys.exit(bool(wrong))
