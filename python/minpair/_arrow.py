"""Arrow's C streams: taken from libminpair, turned into arrays, handed on."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any, Dict, List, Optional, Tuple

numpy: Any = None  # without it, everything works with lists
try:
    numpy = importlib.import_module("numpy")
except ImportError:
    pass


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p),
]


def release(thing: Any) -> None:
    """Of a schema, an array or a stream; once is enough."""
    if thing.release:
        thing.release(ctypes.byref(thing))


def _bits(address: Optional[int], rows: int) -> Any:
    """Bits as truth values; no buffer means that all are set."""
    if not address:
        return None
    size = (rows + 7) // 8
    if numpy is not None:
        packed = numpy.frombuffer((ctypes.c_uint8 * size).from_address(address), numpy.uint8)
        return numpy.unpackbits(packed, bitorder="little")[:rows].astype(bool)
    data = ctypes.string_at(address, size)
    return [bool(data[i // 8] >> (i % 8) & 1) for i in range(rows)]


_KINDS: Dict[bytes, Tuple[Any, str]] = {b"l": (ctypes.c_int64, "i8"), b"g": (ctypes.c_double, "f8"), b"f": (ctypes.c_float, "f4")}


def _numbers(kind: bytes, address: Optional[int], count: int) -> Any:
    c_type, name = _KINDS[kind]
    if count == 0 or not address:
        return [] if numpy is None else numpy.empty(0, name)
    view = (c_type * count).from_address(address)
    return list(view) if numpy is None else numpy.frombuffer(view, name).copy()


def _texts(array: Array, rows: int, known: Dict[bytes, str]) -> List[Optional[str]]:
    ends = (ctypes.c_int32 * (rows + 1)).from_address(array.buffers[1])[:]
    data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    texts: List[Optional[str]] = []
    for begin, end in zip(ends, ends[1:]):
        raw = data[begin:end]
        text = known.get(raw)  # names come again in every row
        if text is None:
            text = known[raw] = raw.decode("utf-8", "replace")
        texts.append(text)
    return texts


def _column(kind: bytes, array: Array, known: Dict[bytes, str]) -> Any:
    rows = array.length
    valid = _bits(array.buffers[0], rows) if array.null_count else None
    if kind == b"u":
        texts = _texts(array, rows, known)
        return texts if valid is None else [t if v else None for t, v in zip(texts, valid)]
    if kind == b"b":
        truths = _bits(array.buffers[1], rows) if rows else []
        if valid is None:
            return list(truths) if numpy is None else numpy.asarray(truths, bool)
        return [bool(t) if v else None for t, v in zip(truths, valid)]
    if kind.startswith(b"+w:"):
        width = int(kind[3:])
        child = array.children[0].contents
        flat = _numbers(b"f", child.buffers[1], rows * width)
        if numpy is not None:
            return flat.reshape(rows, width)
        return [flat[i * width : (i + 1) * width] for i in range(rows)]
    numbers = _numbers(kind, array.buffers[1], rows)
    if valid is None:
        return numbers
    if numpy is None:
        return [n if v else None for n, v in zip(numbers, valid)]
    return numpy.where(valid, numbers, numpy.nan)


def _joined(parts: List[Any], kind: bytes) -> Any:
    """What several batches have of one column."""
    if len(parts) == 1:
        joined = parts[0]
    elif numpy is not None and all(isinstance(p, numpy.ndarray) for p in parts) and parts:
        joined = numpy.concatenate(parts)
    else:
        joined = [value for part in parts for value in part]
    if numpy is None or isinstance(joined, numpy.ndarray):
        return joined
    if not parts and kind != b"u":
        return numpy.empty(0, bool if kind == b"b" else _KINDS.get(kind, (None, "f4"))[1])
    array = numpy.empty(len(joined), object)
    array[:] = joined
    return array


def _notes(metadata: Optional[int]) -> List[str]:
    """The lines of a schema's "notes"."""
    if not metadata:
        return []
    pairs = ctypes.c_int32.from_address(metadata).value
    at, texts = metadata + 4, []
    for _ in range(2 * pairs):
        size = ctypes.c_int32.from_address(at).value
        texts.append(ctypes.string_at(at + 4, size).decode("utf-8", "replace"))
        at += 4 + size
    return dict(zip(texts[::2], texts[1::2])).get("notes", "").splitlines()


def read(stream: Stream) -> Tuple[Dict[str, Any], int, List[str]]:
    """All columns of a stream, by name, how many rows there are, and notes on them. Releases the stream."""
    schema, columns, rows, notes = Schema(), {}, 0, []
    try:
        if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
            raise OSError(stream.get_last_error(ctypes.byref(stream)).decode())
        notes = _notes(schema.metadata)
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        names = [(f.name.decode(), f.format) for f in fields]
        parts: List[List[Any]] = [[] for _ in names]
        known: Dict[bytes, str] = {}
        while True:
            batch = Array()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
                raise OSError(stream.get_last_error(ctypes.byref(stream)).decode())
            if not batch.release:
                break
            rows += batch.length
            for i, (_, kind) in enumerate(names):
                parts[i].append(_column(kind, batch.children[i].contents, known))
            release(batch)
        for (name, kind), part in zip(names, parts):
            columns[name] = _joined(part, kind)
    finally:
        release(schema)
        release(stream)
    return columns, rows, notes


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_malloc = ctypes.pythonapi.PyMem_RawMalloc
_malloc.restype = ctypes.c_void_p
_malloc.argtypes = [ctypes.c_size_t]
_free_memory = ctypes.pythonapi.PyMem_RawFree
_free_memory.restype = None
_free_memory.argtypes = [ctypes.c_void_p]


def _drop_stream(capsule: int) -> None:
    """The capsule's end; whoever took the stream has moved it out and left no release()."""
    address = _pointer_of(capsule, b"arrow_array_stream")
    release(Stream.from_address(address))
    _free_memory(address)


_drop = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_drop_stream)


def capsule(fill: Any) -> object:
    """A stream that `fill` fills, as the Arrow PyCapsule interface wants it."""
    address = _malloc(ctypes.sizeof(Stream))
    ctypes.memset(address, 0, ctypes.sizeof(Stream))
    fill(Stream.from_address(address))
    return _new_capsule(address, b"arrow_array_stream", ctypes.cast(_drop, ctypes.c_void_p))
