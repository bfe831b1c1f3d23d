#!/usr/bin/env python3
"""Runs a notebook from the first cell to the last and writes it with its outputs: what was printed, and the value of a cell's last
line. For the site of the manual; the notebooks in the tree have no outputs.

    run_notebook.py NOTEBOOK OUT
"""
import ast
import contextlib
import io
import json
import sys
from pathlib import Path


def run(source, names):
    """What was printed, and the last expression's value or None."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    return printed.getvalue(), value


def outputs_of(printed, value):
    outputs = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": [printed]})
    if value is not None:
        data = {"text/plain": [repr(value)]}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = [value._repr_html_()]
        outputs.append({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": data})
    return outputs


notebook, names = json.loads(Path(sys.argv[1]).read_text()), {"__name__": "__main__"}
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        cell["outputs"] = outputs_of(*run("".join(cell["source"]), names))
Path(sys.argv[2]).write_text(json.dumps(notebook, ensure_ascii=False))
