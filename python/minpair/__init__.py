"""What grammar does a language model know? Minimal pairs, scored natively.

>>> import minpair as mp
>>> m = mp.load("de-mini")
>>> m.score(["Der Autor lacht.", "Der Autor lachen."], method="pll-word-l2r")
>>> r = mp.run("de-agreement", [m], methods=["masked-word-l2r"], out="results.db")
>>> r.items().groupby("condition").correct.mean()

:func:`load` gives a :class:`Model`, :func:`run` and :func:`results` give :class:`Results`. Arrays are numpy's, tables are pandas data
frames; without these packages they are lists and :class:`Table`. Existing notebooks for minicons: ``from minpair.minicons import scorer``.
"""

from ._library import Error, InputError, Stopped, SystemFailure, UsageError, WrongType, library
from ._model import Model, load
from ._results import Results, command, introspect, methods, models, results, run, suites
from ._table import Table

__version__: str = library.minpair_version().decode()
__all__ = [
    "Error", "InputError", "Model", "Results", "Stopped", "SystemFailure", "Table", "UsageError", "WrongType", "command", "introspect", "load",
    "methods", "models", "results", "run", "suites",
]
