#!/usr/bin/env python3
"""What Hugging Face's transformers answer when one head or one neuron has the value of another input: for some of the
tiny models in tests/model/golden, into patched.json beside them.

  python3 tools/golden/patched.py tests/model/golden        (transformers 4.4x or later, PyTorch)

Heads are replaced before they are mixed, neurons after their activation: both are what a linear layer reads. Of an encoder with
a decoder, layers and heads count as minpair counts them: the decoder's layers after the encoder's, its heads that look at the
encoder after those among its own tokens; its last row is the gap's, and its first row goes along with the second.
"""
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

MODELS = {  # whether masked; what mixes the heads; what reads the neurons, if there are any
    'bert': (True, 'bert.encoder.layer.{}.attention.output.dense', 'bert.encoder.layer.{}.output.dense'),
    'modernbert': (True, 'model.layers.{}.attn.Wo', 'model.layers.{}.mlp.Wo'),
    'gpt2': (False, 'transformer.h.{}.attn.c_proj', 'transformer.h.{}.mlp.c_proj'),
    'gpt-neox': (False, 'gpt_neox.layers.{}.attention.dense', 'gpt_neox.layers.{}.mlp.dense_4h_to_h'),
    'llama': (False, 'model.layers.{}.self_attn.o_proj', 'model.layers.{}.mlp.down_proj'),
    # A state in place of attention.
    'rwkv': (False, None, 'rwkv.blocks.{}.feed_forward.value'),
    'mamba2': (False, 'backbone.layers.{}.mixer.out_proj', None),
    'xlstm': (False, 'backbone.blocks.{}.mlstm_layer.out_proj', 'backbone.blocks.{}.ffn.proj_down'),
}
# Of the encoder: what mixes the heads, what reads the neurons. Of the decoder: the same, with both kinds of heads.
TWO_SIDED = {
    't5': (['encoder.block.{}.layer.0.SelfAttention.o', 'encoder.block.{}.layer.1.DenseReluDense.wo'],
           ['decoder.block.{}.layer.0.SelfAttention.o', 'decoder.block.{}.layer.1.EncDecAttention.o',
            'decoder.block.{}.layer.2.DenseReluDense.wo']),
    'bart-scaled': (['model.encoder.layers.{}.self_attn.out_proj', 'model.encoder.layers.{}.fc2'],
                    ['model.decoder.layers.{}.self_attn.out_proj', 'model.decoder.layers.{}.encoder_attn.out_proj',
                     'model.decoder.layers.{}.fc2']),
}
GAP = 4  # [MASK]
GAP_IDS, GAP_OTHERS = [5, 9, 2, 30, GAP, 36, 7], [5, 8, 2, 31, 35, GAP, 3, 11]
GAP_MOVES = ((4, 5), (2, 3))  # to a token, from one of the others: the gap, a token before it

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


def patched(run, ids, others, layer, part, rows, from_rows):
    """With what a layer reads at some rows taken from the others' rows."""
    kept = []

    def keep(x):
        kept.append(x.reshape(-1, x.shape[-1])[from_rows].clone())
        return x

    def put(x):
        x = x.clone()
        x.reshape(-1, x.shape[-1])[rows, part] = kept[0][:, part]
        return x

    run(others, layer, keep)
    return run(ids, layer, put)


