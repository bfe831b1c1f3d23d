// The data that the program put into the page: deflated blocks in base 64, opened when needed.

export interface Result {
  model: string;
  method: string;
  norm: string;
  lengths: string | null;
  suite: string;
  test: string | null;
  condition: string | null;
  items: number;
  pairs: number;
  correct: number;
  ties: number;
  accuracy: number | null;
  ci_low: number | null; // null: too few clusters
  ci_high: number | null;
  clusters?: number; // of its interval; absent: Wilson's
  excluded: Record<string, number>;
  published: { model: string; accuracy: number; pairs?: number; source?: string }[];
}
export interface Tables {
  minpair: string;
  policies: string[];
  results: Result[];
  totals: Result[];
  account: string[];
  notes: string[];
}
export interface Texts {
  texts: string[];
  at: number[];
}
// text, locus from and to (UTF-16), grammatical
export type Sentence = [string, number, number, number];
export interface Items {
  ids: string[];
  tests: Texts;
  conditions: Texts;
  languages: Texts;
  sentences: Sentence[][];
  features: Record<string, (number | null)[]>;
}
export interface Run {
  id: number;
  shape: number; // which block has its tokens' places
  suite: number;
  model: string;
  method: string;
  norm: string;
  about: Record<string, string>;
  intervals: { all?: Clustered[]; equal?: Clustered[] };
  against: Record<string, Point[]>; // by feature
  outcomes: string; // r, w, t, x (excluded), - (not in this run)
  equal: string; // 1: the sentences have as many tokens
  margins: (number | null)[]; // thousandths
  reasons: Texts;
}
/** The accuracy of the items with one value of a feature. */
export interface Point {
  x: number;
  n: number;
  accuracy: number;
  low: number;
  high: number;
}
export interface Clustered {
  of: "all" | "test" | "condition";
  test: string;
  condition: string;
  clusters: number;
  low: number | null;
  high: number | null;
}
export interface Suite {
  name: string;
  title: string;
  citation: string;
  tests: { name: string; title: string; group: string }[];
  items: Items;
}
export const kOutcomes: Record<string, string> = { r: "right", w: "wrong", t: "tie", x: "excluded", "-": "not run" };
export interface Data {
  made: string;
  suites: Suite[];
  runs: Run[];
  tests: Tables;
  conditions: Tables;
  clusters: string; // what they are
}
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
export const live: Live | null = liveBytes && (JSON.parse(new TextDecoder().decode(liveBytes)) as Live);

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

/** Intervals that take clusters for the unit, in place of those that take items. */
function useClusters(data: Data) {
  const keyOf = (...parts: (string | null)[]) => JSON.stringify(parts.map((p) => p ?? ""));
  const known = new Map<string, Clustered>();
  for (const run of data.runs)
    for (const lengths of ["all", "equal"] as const)
      for (const c of run.intervals[lengths] ?? []) known.set(keyOf(data.suites[run.suite].name, run.model, run.method, lengths, c.of, c.test, c.condition), c);
  const use = (results: Result[], of: Clustered["of"]) => {
    for (const r of results) {
      const c = known.get(keyOf(r.suite, r.model, r.method, r.lengths === "equal" ? "equal" : "all", of, r.test, r.condition));
      if (c && r.pairs) [r.ci_low, r.ci_high, r.clusters] = [c.low, c.high, c.clusters];
    }
  };
  use(data.tests.totals, "all");
  use(data.tests.results, "test");
  use(data.conditions.results, "condition");
}

export async function openMain(): Promise<Data> {
  const data = (await (await openBlock("main")).json()) as Data;
  useClusters(data);
  return data;
}

interface Columns {
  items: number[];
  counts: number[];
  begins: number[];
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
const shapes = new Map<number, Promise<Shape>>();
const numbers = new Map<number, Promise<Uint8Array>>();

function once<T>(known: Map<number, Promise<T>>, key: number, make: () => Promise<T>): Promise<T> {
  let found = known.get(key);
  if (!found) known.set(key, (found = make()));
  return found;
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

const openNumbers = async (run: number) => new Uint8Array(await (await openBlock(`logprobs-${run}`)).arrayBuffer());

/** The scored tokens of each sentence of an item; nothing when the run did not score it. */
export async function tokensOf(data: Data, run: Run, item: number): Promise<Token[][]> {
  const [{ columns, places }, bytes] = await Promise.all([once(shapes, run.shape, () => openShape(run.shape)), once(numbers, run.id, () => openNumbers(run.id))]);
  // All low bytes, then all high bytes.
  const logprob = (t: number) => (10000 - bytes[t] - 256 * bytes[bytes.length / 2 + t]) / 100;
  const place = places.get(item);
  if (!place) return [];
  let { count, token } = place;
  const sentences: Token[][] = [];
  const n = columns.counts[count++];
  for (let s = 0; s < n; ++s) {
    const text = data.suites[run.suite].items.sentences[item][s]?.[0] ?? "";
    const tokens: Token[] = [];
    for (let t = columns.counts[count++]; t > 0; --t, ++token) {
      const begin = columns.begins[token];
      const end = begin + columns.lengths[token];
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

export const nameOf = (r: { model: string; method: string; norm?: string; lengths?: string | null }) =>
  [r.model, r.method, r.lengths].filter(Boolean).join(" · ");
