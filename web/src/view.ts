// What is shown of the data: the runs and tests that were chosen, and their numbers. Nothing is
// judged here.
import { live, type Cells, type Data, type Other, type Run, type Suite } from "./data";
import { state } from "./state";

export interface Cell {
  accuracy: number;
  items: number;
  ties: number;
  low: number | null;
  high: number | null;
  clusters: number;
}
/** A row of the matrix. */
export interface Row {
  title: string;
  section: string;
  group: number; // of the suite
  language: string;
  test: string;
  condition: string;
}

export let data: Data;
let people = new Set<string>();
let places = new Map<string, { alone: number; together: number }>(); // every mark asks
export function useData(d: Data): void {
  data = d;
  people = new Set(d.runs.filter((r) => r.about.Kind === "people").map((r) => r.model));
  places = new Map();
  const trainings = new Set<string>();
  for (const r of d.runs) {
    if (people.has(r.model) || places.has(r.model)) continue;
    const training = r.stage?.of ?? r.model;
    trainings.add(training);
    places.set(r.model, { alone: places.size, together: [...trainings].indexOf(training) });
  }
  // Those of the bench may have no results.
  for (const { name } of live?.models ?? [])
    if (!places.has(name))
      places.set(name, { alone: places.size, together: trainings.add(name).size - 1 });
}
export const isPeople = (model: string) => people.has(model);
/**
 * Of a model among those of all suites; checkpoints of one training have one place where there are
 * more models than `most`.
 */
export const placeOf = (model: string, most: number) =>
  places.get(model)?.[places.size > most ? "together" : "alone"] ?? 0;

export const suiteAt = () =>
  Math.max(
    0,
    data.suites.findIndex((s) => s.name === state.suite),
  );
export const suite = (): Suite => data.suites[suiteAt()];
export const runsOfSuite = () => data.runs.filter((r) => r.suite === suiteAt());
// A link may name what these results do not have.
const chosenNorm = () => (state.norm && norms().includes(state.norm) ? state.norm : "");
const has = (r: Run) => !chosenNorm() || r.looks.some((l) => l.norm === chosenNorm());
const chosen = () =>
  runsOfSuite().filter(
    (r) => !state.without.includes(r.model) && !state.skip.includes(r.method) && has(r),
  );
/** Checkpoints stand together, in the order of their training. */
export function runs(): Run[] {
  const all = chosen();
  if (!all.some((r) => r.stage)) return all;
  const first = (r: Run) =>
    all.findIndex((x) => x.model === r.model || (r.stage && x.stage?.of === r.stage.of));
  return [...all].sort(
    (a, b) => first(a) - first(b) || (a.stage?.at ?? 0) - (b.stage?.at ?? 0) || a.id - b.id,
  );
}
export const titleOf = (test: string) => suite().tests.find((t) => t.name === test)?.title || test;
export const languages = () => [
  ...new Set(
    suite()
      .groups.map((g) => g[0])
      .filter(Boolean),
  ),
];
const normsOf = new Map<Suite, string[]>(); // every number asks
export function norms(): string[] {
  if (!normsOf.has(suite()))
    normsOf.set(suite(), [...new Set(runsOfSuite().flatMap((r) => r.looks.map((l) => l.norm)))]);
  return normsOf.get(suite())!;
}
/** A run by its name: its method is said where it tells anything. */
export function nameOf(run: { model: string; method: string }): string {
  return new Set(runsOfSuite().map((r) => r.method)).size > 1
    ? `${run.model} · ${run.method}`
    : run.model;
}
const lookOf = (run: Run) => run.looks.find((l) => l.norm === chosenNorm()) ?? run.looks[0];
export const normOf = (run: Run) => lookOf(run).norm;

export function cellsOf(run: Run): Cells | undefined {
  let look = lookOf(run);
  if (look.as !== undefined) look = run.looks[look.as];
  return state.lengths === "equal" ? (look.equal ?? look.all) : (look.all ?? look.equal);
}
export const lengthsDiffer = () => runsOfSuite().some((r) => r.looks.some((l) => l.all && l.equal));

export function cellAt(run: Run, group: number): Cell | null {
  const c = cellsOf(run);
  const items = c?.items[group];
  if (!c || !items) return null;
  return {
    accuracy: c.points[group] / items,
    items,
    ties: c.ties[group],
    low: c.low[group],
    high: c.high[group],
    clusters: c.clusters[group],
  };
}
export const excludedAt = (run: Run, group: number) =>
  (cellsOf(run)?.excluded ?? [])
    .filter((e) => e[0] === group)
    .map(([, reason, n]): [string, number] => [data.reasons[reason] ?? reason, n]);

const order = (tests: string[]) => {
  const known = suite().tests.map((t) => t.name);
  const place = (t: string) => (known.includes(t) ? known.indexOf(t) : known.length);
  const numbered = tests.every((t) => /^\d+$/.test(t)); // some suites have only numbers for names
  return [...tests].sort((a, b) => place(a) - place(b) || (numbered ? Number(a) - Number(b) : 0));
};
export const allTests = () =>
  order([
    ...new Set(
      suite()
        .groups.filter((g) => g[1])
        .map((g) => g[1]),
    ),
  ]);
const spoken = (language: string) => !state.language || !language || language === state.language;

