#!/usr/bin/env python3
"""one_place.py SOURCE: what only one file of src/ may call, because it is easily called wrongly everywhere else."""
import pathlib
import re
import sys

ONE_PLACE = [  # what is called; in which file; what the others do; which others may call it all the same
    (r"(\.|->)dump\(", "base/json.h",
     "dump() throws at the first byte that is not UTF-8; json_text() of base/json.h replaces such bytes", ""),
    (r"\breaddir\(|directory_iterator", "base/folder.cpp",
     "the standard library's folders end the program where memory runs out; base/folder.h has others", ""),
    (r"(\.|->)encode\(", "method/text.cpp",
     "method::encoded() decides about contexts, special tokens and texts that cannot be scored",
     # They look at a tokenizer itself, at single words of a vocabulary, or make training data.
     r"tokenizer/|checkpoint/pickle|train/|corpus/wordpiece|cli/(tokenize|lint)|api/models|model/edges|method/(words|lemma_forms)"),
]

source = pathlib.Path(sys.argv[1]) / "src"
lines = [(path.relative_to(source), number, line) for path in sorted(source.rglob("*")) if path.suffix in (".h", ".cpp")
         for number, line in enumerate(path.read_text().splitlines(), 1)]
wrong = []
for pattern, one, instead, also in ONE_PLACE:
    places = [(str(path), number) for path, number, line in lines if re.search(pattern, line)]
    wrong += [f"src/{path}:{number}: {instead}" for path, number in places
              if path != one and not (also and re.match(also, path))]
    if all(path != one for path, _ in places):
        wrong.append(f"src/{one} does not have {pattern}: is this test still about anything?")
print("\n".join(wrong) or "each is called in one place")
sys.exit(bool(wrong))
