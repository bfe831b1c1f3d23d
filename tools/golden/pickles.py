#!/usr/bin/python3
"""Writes tests/golden/pickle/protocol-N.pickle: one object in every pickle protocol, and the seeds of
fuzz_pickle. Run from the source folder with Python 3.8 or later; nothing else is needed."""

import collections
import pathlib
import pickle


class Dog:
    def __init__(self):
        self.name = "Rex"
        self.legs = 4


class Pack(list):
    pass


class Kennel(dict):
    pass


shared = ["shared"]
pack = Pack(["a", "b"])
kennel = Kennel({"k": 1})
value = {
    "none": None,
    "flags": [True, False],
    "integers": [0, 1, -1, 255, 256, 65535, 65536, -(2**31), 2**31, 2**63 - 1, -(2**63)],
    "big": [2**63, -(2**63) - 1, 0x1950A86A20F9469CFC6C],
    "reals": [0.0, -1.5, 1e300, float("inf"), float("-inf")],
    "text": ["", "plain", "Grüße, 你好 \U0001f600", "quote ' and \" and \\ and \n", "x" * 300],
    "bytes": [b"", b"\x00\xff", bytearray(b"ba")],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    "sets": [{7}, frozenset([8])],
    "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
    "default": collections.defaultdict(list, {"x": [1]}),
    "deque": collections.deque([1, 2], 5),
    "shared": [shared, shared],
    "dog": Dog(),
    "pack": pack,
    "kennel": kennel,
    "class": Dog,
}

folder = pathlib.Path("tests/golden/pickle")
seeds = pathlib.Path("fuzz/seeds/pickle")
for f in (folder, seeds):
    f.mkdir(parents=True, exist_ok=True)
for protocol in range(6):
    (folder / f"protocol-{protocol}.pickle").write_bytes(pickle.dumps(value, protocol))
    small = {k: v for k, v in value.items() if k != "text"}
    (seeds / f"protocol-{protocol}").write_bytes(pickle.dumps(small, protocol))
