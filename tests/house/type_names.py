#!/usr/bin/env python3
"""type_names.py SOURCE: no two types of one name. A program links all rooms, so the second would be undefined behaviour, and no tool
says so before a link with every type in sight (tools/check.sh odr); types of one file's own are in an unnamed namespace."""
import collections
import pathlib
import re
import sys

BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^#(?:\\\n|[^\n])*', re.S | re.M)
WORD = re.compile(r"[{};]|[^{};]+")
NAMESPACE = re.compile(r"\bnamespace(?:\s+([\w:]+(?:::inline \w+)?))?\s*$")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s*)?([A-Z]\w*)(?:\s+final)?\s*(?::[^:].*)?$", re.S)


def defined(text):
    """The types that a file defines for everybody, with their namespaces."""
    scopes, head = [], ""
    for piece in WORD.findall(BLANKED.sub(" ", text)):
        if piece == "{":
            namespace, kind = NAMESPACE.search(head), TYPE.search(head)
            if kind and "template" not in head and all(s is not None for s in scopes):
                yield "::".join([s for s in scopes if s] + [kind[1]])
            scopes.append((namespace[1] or None) if namespace else None)
            head = ""
        elif piece == "}":
            scopes = scopes[:-1]
            head = ""
        else:
            head = "" if piece == ";" else head + piece


def main():
    source = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(set)
    for path in sorted((source / "src").rglob("*")):
        if path.suffix in (".h", ".cpp") and path.relative_to(source / "src").parts[0] != "train":
            for name in defined(path.read_text()):
                places[name].add(str(path.relative_to(source)))
    wrong = [f"{name} is defined in {' and in '.join(sorted(files))}" for name, files in sorted(places.items()) if len(files) > 1]
    print("\n".join(wrong) or f"{len(places)} types, each of its own name")
    return bool(wrong) or len(places) < 100


sys.exit(main())
