#!/usr/bin/env python3
"""A GGUF file in the shape of TinyLlama 1.1B with random weights, for measuring speed.

  bench/make_gguf.py FILE                         in 16 bits, 2.2 GB: llama-quantize makes other formats of it
  bench/make_gguf.py FILE FORMAT [LAYERS PIECES]  in blocks of one format (IQ2_XXS, ...), all of them random

A text of single letters has as many tokens as letters."""
import random
import struct
import sys

FORMAT = sys.argv[2] if len(sys.argv) > 2 else "F16"
LAYERS, PIECES = (int(n) for n in sys.argv[3:5]) if len(sys.argv) > 4 else (22, 32000)
WIDTH, INNER, HEADS, KEY_HEADS = 2048, 5632, 32, 4
U32, F32, TEXT, ARRAY, I32 = 4, 6, 8, 9, 5
KEYS = WIDTH // HEADS * KEY_HEADS

# GGUF's number of a format, elements and bytes of a block, and what is not random in it: at which byte, which 16 bits, and
# which of them are free. A scale of 0x1400 is 2^-10; scales are small and positive. F16 is between 1/64 and 1/32.
FORMATS = {
    "F16": (1, 1, 2, [(0, 0x2400, 0x83FF)]), "Q4_0": (2, 32, 18, [(0, 0x1400, 0)]), "Q4_1": (3, 32, 20, [(0, 0x1400, 0), (2, 0x9C00, 0)]),
    "Q5_0": (6, 32, 22, [(0, 0x1400, 0)]), "Q5_1": (7, 32, 24, [(0, 0x1400, 0), (2, 0xA000, 0)]), "Q8_0": (8, 32, 34, [(0, 0x0800, 0)]),
    "Q2_K": (10, 256, 84, [(80, 0x1400, 0), (82, 0x1400, 0)]), "Q3_K": (11, 256, 110, [(108, 0x0800, 0)]),
    "Q4_K": (12, 256, 144, [(0, 0x0400, 0), (2, 0x1000, 0)]), "Q5_K": (13, 256, 176, [(0, 0x0200, 0), (2, 0x1000, 0)]),
    "Q6_K": (14, 256, 210, [(208, 0x0080, 0)]), "IQ2_XXS": (16, 256, 66, [(0, 0x0800, 0)]), "IQ2_XS": (17, 256, 74, [(0, 0x0800, 0)]),
    "IQ3_XXS": (18, 256, 98, [(0, 0x0400, 0)]), "IQ1_S": (19, 256, 50, [(0, 0x1400, 0)]), "IQ4_NL": (20, 32, 18, [(0, 0x0800, 0)]),
    "IQ3_S": (21, 256, 110, [(0, 0x0400, 0)]), "IQ2_S": (22, 256, 82, [(0, 0x0800, 0)]), "IQ4_XS": (23, 256, 136, [(0, 0x0080, 0)]),
    "IQ1_M": (29, 256, 56, [(48, 0, 0xFFF), (50, 0, 0xFFF), (52, 0x4000, 0xFFF), (54, 0x1000, 0xFFF)]),
    "TQ1_0": (34, 256, 54, [(52, 0x2400, 0)]), "TQ2_0": (35, 256, 66, [(64, 0x2400, 0)]), "MXFP4": (39, 32, 17, [(0, 0x0078, 0xFF00)]),
    "Q1_0": (41, 128, 18, [(0, 0x2400, 0)]), "Q2_0": (42, 64, 18, [(0, 0x2400, 0)]),
}
TYPE, ELEMENTS, BYTES, SCALES = FORMATS[FORMAT]


def text(s):
    return struct.pack("<Q", len(s.encode())) + s.encode()


def value(kind, x):
    return {U32: lambda: struct.pack("<I", x), F32: lambda: struct.pack("<f", x), I32: lambda: struct.pack("<i", x), TEXT: lambda: text(x)}[kind]()


def entry(key, kind, x):
    if isinstance(x, list):
        return text(key) + struct.pack("<IIQ", ARRAY, kind, len(x)) + b"".join(value(kind, y) for y in x)
    return text(key) + struct.pack("<I", kind) + value(kind, x)


letters = [chr(ord("a") + i) for i in range(26)]
pieces = ["<unk>", "<s>", "</s>", "\u2581"] + letters + ["\u2581" + letter for letter in letters]
pieces += [f"filler{i}" for i in range(PIECES - len(pieces))]
metadata = [
    ("general.architecture", TEXT, "llama"),
    ("llama.context_length", U32, 2048),
    ("llama.embedding_length", U32, WIDTH),
    ("llama.block_count", U32, LAYERS),
    ("llama.feed_forward_length", U32, INNER),
    ("llama.rope.dimension_count", U32, WIDTH // HEADS),
    ("llama.attention.head_count", U32, HEADS),
    ("llama.attention.head_count_kv", U32, KEY_HEADS),
    ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
    ("tokenizer.ggml.model", TEXT, "llama"),
    ("tokenizer.ggml.tokens", TEXT, pieces),
    ("tokenizer.ggml.scores", F32, [-float(i) for i in range(PIECES)]),
    ("tokenizer.ggml.token_type", I32, [2, 3, 3] + [1] * (PIECES - 3)),
    ("tokenizer.ggml.bos_token_id", U32, 1),
    ("tokenizer.ggml.eos_token_id", U32, 2),
    ("tokenizer.ggml.unknown_token_id", U32, 0),
]
tensors = [("token_embd", WIDTH, PIECES), ("output_norm", WIDTH), ("output", WIDTH, PIECES)]
for i in range(LAYERS):
    tensors += [(f"blk.{i}.{name}", *shape) for name, *shape in (
        ("attn_norm", WIDTH), ("attn_q", WIDTH, WIDTH), ("attn_k", WIDTH, KEYS), ("attn_v", WIDTH, KEYS), ("attn_output", WIDTH, WIDTH),
        ("ffn_norm", WIDTH), ("ffn_gate", WIDTH, INNER), ("ffn_up", WIDTH, INNER), ("ffn_down", INNER, WIDTH))]

source = random.Random(1)


def row_bytes(shape):
    return shape[0] // ELEMENTS * BYTES


def numbers(shape):
    """A norm is ones in 32 bits; a matrix is random but for the scales."""
    if len(shape) == 1:
        return [struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH)]
    free, fixed = bytearray(b"\xff" * BYTES), bytearray(BYTES)
    for place, bits, loose in SCALES:
        free[place:place + 2] = struct.pack("<H", loose)
        fixed[place:place + 2] = struct.pack("<H", bits)
    size = row_bytes(shape)
    keep, add = (int.from_bytes(bytes(block) * (shape[0] // ELEMENTS), "little") for block in (free, fixed))
    return ((int.from_bytes(source.randbytes(size), "little") & keep | add).to_bytes(size, "little") for _ in range(shape[1]))


head, at = b"", 0
for name, *shape in tensors:
    head += text(name + ".weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, TYPE if len(shape) > 1 else 0, at)
    at += 4 * WIDTH if len(shape) == 1 else row_bytes(shape) * shape[1]
head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(entry(*m) for m in metadata) + head
with open(sys.argv[1], "wb") as out:
    out.write(head + b"\0" * (-len(head) % 32))
    for name, *shape in tensors:
        out.writelines(numbers(shape))
