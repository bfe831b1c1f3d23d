"""The Python in docs/python.md runs, as a reader would paste it."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"


def test_the_page_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) > 3
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(names["items"]) > 0
