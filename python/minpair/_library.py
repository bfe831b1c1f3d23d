"""libminpair: where it is, what its functions take, and its errors as exceptions."""

from __future__ import annotations

import ctypes
import operator
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Iterable, List, Optional, Union

from ._arrow import Stream


class Error(Exception):
    """Something is wrong; the text says what, where, and what to do next, as the command line would."""


class InputError(Error, ValueError):
    """A file or a text is not what it must be."""


class UsageError(Error, ValueError):
    """There is no such name or option."""


class WrongType(UsageError, TypeError):
    """A value is of a type that cannot be meant: a missing value among texts, a word where a number belongs."""


class SystemFailure(Error, OSError):
    """The machine says no: disk, memory, network, permissions."""


class Stopped(Error):
    """The progress call-back wanted to stop."""


_ERRORS = {1: InputError, 2: UsageError, 3: SystemFailure, 4: Stopped}
_Text = ctypes.c_char_p
_Texts = ctypes.POINTER(ctypes.c_char_p)
_Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)


class _Options(ctypes.Structure):
    """Begins with its own size, as include/minpair.h wants it."""

    def __init__(self, **values: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **values)


class LoadOptions(_Options):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int),
        ("precision", _Text),
        ("vocabulary", _Text),
        ("start", _Text),
        ("end", _Text),
        ("read_as", _Text),
    ]


class ScoreOptions(_Options):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("method", _Text),
        ("norm", _Text),
        ("level", _Text),
        ("contexts", _Texts),
        ("progress", _Progress),
        ("user", ctypes.c_void_p),
        ("ranks", ctypes.c_int),
    ]


class Arguments(_Options):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("options", _Texts),
        ("count", ctypes.c_size_t),
        ("models", ctypes.POINTER(ctypes.c_void_p)),
        ("model_count", ctypes.c_size_t),
        ("progress", _Progress),
        ("user", ctypes.c_void_p),
    ]


def _candidates() -> List[Path]:
    here = Path(__file__).resolve().parent
    found = [Path(os.environ["MINPAIR_LIBRARY"])] if "MINPAIR_LIBRARY" in os.environ else []
    # In the wheel; in a source tree.
    return found + [here / "native" / "libminpair.so.0", here.parents[1] / "build/release/libminpair.so.0"]


def _load(path: Path) -> Any:
    """With the system's libraries where it has them: others in this process (ssl, sqlite3) may need newer ones than ours, and a
    process has one library of a name."""
    own = [p for p in [*path.parent.glob("cxx/*.so*"), *path.parent.glob("*.so*")] if p.name != path.name]
    for library in own if (path.parent / "cxx").is_dir() else []:
        try:
            ctypes.CDLL(library.name)
        except OSError:
            if library.parent.name == "cxx":  # the others are found beside libminpair
                ctypes.CDLL(str(library))
    return ctypes.CDLL(str(path))


def _open() -> Any:
    for path in _candidates():
        if path.exists():
            library = _load(path)
            break
    else:
        try:
            library = ctypes.CDLL("libminpair.so.0")
        except OSError as error:
            raise ImportError("libminpair.so.0 was not found; build it ('make build') or name it in MINPAIR_LIBRARY") from error
    stream, model = ctypes.POINTER(Stream), ctypes.c_void_p
    arguments = {
        "minpair_add_home": [_Text],
        "minpair_list": [_Text, stream],
        "minpair_load": [_Text, ctypes.POINTER(LoadOptions), ctypes.POINTER(model)],
        "minpair_about": [model, stream],
        "minpair_tokenize": [model, _Texts, ctypes.c_size_t, ctypes.c_int, stream],
        "minpair_score": [model, _Texts, ctypes.c_size_t, ctypes.POINTER(ScoreOptions), stream],
        "minpair_predict": [model, _Texts, _Texts, ctypes.c_size_t, ctypes.c_uint32, _Progress, ctypes.c_void_p, stream],
        "minpair_states": [model, _Texts, ctypes.c_size_t, ctypes.c_int, _Progress, ctypes.c_void_p, stream],
        "minpair_command": [_Text, ctypes.POINTER(Arguments), stream],
        "minpair_again": [stream, stream],
    }
    for name, types in arguments.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, ctypes.c_int
    library.minpair_message.restype = library.minpair_version.restype = _Text
    library.minpair_free_model.argtypes, library.minpair_free_model.restype = [model], None
    if library.minpair_api() != 2:
        raise ImportError("this libminpair speaks another interface than this package")
    data = Path(__file__).resolve().parent / "data"
    if data.is_dir():
        library.minpair_add_home(os.fsencode(data))
    return library


