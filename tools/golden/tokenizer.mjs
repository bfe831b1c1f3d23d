// Makes the golden segmentations in tests/golden/tokenizer: for each published kind of
// tokenizer.json a small one of the same structure, and what Hugging Face's own implementation
// (the npm package `tokenizers`) makes of our texts with it. A second implementation
// (`@huggingface/transformers`) is asked too; where the two disagree is printed.
//
//   npm install --ignore-scripts tokenizers@0.23.2 @huggingface/transformers@4.3.1
//   node tools/golden/tokenizer.mjs tests/golden/tokenizer [DATA/ud-2.4] [MODELS]
//
// Of published treebanks only a hash of the ids is kept.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { corpus, curiosities, sentences } from './tokenizer_texts.mjs';
import * as v from './tokenizer_vocabularies.mjs';

const require = createRequire(join(process.cwd(), 'x.js'));
const { Tokenizer } = require('tokenizers');
const { PreTrainedTokenizer } = await import(require.resolve('@huggingface/transformers'));

const [out, treebanks, models] = process.argv.slice(2);

const special = (id, content, more = {}) => ({
  id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true,
  ...more,
});
const byId = (pieces) => Object.fromEntries(pieces.map((p, i) => [p, i]));
const template = (vocab, before, after) => ({
  type: 'TemplateProcessing',
  single: [
    ...before.map((id) => ({ SpecialToken: { id, type_id: 0 } })),
    { Sequence: { id: 'A', type_id: 0 } },
    ...after.map((id) => ({ SpecialToken: { id, type_id: 0 } })),
  ],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
  special_tokens: Object.fromEntries(
    [...before, ...after].map((t) => [t, { id: t, ids: [vocab[t]], tokens: [t] }])),
});
const file = (parts) => ({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null,
  pre_tokenizer: null, post_processor: null, decoder: null, ...parts,
});

// Words of the corpus in the shapes that the kinds of models see.
const plain = corpus.flatMap((s) => s.match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu));
const withMark = corpus.flatMap((s) => s.split(/\s+/)).map((w) => '\u2581' + w);
const gpt2Words = corpus
  .flatMap((s) => s.match(/'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu))
  .map(v.toByteLevel);

const rules = (() => {
  const map = new Map();
  for (let c = 0xff01; c <= 0xff5e; ++c) map.set(String.fromCodePoint(c), String.fromCodePoint(c - 0xfee0));
  for (const c of '\t\n\r\u00a0\u1680\u2003\u2028\u2029\u202f\u3000\u200b\u200e\u200f\ufeff') map.set(c, ' ');
  for (const c of '\u0001\u0002\u001f\u007f') map.set(c, '');
  for (const c of 'ﬁﬂﬃⅧ½²™㎏ℌ①②③ſKÅŉǅ…𝒜𝟘') map.set(c, c.normalize('NFKC'));
  for (const base of 'aeioucnAEIOU')
    for (const mark of '\u0300\u0301\u0302\u0303\u0308\u0327')
      if ((base + mark).normalize('NFC').length === 1) map.set(base + mark, (base + mark).normalize('NFC'));
  for (const kana of 'ｶｷｸｹｺ') {
    map.set(kana, kana.normalize('NFKC'));
    map.set(kana + 'ﾞ', (kana + 'ﾞ').normalize('NFKC'));
  }
  return [...map];
})();
const precompiled = { type: 'Precompiled', precompiled_charsmap: v.charsmap(rules) };

const byteLevel = (more = {}) => ({
  type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true, ...more });
const metaspace = (scheme, split) => ({
  type: 'Metaspace', replacement: '\u2581', prepend_scheme: scheme, split });

function wordPiece(pieces, normalizer, more = {}) {
  const vocab = byId([...new Set(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...pieces])]);
  return file({
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((t, i) => special(i, t)),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true,
                  strip_accents: null, lowercase: true, ...normalizer },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: template(vocab, ['[CLS]'], ['[SEP]']),
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##',
             max_input_chars_per_word: 100, vocab },
    ...more,
  });
}

