#!/usr/bin/env python3
"""A GGUF file in the size and shape of TinyLlama 1.1B with random weights in 16 bits, for measuring speed; 2.2 GB.

  bench/make_gguf.py FILE

Other formats are made of it with llama.cpp's llama-quantize. A text of single letters has as many tokens as letters."""
import random
import struct
import sys

WIDTH, INNER, LAYERS, HEADS, KEY_HEADS, PIECES = 2048, 5632, 22, 32, 4, 32000
U32, F32, TEXT, ARRAY, I32 = 4, 6, 8, 9, 5
KEYS = WIDTH // HEADS * KEY_HEADS


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


def numbers(shape):
    """A norm is ones in 32 bits; a matrix is random in sign and last bits, between 1/64 and 1/32."""
    if len(shape) == 1:
        return [struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH)]
    row = lambda: int.from_bytes(source.randbytes(2 * shape[0]), "little") & free | fixed
    free, fixed = (int.from_bytes(struct.pack("<H", bits) * shape[0], "little") for bits in (0x83FF, 0x2400))
    return (row().to_bytes(2 * shape[0], "little") for _ in range(shape[1]))


head, at = b"", 0
for name, *shape in tensors:
    head += text(name + ".weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, int(len(shape) > 1), at)
    at += 4 * WIDTH if len(shape) == 1 else 2 * shape[0] * shape[1]
head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(entry(*m) for m in metadata) + head
with open(sys.argv[1], "wb") as out:
    out.write(head + b"\0" * (-len(head) % 32))
    for name, *shape in tensors:
        out.writelines(numbers(shape))
