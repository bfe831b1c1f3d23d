"""The heart of finding agreement, in plain Python: sentences are read, and every word is compared with its head.

    peer_conllu.py FOLDER        prints the processor time it took
"""
import glob
import os
import sys
import time

FEATURES = ("Case", "Gender", "Number", "Person")


def sentences(file):
    words = []
    for line in open(file, encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 10 and fields[0].isdigit():
            features = {} if fields[5] == "_" else dict(f.split("=", 1) for f in fields[5].split("|"))
            words.append({"form": fields[1], "pos": fields[3], "features": features, "head": int(fields[6]), "relation": fields[7]})
        elif not line.strip() and words:
            yield words
            words = []


found = {}
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.conllu"))):
    for sentence in sentences(path):
        for word in sentence:
            head = sentence[word["head"] - 1] if word["head"] else None
            for name in FEATURES if head else ():
                if name in word["features"] and name in head["features"]:
                    key = (head["pos"], word["relation"], word["pos"], name)
                    found.setdefault(key, [0, 0])[word["features"][name] == head["features"][name]] += 1
print(time.process_time())
