#!/usr/bin/env python3
"""Links between pages lead to files that exist and headings that they have, and so do pages that code names; docs/index.md lists every page; and no page but
those named here is long.

    links.py SOURCE_FOLDER
"""
import re
import sys
from pathlib import Path

MOST_LINES = 250
LONG = {"docs/fidelity.md": "generated", "docs/de-grammar.md": "a data sheet: a line for each test and reference"}


def anchor(heading):
    """As Markdown's readers name it: links as their text, lower case, no punctuation, hyphens for spaces."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose(path):
    """Without code blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)


source = Path(sys.argv[1]).resolve()
pages = [p for part in ("*.md", "docs/**/*.md", "suites/**/*.md", "models/**/*.md", "tests/**/*.md") for p in sorted(source.glob(part))]
anchors = {page: {anchor(h) for h in re.findall(r"^#+ (.*)$", prose(page), re.M)} for page in pages}
problems = []
links = 0
for page in pages:
    name = page.relative_to(source).as_posix()
    lines = len(page.read_text().splitlines())
    if lines > MOST_LINES and name not in LONG:
        problems.append(f"{name}: {lines} lines, at most {MOST_LINES}")
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        path, _, place = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists():
            problems.append(f"{name}: {target}: no such file")
        elif place and other in anchors and place not in anchors[other]:
            problems.append(f"{name}: {target}: no such heading")
for folder in ("src", "tests", "tools", "suites", "models", "python", "r", "bench", "fuzz", "include", "cmake"):
    for file in (source / folder).rglob("*"):
        if file.suffix in {".h", ".cpp", ".inc", ".py", ".sh", ".R", ".md", ".txt", ".cmake"} and file.name != "links.py":
            for path in re.findall(r"\bdocs/[a-z0-9/-]+\.md", file.read_text(errors="replace")):
                if not (source / path).exists():
                    problems.append(f"{file.relative_to(source)}: {path}: no such page")
index = source / "docs/index.md"
listed = {(index.parent / target.partition("#")[0]).resolve() for target in re.findall(r"\]\(([^)\s]+)\)", index.read_text())}
for page in (source / "docs").rglob("*.md"):
    if page != index and page.resolve() not in listed:
        problems.append(f"{page.relative_to(source)}: not in docs/index.md")
print("\n".join(problems) or f"{links} links in {len(pages)} pages")
sys.exit(bool(problems) or links < 50)
