#!/usr/bin/env python3
"""One wheel for every Python from 3.9: the package, libminpair with all it needs beyond glibc, suites and shipped models.

    tools/wheel.py BUNDLE VERSION OUTPUT_FOLDER      BUNDLE: of tools/bundle.sh
"""
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

bundle, version, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
source = pathlib.Path(__file__).resolve().parents[1]
data = ("suites", "models", "languages", "published")


def newest_glibc():
    """The oldest system that can load it all."""
    versions = {(2, 17)}
    for file in [*bundle.glob("*.so*"), *bundle.glob("cxx/*")]:
        symbols = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True).stdout
        versions |= {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols)}
    return max(versions)


def files():
    for path in sorted((source / "python/minpair").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"minpair/{path.relative_to(source / 'python/minpair')}", path.read_bytes()
    for path in sorted(bundle.rglob("*")):
        if path.is_file():
            yield f"minpair/native/{path.relative_to(bundle)}", path.read_bytes()
    tracked = subprocess.run(["git", "ls-files", "-z", *data], cwd=source, capture_output=True, check=True).stdout
    for name in sorted(filter(None, tracked.decode().split("\0"))):
        yield f"minpair/data/{name}", (source / name).read_bytes()


metadata = f"""Metadata-Version: 2.1
Name: minpair
Version: {version}
Summary: What grammar does a language model know? Minimal pairs, natively.
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: numpy>=1.22; extra == "frames"
Requires-Dist: pandas; extra == "frames"
Description-Content-Type: text/markdown

{(source / "docs/python.md").read_text()}"""

major, minor = newest_glibc()
tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
info = f"minpair-{version}.dist-info"
contents = [*files(), (f"{info}/METADATA", metadata.encode()), (f"{info}/licenses/LICENSE", (source / "LICENSE").read_bytes()),
            (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: minpair\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())]
record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
                 for name, content in contents)
contents.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
output.mkdir(parents=True, exist_ok=True)
wheel = output / f"minpair-{version}-{tag}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, content in contents:
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
print(wheel)
