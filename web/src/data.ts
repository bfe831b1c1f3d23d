// The data that the program put into the page: deflated blocks in base 64, opened when needed.

// language, test, condition, feature, value; "" where it does not matter
export type Group = [string, string, string, string, string];
/** Column by column, a place per group; places that a run has none for are missing. */
export interface Cells {
  items: number[];
  points: number[];
  ties: number[];
  low: (number | null)[]; // null: too few clusters
  high: (number | null)[];
  clusters: number[];
  excluded: [number, string, number][]; // group, reason, items
}
/** A run under one norm; `as`: the same numbers as that one. */
export interface Look {
  norm: string;
  as?: number;
  all?: Cells;
  equal?: Cells; // absent: the same as all
}
export interface Run {
  id: number;
  shape: number; // which block has its tokens' places
  suite: number;
  model: string;
  method: string;
  released: boolean;
  stage?: { of: string; at: number; said: string }; // a checkpoint, its place along the training
  about: Record<string, string>;
  looks: Look[]; // its own first
}
/** What stands beside the runs: published results, and means over seeds. */
export interface Other {
  suite: number;
  model: string;
  method: string;
  norm: string;
  lengths: string;
  seeds: number; // 0: published
  other_items: boolean; // published, and over other items than ours
  language: string;
  test: string;
  condition: string;
  accuracy: number;
  deviation: number;
  pairs: number;
  source: string;
}
export interface Suite {
  name: string;
  title: string;
  citation: string;
  items: number;
  designs: boolean;
  tests: { name: string; title: string; group: string }[];
  criteria: { name: string; test: string; formula: string }[];
  groups: Group[];
  features: { name: string; values: string[] }[];
  clusters: string;
}
export interface Data {
  made: string;
  suites: Suite[];
  runs: Run[];
  others: Other[];
  findings: { suite: number; text: string }[]; // which differences remain after Holm's correction
  policies: string[];
  account: string[];
  notes: string[];
  reasons: Record<string, string>;
  inside?: boolean; // the file has effects: what 'introspect' found
}

export interface Texts {
  texts: string[];
  at: number[];
}
// text, locus from and to (UTF-16), kind; of some also name, context, regions
export type Sentence = [
  string,
  number,
  number,
  number,
  string?,
  string?,
  [string, number, number][]?,
];
export const kKinds = { bad: 0, good: 1, neither: 2, blank: 3 };
export interface Items {
  ids: string[];
  tests: Texts;
  conditions: Texts;
  languages: Texts;
  sentences: Sentence[][];
  features: Record<string, Texts>;
}
/** What a run says of every item under one norm. */
export interface Judged {
  outcomes: string; // r, w, t, x (excluded), - (not in this run)
  equal: string; // 1: the sentences have as many tokens
  scale: number;
  margins: (number | null)[]; // whole numbers of 1 / scale
  reasons: Texts;
}
export const kOutcomes: Record<string, string> = {
  r: "right",
  w: "wrong",
  t: "tie",
  x: "excluded",
  "-": "not run",
};

export interface Region {
  test: string;
  sentence: string;
  number: number;
  region: string;
  items: number;
  surprisal: number | null;
  ci_low: number | null;
  ci_high: number | null;
}
export interface CriterionRow {
  test: string;
  criterion: string;
  items: number;
  accuracy: number | null;
  margin: number | null;
  ci_low: number | null;
  ci_high: number | null;
}
// by run of the suite
export type Designs = { tables: [{ rows: Region[] }, { rows: CriterionRow[] }] }[];
export interface Token {
  text: string;
  begin: number;
  end: number;
  logprob: number;
  special: boolean;
  locus: boolean;
}

export interface LoadedModel {
  name: string;
  masked: boolean;
  methods: string[];
  method: string; // its own
}
/** What `minpair serve` says of itself; a page in a file has none. */
export interface Live {
  version: string;
  models: LoadedModel[];
}

