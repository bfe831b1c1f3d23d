#!/usr/bin/env python3
"""Makes the tiny models in tests/model/golden: for every architecture a Hugging Face directory with
random weights, and what plain PyTorch computes with them. Written from the published descriptions
and Hugging Face's conventions, independently of src/model: one function per architecture, weights
in a dictionary under their published names, everything in double precision.

  /usr/bin/python3 tools/golden/make_models.py tests/model/golden        (Debian: python3-torch)

Every folder gets config.json, model.safetensors, vocab.txt, tokenizer_config.json and
expected.safetensors:
  ids, lengths    the inputs, one after the other
  hidden          [embeddings and layers, tokens, width]
  logits          [tokens, vocabulary]
  loss            mean cross-entropy of every input, each token read at itself
  SITE LAYER      of the second input alone, every value that src/model/architecture.h names
"""
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

LENGTHS = [1, 7, 30, 16, 3]


# ---- saving ----

TYPES = {torch.float32: 'F32', torch.float16: 'F16', torch.bfloat16: 'BF16', torch.int64: 'I64'}


def save(path, tensors):
    header, blobs, at = {}, [], 0
    for name, t in tensors.items():
        raw = t.contiguous()
        raw = (raw.view(torch.int16) if raw.dtype == torch.bfloat16 else raw).numpy().tobytes()
        header[name] = {'dtype': TYPES[t.dtype], 'shape': list(t.shape), 'data_offsets': [at, at + len(raw)]}
        blobs.append(raw)
        at += len(raw)
    head = json.dumps(header, separators=(',', ':')).encode()
    head += b' ' * (-len(head) % 8)
    with open(path, 'wb') as f:
        f.write(struct.pack('<Q', len(head)) + head + b''.join(blobs))


# ---- weights on demand ----

class Weights:
    """Random tensors, made when first asked for and rounded to the type they are stored in."""

    def __init__(self, seed, dtype):
        self.random = torch.Generator().manual_seed(seed)
        self.dtype, self.all = dtype, {}
        self.seen, self.layer = {}, 0

    def begin(self):
        self.seen, self.layer = {}, 0

    def see(self, site, value):
        """A value that has a name in every architecture; the stream after a layer ends the layer."""
        self.seen[f'{site} {0 if site == "output" else self.layer}'] = value
        self.layer += site == 'residual'
        return value

    def __call__(self, name, *shape):
        if name not in self.all:
            t = torch.randn(*shape, generator=self.random)
            if len(shape) > 1:
                t = t * (1.2 / math.sqrt(shape[-1]))
            elif name.endswith('.weight'):
                t = 1 + 0.2 * t
            else:
                t = 0.2 * t
            self.all[name] = t.to(self.dtype)
        return self.all[name].double()

    def linear(self, x, name, out, bias=True):
        w = self(name + '.weight', out, x.shape[-1])
        return F.linear(x, w, self(name + '.bias', out) if bias else None)

    def norm(self, x, name, eps, bias=True):
        n = x.shape[-1]
        return F.layer_norm(x, (n,), self(name + '.weight', n), self(name + '.bias', n) if bias else None, eps)


ACTIVATIONS = {
    'gelu': lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
    'gelu_new': lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    'relu': torch.relu,
    'silu': lambda x: x * torch.sigmoid(x),
}
ACTIVATIONS['gelu_pytorch_tanh'] = ACTIVATIONS['gelu_new']


# ---- the architectures: (weights, config, ids of one sentence) -> hidden states, logits ----