function byteLevelBpe(parts, first = [], last = [], mergesAsText = true, model = {}) {
  const merges = v.trainMerges(gpt2Words, 220);
  const pieces = [...first, ...v.byteAlphabet, ...merges.map((m) => m.join('')), ...last];
  const vocab = byId([...new Set(pieces)]);
  const made = parts(vocab);
  return file({
    ...made,
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: '',
             end_of_word_suffix: '', fuse_unk: false, byte_fallback: false, ignore_merges: false,
             vocab, merges: mergesAsText ? merges.map((m) => m.join(' ')) : merges, ...model },
  });
}

function fallbackBpe(parts, first) {
  const merges = v.trainMerges(withMark, 250);
  const pieces = [...first, ...v.byteFallback, ...v.alphabet(withMark), ...merges.map((m) => m.join(''))];
  const vocab = byId([...new Set(pieces)]);
  return file({
    ...parts(vocab),
    model: { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null,
             end_of_word_suffix: null, fuse_unk: true, byte_fallback: true, vocab,
             merges: merges.map((m) => m.join(' ')) },
  });
}

function unigram(parts, first, last = [], words = withMark) {
  const scored = [...first.map((p) => [p, 0]), ...v.unigramPieces(words, 320), ...last.map((p) => [p, 0])];
  const seen = new Set();
  const pieces = scored.filter(([p]) => !seen.has(p) && seen.add(p));
  const vocab = byId(pieces.map(([p]) => p));
  return file({ ...parts(vocab), model: { type: 'Unigram', unk_id: vocab['<unk>'], vocab: pieces } });
}

const llama3Pattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const qwen2Pattern = llama3Pattern.replace('\\p{N}{1,3}', '\\p{N}');
const tekkenPattern =
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const split = (Regex, behavior = 'Isolated', invert = false) => ({
  type: 'Split', pattern: { Regex }, behavior, invert });
const regexThenBytes = (...patterns) => ({
  type: 'Sequence',
  pretokenizers: [...patterns.map((p) => split(p)), byteLevel({ use_regex: false })],
});