function bytesOf(id: string): Uint8Array<ArrayBuffer> | null {
  const text = document.getElementById(id)?.textContent;
  if (text === undefined || text === null) return null;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const liveBytes = bytesOf("live");
export const live: Live | null =
  liveBytes && (JSON.parse(new TextDecoder().decode(liveBytes)) as Live);

async function fetched(id: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await fetch(`data/${id}?v=${live!.version}`);
  if (!response.ok) throw new Error(((await response.json()) as { error: string }).error);
  return response.body!;
}

export async function openBlock(id: string): Promise<Response> {
  const bytes = bytesOf(id);
  const stream = bytes ? new Blob([bytes]).stream() : await fetched(id);
  return new Response(stream.pipeThrough(new DecompressionStream("deflate")));
}

const json = async <T>(id: string) => (await (await openBlock(id)).json()) as T;

export const openMain = () => json<Data>("main");

const shapes = new Map<string, Promise<Shape>>();
const blocks = new Map<string, Promise<unknown>>();
const numbers = new Map<string, Promise<Uint16Array>>();
/** After the results have changed nothing that was opened before counts. */
export function forget(version: string) {
  for (const known of [shapes, blocks, numbers]) known.clear();
  live!.version = version;
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let found = known.get(key);
  if (!found) known.set(key, (found = make()));
  return found;
}
const opened = <T>(id: string) => once(blocks, id, () => json<unknown>(id)) as Promise<T>;

export const itemsOf = (suite: number) => opened<Items>(`items-${suite}`);
export const designsOf = (suite: number) => opened<Designs>(`designs-${suite}`);
/** Under the norm of that name, else its own. */
export const judgedOf = (run: Run, norm: string) =>
  opened<Judged>(
    `judged-${run.id}-${Math.max(
      0,
      run.looks.findIndex((l) => l.norm === norm),
    )}`,
  );

interface Columns {
  items: number[];
  counts: number[];
  gaps: number[]; // between tokens
  lengths: number[];
  flags: number[];
}
interface Place {
  count: number;
  token: number;
}
interface Shape {
  columns: Columns;
  places: Map<number, Place>;
}
async function openShape(shape: number): Promise<Shape> {
  const columns = (await (await openBlock(`shape-${shape}`)).json()) as Columns;
  const places = new Map<number, Place>();
  let count = 0;
  let token = 0;
  for (const item of columns.items) {
    places.set(item, { count, token });
    const sentences = columns.counts[count++];
    for (let s = 0; s < sentences; ++s) token += columns.counts[count++];
  }
  return { columns, places };
}

/** All low bytes, then all high bytes; 0 is what the sentence before has at this place. */
async function openNumbers(run: Run): Promise<Uint16Array> {
  const [{ columns }, block] = await Promise.all([shapeOf(run), openBlock(`logprobs-${run.id}`)]);
  const bytes = new Uint8Array(await block.arrayBuffer());
  const half = bytes.length / 2;
  const all = new Uint16Array(half);
  let [token, before] = [0, 0];
  for (let c = 0; c < columns.counts.length; )
    for (let sentences = columns.counts[c++]; sentences > 0; --sentences) {
      const n = columns.counts[c++];
      for (let i = 0; i < n; ++i)
        all[token + i] = bytes[token + i] + 256 * bytes[half + token + i] || all[before + i];
      [before, token] = [token, token + n];
    }
  return all;
}
const shapeOf = (run: Run) => once(shapes, String(run.shape), () => openShape(run.shape));

/** The scored tokens of each sentence of an item; nothing when the run did not score it. */
export async function tokensOf(items: Items, run: Run, item: number): Promise<Token[][]> {
  const [{ columns, places }, stored] = await Promise.all([
    shapeOf(run),
    once(numbers, String(run.id), () => openNumbers(run)),
  ]);
  const logprob = (t: number) => (10000 - stored[t]) / 100;
  const place = places.get(item);
  if (!place) return [];
  let { count, token } = place;
  const sentences: Token[][] = [];
  const n = columns.counts[count++];
  for (let s = 0; s < n; ++s) {
    const text = items.sentences[item][s]?.[0] ?? "";
    const tokens: Token[] = [];
    let end = 0;
    for (let t = columns.counts[count++]; t > 0; --t, ++token) {
      const begin = end + columns.gaps[token];
      end = begin + columns.lengths[token];
      tokens.push({
        text: text.slice(begin, end),
        begin,
        end,
        logprob: logprob(token),
        special: (columns.flags[token] & 1) > 0,
        locus: (columns.flags[token] & 2) > 0,
      });
    }
    sentences.push(tokens);
  }
  return sentences;
}
