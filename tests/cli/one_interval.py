#!/usr/bin/env python3
"""Every output of one run's results says the same interval of the same cell.

    one_interval.py build/release/minpair FOLDER
"""
import base64
import csv
import io
import json
import os
import re
import subprocess
import sys
import zlib

minpair, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
METHODS = {"de-mini": "masked-word-l2r", "de-lstm": "lp"}
seen = {}  # cell -> [(where, low, high)]


def call(*words):
    return subprocess.run([minpair, *words], check=True, capture_output=True, text=True).stdout


def see(where, cell, low, high):
    number = lambda x: None if x in ("", None, "–") else float(x)
    seen.setdefault(cell, []).append((where, number(low), number(high)))


def rows(text):
    return csv.DictReader(io.StringIO(text))


if os.path.exists("r.db"):
    os.remove("r.db")
tests = ["simple_sentence", "short_vp_coordination", "pre_field", "in_object_relative"]
run = ["run", "-q", "-s", "de-agreement", "-o", "r.db", "--method", ",".join(METHODS.values())]
call(*run, *(w for m in METHODS for w in ("-m", m)), *(w for t in tests for w in ("--test", t)), "--sample", "700")

for row in rows(call("report", "r.db", "--format", "csv")):
    see("report csv", (row["model"], row["test"], ""), row["ci_low"], row["ci_high"])
for row in rows(call("report", "r.db", "--by", "condition", "--format", "csv")):
    see("report --by condition", (row["model"], row["test"], row["condition"]), row["ci_low"], row["ci_high"])
for row in json.loads(call("report", "r.db", "--format", "json"))["results"]:
    see("report json", (row["model"], row["test"], ""), row["ci_low"], row["ci_high"])
for by, keys in (("test", ["test"]), ("condition", ["test", "condition"])):
    for table in json.loads(call("stats", "r.db", "--by", by, "--format", "json"))["tables"]:
        if table["kind"] != "accuracy":
            continue
        model = table["title"].split(", ")[-2]
        for row in table["rows"]:
            cell = (model, row["test"].replace("All", ""), row.get("condition", ""))
            see(f"stats --by {by}", cell, row.get("ci_low"), row.get("ci_high"))
for row in rows(call("export", "r.db", "--what", "summary")):
    see("export", (row["model"], row["test"], row["condition"]), row["ci_low"], row["ci_high"])

# LaTeX has titles of tests, in the order of the table.
latex = call("report", "r.db", "--format", "latex", "--intervals")
order = [row["test"] for row in rows(call("report", "r.db", "--format", "csv")) if row["model"] == "de-mini"]
body = [line for line in latex.split("\\midrule")[1].splitlines() if " & " in line]
assert len(body) == len(order), (len(body), order)
for test, line in zip(order, body):
    for model, cell in zip(METHODS, re.findall(r"[01]\.\d{4}\}*(?: \{\\scriptsize\[([\d.]+), ([\d.]+)\]\})?", line)):
        see("latex", (model, test, ""), cell[0], cell[1])

# The page, with four digits.
call("page", "r.db", "-o", "p.html")
script = re.search(r'id="main">([^<]*)<', open("p.html", encoding="utf-8").read()).group(1)
page = json.loads(zlib.decompress(base64.b64decode(script)))
groups = page["suites"][0]["groups"]
for run in page["runs"]:
    cells = run["looks"][0]["all"]
    for (language, test, condition, feature, value), low, high in zip(groups, cells["low"], cells["high"]):
        if not feature:
            see("page", (run["model"], test, condition), low, high)

figure = call("figure", "r.db", "tests")
assert "intervals over clusters" in figure and "Wilson" not in figure

wrong = 0
places = {where for all in seen.values() for where, *_ in all}
for cell, all in sorted(seen.items()):
    close = all[0][1] is None or max(abs(a[i] - all[0][i]) for a in all for i in (1, 2) if a[i] is not None) < 1.01e-4
    if len({low is None for _, low, _ in all}) > 1 or not close:
        print("several intervals:", cell, *all, sep="\n  ")
        wrong += 1
assert places == {"report csv", "report --by condition", "report json", "stats --by test", "stats --by condition", "export", "latex", "page"}, places
assert sum(len(all) for all in seen.values()) > 100, seen

# A difference, its p and its interval.
for table in json.loads(call("compare", "r.db", *(f"{m}:{k}" for m, k in METHODS.items()), "--format", "json"))["tables"]:
    for row in table["rows"]:
        if row.get("ci_low") is None:
            continue
        inside = row["ci_low"] <= 0 <= row["ci_high"] if row["p"] > 0.05 else row["ci_low"] < 0 < row["ci_high"]
        if inside != (row["p"] > 0.05):
            print("p and interval disagree:", row)
            wrong += 1
sys.exit(f"{wrong} cells" if wrong else 0)
