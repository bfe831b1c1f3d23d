#!/usr/bin/python3
"""Writes tests/golden/checkpoint/blocks.gguf, random blocks of every quantised format with typed metadata, and
blocks.f32, the weights they stand for according to ggml itself: its library is called. Also seeds of fuzz_gguf.
Run from the source folder where Debian's libggml0 (unstable) and python3-numpy are."""

import ctypes
import pathlib
import struct

import numpy as np

rng = np.random.default_rng(7)
f32 = np.float32


class Traits(ctypes.Structure):
    """ggml_type_traits, as far as it is needed."""
    _fields_ = [("name", ctypes.c_char_p), ("elements", ctypes.c_int64), ("interleaved", ctypes.c_int64), ("bytes", ctypes.c_size_t),
                ("quantised", ctypes.c_bool), ("to_float", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64))]


ggml = ctypes.CDLL("libggml-base.so.0")
ggml.ggml_get_type_traits.restype = ctypes.POINTER(Traits)


def decode(kind, block):
    traits = ggml.ggml_get_type_traits(kind).contents
    assert traits.bytes == len(block), traits.name
    values = (ctypes.c_float * traits.elements)()
    to_float = traits.to_float or Traits._fields_[-1][1](("dequantize_row_" + traits.name.decode(), ggml))
    to_float(bytes(block), ctypes.addressof(values), traits.elements)
    return np.array(values, f32)


# name, GGUF's number, elements, bytes, where the 16-bit scales are
formats = [
    ("q4_0", 2, 32, 18, [0]), ("q4_1", 3, 32, 20, [0, 2]), ("q5_0", 6, 32, 22, [0]), ("q5_1", 7, 32, 24, [0, 2]), ("q8_0", 8, 32, 34, [0]),
    ("q2_k", 10, 256, 84, [80, 82]), ("q3_k", 11, 256, 110, [108]), ("q4_k", 12, 256, 144, [0, 2]), ("q5_k", 13, 256, 176, [0, 2]),
    ("q6_k", 14, 256, 210, [208]), ("q8_k", 15, 256, 292, []), ("iq2_xxs", 16, 256, 66, [0]), ("iq2_xs", 17, 256, 74, [0]),
    ("iq3_xxs", 18, 256, 98, [0]), ("iq1_s", 19, 256, 50, [0]), ("iq4_nl", 20, 32, 18, [0]), ("iq3_s", 21, 256, 110, [0]),
    ("iq2_s", 22, 256, 82, [0]), ("iq4_xs", 23, 256, 136, [0]), ("iq1_m", 29, 256, 56, []), ("tq1_0", 34, 256, 54, [52]),
    ("tq2_0", 35, 256, 66, [64]), ("mxfp4", 39, 32, 17, []), ("q1_0", 41, 128, 18, [0]), ("q2_0", 42, 64, 18, [0]),
]


def random_scale():
    """A number, now and then a subnormal one."""
    return np.float16(rng.normal() * (1e-6 if rng.random() < 0.2 else 1e-2))


def random_block(kind, size, scales):
    block = bytearray(rng.integers(0, 256, size, np.uint8).tobytes())
    for at in scales:
        block[at:at + 2] = random_scale().tobytes()
    if kind == 15:
        block[:4] = f32(rng.normal()).tobytes()
    if kind == 29:  # a quarter of the scale in the upper bits of every two bytes
        scale = int(random_scale().view(np.uint16))
        for i in range(4):
            block[49 + 2 * i] = block[49 + 2 * i] & 15 | (scale >> 4 * i & 15) << 4
    if kind == 39:
        block[0] = rng.choice([0, 1, 2, 250]) if rng.random() < 0.5 else rng.integers(110, 130)
    return bytes(block)


def text(s):
    return struct.pack("<Q", len(s.encode())) + s.encode()


def gguf(metadata, tensors, version=3):
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, value in metadata:
        head += text(key) + value
    data = b""
    for name, shape, kind, content in tensors:
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", kind, len(data))
        data += content + bytes(-len(content) % 32)
    return head + bytes(-len(head) % 32) + data


tensors, expected = [], []
for name, kind, elements, size, scales in formats:
    rows, blocks = 3, 2
    content = [random_block(kind, size, scales) for _ in range(rows * blocks)]
    expected += [decode(kind, block) for block in content]
    tensors.append((name, (blocks * elements, rows), kind, b"".join(content)))

metadata = [
    ("general.architecture", struct.pack("<I", 8) + text("test")),
    ("a.u8", struct.pack("<IB", 0, 200)), ("a.i8", struct.pack("<Ib", 1, -100)),
    ("a.u16", struct.pack("<IH", 2, 60000)), ("a.i16", struct.pack("<Ih", 3, -30000)),
    ("a.u32", struct.pack("<II", 4, 4000000000)), ("a.i32", struct.pack("<Ii", 5, -2000000000)),
    ("a.f32", struct.pack("<If", 6, 0.1)), ("a.bool", struct.pack("<IB", 7, 1)),
    ("a.u64", struct.pack("<IQ", 10, 2**63 - 1)), ("a.i64", struct.pack("<Iq", 11, -2**63)),
    ("a.f64", struct.pack("<Id", 12, 0.1)),
    ("b.texts", struct.pack("<IIQ", 9, 8, 3) + text("ein") + text("") + text("drei")),
    ("b.reals", struct.pack("<IIQ3f", 9, 6, 3, 1, 0.5, -2)),
    ("b.integers", struct.pack("<IIQ2i", 9, 5, 2, -7, 7)),
    ("b.flags", struct.pack("<IIQ2B", 9, 7, 2, 1, 0)),
]
folder = pathlib.Path("tests/golden/checkpoint")
(folder / "blocks.gguf").write_bytes(gguf(metadata, tensors))
(folder / "blocks.f32").write_bytes(np.concatenate(expected).astype(f32).tobytes())

seeds = pathlib.Path("fuzz/seeds/gguf")
seeds.mkdir(parents=True, exist_ok=True)
for name, kind, elements, size, scales in formats:
    (seeds / name).write_bytes(gguf(metadata[:1], [("w", (elements,), kind, bytes(size))]))
(seeds / "metadata").write_bytes(gguf(metadata, [], 2))
