"""What the command line does with suites, models and results files."""

from __future__ import annotations

import ctypes
import numbers
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from ._library import Arguments, Error, InputError, Work, WrongType, library, text, texts
from ._model import Model, Progress
from ._table import Table, frame

Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Iterable[str], None]
Models = Union[Model, Path, Sequence[Union[Model, Path]]]


def _several(values: Any) -> List[Any]:
    return [values] if isinstance(values, (str, os.PathLike, Model, bool, int, float)) else list(values)


def _called(name: str, options: Dict[str, Any], progress: Progress = False) -> Table:
    """The result of a command. An option that is None or False is not given."""
    words: List[str] = []
    models: List[Model] = []
    for option, given in options.items():
        for value in [] if given is None or given is False else _several(given):
            if isinstance(value, Model):
                models.append(value)
                value = f"@{len(models) - 1}"
            if not isinstance(value, (str, os.PathLike, bool, numbers.Number)) or value != value:
                raise WrongType(f"{option} cannot be {value!r}, which is of type {type(value).__name__}")
            words += [option, "true" if value is True else os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    handles = (ctypes.c_void_p * len(models))(*[m._handle for m in models])
    with Work(progress, name) as work:
        arguments = Arguments(options=texts(words), count=len(words), models=handles, model_count=len(models), progress=work.call)
        return Table(lambda out: library.minpair_command(text(name), ctypes.byref(arguments), out))


def _result(table: Table) -> Any:
    """A data frame, or the text of a command that has no table."""
    return str(table["text"][0]) if table.names == ["text"] else frame(table)


def command(name: str, *, progress: Progress = False, **options: Any) -> Any:
    """The tables that ``minpair NAME`` prints, as one data frame: ``kind`` and ``table`` say of which a row is, and ``attrs["notes"]`` has
    what stands below them. With ``format``, the text; also of a command without tables. Options have the names of the command line, with
    _ for -; those that may be repeated, or take names with commas, also take lists and may be called in the plural; a flag is True.
    ``minpair help NAME`` lists them.

    >>> mp.command("stats", results="results.db", where="attractors > 0")
    """
    return _result(_called(name, options, progress))


class Results:
    """A results file. Its tables have the columns of ``minpair export`` (docs/results-format.md)."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        try:
            self.table("runs")  # says at once what is wrong with the file
        except InputError as error:
            try:
                self.table("effects")  # a file of introspect's alone
            except Error:
                raise error from None

    def __repr__(self) -> str:
        return f"<minpair.Results {self.path}>"

    def table(self, what: str = "items", **options: Any) -> Table:
        """One of ``items``, ``sentences``, ``regions``, ``words``, ``tokens``, ``summary``, ``runs``, ``effects``, as a :class:`Table`.

        ``options``: those of ``minpair export``: ``suites``, ``models``, ``methods``, ``tests``, ``conditions``, ``languages`` and
        ``where`` select rows; ``norms``, ``ties``, ``lengths``, ``oov``, ``pairwise`` say how they count.
        """
        return _called("export", {"results": self.path, "what": what, **options})

    def items(self, **options: Any) -> Any:
        """A row for every item, model and method: ids, features, texts, scores, margin, outcome, ``correct`` (its mean is the accuracy),
        the reason if it is excluded. A data frame, or a :class:`Table` if pandas is not installed."""
        return frame(self.table("items", **options))

    def sentences(self, **options: Any) -> Any:
        """A row for every sentence of every item, model and method, with its score."""
        return frame(self.table("sentences", **options))

    def regions(self, **options: Any) -> Any:
        """A row for every region of every sentence of a design, with its surprisal in bits."""
        return frame(self.table("regions", **options))

    def words(self, **options: Any) -> Any:
        """A row for every scored word."""
        return frame(self.table("words", **options))

    def tokens(self, **options: Any) -> Any:
        """A row for every scored token."""
        return frame(self.table("tokens", **options))

    def summary(self, **options: Any) -> Any:
        """Counts and accuracies by test, condition and language."""
        return frame(self.table("summary", **options))

    def runs(self, **options: Any) -> Any:
        """A row for every combination of suite, model and method, with the command that repeats it."""
        return frame(self.table("runs", **options))

    def effects(self, **options: Any) -> Any:
        """A row for everything that :func:`introspect` found and stored here."""
        return frame(self.table("effects", **options))

    def command(self, name: str, **options: Any) -> Any:
        """The tables of ``minpair NAME`` of this file, as a data frame: any command that reads results; see :func:`minpair.command`."""
        return command(name, results=self.path, **options)

    def report(self, **options: Any) -> Any:
        """``minpair report``: accuracies, ``by`` test or anything else. A data frame; a text where there is a ``format``: ``table``,
        ``markdown``, ``latex``, ``csv`` or ``json``. The same holds for the methods below."""
        return self.command("report", **options)

    def stats(self, **options: Any) -> Any:
        """``minpair stats``: intervals, effects of conditions, agreement of methods."""
        return self.command("stats", **options)

    def compare(self, *sides: str, **options: Any) -> Any:
        """``minpair compare``: two runs on the same items, ``"MODEL:METHOD"`` each."""
        return self.command("compare", sides=sides, **options)

    def margins(self, **options: Any) -> Any:
        """``minpair margins``: by how much items are right."""
        return self.command("margins", **options)

    def norms(self, *norms: str, **options: Any) -> Any:
        """``minpair norms``: accuracies under ``"slor"``, ``"power:0.8"``, ... beside each run's own norm."""
        return self.command("norms", norms=norms, **options)

    def people(self, **options: Any) -> Any:
        """``minpair people``: how well people agree, and models with people."""
        return self.command("people", **options)

    def correlate(self, numbers: Path, **options: Any) -> Any:
        """``minpair correlate``: accuracies against a number per language."""
        return self.command("correlate", numbers=numbers, **options)

    def overlap(self, percent: float, **options: Any) -> Any:
        """``minpair overlap``: whether the same heads, neurons or units serve other tests, languages and models."""
        return self.command("overlap", percent=percent, **options)

    def figure(self, kind: str, out: Path, **options: Any) -> None:
        """``minpair figure``: a picture, .svg, .pdf or .png."""
        self.command("figure", kind=kind, output=out, **options)

    def page(self, out: Path, **options: Any) -> None:
        """``minpair page``: one page with everything, for a browser."""
        self.command("page", output=out, **options)


def run(
    suites: Union[Path, Sequence[Path]], models: Models, methods: Names = None, out: Path = "results.db", progress: Progress = None,
    **options: Any,
) -> Results:
    """Scores suites (files, folders, shipped ones) with models into the results file ``out``, as ``minpair run`` does.

    ``models``: loaded ones, or names: these are loaded one after the other, so that one is in memory at a time. With several models,
    each uses those of the ``methods`` that fit it. ``options``: those of ``minpair run``: ``tests``, ``conditions``, ``languages``, ``where``
    choose items, ``limit`` takes the first N of them, ``sample`` draws N at random by ``seed``.
    What is already in the file is not computed again; an interrupted run (Ctrl-C) continues where it stopped.

    >>> r = mp.run("de-agreement", [m, "de-lstm"], methods=["masked-word-l2r", "lp"], where="attractors > 0", out="results.db")
    >>> r.items().groupby("condition").correct.mean()
    """
    _called("run", {"suite": suites, "model": models, "method": methods, "output": out, **options}, progress)
    return Results(out)


def introspect(
    what: str, suite: Path, model: Union[Model, Path], out: Optional[Path] = None, progress: Progress = None, **options: Any,
) -> Any:
    """Looks inside a model while it answers a suite: ``what`` is lens, probe, attribute, patch or ablate. Gives the table that
    ``minpair introspect`` prints, as a data frame, or as a text where there is a ``format``; ``out``: a results file that keeps the
    effects, or a table with a row for each; ``"-"``: those rows instead of the table.

    >>> mp.introspect("lens", "de-agreement", m, sample=200, by="condition")
    """
    return _result(_called(f"introspect {what}", {"suite": suite, "model": model, "output": out, **options}, progress))


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
