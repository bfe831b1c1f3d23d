#!/usr/bin/env python3
"""Every number that `minpair report` prints can be had from `minpair export`; and the views in the results file agree.

    recompute.py PROGRAM SOURCE
"""
import csv
import io
import json
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
folder = tempfile.TemporaryDirectory()
results = pathlib.Path(folder.name) / "r.db"


def minpair(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def table(*words):
    return list(csv.DictReader(io.StringIO(minpair("export", results, *words))))


def wilson(points, n, z=1.959963984540054):
    p, z2 = points / n, z * z
    middle, half = (p + z2 / (2 * n)) / (1 + z2 / n), z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return middle - half, middle + half


def same(a, b):
    assert math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-9), f"{a} is not {b}"


def check_report(*policy):
    items = table(*policy)
    rows = list(csv.DictReader(io.StringIO(minpair("report", results, "--by", "test,condition", "--format", "csv", *policy))))
    assert rows
    for row in rows:
        mine = [i for i in items if all(i[k] == row[k] for k in ("suite", "model", "method", "norm", "test", "condition"))]
        if row["lengths"] == "equal":
            mine = [i for i in mine if i["equal_lengths"] == "true" or i["excluded"]]
        counted = [float(i["correct"]) for i in mine if not i["excluded"]]
        same(row["pairs"], len(counted))
        same(row["correct"], sum(i["outcome"] == "right" for i in mine if not i["excluded"]))
        same(row["ties"], sum(i["outcome"] == "tie" for i in mine if not i["excluded"]))
        if counted:
            same(row["accuracy"], sum(counted) / len(counted))
            own_interval = wilson(sum(counted), len(counted)) if row["ci_method"] == "Wilson" else ()
            for shown, own in zip((row["ci_low"], row["ci_high"]), own_interval):
                same(shown, own)
        for reason in filter(None, row["excluded"].split(";")):
            name, n = reason.split("=")
            if name != "unequal_lengths":
                same(n, sum(i["excluded"] == name for i in mine))
    return len(rows)


def check_levels():
    """Tokens add up to words and sentences, sentences to margins."""
    sentences = {(s["run"], s["id"], s["sentence"]): s for s in table("--what", "sentences", "--norm", "sum") if s["score"]}
    for what in ("words", "tokens"):
        sums = {}
        for row in table("--what", what):
            key = row["run"], row["id"], row["sentence"]
            sums[key] = sums.get(key, 0) + float(row["logprob"])
        assert sums.keys() == sentences.keys()
        for key, total in sums.items():
            same(total, sentences[key]["score"])
    for item in table("--norm", "sum"):
        if item["margin"]:
            good, bad = (max(float(s["score"]) for k, s in sentences.items() if k[:2] == (item["run"], item["id"]) and s["grammatical"] == g)
                         for g in ("true", "false"))
            same(good, item["score_good"])
            same(good - bad, item["margin"])


def check_views():
    db = sqlite3.connect(results)
    db.row_factory = sqlite3.Row
    own = {(i["run"], i["id"]): i for i in table()}
    rows = db.execute("SELECT * FROM tidy_items").fetchall()
    assert len(rows) == len(own)
    for row in rows:
        item = own[str(row["run"]), row["id"]]
        assert row["model"].endswith(item["model"])
        for name in ("suite", "method", "test", "condition", "norm", "good", "bad", "outcome", "excluded", "context_good", "context_bad"):
            assert (row[name] or "") == item[name], (name, row[name], item[name])
        if item["margin"]:
            same(row["margin"], item["margin"])
            same(row["correct"], item["correct"])
    sentences = {(s["run"], s["id"], s["sentence"]): s for s in table("--what", "sentences") if s["score"]}
    rows = db.execute("SELECT * FROM tidy_sentences").fetchall()
    assert len(rows) == len(sentences)
    for row in rows:
        mine = sentences[str(row["run"]), row["id"], str(row["sentence"])]
        same(row["score"], mine["score"])
        assert row["text"] == mine["text"] and (row["context"] or "") == mine["context"] and bool(row["grammatical"]) == (mine["grammatical"] == "true")
    runs = table("--what", "runs")
    assert [r["command"] for r in db.execute("SELECT command FROM tidy_runs ORDER BY run")] == [r["command"] for r in runs]


def check_formats():
    lines = [json.loads(line) for line in minpair("export", results, "--format", "jsonl").splitlines()]
    rows, tabs = table(), list(csv.DictReader(io.StringIO(minpair("export", results, "--format", "tsv")), delimiter="\t"))
    assert rows == tabs and len(lines) == len(rows)
    assert [line["id"] for line in lines] == [row["id"] for row in rows]
    assert list(lines[0]) == list(rows[0])


bert = source / "tests/model/golden/bert"
lines = [{"id": str(n), "test": f"t{n % 3}", "condition": "ab"[n % 2], "features": {"n": n, "word": f"wort{n}"},
          "sentences": [{"text": f"wort{n} wort{n + 1} wort7", "grammatical": True},
                        {"text": f"wort{n} {'Q' if n % 5 == 0 else f'wort{n + 2}'} wort7", "grammatical": False}]} for n in range(30)]
lines[3]["sentences"][1]["context"] = "wort5"
lines.append({"id": "tie", "test": "t0", "sentences": [{"text": "wort1 Q", "grammatical": True}, {"text": "wort1 Z", "grammatical": False}]})
lines.append({"id": "long", "test": "t1", "cluster": "c,\"1\"", "sentences": [
    {"text": "wort1 wort2", "grammatical": True}, {"text": "wort1 wort2 wort3", "grammatical": False}, {"text": "wort4", "grammatical": False}]})
(pathlib.Path(folder.name) / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
minpair("run", "-q", "-s", "s.jsonl", "-m", bert, "--method", "ce,masked,pll", "-o", results)

cells = sum(check_report(*policy) for policy in ([], ["--ties", "right"], ["--oov", "wrong"], ["--lengths", "equal"], ["--pairwise"],
                                                 ["--norm", "all"], ["--method", "pll", "--test", "t0"]))
check_levels()
check_views()
check_formats()
print(f"{cells} rows of reports recomputed")
