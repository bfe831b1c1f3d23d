#!/usr/bin/env python3
"""No line of the page's sources has more than 100 characters: what a formatter cannot break, a person breaks.

    web_lines.py SOURCE_FOLDER
"""
import sys
from pathlib import Path

web = Path(sys.argv[1]) / "web"
files = [f for pattern in ("src/*", "test/*.mjs", "*.mjs", "docs/*.mjs", "docs/site.*") for f in sorted(web.glob(pattern))]
long = [f"{f.relative_to(web.parent)}:{n}: {len(line)} characters"
        for f in files for n, line in enumerate(f.read_text().splitlines(), 1) if len(line) > 100]
print("\n".join(long) or f"{len(files)} files")
sys.exit(bool(long) or len(files) < 20)
