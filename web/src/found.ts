// The first screen: what was found, run by run.
import type { Run } from "./data";
import { breakable, count, el, fixed, interval, several, share } from "./dom";
import { set } from "./state";
import { colourOf, nthAmong, swatch } from "./svg";
import {
  cellAt,
  data,
  excludedAt,
  featureGroups,
  isPeople,
  nameOf,
  normOf,
  otherAt,
  others,
  runs,
  suite,
  testRows,
  together,
  totalGroup,
  totalRows,
  type Cell,
  type Row,
} from "./view";

const kMostCards = 4;
const kManyClusters = 12;
const kIntervals = "intervals: 95%, profile likelihood over clusters";
type Ranked = { row: Row; accuracy: number };

const named = (row: Row) => (row.language ? `${row.title}, ${row.language}` : row.title);
const opener = (row: Row, run: Run) =>
  el(
    "button",
    {
      type: "button",
      class: "plain-link",
      onclick: () =>
        set(
          { test: row.test, run: String(run.id), condition: "", item: "", spoken: row.language },
          true,
        ),
    },
    ...breakable(named(row)),
  );

function ranked(run: Run, rows: Row[]): Ranked[] {
  const all = rows.flatMap((row) => {
    const c = cellAt(run, row.group);
    return c ? [{ row, accuracy: c.accuracy }] : [];
  });
  return all.sort((a, b) => b.accuracy - a.accuracy);
}

/** Where attractors cost most: the test, and its accuracies without and with them. */
function attraction(
  run: Run,
  panels: ReturnType<typeof featureGroups>,
): { row: Row; without: number; with: number } | null {
  const effects = panels.flatMap((p) => {
    const at = (value: string) => cellAt(run, p.values.find((v) => v.value === value)?.group ?? -1);
    const [without, withThem] = [at("without attractors"), at("with attractors")];
    const row: Row = {
      title: p.title,
      section: "",
      group: 0,
      language: p.language,
      test: p.test,
      condition: "",
    };
    return p.test && without && withThem
      ? [{ row, without: without.accuracy, with: withThem.accuracy }]
      : [];
  });
  effects.sort((a, b) => b.without - b.with - (a.without - a.with));
  return effects[0] ?? null;
}

function fact(title: string, ...content: (Node | string)[]): Node[] {
  return [el("dt", {}, title), el("dd", {}, ...content)];
}

/** The first of an order. Where more tests are as far out than there is room for, how many. */
function tests(run: Run, order: Ranked[], most: number): Node[] {
  const first = order.filter((r) => r.accuracy === order[0].accuracy);
  if (first.length > most)
    return [text(`${several(first.length, "test")} `), el("b", {}, share(order[0].accuracy))];
  const next = order[most]?.accuracy === order[most - 1].accuracy;
  const of = order.slice(0, next ? first.length : most);
  return of.map(({ row, accuracy }) =>
    el("span", { class: "of" }, opener(row, run), " ", el("b", {}, share(accuracy))),
  );
}

/** What is said of a run, by the names of what is said. */
function facts(
  run: Run,
  rows: Row[],
  panels: ReturnType<typeof featureGroups>,
): [string, Node[]][] {
  const order = ranked(run, rows);
  const most = Math.min(runs().length > kMostCards ? 1 : 2, Math.floor(order.length / 2));
  const worst = attraction(run, panels);
  const excluded = excludedAt(run, totalGroup());
  const all: [string, Node[]][] = [];
  if (most && order[0].accuracy > order[order.length - 1].accuracy)
    all.push(
      ["Strongest", tests(run, order, most)],
      ["Weakest", tests(run, [...order].reverse(), most)],
    );
  if (worst) {
    const lost = worst.without - worst.with;
    if (lost <= 0) all.push(["Attraction", [text("no test is harder with attractors")]]);
    else
      all.push([
        "Attraction",
        [
          opener(worst.row, run),
          text(` ${share(worst.without)} without attractors, ${share(worst.with)} with: `),
          el("b", {}, fixed(-lost, 4)),
        ],
      ]);
  }
  all.push([
    "Excluded",
    [
      text(
        excluded.length ? excluded.map(([why, n]) => `${count(n)} ${why}`).join(", ") : "nothing",
      ),
    ],
  ]);
  return all;
}
const text = (t: string) => document.createTextNode(t);
const pairs = (run: Run, c: Cell) =>
  [
    [
      several(c.items, suite().designs ? "item" : "pair"),
      ` in ${several(c.clusters, "cluster")}, ${several(c.ties, "tie")}`,
    ].join(""),
    ...(together(run).length ? [`${together(run).join(", ")} together`] : []),
  ].join("; ");
