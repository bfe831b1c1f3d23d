// A byte-level tokenizer.json as the metadata of a GGUF file, the way llama.cpp's converter writes it (`_set_vocab_gpt2`): pieces in
// the order of their ids with what is missing in between named and unused, the types of added tokens, merges, the ids of special tokens.

const NORMAL = 1, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5;
const UINT32 = 4, INT32 = 5, BOOL = 7, STRING = 8, ARRAY = 9;

const number = (bytes, write) => {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
};
const u32 = (n) => number(4, (b) => b.writeUInt32LE(n));
const i32 = (n) => number(4, (b) => b.writeInt32LE(n));
const u64 = (n) => number(8, (b) => b.writeBigUInt64LE(BigInt(n)));
const string = (text) => {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
};
const key = (name, type, value) => Buffer.concat([string(name), u32(type), value]);
const array = (name, type, values) =>
  key(name, ARRAY, Buffer.concat([u32(type), u64(values.length), ...values]));

function piecesOf(json) {
  const byId = new Map(Object.entries(json.model.vocab).map(([piece, id]) => [id, piece]));
  const added = new Map(json.added_tokens.map((t) => [t.id, t]));
  const size = [...byId.keys(), ...added.keys()].reduce((most, id) => Math.max(most, id), 0) + 1;
  const looksSpecial = (t) => t.special || /^<[|｜].*[|｜]>$/u.test(t.content) || ['<pad>', '<mask>', '<2mass>', '[@BOS@]'].includes(t.content);
  return Array.from({ length: size }, (_, id) => {
    const t = added.get(id);
    if (t) return { text: looksSpecial(t) ? t.content : t.content.replaceAll('\u2581', ' '), type: looksSpecial(t) ? CONTROL : USER_DEFINED };
    return byId.has(id) ? { text: byId.get(id), type: NORMAL } : { text: `[PAD${id}]`, type: UNUSED };
  });
}

// The names in tokenizer_config.json first, where they are added tokens; then the ids in config.json.
function specialIds(json, config, family) {
  const ids = {};
  for (const role of ['bos', 'eos', 'unk', 'pad', 'mask']) {
    const name = config[`${role}_token`]?.content ?? config[`${role}_token`];
    const id = json.added_tokens.find((t) => t.content === name)?.id ?? family.config[`${role}_token_id`];
    if (typeof id === 'number') ids[role] = id;
  }
  return ids;
}

export function ggufVocabulary(json, config, family) {
  const pieces = piecesOf(json);
  const merges = json.model.merges.map((m) => (typeof m === 'string' ? m : m.map((half) => half.replaceAll(' ', '\u0120')).join(' ')));
  const keys = [
    key('general.architecture', STRING, string(family.config.model_type)),
    key('tokenizer.ggml.model', STRING, string('gpt2')),
    key('tokenizer.ggml.pre', STRING, string(family.pre)),
    array('tokenizer.ggml.tokens', STRING, pieces.map((p) => string(p.text))),
    array('tokenizer.ggml.token_type', INT32, pieces.map((p) => i32(p.type))),
    array('tokenizer.ggml.merges', STRING, merges.map(string)),
  ];
  const names = { bos: 'bos', eos: 'eos', unk: 'unknown', pad: 'padding', mask: 'mask' };
  for (const [role, id] of Object.entries(specialIds(json, config, family)))
    keys.push(key(`tokenizer.ggml.${names[role]}_token_id`, UINT32, u32(id)));
  if (config.add_bos_token !== undefined)
    keys.push(key('tokenizer.ggml.add_bos_token', BOOL, Buffer.from([config.add_bos_token ? 1 : 0])));
  return Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(keys.length), ...keys]);
}
