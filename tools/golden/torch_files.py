#!/usr/bin/python3
"""Writes tests/golden/checkpoint/*.pt and *.bin: small files as torch.save() makes them, in the zip format and in
the older stream format, and expected.json with what is in them. Also seeds of the fuzz targets.
Run from the source folder with Debian's python3-torch."""

import collections
import json
import pathlib
import zipfile

import torch

# The stream format keeps the source text of every module's class; a word in its place is as good a test.
torch.serialization.get_source_lines_and_file = lambda cls, *rest: (["source\n"], 1, "model.py")

torch.manual_seed(1)
folder = pathlib.Path("tests/golden/checkpoint")
folder.mkdir(parents=True, exist_ok=True)
expected = {}


def describe(tensors):
    return {
        name: {"type": str(t.dtype).replace("torch.", ""), "shape": list(t.shape), "values": t.double().flatten().tolist()}
        for name, t in tensors.items()
    }


def save(name, obj, tensors):
    for zipped, suffix in ((True, "zip"), (False, "legacy")):
        torch.save(obj, folder / f"{name}.{suffix}.pt", _use_new_zipfile_serialization=zipped)
        expected[f"{name}.{suffix}.pt"] = describe(tensors)


# Every type of number.
types = collections.OrderedDict()
for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
              torch.int16, torch.int8, torch.uint8, torch.bool):
    types[str(dtype).replace("torch.", "")] = torch.tensor([[0, 1, 3], [2, 5, 7]]).to(dtype)
types["subnormal"] = torch.tensor([6e-8, -3e-5, 65504.0]).half()
types["scalar"] = torch.tensor(2.5)
types["empty"] = torch.zeros(3, 0)
save("types", types, types)

# Views into shared storages, strides of all sorts, tied weights.
base = torch.arange(24, dtype=torch.float32)
matrix = base.view(4, 6)
tied = torch.nn.Parameter(torch.randn(3, 2))
views = {
    "whole": base,
    "matrix": matrix,
    "transposed": matrix.t(),
    "row": matrix[2],
    "column": matrix[:, 1],
    "block": matrix[1:3, 2:5],
    "every_other": base[1::2],
    "permuted": base.view(2, 3, 4).permute(2, 0, 1),
    "expanded_within": base[:1].expand(5),
    "tied_one": tied,
    "tied_two": tied,
}
save("views", views, {k: v.detach() for k, v in views.items()})

# A training state with the model inside.
inner = {"encoder.weight": torch.randn(2, 2), "encoder.bias": torch.randn(2)}
save("training", {"epoch": 3, "lr": 0.5, "state_dict": inner, "optimizer": {"step": torch.ones(1)}}, inner)

# A whole module, as word language models of 2018 were saved, with tied weights.
class RNNModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.2)
        self.encoder = torch.nn.Embedding(7, 4)
        self.rnn = torch.nn.LSTM(4, 4, 2, dropout=0.2)
        self.decoder = torch.nn.Linear(4, 7)
        self.decoder.weight = self.encoder.weight
        self.rnn_type = "LSTM"
        self.nhid = 4
        self.nlayers = 2


model = RNNModel()
model.register_buffer("counts", torch.tensor([1, 2, 3]))
named = dict(model.state_dict())
save("module", model, named)

# An archive packed by another program.
with zipfile.ZipFile(folder / "types.zip.pt") as source:
    with zipfile.ZipFile(folder / "types.deflated.pt", "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            target.writestr(info.filename, source.read(info))
expected["types.deflated.pt"] = expected["types.zip.pt"]

# Pickle protocols besides the usual 2. (PyTorch itself cannot read what it writes with 0.)
for protocol in (1, 4, 5):
    torch.save(inner, folder / f"protocol{protocol}.legacy.pt", pickle_protocol=protocol,
               _use_new_zipfile_serialization=False)
    expected[f"protocol{protocol}.legacy.pt"] = describe(inner)

(folder / "expected.json").write_text(json.dumps(expected, indent=0))

small = {"w": torch.arange(6.0).view(2, 3).t(), "h": torch.ones(2).half()}
for target in ("torch_zip", "torch_legacy"):
    pathlib.Path(f"fuzz/seeds/{target}").mkdir(parents=True, exist_ok=True)
torch.save(small, "fuzz/seeds/torch_zip/small")
torch.save(small, "fuzz/seeds/torch_legacy/small", _use_new_zipfile_serialization=False)
torch.save(torch.nn.RNN(2, 2), "fuzz/seeds/torch_legacy/module", _use_new_zipfile_serialization=False)
with zipfile.ZipFile("fuzz/seeds/torch_zip/small") as source:
    with zipfile.ZipFile("fuzz/seeds/torch_zip/deflated", "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            target.writestr(info.filename, source.read(info))
