#!/usr/bin/python3
"""Writes tests/golden/checkpoint/blocks.gguf, random blocks of every quantised format with typed metadata, and
blocks.f32, the weights they stand for, computed here bit by bit from the formats' definitions (not by minpair).
Also seeds of fuzz_gguf. Run from the source folder with Debian's python3-numpy."""

import pathlib
import re
import struct

import numpy as np

rng = np.random.default_rng(7)
f32 = np.float32


def half(b):
    return f32(np.frombuffer(bytes(b), np.float16)[0])


def bits(byts):
    """Little-endian stream of bits."""
    return np.unpackbits(np.frombuffer(bytes(byts), np.uint8), bitorder="little")


def fields(byts, width):
    """Consecutive unsigned fields of `width` bits, the low ones first."""
    b = bits(byts).reshape(-1, width)
    return (b * (1 << np.arange(width))).sum(1)


def nibbles_low_then_high(byts):
    two = fields(byts, 4).reshape(-1, 2)
    return np.concatenate([two[:, 0], two[:, 1]])


def signed(byts):
    return np.frombuffer(bytes(byts), np.int8).astype(int)


def q8_0(b):
    return f32(signed(b[2:])) * half(b[:2])


def q4_0(b):
    return f32(nibbles_low_then_high(b[2:]) - 8) * half(b[:2])


def q4_1(b):
    return f32(nibbles_low_then_high(b[4:])) * half(b[:2]) + half(b[2:4])


def q5_0(b):
    return f32(nibbles_low_then_high(b[6:]) + 16 * bits(b[2:6]).astype(int) - 16) * half(b[:2])


def q5_1(b):
    return f32(nibbles_low_then_high(b[8:]) + 16 * bits(b[4:8]).astype(int)) * half(b[:2]) + half(b[2:4])


def planes(byts, width):
    """32 bytes hold 8 / width runs of 32 fields, the first run in the lowest bits."""
    out = []
    for i in range(0, len(byts), 32):
        out.append(fields(byts[i:i + 32], width).reshape(32, -1).T.flatten())
    return np.concatenate(out)


def q2_k(b):
    scale, low = fields(b[:16], 4).reshape(16, 2).T
    d, dmin = half(b[80:82]), half(b[82:84])
    return (d * f32(scale)).repeat(16) * f32(planes(b[16:80], 2)) - (dmin * f32(low)).repeat(16)


def q3_k(b):
    low4 = nibbles_low_then_high(b[96:104])
    high2 = fields(b[104:108], 2).reshape(4, 4).T.flatten()
    scale = low4 + 16 * high2 - 32
    value = planes(b[32:96], 2) + 4 * planes(b[:32], 1) - 4
    return (half(b[108:110]) * f32(scale)).repeat(16) * f32(value)


def k4_scales(s):
    s = np.frombuffer(bytes(s), np.uint8).astype(int)
    scale = np.concatenate([s[0:4] & 63, (s[8:12] & 15) + 16 * (s[0:4] >> 6)])
    low = np.concatenate([s[4:8] & 63, (s[8:12] >> 4) + 16 * (s[4:8] >> 6)])
    return f32(scale), f32(low)


def q4_k(b):
    scale, low = k4_scales(b[4:16])
    return (half(b[:2]) * scale).repeat(32) * f32(planes(b[16:], 4)) - (half(b[2:4]) * low).repeat(32)


def q5_k(b):
    scale, low = k4_scales(b[4:16])
    value = planes(b[48:], 4) + 16 * planes(b[16:48], 1)
    return (half(b[:2]) * scale).repeat(32) * f32(value) - (half(b[2:4]) * low).repeat(32)


def q6_k(b):
    value = []
    for h in range(2):
        low = fields(b[h * 64:h * 64 + 64], 4).reshape(2, 32, 2)
        low = np.concatenate([low[0, :, 0], low[1, :, 0], low[0, :, 1], low[1, :, 1]])
        value.append(low + 16 * planes(b[128 + h * 32:160 + h * 32], 2) - 32)
    return (half(b[208:210]) * f32(signed(b[192:208]))).repeat(16) * f32(np.concatenate(value))


def q8_k(b):
    return np.frombuffer(bytes(b[:4]), f32)[0] * f32(signed(b[4:260]))


source = pathlib.Path("src/checkpoint/dequantize.cpp").read_text()
points = [int(x, 16) for x in re.findall(r"0x[0-9a-f]{4}", re.search(r"iq2_xxs_points\[256\] = \{(.*?)\}", source, re.S)[1])]


def iq2_xxs(b):
    out = []
    for g in range(8):
        group = b[2 + 8 * g:10 + 8 * g]
        rest = int.from_bytes(group[4:], "little")
        scale = half(b[:2]) * f32(0.5 + (rest >> 28)) * f32(0.25)
        for i in range(4):
            sign = [(rest >> (7 * i + k)) & 1 for k in range(7)]
            sign.append(sum(sign) % 2)
            for k in range(8):
                size = (8, 25, 43)[(points[group[i]] >> (2 * k)) & 3]
                out.append(scale * f32(size) * f32(-1 if sign[k] else 1))
    return np.array(out, f32)


# name, GGUF's number, elements, bytes, where the 16-bit scales are, decoder
formats = [
    ("q4_0", 2, 32, 18, [0], q4_0), ("q4_1", 3, 32, 20, [0, 2], q4_1), ("q5_0", 6, 32, 22, [0], q5_0),
    ("q5_1", 7, 32, 24, [0, 2], q5_1), ("q8_0", 8, 32, 34, [0], q8_0), ("q2_k", 10, 256, 84, [80, 82], q2_k),
    ("q3_k", 11, 256, 110, [108], q3_k), ("q4_k", 12, 256, 144, [0, 2], q4_k),
    ("q5_k", 13, 256, 176, [0, 2], q5_k), ("q6_k", 14, 256, 210, [208], q6_k), ("q8_k", 15, 256, 292, [], q8_k),
    ("iq2_xxs", 16, 256, 66, [0], iq2_xxs),
]


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
for name, kind, elements, size, scales, decode in formats:
    rows, blocks = 3, 2
    content = b""
    for _ in range(rows * blocks):
        block = bytearray(rng.integers(0, 256, size, np.uint8).tobytes())
        for at in scales:  # a scale that is a number, now and then a subnormal one
            scale = rng.normal() * (1e-6 if rng.random() < 0.2 else 1e-2)
            block[at:at + 2] = np.float16(scale).tobytes()
        if kind == 15:
            block[:4] = f32(rng.normal()).tobytes()
        content += bytes(block)
        expected.append(decode(bytes(block)))
    tensors.append((name, (blocks * elements, rows), kind, content))

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
for name, kind, elements, size, scales, decode in formats:
    (seeds / name).write_bytes(gguf(metadata[:1], [("w", (elements,), kind, bytes(size))]))
(seeds / "metadata").write_bytes(gguf(metadata, [], 2))
