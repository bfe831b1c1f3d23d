#!/usr/bin/env python3
"""Names and words that the project no longer uses, and the subjects of its commits.

    words.py SOURCE_FOLDER

A word is forbidden as a whole word, in files that people read. Subjects are read from the first commit under the convention on:
`room: imperative`, at most 72 characters. Without git's history they are not looked at, and the test says so.
"""
import re
import subprocess
import sys
from pathlib import Path

INSTEAD = {
    "Foreman": "Coordinator", "Askers": "the noun", "Keeper": "SweepCache", "OnlyThese": "FilteredItems",
    "ColumnInTheMaking": "ColumnBuilder", "cut_otherwise": "retokenized_by_context", "say_how_to_go_on": "print_resume_hint",
    "take_away": "remove_empty_results", "tell_of_gaps": "warn_skipped", "nought": "zero",
}
FOLDERS = ("src", "tests", "bench", "fuzz", "include", "python", "r", "web", "tools", "cmake", "docs")
ENDINGS = {".h", ".cpp", ".inc", ".py", ".R", ".ts", ".mjs", ".js", ".sh", ".test", ".cmake", ".md", ".txt"}
BEFORE_THE_CONVENTION = "186ad046e8586e4a8f92d6b1a60caf4c56a244dd"
SUBJECT = re.compile(r"[a-z][a-z0-9_./-]*(, [a-z][a-z0-9_./-]*)*: \S")


def forbidden(source):
    rule = re.compile(r"\b(" + "|".join(INSTEAD) + r")\b")
    here = Path(__file__).resolve()
    files = [f for folder in FOLDERS for f in (source / folder).rglob("*")
             if f.suffix in ENDINGS and f.is_file() and f.resolve() != here and "node_modules" not in f.parts and "golden" not in f.parts]
    assert len(files) > 1000, "the source folder is not complete"
    for file in sorted(files):
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for word in rule.findall(line):
                yield f"{file.relative_to(source)}:{number}: '{word}'; say {INSTEAD[word]}"


def subjects(source):
    log = subprocess.run(["git", "-C", source, "log", "--no-merges", "--format=%h %s", f"{BEFORE_THE_CONVENTION}..HEAD"],
                         capture_output=True, text=True)
    if log.returncode:
        print("no history here: subjects of commits are not looked at")
        return
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72 or not (SUBJECT.match(subject) or subject.startswith("Revert ")):
            yield f"commit {commit}: '{subject}': 'room: imperative', at most 72 characters"


problems = [*forbidden(Path(sys.argv[1]).resolve()), *subjects(sys.argv[1])]
print("\n".join(problems) or "holds")
sys.exit(bool(problems))
