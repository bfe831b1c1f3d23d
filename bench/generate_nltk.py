"""NLTK's generate on the language of an attribute-varying grammar, as plain text to /dev/null.

    generate_nltk.py GRAMMAR.avg SECONDS

Prints how many sentences it made and the processor time it took, over and over the whole language
until SECONDS have passed; then the same for sentences that are drawn one at a time, each production
of a symbol as likely as the others.
"""

import os
import random
import re
import sys
import time

from nltk import CFG
from nltk.parse.generate import generate


def statements(path):
    common = os.path.join(os.path.dirname(path), "common.avg")
    for file in (common, path):
        if os.path.exists(file):
            with open(file, encoding="utf-8") as lines:
                for line in lines:
                    if line.split("#")[0].strip():
                        yield line.split("#")[0].strip()


def name_of(symbol):
    return re.sub(r"\W", "_", symbol.replace(" ", ""))


def as_cfg(path):
    """The right and the wrong sentences: the varied word can have the form of any attributes."""
    rules, templates, varied, cells = [], [], set(), {}
    for line in statements(path):
        if line.startswith("vary:"):
            varied |= set(re.findall(r"(\w+)\[", line))
            continue
        if re.match(r"\w+:", line):
            continue
        left, right = re.match(r"(\w+\[[^\]]*\])\s*(.*)", line).groups()
        if left.startswith("S["):
            templates.append(right)
        else:
            cells.setdefault(left.split("[")[0], []).append(name_of(left))
            forms = [f.strip() for f in right.split("|")]
            rules.append(f"{name_of(left)} -> " + " | ".join(f"'{f}'" for f in forms))
    for name in varied:
        rules.append(f"{name}_any -> " + " | ".join(cells[name]))
    for template in templates:
        tokens = []
        for token in re.findall(r"\w+\[[^\]]*\]|[^\s\[\]]+", template):
            if "[" not in token:
                tokens.append(f"'{token}'")
            elif token.split("[")[0] in varied:
                tokens.append(token.split("[")[0] + "_any")
            else:
                tokens.append(name_of(token))
        rules.append("S -> " + " ".join(tokens))
    return CFG.fromstring("% start S\n" + "\n".join(rules))


def draw(choices, symbol, words):
    for part in random.choice(choices[symbol]):
        if part in choices:
            draw(choices, part, words)
        else:
            words.append(part)


def draw_all(grammar, seconds, out):
    choices = {}
    for production in grammar.productions():
        choices.setdefault(production.lhs(), []).append(production.rhs())
    made, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        for _ in range(1000):
            words = []
            draw(choices, grammar.start(), words)
            out.write(" ".join(words) + "\n")
        made += 1000
    return made, time.process_time() - begin


def main():
    grammar = as_cfg(sys.argv[1])
    seconds = float(sys.argv[2])
    out = open(os.devnull, "w")
    made = language = 0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        language = 0
        for sentence in generate(grammar):
            out.write(" ".join(sentence) + "\n")
            language += 1
        made += language
    print(made, time.process_time() - begin, language, *draw_all(grammar, seconds, out))


main()
