"""Runs and results files."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, Optional, Sequence, Union

from ._library import Filter, RunOptions, Work, check, library, lines, text
from ._model import Model, Progress, load
from ._table import Table, frame

Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Iterable[str], None]


class Results:
    """A results file. Its tables have the columns of ``minpair export`` (docs/results-format.md)."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self.table("runs")  # says at once what is wrong with the file

    def __repr__(self) -> str:
        return f"<minpair.Results {self.path}>"

    def table(
        self, what: str = "items", suites: Names = None, models: Names = None, methods: Names = None, tests: Names = None,
        conditions: Names = None, languages: Names = None, norms: Names = None, ties: Optional[str] = None, lengths: Optional[str] = None,
        oov: Optional[str] = None, pairwise: bool = False,
    ) -> Table:
        """One of ``items``, ``sentences``, ``regions``, ``words``, ``tokens``, ``summary``, ``runs``, as a :class:`Table`.

        Names select rows; ``norms``, ``ties``, ``lengths``, ``oov``, ``pairwise`` mean what they mean in ``minpair report``.
        """
        chosen = _filter(suites, models, methods, tests, conditions, languages, norms, ties, lengths, oov, pairwise)
        return Table(lambda out: library.minpair_rows(text(self.path), text(what), ctypes.byref(chosen), out))

    def items(self, **chosen: Any) -> Any:
        """A row for every item, model and method: ids, features, texts, scores, margin, outcome, ``correct`` (its mean is the accuracy),
        the reason if it is excluded. A data frame, or a :class:`Table` if pandas is not installed."""
        return frame(self.table("items", **chosen))

    def sentences(self, **chosen: Any) -> Any:
        """A row for every sentence of every item, model and method, with its score."""
        return frame(self.table("sentences", **chosen))

    def regions(self, **chosen: Any) -> Any:
        """A row for every region of every sentence of a design, with its surprisal in bits."""
        return frame(self.table("regions", **chosen))

    def words(self, **chosen: Any) -> Any:
        """A row for every scored word."""
        return frame(self.table("words", **chosen))

    def tokens(self, **chosen: Any) -> Any:
        """A row for every scored token."""
        return frame(self.table("tokens", **chosen))

    def summary(self, **chosen: Any) -> Any:
        """Counts and accuracies by test, condition and language."""
        return frame(self.table("summary", **chosen))

    def runs(self, **chosen: Any) -> Any:
        """A row for every combination of suite, model and method, with the command that repeats it."""
        return frame(self.table("runs", **chosen))

    def report(
        self, by: Names = None, format: str = "table", suites: Names = None, models: Names = None, methods: Names = None,
        tests: Names = None, conditions: Names = None, languages: Names = None, norms: Names = None, ties: Optional[str] = None,
        lengths: Optional[str] = None, oov: Optional[str] = None, pairwise: bool = False,
    ) -> str:
        """What ``minpair report`` prints: ``table``, ``markdown``, ``latex``, ``csv`` or ``json``."""
        chosen = _filter(suites, models, methods, tests, conditions, languages, norms, ties, lengths, oov, pairwise)
        table = Table(lambda out: library.minpair_report(text(self.path), lines(by), text(format), ctypes.byref(chosen), out))
        return str(table["text"][0])


def _filter(
    suites: Names, models: Names, methods: Names, tests: Names, conditions: Names, languages: Names, norms: Names, ties: Optional[str],
    lengths: Optional[str], oov: Optional[str], pairwise: bool,
) -> Filter:
    return Filter(
        suites=lines(suites), models=lines(models), methods=lines(methods), tests=lines(tests), conditions=lines(conditions),
        languages=lines(languages), norms=lines(norms), ties=text(ties), lengths=text(lengths), oov=text(oov), pairwise=int(pairwise))


def run(
    suites: Union[Path, Sequence[Path]], models: Union[Model, str, Sequence[Union[Model, str]]], methods: Names = None,
    out: Path = "results.db", tests: Names = None, conditions: Names = None, languages: Names = None, limit: int = 0,
    sample: int = 0, seed: int = 1, progress: Progress = None,
) -> Results:
    """Scores suites (files, folders, shipped ones) with models into the results file ``out``, as ``minpair run`` does.

    ``tests``, ``conditions``, ``languages`` choose items, ``limit`` takes the first N of them, ``sample`` draws N at random.
    What is already in the file is not computed again; an interrupted run (Ctrl-C) continues where it stopped.

    >>> r = mp.run("de-agreement", [m], methods=["masked-word-l2r"], out="results.db")
    >>> r.items().groupby("condition").correct.mean()
    """
    chosen = [models] if isinstance(models, (Model, str)) else list(models)
    loaded = [m if isinstance(m, Model) else load(m) for m in chosen]
    handles = (ctypes.c_void_p * len(loaded))(*[m._handle for m in loaded])
    with Work(progress, "scoring") as work:
        options = RunOptions(
            suites=lines(suites), methods=lines(methods), results=text(out), tests=lines(tests), conditions=lines(conditions),
            languages=lines(languages), limit=limit, sample=sample, seed=seed, progress=work.call)
        check(library.minpair_run(handles, len(loaded), ctypes.byref(options)))
    return Results(out)


def results(path: Path) -> Results:
    """Opens a results file of ``minpair run`` or :func:`run`."""
    return Results(path)


def _listed(what: str) -> Any:
    return frame(Table(lambda out: library.minpair_list(text(what), out)))


def suites() -> Any:
    """The suites that ship with minpair: name, title."""
    return _listed("suites")


def models() -> Any:
    """The models that ship, and those in the Hugging Face cache: name, title."""
    return _listed("models")


def methods() -> Any:
    """The scoring methods: name, title. docs/methods.md explains them."""
    return _listed("methods")
