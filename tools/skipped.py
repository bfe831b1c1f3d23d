#!/usr/bin/env python3
"""Why tests were skipped, in a line for each reason; and which commands of the docs were not run.

    tools/skipped.py TESTS_XML        what ctest --output-junit wrote
"""
import collections
import re
import sys
import xml.etree.ElementTree as xml


def reason(case):
    """GoogleTest writes it below "Skipped", a behaviour test behind "skipped: "."""
    text = case.findtext("system-out") or ""
    found = re.search(r": Skipped\n(.+)", text) or re.search(r"^skipped: (.+)", text, re.M)
    return found.group(1).strip() if found else "no reason given"


def left_out(case):
    """What each command of a page needs that is not here."""
    return re.findall(r"^not run: .*: needs (.+)", case.findtext("system-out") or "", re.M)


def main():
    skipped = collections.defaultdict(list)
    commands = collections.Counter()
    for case in xml.parse(sys.argv[1]).iter("testcase"):
        if case.find("skipped") is not None:
            skipped[reason(case)].append(case.get("name"))
        if case.get("name").startswith("docs."):
            commands.update(left_out(case))
    for why, names in sorted(skipped.items()):
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        print(f"skipped {len(names)}: {why} ({shown})")
    for why, count in sorted(commands.items()):
        print(f"commands of the docs that were not run, {count}: needs {why}")


main()
