"""Tables: the output of models and results files."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any, Callable, Dict, Iterator, List, Optional

from . import _arrow
from ._library import check, library


class Table:
    """Columns with names, as libminpair made them.

    ``table["margin"]`` is one column (a numpy array, or a list if numpy is not installed), ``table.columns`` all of them.
    ``to_pandas()`` makes a data frame; polars, pyarrow, DuckDB and others take the table itself, without copying:
    ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
    """

    def __init__(self, fill: Callable[[Any], Any]) -> None:
        self._stream = _arrow.Stream()
        check(fill(ctypes.byref(self._stream)))
        self._columns: Optional[Dict[str, Any]] = None
        self._rows = 0
        self._notes: List[str] = []

    def __del__(self) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None and _arrow is not None:
            _arrow.release(stream)

    def _again(self, stream: _arrow.Stream) -> None:
        check(library.minpair_again(ctypes.byref(self._stream), ctypes.byref(stream)))

    @property
    def columns(self) -> Dict[str, Any]:
        """All columns, by name."""
        if self._columns is None:
            stream = _arrow.Stream()
            self._again(stream)
            self._columns, self._rows, self._notes = _arrow.read(stream)
        return self._columns

    @property
    def notes(self) -> List[str]:
        """What stands below the table where it is printed: how items count, where those are that have no score."""
        return self._notes if self.columns is not None else []

    @property
    def names(self) -> List[str]:
        """The names of the columns."""
        return list(self.columns)

    def __len__(self) -> int:
        return self._rows if self.columns is not None else 0

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """Row by row, each a dictionary."""
        names = self.names
        for values in zip(*self.columns.values()):
            yield {n: v.item() if hasattr(v, "item") and getattr(v, "ndim", 0) == 0 else v for n, v in zip(names, values)}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _arrow.capsule(self._again)

    def to_pandas(self) -> Any:
        """A pandas data frame; the notes are in its ``attrs["notes"]``."""
        frame = importlib.import_module("pandas").DataFrame({n: list(c) if getattr(c, "ndim", 1) > 1 else c for n, c in self.columns.items()})
        if self.notes:
            frame.attrs["notes"] = self.notes
        return frame

    def to_polars(self) -> Any:
        """A polars data frame."""
        return importlib.import_module("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """A table of pyarrow."""
        return importlib.import_module("pyarrow").table(self)

    def __repr__(self) -> str:
        rows = [[str(v) for v in row.values()] for row, _ in zip(self, range(10))]
        widths = [max([len(n)] + [len(r[i]) for r in rows]) for i, n in enumerate(self.names)]
        lines = ["  ".join(v.ljust(w) for v, w in zip(row, widths)).rstrip() for row in [self.names, *rows]]
        return "\n".join(lines + [f"[{len(self)} rows × {len(self.names)} columns]"])


def frame(table: Table) -> Any:
    """A pandas data frame where pandas is installed, else the table itself."""
    try:
        return table.to_pandas()
    except ImportError:
        return table
