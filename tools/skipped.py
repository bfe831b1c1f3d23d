#!/usr/bin/env python3
"""Why tests were skipped, in a line for each reason.

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


def main():
    skipped = collections.defaultdict(list)
    for case in xml.parse(sys.argv[1]).iter("testcase"):
        if case.find("skipped") is not None:
            skipped[reason(case)].append(case.get("name"))
    for why, names in sorted(skipped.items()):
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        print(f"skipped {len(names)}: {why} ({shown})")


main()
