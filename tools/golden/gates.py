#!/usr/bin/env python3
"""What PyTorch answers when a gate, the candidate, the memory or the state of one unit has the value of another input: for a
tiny LSTM and a tiny GRU of tests/golden/recurrent, into gates.json beside them.

  python3 tools/golden/gates.py tests/golden/recurrent        (PyTorch)

PyTorch's layers do not show their gates: cells are written out here, and must agree with its own where nothing is changed.
"""
import json
import sys

import torch
import torch.nn.functional as F

IDS, OTHERS = [5, 9, 2, 30, 36, 7], [5, 8, 2, 31, 35, 3, 11]
POSITION, THERE, TARGETS = 2, 4, [3, 17, 36]
SITES = {"lstm0.pt": ["input-gate", "forget-gate", "candidate", "output-gate", "cell", "hidden"],
         "gru2.pt": ["update-gate", "candidate", "reset-gate"]}


def step(w, layer, x, state, memory, change):
    """One step of one layer. `change` is given every value by its name and gives what is gone on with."""
    a = F.linear(x, w[f"rnn.weight_ih_l{layer}"], w[f"rnn.bias_ih_l{layer}"])
    b = F.linear(state, w[f"rnn.weight_hh_l{layer}"], w[f"rnn.bias_hh_l{layer}"])
    if len(a) == 4 * len(state):
        i, f, g, o = (a + b).chunk(4)
        i, f, o = (change(n, torch.sigmoid(v)) for n, v in (("input-gate", i), ("forget-gate", f), ("output-gate", o)))
        g = change("candidate", torch.tanh(g))
        memory = change("cell", f * memory + i * g)
        return change("hidden", o * torch.tanh(memory)), memory
    (ar, az, an), (br, bz, bn) = a.chunk(3), b.chunk(3)
    r, z = change("reset-gate", torch.sigmoid(ar + br)), change("update-gate", torch.sigmoid(az + bz))
    n = change("candidate", torch.tanh(an + r * bn))
    return change("hidden", (1 - z) * n + z * state), memory


def run(w, ids, change=lambda name, layer, position, value: value):
    layers = sum(1 for name in w if name.startswith("rnn.weight_hh"))
    width = w["rnn.weight_hh_l0"].shape[1]
    rows = [w["encoder.weight"][i] for i in ids]
    for layer in range(layers):
        state = memory = torch.zeros(width)
        for p, x in enumerate(rows):
            state, memory = step(w, layer, x, state, memory, lambda name, value: change(name, layer, p, value))
            rows[p] = state
    return F.linear(torch.stack(rows), w["decoder.weight"], w["decoder.bias"])


def plain(w, ids):
    kind = torch.nn.LSTM if len(w["rnn.weight_hh_l0"]) == 4 * w["rnn.weight_hh_l0"].shape[1] else torch.nn.GRU
    layers = sum(1 for name in w if name.startswith("rnn.weight_hh"))
    net = kind(w["encoder.weight"].shape[1], w["rnn.weight_hh_l0"].shape[1], layers)
    net.load_state_dict({name[4:]: value for name, value in w.items() if name.startswith("rnn.")})
    out, _ = net(w["encoder.weight"][torch.tensor(ids)][:, None])
    return F.linear(out[:, 0], w["decoder.weight"], w["decoder.bias"])


cases = []
with torch.no_grad():
    for file, sites in SITES.items():
        w = torch.load(f"{sys.argv[1]}/{file}")
        assert torch.allclose(run(w, IDS), plain(w, IDS), atol=1e-6)
        for site in sites:
            for layer in (0, 1):
                for unit in (0, 13):
                    kept = {}

                    def keep(name, l, p, value):
                        if (name, l, p) == (site, layer, THERE):
                            kept["value"] = value[unit].clone()
                        return value

                    def put(name, l, p, value):
                        if (name, l, p) == (site, layer, POSITION):
                            value = value.clone()
                            value[unit] = kept["value"]
                        return value

                    run(w, OTHERS, keep)
                    changed = run(w, IDS, put)
                    cases.append({"file": file, "site": site, "layer": layer + 1, "index": unit,
                                  "moved": float((changed - run(w, IDS)).abs().max()),
                                  "logits": [[round(x, 6) for x in row[TARGETS].tolist()] for row in changed]})
json.dump({"ids": IDS, "others": OTHERS, "position": POSITION, "there": THERE, "targets": TARGETS, "cases": cases},
          open(f"{sys.argv[1]}/gates.json", "w"))
