// Small vocabularies of every kind, made from a handful of sentences.

const counts = (items) => {
  const n = new Map();
  for (const i of items) n.set(i, (n.get(i) ?? 0) + 1);
  return n;
};
// By how often, then by code unit, so that every run makes the same vocabulary.
const byCount = (map) => [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

const byteCharacters = (() => {
  const table = [];
  let next = 256;
  for (let b = 0; b < 256; ++b) {
    const printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    table.push(String.fromCodePoint(printable ? b : next++));
  }
  return table;
})();
export const toByteLevel = (s) => [...Buffer.from(s)].map((b) => byteCharacters[b]).join('');
export const byteAlphabet = [...byteCharacters].sort();
export const byteFallback = Array.from(
  { length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`);

// The most frequent pairs, joined one after the other.
export function trainMerges(words, size) {
  const all = byCount(counts(words)).map(([w, n]) => ({ symbols: [...w], n }));
  const merges = [];
  while (merges.length < size) {
    const pairs = new Map();
    for (const { symbols, n } of all)
      for (let i = 0; i + 1 < symbols.length; ++i) {
        const key = symbols[i] + ' ' + symbols[i + 1];
        pairs.set(key, (pairs.get(key) ?? 0) + n);
      }
    const best = byCount(pairs)[0];
    if (!best || best[1] < 2) break;
    const [left, right] = best[0].split(' ');
    merges.push([left, right]);
    for (const word of all)
      for (let i = 0; i + 1 < word.symbols.length; ++i)
        if (word.symbols[i] === left && word.symbols[i + 1] === right)
          word.symbols.splice(i, 2, left + right);
  }
  return merges;
}

export const alphabet = (words) => [...new Set(words.flatMap((w) => [...w]))].sort();

// The most frequent beginnings and continuations of words, and every character as both.
export function wordPieces(words, size) {
  const found = new Map();
  const characters = new Set();
  for (const word of words) {
    const c = [...word];
    for (let i = 0; i < c.length; ++i) {
      characters.add((i ? '##' : '') + c[i]);
      for (let n = 2; n <= 8 && i + n <= c.length; ++n) {
        const piece = (i ? '##' : '') + c.slice(i, i + n).join('');
        found.set(piece, (found.get(piece) ?? 0) + n);
      }
    }
  }
  const pieces = byCount(found).slice(0, size).map(([p]) => p);
  return [...[...characters].sort(), ...pieces];
}

// The most frequent strings with the logarithm of their share as score.
export function unigramPieces(words, size) {
  const found = new Map();
  const characters = new Set();
  for (const word of words) {
    const c = [...word];
    for (let i = 0; i < c.length; ++i) {
      characters.add(c[i]);
      for (let n = 1; n <= 8 && i + n <= c.length; ++n) {
        const piece = c.slice(i, i + n).join('');
        found.set(piece, (found.get(piece) ?? 0) + 1);
      }
    }
  }
  const ranked = byCount(new Map([...found].map(([p, n]) => [p, n * [...p].length])));
  const kept = ranked.filter(([p]) => [...p].length > 1).slice(0, size).map(([p]) => p);
  const total = [...found.values()].reduce((a, b) => a + b, 0);
  const score = (p) => Math.round(Math.log(found.get(p) / total) * 1e6) / 1e6;
  return [...[...characters].sort(), ...kept].map((p) => [p, score(p)]);
}

// SentencePiece's precompiled map: a double-array trie of the keys, then the normal forms.
export function charsmap(rules) {
  const root = { children: new Map(), value: null };
  let normals = Buffer.alloc(0);
  for (const [from, to] of rules) {
    let node = root;
    for (const b of Buffer.from(from)) {
      if (!node.children.has(b)) node.children.set(b, { children: new Map(), value: null });
      node = node.children.get(b);
    }
    node.value = normals.length;
    normals = Buffer.concat([normals, Buffer.from(to), Buffer.from([0])]);
  }
  const units = [0];
  const used = new Set([0]);
  const bases = new Set();
  const put = (at, unit) => {
    while (units.length <= at) units.push(0);
    units[at] = unit >>> 0;
    used.add(at);
  };
  const place = (node, at, label) => {
    const labels = [...(node.value === null ? [] : [0]), ...[...node.children.keys()].sort((a, b) => a - b)];
    let base = 1;
    while (bases.has(base) || labels.some((l) => used.has(base ^ l))) ++base;
    bases.add(base);
    put(at, label | ((node.value === null ? 0 : 1) << 8) | ((at ^ base) << 10));
    for (const l of labels) used.add(base ^ l);
    if (node.value !== null) put(base, node.value | 0x80000000);
    for (const [l, child] of node.children) place(child, base ^ l, l);
  };
  place(root, 0, 0);
  const trie = Buffer.alloc(units.length * 4);
  units.forEach((u, i) => trie.writeUInt32LE(u, i * 4));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(trie.length);
  return Buffer.concat([size, trie, normals]).toString('base64');
}
