// The page of `minpair compare --html`: differences with their intervals, and the items that flipped.
import * as Plot from "@observablehq/plot";
import { openBlock, type Sentence } from "./data";
import { copyButtons, count, el, figure, table, type Column, type Value } from "./dom";
import { plainLine } from "./items";
import { longList } from "./list";
import { base, interval, labelWidth } from "./plots";

interface Compared {
  test: string;
  items: number;
  clusters: number;
  first: number;
  second: number;
  difference: number;
  low: number | null;
  high: number | null;
  only_first: number;
  only_second: number;
  mcnemar: number;
  permutation: number;
  holm: number;
  benjamini_hochberg: number;
  detectable: number | null;
}
interface Flip {
  id: string;
  test: string;
  condition: string;
  first: boolean;
  margins: [number | null, number | null];
  sentences: Sentence[];
  other: Sentence[];
}
interface Comparison {
  title: string;
  titles: Record<string, string>;
  first: string;
  second: string;
  tests: Compared[];
  total: Compared;
  flips: Flip[];
  notes: string[];
}

const titleOf = (c: Comparison, test: string) => c.titles[test] || test || "All";

function differences(c: Comparison) {
  const rows = [...c.tests, ...(c.tests.length > 1 ? [c.total] : [])].map((t) => ({ ...t, row: titleOf(c, t.test), sure: !t.test ? "all tests together" : t.holm >= 0.05 ? "neither" : t.difference > 0 ? c.first : c.second }));
  return Plot.plot({
    ...base,
    width: Math.max(640, labelWidth(rows.map((r) => r.row)) + 420),
    height: 70 + rows.length * 24,
    marginLeft: labelWidth(rows.map((r) => r.row)),
    x: { label: `${c.first} minus ${c.second}`, grid: true, nice: true, inset: 8 },
    y: { domain: rows.map((r) => r.row), label: null },
    color: { domain: [c.first, c.second, "neither", "all tests together"], range: ["#4e79a7", "#e15759", "#8a8f98", "currentColor"], legend: true },
    marks: [
      Plot.ruleX([0]),
      Plot.ruleY(rows.filter((r) => r.low !== null), { y: "row", x1: "low", x2: "high", stroke: "sure", strokeWidth: 2 }),
      Plot.dot(rows, { y: "row", x: "difference", fill: "sure", r: 4, title: (d) => `${d.row}\n${d.difference.toFixed(4)} (${interval(d.low, d.high)})${d.test ? `, Holm ${d.holm.toFixed(4)}` : ""}` }),
    ],
  });
}

function testTable(c: Comparison): HTMLElement {
  const kTests = ["McNemar", "Perm.", "Holm", "BH"];
  const columns: Column[] = [{ title: "Test" }, ...["Items", "Clusters", c.first, c.second, "Difference", "From", "To", "Holm", "BH", "Perm.", "McNemar", `Only ${c.first}`, `Only ${c.second}`, "MDD"].map((title) => ({ title, numeric: true, p: kTests.includes(title) }))];
  const row = (t: Compared, corrected: boolean): Value[] => [titleOf(c, t.test), t.items, t.clusters, t.first, t.second, t.difference, t.low, t.high, corrected ? t.holm : null, corrected ? t.benjamini_hochberg : null, t.permutation, t.mcnemar, t.only_first, t.only_second, t.detectable];
  const rows = [...c.tests.map((t) => row(t, true)), ...(c.tests.length > 1 ? [row(c.total, false)] : [])];
  return table(columns, rows, "Accuracy of both, and their difference with its 95% interval");
}

const shown = (s: Sentence[]) => s.map((x) => (x[3] ? "" : "*") + x[0]).join(" / ");
const margin = (m: number | null) => (m === null ? "" : m.toFixed(2));

function flipsView(c: Comparison): HTMLElement {
  let at: Flip[] = [];
  const choice = (label: string, options: [string, string][]) => el("select", { "aria-label": label, onchange: () => refresh() }, ...options.map(([v, t]) => el("option", { value: v }, t)));
  const search = el("input", { type: "search", placeholder: "Search in sentences and names", "aria-label": "Search in sentences and names", oninput: () => refresh() });
  const right = choice("Right", [["", "right for either"], ["1", `right for ${c.first}`], ["0", `right for ${c.second}`]]);
  const tests = choice("Test", [["", "all tests"], ...c.tests.map((t): [string, string] => [t.test, titleOf(c, t.test)])]);
  const status = el("p", { role: "status", class: "status" });
  const detail = el("div", { class: "detail", "aria-live": "polite" });
  const list = longList(
    "Items that flipped",
    (p) => [
      el("span", { class: `mark ${at[p].first ? "r" : "w"}`, title: at[p].first ? c.first : c.second }, at[p].first ? c.first : c.second),
      el("span", { class: "n margin" }, margin(at[p].margins[0])),
      el("span", { class: "test" }, titleOf(c, at[p].test)),
      el("span", { class: "sentence", title: shown(at[p].sentences) }, shown(at[p].sentences)),
    ],
    (p) => {
      const f = at[p];
      const side = (name: string, m: number | null, sentences: Sentence[]) => [el("h4", {}, name, el("span", { class: "note" }, `margin ${margin(m)}`)), ...sentences.map(plainLine)];
      detail.replaceChildren(el("h3", {}, f.id), ...side(c.first, f.margins[0], f.sentences), ...side(c.second, f.margins[1], f.other.length ? f.other : f.sentences));
    },
  );
  function refresh() {
    const word = search.value.trim().toLowerCase();
    at = c.flips.filter((f) => (!right.value || f.first === (right.value === "1")) && (!tests.value || f.test === tests.value) && (!word || `${f.id} ${shown(f.sentences)} ${shown(f.other)}`.toLowerCase().includes(word)));
    detail.replaceChildren();
    status.textContent = `${count(at.length)} of ${count(c.flips.length)} items that flipped, the widest apart first`;
    list.show(at.length);
  }
  const columns: Column[] = [{ title: "id" }, { title: "test" }, { title: "condition" }, { title: "right" }, { title: "margin A", numeric: true }, { title: "margin B", numeric: true }, { title: "sentences" }];
  const rows = (): Value[][] => at.map((f) => [f.id, f.test, f.condition, f.first ? c.first : c.second, f.margins[0], f.margins[1], shown(f.sentences)]);
  const view = el("div", { class: "items" }, el("div", { class: "filters" }, search, right, tests), status, el("div", { class: "split" }, list.element, detail), copyButtons(columns, rows));
  refresh();
  return view;
}

export async function comparisonPage(main: HTMLElement) {
  const { made, comparisons } = (await (await openBlock("comparison")).json()) as { made: string; comparisons: Comparison[] };
  const names = [...new Set(comparisons.map((c) => `${c.first} against ${c.second}`))].join(", ");
  document.title = `minpair: ${names}`;
  document.querySelector("h1")!.textContent = names;
  const sections = comparisons.map((c, i) =>
    el("section", { id: `comparison-${i}` }, el("h2", {}, c.title), figure(differences(c), `Difference of the accuracies, ${c.title}; coloured where Holm's corrected p is below 0.05`), testTable(c), el("ul", { class: "note" }, ...c.notes.map((n) => el("li", {}, n))), el("h3", {}, "Items that flipped"), c.flips.length ? flipsView(c) : el("p", {}, "None.")),
  );
  if (sections.length > 1) document.querySelector("nav")!.append(...comparisons.map((c, i) => el("a", { href: `#comparison-${i}` }, c.title)));
  main.replaceChildren(...sections, el("p", { class: "note" }, `Made by ${made}.`));
}
