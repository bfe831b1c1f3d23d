#!/usr/bin/env python3
"""What Hugging Face's transformers answer when one head or one neuron has the value of another input: for some of the
tiny models in tests/model/golden, into patched.json beside them.

  python3 tools/golden/patched.py tests/model/golden        (transformers 4.4x or later, PyTorch)

Heads are replaced before they are mixed, neurons after their activation: both are what a linear layer reads.
"""
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

MODELS = {  # whether masked; what mixes the heads; what reads the neurons
    'bert': (True, 'bert.encoder.layer.{}.attention.output.dense', 'bert.encoder.layer.{}.output.dense'),
    'modernbert': (True, 'model.layers.{}.attn.Wo', 'model.layers.{}.mlp.Wo'),
    'gpt2': (False, 'transformer.h.{}.attn.c_proj', 'transformer.h.{}.mlp.c_proj'),
    'gpt-neox': (False, 'gpt_neox.layers.{}.attention.dense', 'gpt_neox.layers.{}.mlp.dense_4h_to_h'),
    'llama': (False, 'model.layers.{}.self_attn.o_proj', 'model.layers.{}.mlp.down_proj'),
}
IDS, OTHERS = [5, 9, 2, 30, 36, 7], [5, 8, 2, 31, 35, 3, 11]
POSITION, THERE, TARGETS = 2, 4, [3, 17, 36]


def run(model, ids, layer=None, change=None):
    """The logits; what `layer` reads goes through `change` first."""
    handle = layer and layer.register_forward_pre_hook(lambda _, given: (change(given[0]),))
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].float()
    if handle:
        handle.remove()
    return logits


def patched(model, layer, part):
    kept = []

    def keep(x):
        kept.append(x.reshape(-1, x.shape[-1])[THERE].clone())
        return x

    def put(x):
        x = x.clone()
        x.reshape(-1, x.shape[-1])[POSITION, part] = kept[0][part]
        return x

    run(model, OTHERS, layer, keep)
    return run(model, IDS, layer, put)


all_cases = []
for name, (masked, heads, neurons) in MODELS.items():
    kind = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    model = kind.from_pretrained(f'{sys.argv[1]}/{name}', dtype=torch.float32, attn_implementation='eager',
                                 pad_token_id=0).eval()
    layers, count = model.config.num_hidden_layers, model.config.num_attention_heads
    for site, path in (('head', heads), ('neuron', neurons)):
        for number in range(layers):
            layer = model.get_submodule(path.format(number))
            shape = layer.weight.shape
            width = shape[0] if name == 'gpt2' else shape[1]  # GPT-2 stores its layers the other way round
            for index in (1, count - 1) if site == 'head' else (0, 5):
                size = width // count if site == 'head' else 1
                logits = patched(model, layer, slice(index * size, (index + 1) * size))
                plain = run(model, IDS)
                all_cases.append({'model': name, 'site': site, 'layer': number + 1, 'index': index,
                                  'moved': round(float((logits - plain).abs().max()), 6),
                                  'logits': [[round(float(row[t]), 6) for t in TARGETS] for row in logits]})
text = ',\n'.join(json.dumps(case) for case in all_cases)
with open(f'{sys.argv[1]}/patched.json', 'w') as out:
    out.write(json.dumps({'ids': IDS, 'others': OTHERS, 'position': POSITION, 'there': THERE, 'targets': TARGETS})[:-1]
              + f', "cases": [\n{text}\n]}}\n')
