#!/usr/bin/env python3
"""Runs the tests of the Python package with the first interpreter that has pytest; exits with 77 and says why when none does.

    run.py LIBRARY PROGRAM [PYTEST'S OPTIONS]
"""
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
wanted = [os.environ["MINPAIR_PYTHON"]] if "MINPAIR_PYTHON" in os.environ else [sys.executable, "/usr/bin/python3"]
for python in wanted:
    if subprocess.run([python, "-c", "import pytest, numpy"], capture_output=True).returncode == 0:
        break
else:
    print("skipped: no Python here has pytest and numpy (tools/bootstrap.sh python)")
    sys.exit(77)
environment = {**os.environ, "MINPAIR_LIBRARY": sys.argv[1], "MINPAIR_PROGRAM": sys.argv[2], "PYTHONDONTWRITEBYTECODE": "1"}
status = subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *sys.argv[3:], here], env=environment).returncode
if status == 0 and subprocess.run([python, "-c", "import mypy"], capture_output=True).returncode == 0:
    status = subprocess.run([python, "-m", "mypy", "--strict", "--python-version", "3.9", "--cache-dir", os.devnull, "-p", "minpair"],
                            cwd=here.parent, env=environment).returncode
sys.exit(status)