const heading = (run: Run, nth: number) => [
  swatch(run, nth) as unknown as Node,
  el("span", {}, ...breakable(run.model)),
  el("span", { class: "note" }, `${run.method}, ${normOf(run)}`),
];
const headline = (run: Run, c: Cell | null) =>
  c
    ? el(
        "p",
        { class: "headline", title: pairs(run, c) },
        el("strong", {}, share(c.accuracy)),
        el("span", { class: "note" }, interval(c.low, c.high)),
      )
    : el("p", { class: "headline" }, "no item counts");

function card(run: Run, nth: number, said: [string, Node[]][]): HTMLElement {
  const total = cellAt(run, totalGroup());
  return el(
    "article",
    { class: "card", style: `--model:${colourOf(run.model)}`, "data-run": run.id },
    el("h3", {}, ...heading(run, nth)),
    headline(run, total),
    total ? el("p", { class: "note" }, pairs(run, total)) : null,
    el("dl", {}, ...said.flatMap(([title, content]) => fact(title, ...content))),
  );
}

/** Many runs: a line for each. */
function manyRuns(shown: Run[], said: [string, Node[]][][]): HTMLElement {
  const titles = [...new Set(said.flatMap((s) => s.map(([title]) => title)))];
  const nth = nthAmong(shown);
  const lines = shown.map((run, i) =>
    el(
      "tr",
      { "data-run": run.id },
      el("th", { scope: "row" }, ...heading(run, nth(run))),
      el("td", {}, headline(run, cellAt(run, totalGroup()))),
      ...titles.map((t) => el("td", {}, ...(said[i].find(([title]) => title === t)?.[1] ?? []))),
    ),
  );
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "What was found, run by run" },
    el(
      "table",
      { class: "runs" },
      el(
        "thead",
        {},
        el("tr", {}, ...["Run", "Accuracy", ...titles].map((t) => el("th", { scope: "col" }, t))),
      ),
      el("tbody", {}, ...lines),
    ),
  );
}

export function found(): Node[] {
  const shown = runs();
  if (!shown.length) return [el("p", {}, "No run is chosen.")];
  const rows = testRows();
  const best = shown
    .map((run) => ({ run, cell: cellAt(run, totalGroup()) }))
    .filter((b) => b.cell)
    .sort((a, b) => b.cell!.accuracy - a.cell!.accuracy);
  const published = others().flatMap((o) => {
    const at = totalRows()[0] && otherAt(o.of, totalRows()[0]);
    return at && !o.seeds ? [`${o.letter} ${o.name} ${share(at.accuracy)}`] : [];
  });
  const [people, ranking] = [
    best.filter((b) => isPeople(b.run.model)),
    best.filter((b) => !isPeople(b.run.model)),
  ];
  const list = (of: typeof best) =>
    of.map((b) => `${nameOf(b.run)} ${share(b.cell!.accuracy)}`).join(", ");
  const lead =
    (ranking.length > 1
      ? [
          "Highest over all",
          ranking.some((b) => together(b.run).length) ? " languages together: " : ": ",
          `${list(ranking.slice(0, 3))}. `,
        ].join("")
      : "") + (people.length ? `${list(people)[0].toUpperCase()}${list(people).slice(1)}.` : "");
  const nth = nthAmong(shown);
  const panels = featureGroups("attraction");
  const said = shown.map((run) => facts(run, rows, panels));
  const clusters = rows.map((row) => cellAt(shown[0], row.group)?.clusters ?? kManyClusters);
  const few = clusters.some((n) => n < kManyClusters);
  return [
    el(
      "p",
      { class: "lead" },
      [
        several(suite().items, "item"),
        several(new Set(rows.map((r) => r.test)).size, "test"),
        `${several(shown.length, "run")}. ${lead}`,
      ].join(", "),
    ),
    shown.length > kMostCards
      ? manyRuns(shown, said)
      : el("div", { class: "cards" }, ...shown.map((r, i) => card(r, nth(r), said[i]))),
    ...data.findings
      .filter((f) => data.suites[f.suite] === suite())
      .map((f) => el("p", { class: "lead" }, `${f.text} (p < 0.05 after Holm's correction).`)),
    few
      ? el(
          "p",
          { class: "note" },
          "Few clusters: the intervals allow for words that the suite does not have, " +
            "and on which a model could fail.",
        )
      : "",
    published.length ? el("p", { class: "note" }, `Published: ${published.join("; ")}.`) : "",
    el("p", { class: "note" }, `${[...data.policies, suite().clusters, kIntervals].join("; ")}.`),
  ].filter((n) => n !== "") as Node[];
}