/** A row per test, and per language where there are several. */
export function testRows(): Row[] {
  const of = new Map<string, Row[]>(allTests().map((t) => [t, []]));
  const sections = new Map(suite().tests.map((t) => [t.name, t.group]));
  suite().groups.forEach(([language, test, condition, feature], group) => {
    if (
      !test ||
      condition ||
      feature ||
      !spoken(language) ||
      (state.tests.length && !state.tests.includes(test))
    )
      return;
    of.get(test)!.push({
      title: titleOf(test),
      section: sections.get(test) ?? "",
      group,
      language,
      test,
      condition: "",
    });
  });
  return [...of.values()].flat();
}
export function conditionRows(test: string, only: string): Row[] {
  return suite().groups.flatMap(([language, t, condition, feature], group) =>
    t === test && condition && !feature && (!only || !language || language === only)
      ? [{ title: condition, section: "", group, language, test, condition }]
      : [],
  );
}
/** Everything together; with several languages each of them, too. */
export function totalRows(): Row[] {
  const several = languages().length > 1;
  return suite().groups.flatMap(([language, test, , feature], group) =>
    test || feature || (language ? !spoken(language) : several && state.language)
      ? []
      : [
          {
            title: language || !several ? "All" : "All languages",
            section: "",
            group,
            language,
            test: "",
            condition: "",
          },
        ],
  );
}
/** The row that sums up what is shown. */
export const totalGroup = () => totalRows()[0]?.group ?? 0;

/** The runs of which something counts: only these are drawn. */
export const counted = () => runs().filter((run) => cellAt(run, totalGroup()));
/** The languages that are together in the number that sums up a run; none where there is one. */
export function together(run: Run): string[] {
  if (languages().length < 2 || state.language) return [];
  const heard = totalRows()
    .filter((r) => r.language && cellAt(run, r.group))
    .map((r) => r.language);
  return heard.length > 1 ? heard : [];
}

/**
 * Published results and means over seeds that fit the chosen suite, norm and lengths; each with its
 * letter.
 */
export interface Beside {
  letter: string;
  name: string;
  seeds: number;
  origin: string; // "published", "published; other items", "mean of 3 seeds"
  of: Other[];
}
const originOf = (o: Other) =>
  o.seeds ? `mean of ${o.seeds} seeds` : o.other_items ? "published; other items" : "published";
export function others(): Beside[] {
  const found = new Map<string, Beside>();
  for (const o of data.others) {
    if (o.suite !== suiteAt()) continue;
    if (
      o.seeds &&
      ((o.lengths && o.lengths !== (state.lengths || "all")) ||
        (chosenNorm() && chosenNorm() !== o.norm))
    )
      continue;
    const key = JSON.stringify([o.model, o.method, o.norm, o.seeds]);
    if (!found.has(key))
      found.set(key, {
        letter: String.fromCharCode(97 + (found.size % 26)),
        name: [o.model, o.method].filter(Boolean).join(" · "),
        seeds: o.seeds,
        origin: originOf(o),
        of: [],
      });
    found.get(key)!.of.push(o);
  }
  return [...found.values()];
}
export const otherAt = (of: Other[], row: Row) =>
  of.find(
    (o) => o.language === row.language && o.test === row.test && o.condition === row.condition,
  );

/** The values of a feature, in their order, with their groups: of all items, and of each test. */
export function featureGroups(
  feature: string,
): { title: string; test: string; language: string; values: { value: string; group: number }[] }[] {
  const s = suite();
  if (feature === "language") return byLanguage();
  const stated =
    feature === "attraction"
      ? ["without attractors", "with attractors"]
      : (s.features.find((f) => f.name === feature)?.values ?? []);
  const panels = new Map<
    string,
    { title: string; test: string; language: string; values: { value: string; group: number }[] }
  >();
  s.groups.forEach(([language, test, , f, value], group) => {
    if (
      f !== feature ||
      !spoken(language) ||
      (test && state.tests.length && !state.tests.includes(test))
    )
      return;
    const key = JSON.stringify([language, test]);
    if (!panels.has(key))
      panels.set(key, { title: test ? titleOf(test) : "All tests", test, language, values: [] });
    panels.get(key)!.values.push({ value, group });
  });
  const place = (v: string) => (stated.includes(v) ? stated.indexOf(v) : stated.length);
  const tests = ["", ...allTests()];
  for (const p of panels.values()) p.values.sort((a, b) => place(a.value) - place(b.value));
  return [...panels.values()]
    .filter((p) => p.values.length > 1)
    .sort((a, b) => tests.indexOf(a.test) - tests.indexOf(b.test));
}
function byLanguage() {
  const rows = [...totalRows().filter((r) => r.language), ...testRows()];
  return [...new Set(rows.map((r) => r.test))]
    .map((test) => ({
      title: test ? titleOf(test) : "All tests",
      test,
      language: "",
      values: rows
        .filter((r) => r.test === test)
        .map((r) => ({ value: r.language, group: r.group })),
    }))
    .filter((p) => p.values.length > 1);
}
// Which item it is tells nothing about it.
const kNames = /^(item|pair|sentence)?_?(id|number|nr|index|uid)$|^item$/i;
const kFirst = [
  "attraction",
  "attractors",
  "distance",
  "distance_pieces",
  "distractors",
  "language",
];
export function features(): string[] {
  const names = [
    ...(languages().length > 1 ? ["language"] : []),
    ...new Set(
      suite()
        .groups.map((g) => g[3])
        .filter(Boolean),
    ),
  ];
  const place = (n: string) => (kFirst.includes(n) ? kFirst.indexOf(n) : kFirst.length);
  return names
    .filter((n) => !kNames.test(n) && featureGroups(n).length)
    .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
export const featureTitle = (name: string) =>
  ({
    attraction: "attraction (with and without attractors)",
    distance_pieces: "distance in the model's pieces",
  })[name] ?? name.replaceAll("_", " ");