library = _open()


def check(status: int) -> None:
    if status:
        raise _ERRORS.get(status, Error)(library.minpair_message().decode("utf-8", "replace"))


def text(value: Union[str, "os.PathLike[str]", None]) -> Optional[bytes]:
    """As C wants it. A zero byte would end it early."""
    if value is None:
        return None
    encoded = os.fspath(value).encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise InputError("a text has a zero byte in it")
    return encoded


def whole(value: Any, what: str, least: int, most: int) -> int:
    """As C's integer of so many bits; ctypes would cut a larger one."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WrongType(f"{what} is a whole number, not of type {type(value).__name__}")
    number = operator.index(value)
    if not least <= number <= most:
        raise UsageError(f"{what} is {number}, and must be from {least} to {most}")
    return number


def texts(values: Iterable[str]) -> Any:
    """What is no text (None, NaN where a data frame has a gap, bytes) is an error, not the text "None"."""
    encoded = []
    for number, value in enumerate(values):
        if not isinstance(value, str):
            raise WrongType(f"text {number + 1} is {value!r}, not a string")
        encoded.append(text(value))
    return (ctypes.c_char_p * len(encoded))(*encoded)


ProgressCall = Callable[[int, int], Any]


class _Bar:
    """One line on the terminal or in the notebook, after two seconds."""

    def __init__(self, what: str) -> None:
        import time

        self.clock, self.what = time.monotonic, what
        self.start = self.last = self.clock()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        now = self.clock()
        if now - self.start < 2 or now - self.last < 0.2:
            return
        self.last, self.shown = now, True
        share = done / total if total else 0
        left = f", {(now - self.start) * (1 - share) / share:.0f} s left" if share > 0 else ""
        print(f"\r{self.what}: {100 * share:3.0f} %{left}   ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.shown:
            print("\r" + " " * (len(self.what) + 30) + "\r", end="", file=sys.stderr, flush=True)


class Work:
    """Around a long call: shows progress, lets Ctrl-C through, passes on what a call-back raises.

    C cannot be interrupted from outside. So Ctrl-C is remembered, the next call of the progress function stops the work, and only
    then does KeyboardInterrupt go up.
    """

    def __init__(self, progress: Union[bool, None, ProgressCall], what: str) -> None:
        self.interrupted = False
        self.raised: Optional[BaseException] = None
        self.bar: Optional[_Bar] = None
        self.tick: Optional[ProgressCall] = None
        if callable(progress):
            self.tick = progress
        elif progress or (progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules)):
            self.tick = self.bar = _Bar(what)
        self.call = _Progress(self._called)

    def _called(self, user: Any, done: int, total: int) -> int:
        try:
            if self.tick is not None and self.tick(done, total) is False:
                return 1
        except BaseException as error:  # nothing may be raised through C
            self.raised = error
            return 1
        return int(self.interrupted)

    def _note(self, number: int, frame: Any) -> None:
        self.interrupted = True

    def __enter__(self) -> "Work":
        self.before: Any = None
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self.before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        if self.bar is not None:
            self.bar.close()
        if self.raised is not None:
            raise self.raised
        if self.interrupted:
            raise KeyboardInterrupt
