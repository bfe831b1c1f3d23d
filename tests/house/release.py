#!/usr/bin/env python3
"""The version is the same wherever it is written, the citation files can be read, and the changelog has a section for it.

    release.py SOURCE_FOLDER
"""
import json
import re
import sys
from pathlib import Path

source = Path(sys.argv[1])


def found(path, pattern):
    match = re.search(pattern, (source / path).read_text(), re.M)
    return match.group(1) if match else "none"


versions = {
    "CMakeLists.txt": found("CMakeLists.txt", r"^project\(minpair VERSION ([0-9.]+)"),
    "CITATION.cff": found("CITATION.cff", r"^version: (\S+)"),
    "codemeta.json": json.loads((source / "codemeta.json").read_text())["version"],
    "r/DESCRIPTION": found("r/DESCRIPTION", r"^Version: (\S+)"),
    "docs/r.md": found("docs/r.md", r"minpair_([0-9.]+)\.tar\.gz"),
    "include/minpair.h": found("include/minpair.h", r'minpair_version\(void\); /\* "([0-9.]+)"'),
    "CHANGELOG.md": found("CHANGELOG.md", r"^## ([0-9.]+)"),
}
for path, version in versions.items():
    print(f"{path}: {version}")
dates = {found("CITATION.cff", r"^date-released: (\S+)"), json.loads((source / "codemeta.json").read_text())["dateModified"]}
sys.exit(len(set(versions.values())) != 1 or len(dates) != 1)
