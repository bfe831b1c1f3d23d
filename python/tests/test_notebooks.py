"""The notebooks in docs/notebooks/ run from the first cell to the last."""

import json
import os
import pathlib

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["suite-to-table", "reading-times"])
def test_the_notebook_runs(name, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    shared = SOURCE / "../shared"
    monkeypatch.setenv("MINPAIR_DATA", os.environ.get("MINPAIR_DATA", str(shared / "data")))
    story_model = pathlib.Path(os.environ.get("MINPAIR_MODELS", shared / "models")) / "stories260K"
    if story_model.is_dir():
        monkeypatch.setenv("ENGLISH_MODEL", str(story_model))
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for cell in json.loads((SOURCE / f"docs/notebooks/{name}.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}.ipynb", "exec"), names)
    if name == "suite-to-table":
        assert names["accuracy"].shape[1] == 2 and len(names["wrong"]) > 0
    else:
        assert names["full"] >= names["baseline"] and names["data"].surprisal.notna().all()