const lower = plain.map((w) => w.normalize('NFD').replace(/\p{Mn}/gu, '').toLowerCase());
const tokenizers = {
  'bert-uncased': wordPiece(v.wordPieces(lower, 300), {}),
  'bert-cased': wordPiece(v.wordPieces(plain, 300), { lowercase: false }),
  // Accents kept, one token to be found in the normalised text: no shortcut for this one.
  'bert-added': (() => {
    const t = wordPiece(v.wordPieces(plain.map((w) => w.toLowerCase()), 200), { strip_accents: false });
    t.added_tokens.push(special(Object.keys(t.model.vocab).length, 'Neuwort',
                                { normalized: true, special: false, single_word: true }));
    return t;
  })(),
  roberta: byteLevelBpe((vocab) => ({
    added_tokens: ['<s>', '<pad>', '</s>', '<unk>', '<mask>'].map((t) =>
      special(vocab[t], t, { normalized: t !== '<mask>', lstrip: t === '<mask>' })),
    pre_tokenizer: byteLevel(),
    post_processor: { type: 'RobertaProcessing', sep: ['</s>', vocab['</s>']], cls: ['<s>', vocab['<s>']],
                      trim_offsets: true, add_prefix_space: false },
  }), ['<s>', '<pad>', '</s>', '<unk>'], ['<mask>']),
  gpt2: byteLevelBpe((vocab) => ({
    added_tokens: [special(vocab['<|endoftext|>'], '<|endoftext|>', { normalized: true })],
    pre_tokenizer: byteLevel(), post_processor: byteLevel({ trim_offsets: false }),
  }), [], ['<|endoftext|>']),
  'gpt2-prefix': byteLevelBpe(() => ({ pre_tokenizer: byteLevel({ add_prefix_space: true }) })),
  'llama-3': byteLevelBpe((vocab) => {
    const n = Object.keys(vocab).length;
    return {
      added_tokens: [special(n, '<|begin_of_text|>'), special(n + 1, '<|end_of_text|>')],
      pre_tokenizer: regexThenBytes(llama3Pattern),
      post_processor: { type: 'Sequence', processors: [byteLevel(),
        template({ '<|begin_of_text|>': n }, ['<|begin_of_text|>'], [])] },
    };
  }, [], [v.toByteLevel(' children'), v.toByteLevel('Kinder')], false, { ignore_merges: true }),
  'qwen-2': byteLevelBpe((vocab) => {
    const n = Object.keys(vocab).length;
    return {
      added_tokens: ['<|endoftext|>', '<|im_start|>', '<|im_end|>'].map((t, i) => special(n + i, t)),
      normalizer: { type: 'NFC' }, pre_tokenizer: regexThenBytes(qwen2Pattern),
      post_processor: byteLevel({ trim_offsets: false, use_regex: false }),
    };
  }),
  'mistral-nemo': byteLevelBpe((vocab) => ({
    added_tokens: ['<unk>', '<s>', '</s>'].map((t) => special(vocab[t], t)),
    pre_tokenizer: regexThenBytes(tekkenPattern), post_processor: template(vocab, ['<s>'], []),
  }), ['<unk>', '<s>', '</s>'], [], false),
  'deepseek': byteLevelBpe(() => ({
    normalizer: { type: 'Sequence', normalizers: [] },
    pre_tokenizer: regexThenBytes('\\p{N}{1,3}', '[一-龥぀-ゟ゠-ヿ]+',
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+'),
  })),
  modernbert: byteLevelBpe((vocab) => {
    const n = Object.keys(vocab).length;
    return {
      added_tokens: [
        special(n, '[UNK]'), special(n + 1, '[CLS]'), special(n + 2, '[SEP]'), special(n + 3, '[PAD]'),
        special(n + 4, '[MASK]', { lstrip: true }),
        special(n + 5, '    ', { normalized: true, special: false }),
        special(n + 6, '  ', { normalized: true, special: false }),
        special(n + 7, '|||IP_ADDRESS|||', { normalized: true, special: false }),
      ],
      normalizer: { type: 'NFC' }, pre_tokenizer: byteLevel(),
      post_processor: template({ '[CLS]': n + 1, '[SEP]': n + 2 }, ['[CLS]'], ['[SEP]']),
    };
  }),
  'xlm-roberta': unigram((vocab) => ({
    added_tokens: ['<s>', '<pad>', '</s>', '<unk>', '<mask>'].map((t) =>
      special(vocab[t], t, { lstrip: t === '<mask>' })),
    normalizer: precompiled,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' },
      { type: 'Metaspace', replacement: '\u2581', add_prefix_space: true }] },
    post_processor: template(vocab, ['<s>'], ['</s>']),
  }), ['<s>', '<pad>', '</s>', '<unk>'], ['<mask>']),
  albert: unigram((vocab) => ({
    added_tokens: ['<pad>', '<unk>', '[CLS]', '[SEP]', '[MASK]'].map((t) =>
      special(vocab[t], t, { lstrip: t === '[MASK]' })),
    normalizer: { type: 'Sequence', normalizers: [
      { type: 'Replace', pattern: { String: '``' }, content: '"' },
      { type: 'Replace', pattern: { String: "''" }, content: '"' },
      { type: 'NFKD' }, { type: 'StripAccents' }, { type: 'Lowercase' }, precompiled,
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }] },
    pre_tokenizer: metaspace('always', true),
    post_processor: template(vocab, ['[CLS]'], ['[SEP]']),
  }), ['<pad>', '<unk>', '[CLS]', '[SEP]', '[MASK]'], [],
    withMark.map((w) => w.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())),
  'llama-2': fallbackBpe((vocab) => ({
    added_tokens: ['<unk>', '<s>', '</s>'].map((t) => special(vocab[t], t)),
    normalizer: { type: 'Sequence', normalizers: [
      { type: 'Prepend', prepend: '\u2581' },
      { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' }] },
    post_processor: template(vocab, ['<s>'], []),
  }), ['<unk>', '<s>', '</s>']),
  mistral: fallbackBpe((vocab) => ({
    added_tokens: ['<unk>', '<s>', '</s>'].map((t) => special(vocab[t], t)),
    pre_tokenizer: metaspace('first', false), post_processor: template(vocab, ['<s>'], []),
  }), ['<unk>', '<s>', '</s>']),
  gemma: fallbackBpe((vocab) => ({
    added_tokens: [
      ...['<pad>', '<eos>', '<bos>', '<unk>'].map((t) => special(vocab[t], t)),
      ...['<mask>', '\n\n', '\n'].map((t) => special(vocab[t], t, { special: false }))],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
    post_processor: template(vocab, ['<bos>'], []),
  }), ['<pad>', '<eos>', '<bos>', '<unk>', '<mask>', '\n\n', '\n']),
  words: (() => {
    const vocab = byId(['<unk>', '<eos>', ...new Set(plain.map((w) => w.toLowerCase()))]);
    return file({
      added_tokens: [special(0, '<unk>'), special(1, '<eos>')],
      normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Lowercase' }, { type: 'Strip', strip_left: true, strip_right: true }] },
      pre_tokenizer: { type: 'Whitespace' },
      model: { type: 'WordLevel', vocab, unk_token: '<unk>' },
    });
  })(),
  // Splits that few models use, one after the other.
  splits: (() => {
    const words = plain.map((w) => w.normalize('NFKC'));
    const pieces = wordPiece(v.wordPieces(words, 150), {});
    return { ...pieces,
      normalizer: { type: 'Sequence', normalizers: [{ type: 'Nmt' }, { type: 'NFKC' }] },
      pre_tokenizer: { type: 'Sequence', pretokenizers: [
        { type: 'CharDelimiterSplit', delimiter: '_' },
        { type: 'Digits', individual_digits: false },
        { type: 'Punctuation', behavior: 'Contiguous' },
        split('[aeiou]{2}', 'MergedWithNext'), split('[xyz]', 'MergedWithPrevious'),
        split('\\w+|[^\\w\\s]+', 'Removed', true),
        { type: 'WhitespaceSplit' }] } };
  })(),
};

function treebankSentences(path) {
  return readFileSync(path, 'utf8').split('\n').filter((l) => l.startsWith('# text = ')).map((l) => l.slice(9));
}

async function hashes(tokenizer) {
  const found = {};
  if (!treebanks || !existsSync(treebanks)) return found;
  for (const folder of readdirSync(treebanks).sort())
    for (const name of readdirSync(join(treebanks, folder)).filter((n) => n.endsWith('.conllu')).sort()) {
      const hash = createHash('sha256');
      for (const s of treebankSentences(join(treebanks, folder, name)))
        hash.update((await tokenizer.encode(s)).getIds().join(' ') + '\n');
      found[`${folder}/${name}`] = hash.digest('hex');
    }
  return found;
}

async function encodeAll(json, name) {
  const tokenizer = Tokenizer.fromString(JSON.stringify({ ...json, truncation: null, padding: null }));
  let other = { encode: () => 'unsupported' };
  try { other = new PreTrainedTokenizer(structuredClone(json), {}); } catch (e) { console.log(String(e)); }
  const lines = [];
  let different = 0;
  for (const text of [...sentences, ...curiosities]) {
    const encoded = await tokenizer.encode(text);
    const ids = encoded.getIds();
    let second = null;
    try { second = other.encode(text); } catch (e) { second = String(e); }
    if (JSON.stringify(second) !== JSON.stringify(ids)) {
      ++different;
      if (process.env.VERBOSE) console.log(name, JSON.stringify(text), ids.join(' '), '|', String(second));
    }
    lines.push(JSON.stringify({ text, ids, spans: encoded.getOffsets() }));
  }
  console.log(`${name}: ${lines.length} texts; the two implementations disagree on ${different}`);
  return { lines, tokenizer };
}

for (const [name, json] of Object.entries(tokenizers)) {
  const folder = join(out, name);
  mkdirSync(folder, { recursive: true });
  const { lines, tokenizer } = await encodeAll(json, name);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(json) + '\n');
  writeFileSync(join(folder, 'expected.jsonl'), lines.join('\n') + '\n');
  writeFileSync(join(folder, 'treebanks.json'), JSON.stringify(await hashes(tokenizer), null, 1) + '\n');
}
if (models)
  for (const name of ['minilm-l6', 'stories15M', 'stories260K']) {
    const json = JSON.parse(readFileSync(join(models, name, 'tokenizer.json'), 'utf8'));
    const { lines, tokenizer } = await encodeAll(json, name);
    mkdirSync(join(out, 'models'), { recursive: true });
    writeFileSync(join(out, 'models', name + '.jsonl'), lines.join('\n') + '\n');
    writeFileSync(join(out, 'models', name + '-treebanks.json'), JSON.stringify(await hashes(tokenizer), null, 1) + '\n');
  }