def attention(q, k, v, heads, allowed=None):
    t, h = q.shape
    split = lambda x: x.view(t, heads, h // heads).transpose(0, 1)
    scores = split(q) @ split(k).transpose(1, 2) / math.sqrt(h // heads)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    return (torch.softmax(scores, -1) @ split(v)).transpose(0, 1).reshape(t, h)


def post_norm_layer(w, x, names, heads, inner, act, eps):
    h = x.shape[-1]
    q, k, v = (w.linear(w.see('attention_input', x), names[n], h) for n in ('q', 'k', 'v'))
    a = w.see('attention_output', w.linear(w.see('heads', attention(q, k, v, heads)), names['o'], h))
    x = w.see('attention_residual', w.norm(x + a, names['n1'], eps))
    up = w.see('mlp_inner', ACTIVATIONS[act](w.linear(x, names['up'], inner)))
    down = w.see('mlp_output', w.linear(up, names['down'], h))
    return w.see('residual', w.norm(x + down, names['n2'], eps))


def bert_names(p):
    return dict(q=p + 'attention.self.query', k=p + 'attention.self.key', v=p + 'attention.self.value',
                o=p + 'attention.output.dense', n1=p + 'attention.output.LayerNorm', up=p + 'intermediate.dense',
                down=p + 'output.dense', n2=p + 'output.LayerNorm')


def embed(w, c, p, ids, positions, width, segments=True):
    x = w(p + 'word_embeddings.weight', c['vocab_size'], width)[ids]
    x = x + w(p + 'position_embeddings.weight', c['max_position_embeddings'], width)[positions]
    if segments:
        x = x + w(p + 'token_type_embeddings.weight', c['type_vocab_size'], width)[0]
    return w.norm(x, p + 'LayerNorm', c.get('layer_norm_eps', 1e-12))


def decode(w, c, x, table, decoder, bias):
    if not c.get('tie_word_embeddings', True):
        table = decoder
    return x @ w(table, c['vocab_size'], x.shape[-1]).t() + w(bias, c['vocab_size'])


def bert(w, c, ids, p='bert.', head='cls.predictions.', bias='bias'):
    h, eps = c['hidden_size'], c['layer_norm_eps']
    states = [embed(w, c, p + 'embeddings.', ids, torch.arange(len(ids)), h)]
    for i in range(c['num_hidden_layers']):
        states.append(post_norm_layer(w, states[-1], bert_names(f'{p}encoder.layer.{i}.'), c['num_attention_heads'],
                                      c['intermediate_size'], c['hidden_act'], eps))
    x = w.norm(ACTIVATIONS[c['hidden_act']](w.linear(states[-1], head + 'transform.dense', h)),
               head + 'transform.LayerNorm', eps)
    return states, decode(w, c, x, p + 'embeddings.word_embeddings.weight', head + 'decoder.weight', head + bias)


def roberta(w, c, ids, bias='lm_head.bias'):
    h, eps, pad = c['hidden_size'], c['layer_norm_eps'], c['pad_token_id']
    real = (ids != pad).long()
    positions = torch.cumsum(real, 0) * real + pad
    states = [embed(w, c, 'roberta.embeddings.', ids, positions, h)]
    for i in range(c['num_hidden_layers']):
        states.append(post_norm_layer(w, states[-1], bert_names(f'roberta.encoder.layer.{i}.'),
                                      c['num_attention_heads'], c['intermediate_size'], c['hidden_act'], eps))
    x = w.norm(ACTIVATIONS['gelu'](w.linear(states[-1], 'lm_head.dense', h)), 'lm_head.layer_norm', eps)
    return states, decode(w, c, x, 'roberta.embeddings.word_embeddings.weight', 'lm_head.decoder.weight', bias)


def distilbert(w, c, ids):
    h = c['dim']
    states = [embed(w, c, 'distilbert.embeddings.', ids, torch.arange(len(ids)), h, segments=False)]
    for i in range(c['n_layers']):
        p = f'distilbert.transformer.layer.{i}.'
        names = dict(q=p + 'attention.q_lin', k=p + 'attention.k_lin', v=p + 'attention.v_lin',
                     o=p + 'attention.out_lin', n1=p + 'sa_layer_norm', up=p + 'ffn.lin1', down=p + 'ffn.lin2',
                     n2=p + 'output_layer_norm')
        states.append(post_norm_layer(w, states[-1], names, c['n_heads'], c['hidden_dim'], c['activation'], 1e-12))
    x = w.norm(ACTIVATIONS[c['activation']](w.linear(states[-1], 'vocab_transform', h)), 'vocab_layer_norm', 1e-12)
    return states, decode(w, c, x, 'distilbert.embeddings.word_embeddings.weight', 'vocab_projector.weight',
                          'vocab_projector.bias')


def electra(w, c, ids):
    h, e, eps = c['hidden_size'], c['embedding_size'], c['layer_norm_eps']
    x = embed(w, c, 'electra.embeddings.', ids, torch.arange(len(ids)), e)
    states = [w.linear(x, 'electra.embeddings_project', h) if e != h else x]
    for i in range(c['num_hidden_layers']):
        states.append(post_norm_layer(w, states[-1], bert_names(f'electra.encoder.layer.{i}.'),
                                      c['num_attention_heads'], c['intermediate_size'], c['hidden_act'], eps))
    x = w.norm(ACTIVATIONS['gelu'](w.linear(states[-1], 'generator_predictions.dense', e)),
               'generator_predictions.LayerNorm', eps)
    return states, decode(w, c, x, 'electra.embeddings.word_embeddings.weight', 'generator_lm_head.weight',
                          'generator_lm_head.bias')


def albert(w, c, ids):
    h, e, eps = c['hidden_size'], c['embedding_size'], c['layer_norm_eps']
    x = embed(w, c, 'albert.embeddings.', ids, torch.arange(len(ids)), e)
    states = [w.linear(x, 'albert.encoder.embedding_hidden_mapping_in', h)]
    for i in range(c['num_hidden_layers']):
        group = int(i / (c['num_hidden_layers'] / c['num_hidden_groups']))
        for inner in range(c['inner_group_num']):
            p = f'albert.encoder.albert_layer_groups.{group}.albert_layers.{inner}.'
            names = dict(q=p + 'attention.query', k=p + 'attention.key', v=p + 'attention.value',
                         o=p + 'attention.dense', n1=p + 'attention.LayerNorm', up=p + 'ffn', down=p + 'ffn_output',
                         n2=p + 'full_layer_layer_norm')
            states.append(post_norm_layer(w, states[-1], names, c['num_attention_heads'], c['intermediate_size'],
                                          c['hidden_act'], eps))
    x = w.norm(ACTIVATIONS[c['hidden_act']](w.linear(states[-1], 'predictions.dense', e)), 'predictions.LayerNorm', eps)
    return states, decode(w, c, x, 'albert.embeddings.word_embeddings.weight', 'predictions.decoder.weight',
                          'predictions.bias')


def rotate(x, heads, theta):
    t, h = x.shape
    d = h // heads
    angle = torch.arange(t).double()[:, None] / theta ** (torch.arange(0, d, 2).double() / d)[None]
    cos, sin = torch.cat((angle, angle), -1).cos()[:, None], torch.cat((angle, angle), -1).sin()[:, None]
    x = x.view(t, heads, d)
    turned = torch.cat((-x[..., d // 2:], x[..., :d // 2]), -1)
    return (x * cos + turned * sin).reshape(t, h)


def modernbert(w, c, ids):
    h, heads, eps = c['hidden_size'], c['num_attention_heads'], c['norm_eps']
    nb, ab, mb = c['norm_bias'], c['attention_bias'], c['mlp_bias']
    theta = {'full_attention': c.get('global_rope_theta'), 'sliding_attention': c.get('local_rope_theta')}
    for kind, parameters in c.get('rope_parameters', {}).items():
        theta[kind] = parameters['rope_theta']
    kinds = c.get('layer_types') or ['sliding_attention' if i % c['global_attn_every_n_layers'] else 'full_attention'
                                     for i in range(c['num_hidden_layers'])]
    t = torch.arange(len(ids))
    near = (t[:, None] - t[None]).abs() <= c['local_attention'] // 2
    table = 'model.embeddings.tok_embeddings.weight'
    states = [w.norm(w(table, c['vocab_size'], h)[ids], 'model.embeddings.norm', eps, nb)]
    for i, kind in enumerate(kinds):
        p, x = f'model.layers.{i}.', states[-1]
        y = w.see('attention_input', w.norm(x, p + 'attn_norm', eps, nb) if i else x)
        q, k, v = w.linear(y, p + 'attn.Wqkv', 3 * h, ab).split(h, -1)
        a = attention(rotate(q, heads, theta[kind]), rotate(k, heads, theta[kind]), v, heads,
                      near if kind == 'sliding_attention' else None)
        x = w.see('attention_residual', x + w.see('attention_output', w.linear(w.see('heads', a), p + 'attn.Wo', h, ab)))
        y, gate = w.linear(w.norm(x, p + 'mlp_norm', eps, nb), p + 'mlp.Wi', 2 * c['intermediate_size'], mb).chunk(2, -1)
        y = w.see('mlp_inner', ACTIVATIONS[c['hidden_activation']](y) * gate)
        states.append(w.see('residual', x + w.see('mlp_output', w.linear(y, p + 'mlp.Wo', h, mb))))
    states[-1] = w.norm(states[-1], 'model.final_norm', eps, nb)
    x = w.linear(states[-1], 'head.dense', h, c['classifier_bias'])
    x = w.norm(ACTIVATIONS[c['classifier_activation']](x), 'head.norm', eps, nb)
    logits = x @ w(table, c['vocab_size'], h).t()
    return states, logits + w('decoder.bias', c['vocab_size']) if c['decoder_bias'] else logits


# ---- causal models: position p is read about the token after it ----

def causal_mask(t, window=None):
    i = torch.arange(t)
    allowed = i[:, None] >= i[None]
    return allowed if window is None else allowed & (i[:, None] - i[None] < window)


def gpt2(w, c, ids):
    h, eps = c['n_embd'], c['layer_norm_epsilon']
    conv = lambda x, name, out: x @ w(name + '.weight', x.shape[-1], out) + w(name + '.bias', out)
    states = [w('transformer.wte.weight', c['vocab_size'], h)[ids]
              + w('transformer.wpe.weight', c['n_positions'], h)[torch.arange(len(ids))]]
    for i in range(c['n_layer']):
        p, x = f'transformer.h.{i}.', states[-1]
        q, k, v = conv(w.see('attention_input', w.norm(x, p + 'ln_1', eps)), p + 'attn.c_attn', 3 * h).split(h, -1)
        a = w.see('heads', attention(q, k, v, c['n_head'], causal_mask(len(ids))))
        x = w.see('attention_residual', x + w.see('attention_output', conv(a, p + 'attn.c_proj', h)))
        y = ACTIVATIONS[c['activation_function']](conv(w.norm(x, p + 'ln_2', eps), p + 'mlp.c_fc', c.get('n_inner') or 4 * h))
        states.append(w.see('residual', x + w.see('mlp_output', conv(w.see('mlp_inner', y), p + 'mlp.c_proj', h))))
    x = w.see('output', w.norm(states[-1], 'transformer.ln_f', eps))
    return states, x @ w('transformer.wte.weight', c['vocab_size'], h).t()


def gpt_neox(w, c, ids):
    h, heads, eps, t = c['hidden_size'], c['num_attention_heads'], c['layer_norm_eps'], len(ids)
    d = h // heads
    turned = int(d * c['rotary_pct'])
    states = [w('gpt_neox.embed_in.weight', c['vocab_size'], h)[ids]]
    part = lambda x: torch.cat((rotate(x[..., :turned].reshape(t, heads * turned), heads, c['rotary_emb_base'])
                                .view(t, heads, turned), x[..., turned:]), -1).reshape(t, h)
    for i in range(c['num_hidden_layers']):
        p, x = f'gpt_neox.layers.{i}.', states[-1]
        y = w.see('attention_input', w.norm(x, p + 'input_layernorm', eps))
        qkv = w.linear(y, p + 'attention.query_key_value', 3 * h).view(t, heads, 3 * d)
        q, k, v = qkv[..., :d], qkv[..., d:2 * d], qkv[..., 2 * d:].reshape(t, h)
        a = w.see('heads', attention(part(q), part(k), v, heads, causal_mask(t)))
        a = w.see('attention_output', w.linear(a, p + 'attention.dense', h))
        w.see('attention_residual', x + a)
        y = x if c['use_parallel_residual'] else x + a
        y = ACTIVATIONS[c['hidden_act']](w.linear(w.norm(y, p + 'post_attention_layernorm', eps),
                                                  p + 'mlp.dense_h_to_4h', c['intermediate_size']))
        y = w.see('mlp_output', w.linear(w.see('mlp_inner', y), p + 'mlp.dense_4h_to_h', h))
        states.append(w.see('residual', x + a + y))
    x = w.see('output', w.norm(states[-1], 'gpt_neox.final_layer_norm', eps))
    return states, x @ w('embed_out.weight', c['vocab_size'], h).t()


def llama(w, c, ids):
    kind, h, t = c['model_type'], c['hidden_size'], len(ids)
    heads, groups = c['num_attention_heads'], c['num_key_value_heads']
    d, eps = c.get('head_dim') or h // heads, c['rms_norm_eps']
    gemma, around = kind.startswith('gemma'), kind in ('gemma2', 'gemma3_text')

    def rms(x, name):
        n = w(name + '.weight', x.shape[-1])
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps) * (n + 1 if gemma else n)

    def turn(x, n, theta, scaling):
        f = 1 / theta ** (torch.arange(0, d, 2).double() / d)
        if scaling and scaling['rope_type'] == 'llama3':
            wave, n0 = 2 * math.pi / f, scaling['original_max_position_embeddings']
            blend = (n0 / wave - scaling['low_freq_factor']) / (scaling['high_freq_factor'] - scaling['low_freq_factor'])
            slow = torch.where(wave > n0 / scaling['low_freq_factor'], f / scaling['factor'],
                               (1 - blend) * f / scaling['factor'] + blend * f)
            f = torch.where(wave < n0 / scaling['high_freq_factor'], f, slow)
        elif scaling and scaling['rope_type'] == 'linear':
            f = f / scaling['factor']
        angle = torch.arange(t).double()[:, None] * f[None]
        cos, sin = torch.cat((angle, angle), -1).cos()[:, None], torch.cat((angle, angle), -1).sin()[:, None]
        return x * cos + torch.cat((-x[..., d // 2:], x[..., :d // 2]), -1) * sin

    bias = kind == 'qwen2' or c.get('attention_bias', False)
    x = w('model.embed_tokens.weight', c['vocab_size'], h)[ids]
    states = [x * math.sqrt(h) if gemma else x]
    for i in range(c['num_hidden_layers']):
        p, x = f'model.layers.{i}.', states[-1]
        local = {'gemma2': (i + 1) % 2 != 0, 'gemma3_text': (i + 1) % c.get('sliding_window_pattern', 6) != 0,
                 'mistral': bool(c.get('sliding_window'))}.get(kind, False)
        theta = c.get('rope_local_base_freq', 10000.0) if local and kind == 'gemma3_text' else c['rope_theta']
        scaling = None if local and kind == 'gemma3_text' else c.get('rope_scaling')
        y = w.see('attention_input', rms(x, p + 'input_layernorm'))
        q = w.linear(y, p + 'self_attn.q_proj', heads * d, bias).view(t, heads, d)
        k = w.linear(y, p + 'self_attn.k_proj', groups * d, bias).view(t, groups, d)
        v = w.linear(y, p + 'self_attn.v_proj', groups * d, bias).view(t, groups, d)
        if kind in ('qwen3', 'gemma3_text'):
            q, k = rms(q, p + 'self_attn.q_norm'), rms(k, p + 'self_attn.k_norm')
        q, k = turn(q, heads, theta, scaling), turn(k, groups, theta, scaling)
        k, v = (z.repeat_interleave(heads // groups, 1) for z in (k, v))
        scores = torch.einsum('thd,shd->hts', q, k) / math.sqrt(c.get('query_pre_attn_scalar') or d)
        if kind == 'gemma2':
            scores = c['attn_logit_softcapping'] * torch.tanh(scores / c['attn_logit_softcapping'])
        scores = scores.masked_fill(~causal_mask(t, c['sliding_window'] if local else None), -math.inf)
        a = torch.einsum('hts,shd->thd', torch.softmax(scores, -1), v).reshape(t, heads * d)
        a = w.linear(w.see('heads', a), p + 'self_attn.o_proj', h, c.get('attention_bias', False))
        a = w.see('attention_output', rms(a, p + 'post_attention_layernorm') if around else a)
        x = w.see('attention_residual', x + a)
        y = rms(x, p + ('pre_feedforward_layernorm' if around else 'post_attention_layernorm'))
        y = ACTIVATIONS[c.get('hidden_activation') or c['hidden_act']](w.linear(y, p + 'mlp.gate_proj', c['intermediate_size'], False)) \
            * w.linear(y, p + 'mlp.up_proj', c['intermediate_size'], False)
        y = w.linear(w.see('mlp_inner', y), p + 'mlp.down_proj', h, False)
        y = w.see('mlp_output', rms(y, p + 'post_feedforward_layernorm') if around else y)
        states.append(w.see('residual', x + y))
    x = w.see('output', rms(states[-1], 'model.norm'))
    tied = c.get('tie_word_embeddings', gemma)
    logits = x @ w('model.embed_tokens.weight' if tied else 'lm_head.weight', c['vocab_size'], h).t()
    if kind == 'gemma2':
        logits = c['final_logit_softcapping'] * torch.tanh(logits / c['final_logit_softcapping'])
    return states, logits


# ---- the models ----

def config(kind, **changes):
    c = dict(model_type=kind, vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
             intermediate_size=48, hidden_act='gelu', layer_norm_eps=1e-12, max_position_embeddings=40,
             type_vocab_size=2, pad_token_id=0)
    return {k: v for k, v in (c | changes).items() if v is not None}


def modern(**changes):
    c = dict(model_type='modernbert', vocab_size=120, hidden_size=32, num_hidden_layers=4, num_attention_heads=2,
             intermediate_size=24, hidden_activation='gelu', norm_eps=1e-5, norm_bias=False,
             max_position_embeddings=64, attention_bias=False, mlp_bias=False, decoder_bias=True, local_attention=8,
             classifier_bias=False, classifier_activation='gelu')
    return c | changes


def rename(*changes):
    def apply(name):
        for old, new in changes:
            name = name.replace(old, new)
        return name
    return apply


def family(kind, **changes):
    c = dict(model_type=kind, vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, intermediate_size=44, hidden_act='silu', rms_norm_eps=1e-5,
             max_position_embeddings=64, rope_theta=10000.0, tie_word_embeddings=False)
    return c | changes


same = lambda name: name
MODELS = {
    # name: (function, configuration, stored as, how names are saved)
    'bert': (bert, config('bert'), torch.float32, same),
    # As converted from TensorFlow in 2019: no model_type, gamma and beta.
    'bert-2019': (bert, config(None, architectures=['BertForPreTraining'], hidden_act='relu', layer_norm_eps=1e-7),
                  torch.float16, rename(('LayerNorm.weight', 'LayerNorm.gamma'), ('LayerNorm.bias', 'LayerNorm.beta'))),
    'bert-untied': (bert, config('bert', tie_word_embeddings=False, hidden_act='gelu_new', hidden_size=48,
                                 num_attention_heads=3, intermediate_size=40, vocab_size=101),
                    torch.float16, rename(('bert.', 'module.bert.bert.'))),
    'bert-bare': (lambda w, c, ids: bert(w, c, ids, bias='decoder.bias'), config('bert', hidden_act='silu'),
                  torch.float16, rename(('bert.', ''))),
    'roberta': (roberta, config('roberta', pad_token_id=1, type_vocab_size=1, layer_norm_eps=1e-5), torch.float16, same),
    'xlm-roberta': (lambda w, c, ids: roberta(w, c, ids, 'lm_head.decoder.bias'),
                    config('xlm-roberta', pad_token_id=1, type_vocab_size=1, layer_norm_eps=1e-5, hidden_act='gelu_new'),
                    torch.bfloat16, same),
    'distilbert': (distilbert, dict(model_type='distilbert', vocab_size=120, dim=32, n_layers=2, n_heads=4,
                                    hidden_dim=48, activation='gelu', max_position_embeddings=40), torch.float16, same),
    'electra': (electra, config('electra', embedding_size=16), torch.float16, same),
    'electra-wide': (electra, config('electra', embedding_size=32, hidden_act='relu'), torch.float16, same),
    'albert': (albert, config('albert', embedding_size=16, hidden_act='gelu_new', num_hidden_layers=5,
                              num_hidden_groups=2, inner_group_num=2), torch.float16, same),
    'modernbert': (modernbert, modern(global_attn_every_n_layers=3, global_rope_theta=160000.0,
                                      local_rope_theta=10000.0), torch.float16, same),
    'modernbert-biased': (modernbert, modern(
        norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True, decoder_bias=True,
        hidden_activation='silu', classifier_activation='gelu_new', local_attention=4,
        layer_types=['sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention'],
        rope_parameters={'full_attention': {'rope_type': 'default', 'rope_theta': 50000.0},
                         'sliding_attention': {'rope_type': 'default', 'rope_theta': 700.0}}), torch.float16, same),
    'gpt2': (gpt2, dict(model_type='gpt2', vocab_size=120, n_embd=32, n_layer=2, n_head=4, n_positions=40,
                        layer_norm_epsilon=1e-5, activation_function='gelu_new'), torch.float16, same),
    'gpt2-bare': (gpt2, dict(model_type='gpt2', vocab_size=101, n_embd=48, n_layer=1, n_head=3, n_positions=40, n_inner=40,
                             layer_norm_epsilon=1e-6, activation_function='relu', bos_token_id=50256), torch.float16,
                  rename(('transformer.', ''))),
    'gpt-neox': (gpt_neox, config('gpt_neox', rotary_pct=0.5, rotary_emb_base=10000.0, use_parallel_residual=True,
                                  layer_norm_eps=1e-5), torch.float16, same),
    'gpt-neox-serial': (gpt_neox, config('gpt_neox', rotary_pct=1.0, rotary_emb_base=500.0, use_parallel_residual=False,
                                         layer_norm_eps=1e-5, hidden_act='gelu_new'), torch.float16, same),
    'llama': (llama, family('llama'), torch.bfloat16, same),
    'llama3': (llama, family('llama', num_key_value_heads=1, tie_word_embeddings=True, rope_scaling=dict(
        rope_type='llama3', factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=16)), torch.bfloat16, same),
    'llama-linear': (llama, family('llama', attention_bias=True, rope_scaling=dict(rope_type='linear', factor=4.0)),
                     torch.float16, same),
    'mistral': (llama, family('mistral', sliding_window=5), torch.float16, same),
    'qwen2': (llama, family('qwen2'), torch.float16, same),
    'qwen3': (llama, family('qwen3', head_dim=16), torch.float16, same),
    'gemma': (llama, family('gemma', hidden_act='gelu_pytorch_tanh', head_dim=16, tie_word_embeddings=True), torch.float16, same),
    'gemma2': (llama, family('gemma2', hidden_activation='gelu_pytorch_tanh', head_dim=16, sliding_window=6,
                             attn_logit_softcapping=2.0, final_logit_softcapping=3.0, query_pre_attn_scalar=24,
                             tie_word_embeddings=True), torch.float16, same),
    'gemma3': (llama, family('gemma3_text', hidden_activation='gelu_pytorch_tanh', head_dim=16, sliding_window=6,
                             sliding_window_pattern=2, rope_theta=1000000.0, rope_local_base_freq=10000.0,
                             query_pre_attn_scalar=24, tie_word_embeddings=True, num_hidden_layers=3), torch.float16, same),
}


def make(folder, name, seed):
    function, c, dtype, saved_name = MODELS[name]
    w = Weights(seed, dtype)
    vocabulary = c['vocab_size']
    random = torch.Generator().manual_seed(seed + 1000)
    inputs = [torch.randint(0, vocabulary, (n,), generator=random) for n in LENGTHS]
    results, seen = [], []
    for ids in inputs:
        w.begin()
        results.append(function(w, c, ids))
        seen.append(w.seen)
    loss = [F.cross_entropy(logits, ids) for (_, logits), ids in zip(results, inputs)]

    os.makedirs(folder, exist_ok=True)
    weights = {saved_name(k): t for k, t in w.all.items()}
    if 'bert' in name:  # what real files also hold
        weights['bert.pooler.dense.weight'] = torch.zeros(2, 2)
        weights['embeddings.position_ids'] = torch.arange(c['max_position_embeddings'])[None]
    save(os.path.join(folder, 'model.safetensors'), dict(sorted(weights.items())))
    json.dump(c, open(os.path.join(folder, 'config.json'), 'w'), indent=1)
    json.dump({'do_lower_case': False, 'tokenizer_class': 'BertTokenizer'},
              open(os.path.join(folder, 'tokenizer_config.json'), 'w'))
    words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] + [f'wort{i}' for i in range(5, vocabulary)]
    open(os.path.join(folder, 'vocab.txt'), 'w').write('\n'.join(words) + '\n')
    save(os.path.join(folder, 'expected.safetensors'), {
        'ids': torch.cat(inputs), 'lengths': torch.tensor(LENGTHS),
        'hidden': torch.stack([torch.cat([r[0][i] for r in results]) for i in range(len(results[0][0]))]).float(),
        'logits': torch.cat([r[1] for r in results]).float(),
        'loss': torch.stack(loss).float()} | {name: value.float() for name, value in seen[1].items()})
    print(name, sum(t.numel() for t in w.all.values()), 'parameters, losses', [round(float(x), 3) for x in loss])


if __name__ == '__main__':
    out, only = sys.argv[1], sys.argv[2:]
    for seed, name in enumerate(MODELS):
        if only and name not in only:
            continue
        make(os.path.join(out, name), name, seed)
