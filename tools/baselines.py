#!/usr/bin/env python3
"""How many pairs of a suite rules without grammar get right, for each test.

    minpair generate SUITE -o suite.jsonl
    tools/baselines.py suite.jsonl corpus.txt [MORE.txt ...] > table.tsv

length  the sentence with fewer characters
first   the sentence whose first word is more frequent
words   the sentence whose words are more frequent (sum of log-probabilities)
bigrams the sentence that interpolated Kneser-Ney bigrams prefer

Ties count one half. The corpus has one sentence a line; words of the corpus that the suite does not have are one word.
"""
import collections
import json
import math
import re
import sys

START = "<s>"
OTHER = "<unk>"


def words(text):
    return re.findall(r"\w+|[^\w\s]", text)


def lowered_first(tokens):
    return [tokens[0][:1].lower() + tokens[0][1:]] + tokens[1:] if tokens else tokens


def count(paths, known):
    one, two = collections.Counter(), collections.Counter()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                before = START
                for word in lowered_first(words(line)):
                    word = word if word in known else OTHER
                    one[word] += 1
                    two[before, word] += 1
                    before = word
    return one, two


class Bigrams:
    def __init__(self, two, discount=0.75):
        self.two, self.discount = two, discount
        self.total, self.kinds, self.endings = (collections.Counter() for _ in range(3))
        for (before, word), n in two.items():
            self.total[before] += n
            self.kinds[before] += 1
            self.endings[word] += 1

    def score(self, tokens):
        sum_, before = 0.0, START
        for word in tokens:
            lower = (self.endings[word] + 0.5) / (len(self.two) + 0.5 * len(self.endings) + 1)
            total = self.total[before]
            p = lower
            if total:
                high = max(self.two[before, word] - self.discount, 0) / total
                p = high + self.discount * self.kinds[before] / total * lower
            sum_ += math.log(p)
            before = word
        return sum_


def main():
    suite, corpus = sys.argv[1], sys.argv[2:]
    items = [json.loads(line) for line in open(suite, encoding="utf-8")]
    items = [i for i in items if "sentences" in i]
    known = {w for i in items for s in i["sentences"] for w in lowered_first(words(s["text"]))}
    one, two = count(corpus, known)
    bigrams, all_words = Bigrams(two), sum(one.values()) + len(known)

    def frequency(word):
        return math.log((one[word] + 1) / all_words)

    rules = {
        "length": lambda t, text: -len(text),
        "first": lambda t, text: frequency(t[0]),
        "words": lambda t, text: round(sum(map(frequency, t)), 9),
        "bigrams": lambda t, text: bigrams.score(t),
    }
    right, total = collections.defaultdict(collections.Counter), collections.Counter()
    for item in items:
        total[item["test"]] += 1
        for name, rule in rules.items():
            scores = {True: [], False: []}
            for s in item["sentences"]:
                scores[s["grammatical"]].append(rule(lowered_first(words(s["text"])), s["text"]))
            margin = max(scores[True]) - max(scores[False])
            right[item["test"]][name] += 1 if margin > 0 else 0.5 if margin == 0 else 0
    print("test", *rules, "pairs", sep="\t")
    for test, n in total.items():
        print(test, *(f"{right[test][r] / n:.3f}" for r in rules), n, sep="\t")


if __name__ == "__main__":
    main()
