#!/usr/bin/env python3
"""Tries to break the program for some hours; build/campaign.md says with what result.

    tools/campaign.py HOURS [PART...]      parts: fuzz kills faults serve hub growth writes together

The fuzzers get half of the time, kills and failing calls a fifth each, `serve` a tenth; the rest takes minutes. The release build and its
tests must be there (make test). Findings of the fuzzers are in build/fuzz/findings, seeds in build/fuzz/corpus.
"""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
os.chdir(ROOT)
hours = float(sys.argv[1])
seconds, targets, jobs = hours * 3600, len(list(pathlib.Path("fuzz").glob("*_fuzz.cpp"))), os.cpu_count() or 1
PARTS = {
    # A second of the fuzzers is one of processor time; some of theirs goes into starting.
    "fuzz": ["tools/fuzz.sh", str(max(1, int(seconds * 0.45 * jobs / targets)))],
    "kills": ["tools/kill.sh", str(max(8, int(seconds * 0.2 / 3)))],  # three seconds each
    "faults": ["tools/faults.sh", "--jobs", str(jobs), "--most", str(max(4, int(seconds * 0.2 * jobs / 7)))],  # of each of seven kinds
    "serve": ["tools/endure.sh", str(max(1, int(hours * 6)))],
    "hub": [str(BUILD / "test_hub"), f"--gtest_repeat={max(1, int(hours * 5))}", "--gtest_brief=1"],
    "growth": ["tests/faults/growth.py", str(BUILD / "minpair"), "."],
    "writes": ["tests/faults/writes.py", str(BUILD / "minpair"), ".", str(BUILD / "tests/libtrace_shim.so")],
    "together": ["tests/faults/together.py", str(BUILD / "minpair"), "."],
}
rows, failed = [], []
for part in sys.argv[2:] or PARTS:
    log, began = ROOT / f"build/log/campaign-{part}.log", time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    print(f"{part}: {' '.join(PARTS[part])}", flush=True)
    with open(log, "w") as out:
        status = subprocess.run(PARTS[part], stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    said = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    rows.append(f"| {part} | `{' '.join(PARTS[part]).replace(str(ROOT) + '/', '')}` | {(time.monotonic() - began) / 60:.0f} min | "
                f"{'holds' if status == 0 else f'FAILED ({status})'} | {(said[-1] if said else '').replace('|', ' ')} |")
    if status:
        failed.append(part)
commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
table = f"Campaign of {hours:g} hours on {commit}\n\n| part | command | took | result | its last words |\n|---|---|---|---|---|\n"
pathlib.Path("build/campaign.md").write_text(table + "\n".join(rows) + "\n")
print(table + "\n".join(rows))
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
