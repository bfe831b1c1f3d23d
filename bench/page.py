#!/usr/bin/env python3
"""Every ratio in one page: what minpair does beside what its peers do, measured in one run.

    bench/page.py BUILD_FOLDER [PART...]        parts: see --list

Prints a table and writes it to BUILD_FOLDER/bench.md. Only ratios of things measured in the same run mean anything: rounds of
both sides alternate, and the best of each counts. A peer that is not there is named as skipped. Nothing but Python's own
library is needed here; each part says what its peer needs.
"""
import os
import platform
import sys
import time

sys.dont_write_bytecode = True  # nothing is left in the source tree

import parts
from parts import Here, Skip

COLUMNS = ["part", "measured", "minpair", "beside", "its figure", "ratio", "bar", "holds"]


def machine():
    words = {}
    for line in open("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        words.setdefault(name.strip(), value.strip())
    flags = words.get("flags", "").split()
    has = [f for f in ("avx2", "avx512f", "avx512_bf16", "amx_tile", "amx_bf16") if f in flags]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    text = f"{words.get('model name', platform.machine())}, {os.cpu_count()} cores ({', '.join(has) or 'no vector extensions'}), " \
           f"{memory:.0f} GB; load {load:.1f} at the start"
    if load > 0.5:
        text += ": **busy**, so take the ratios with care"
    return text


def figure(x):
    if x is None:
        return ""
    if isinstance(x, str):
        return x
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def cells(name, row):
    bar = "" if row.bar is None else f"at {'most' if row.at_most else 'least'} {row.bar:g}"
    holds = "" if row.bar is None else ("yes" if row.holds() else "**no**")
    unit = f" {row.unit}" if row.unit else ""
    return [name, row.what, figure(row.ours) + unit, row.peer, figure(row.theirs), f"{row.ratio():.2f}", bar, holds]


def run(names, build):
    here, lines = Here(build), []
    for name in names:
        began = time.monotonic()
        print(f"{name} ...", end="", file=sys.stderr, flush=True)
        try:
            for row in parts.ALL[name](here):
                lines.append(cells(name, row))
        except Skip as why:
            lines.append([name, f"skipped: {why}"] + [""] * 6)
        print(f" {time.monotonic() - began:.0f} s", file=sys.stderr)
    return lines


def page(lines):
    table = [COLUMNS, ["---"] * len(COLUMNS)] + lines
    text = "\n".join("| " + " | ".join(line) + " |" for line in table)
    return f"# Benchmarks\n\n{machine()}\n\n{text}\n"


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 2
    if arguments[0] == "--list":
        for name, part in parts.ALL.items():
            print(f"{name:10} {part.__doc__.splitlines()[0]}")
        return 0
    build, names = arguments[0], arguments[1:] or list(parts.ALL)
    unknown = [n for n in names if n not in parts.ALL]
    if unknown:
        print(f"bench: there is no part '{unknown[0]}' ({', '.join(parts.ALL)})", file=sys.stderr)
        return 2
    text = page(run(names, build))
    with open(os.path.join(build, "bench.md"), "w") as out:
        out.write(text)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