def two_sided(name, model):
    """The logits of the gap."""
    bart = 'bart' in name
    config = model.config
    count = {False: getattr(config, 'encoder_attention_heads', getattr(config, 'num_heads', 0)),
             True: getattr(config, 'decoder_attention_heads', getattr(config, 'num_heads', 0))}
    encoders = config.encoder_layers if bart else config.num_layers
    decoders = config.decoder_layers if bart else config.num_decoder_layers

    def read(ids):
        return [config.decoder_start_token_id, *(ids[:ids.index(GAP)] if bart else [GAP])]

    def run_gap(ids, layer=None, change=None):
        handle = layer and layer.register_forward_pre_hook(lambda _, given: (change(given[0]),))
        with torch.no_grad():
            logits = model(torch.tensor([ids]), decoder_input_ids=torch.tensor([read(ids)])).logits[0].float()
        if handle:
            handle.remove()
        return logits[-1]

    def rows_of(ids, position, decodes):
        if not decodes:
            return [position]
        last = len(read(ids)) - 1
        row = last if position == ids.index(GAP) else position + 1
        return [0, row] if row == 1 else [row]

    plain = run_gap(GAP_IDS)
    for decodes, paths in zip((False, True), TWO_SIDED[name]):
        for number in range(decoders if decodes else encoders):
            for kind, path in enumerate(paths):
                layer = model.get_submodule(path.format(number))
                is_head = kind + 1 < len(paths)
                width = layer.weight.shape[1]
                for index in (1, count[decodes] - 1) if is_head else (0, 5):
                    for to, there in GAP_MOVES if bart or not decodes else GAP_MOVES[:1]:
                        size = width // count[decodes] if is_head else 1
                        logits = patched(run_gap, GAP_IDS, GAP_OTHERS, layer, slice(index * size, (index + 1) * size),
                                         rows_of(GAP_IDS, to, decodes), rows_of(GAP_OTHERS, there, decodes))
                        yield {'model': name, 'site': 'head' if is_head else 'neuron',
                               'layer': number + 1 + (encoders if decodes else 0),
                               'index': index + (count[decodes] if is_head and kind == 1 else 0), 'position': to, 'there': there,
                               'moved': round(float((logits - plain).abs().max()), 6),
                               'logits': [round(float(logits[t]), 6) for t in TARGETS]}


all_cases = []
for name, (masked, heads, neurons) in MODELS.items():
    kind = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    attends = heads and neurons and name != 'xlstm'
    model = kind.from_pretrained(f'{sys.argv[1]}/{name}', dtype=torch.float32, pad_token_id=0,
                                 **({'attn_implementation': 'eager'} if attends else {})).eval()
    layers = model.config.num_hidden_layers
    count = getattr(model.config, 'num_attention_heads', getattr(model.config, 'num_heads', 0))
    for site, path in (('head', heads), ('neuron', neurons)):
        for number in range(layers if path else 0):
            layer = model.get_submodule(path.format(number))
            shape = layer.weight.shape
            width = shape[0] if name == 'gpt2' else shape[1]  # GPT-2 stores its layers the other way round
            for index in (1, count - 1) if site == 'head' else (0, 5):
                size = width // count if site == 'head' else 1
                plain, logits = run(model, IDS), None
                while logits is None or (logits - plain).abs().max() < 2e-3:  # one that is not silent in both
                    index += logits is not None
                    logits = patched(lambda *given: run(model, *given), IDS, OTHERS, layer, slice(index * size, (index + 1) * size),
                                     [POSITION], [THERE])
                all_cases.append({'model': name, 'site': site, 'layer': number + 1, 'index': index,
                                  'moved': round(float((logits - plain).abs().max()), 6),
                                  'logits': [[round(float(row[t]), 6) for t in TARGETS] for row in logits]})
gap_cases = []
for name in TWO_SIDED:
    gap_cases += two_sided(name, AutoModelForSeq2SeqLM.from_pretrained(f'{sys.argv[1]}/{name}', dtype=torch.float32,
                                                                       attn_implementation='eager').eval())
text, gap_text = (',\n'.join(json.dumps(case) for case in cases) for cases in (all_cases, gap_cases))
with open(f'{sys.argv[1]}/patched.json', 'w') as out:
    out.write(json.dumps({'ids': IDS, 'others': OTHERS, 'position': POSITION, 'there': THERE, 'targets': TARGETS})[:-1]
              + f', "cases": [\n{text}\n],\n"gap_ids": {GAP_IDS}, "gap_others": {GAP_OTHERS}, "gap_cases": [\n{gap_text}\n]}}\n')
