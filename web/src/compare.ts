// The page of `minpair compare --format page`: differences with their intervals, and the items that
// flipped.
import { openBlock, type Sentence } from "./data";
import {
  copyButtons,
  count,
  el,
  fixed,
  interval,
  several,
  skipTo,
  table,
  type Column,
  type Value,
} from "./dom";
import { plainLine, sentenceCells, sentencesText } from "./items";
import { longList } from "./list";
import { atMost, figure, fitted, panel, scale, svg, xAxis } from "./svg";

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
  p: number;
  smallest_p: number;
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

/** Coloured only where Holm's corrected p says so. */
function differences(c: Comparison): SVGElement {
  const rows = [...c.tests, ...(c.tests.length > 1 ? [c.total] : [])];
  const colour = (t: Compared) =>
    !t.test
      ? "var(--ink)"
      : t.holm >= 0.05
        ? "var(--soft)"
        : t.difference > 0
          ? "var(--right)"
          : "var(--wrong)";
  const ends = rows.flatMap((t) => [t.low ?? t.difference, t.high ?? t.difference]);
  const width = atMost(720);
  const [left, top, step] = [Math.min(260, width * 0.42), 30, 22];
  const x = scale(Math.min(-0.05, ...ends), Math.max(0.05, ...ends), left, width - 16, 6);
  const bottom = top + rows.length * step;
  const drawn = rows.flatMap((t, i) => {
    const y = top + (i + 0.5) * step;
    const style = `stroke:${colour(t)};stroke-width:2`;
    const holm = t.test ? `, Holm ${fixed(t.holm, 4)}` : "";
    const difference = `${fixed(t.difference, 4)} (${interval(t.low, t.high)})`;
    const said = `${titleOf(c, t.test)}\n${difference}${holm}`;
    return [
      fitted(titleOf(c, t.test), left - 16, { x: 0, y: y + 4 }),
      t.low === null ? null : svg("line", { x1: x(t.low), x2: x(t.high!), y1: y, y2: y, style }),
      svg(
        "circle",
        { cx: x(t.difference), cy: y, r: 4, style: `fill:${colour(t)}` },
        svg("title", {}, said),
      ),
    ];
  });
  return panel(
    width,
    bottom + 36,
    "",
    [
      ...xAxis(x, top - 6, bottom, `${c.first} minus ${c.second}`),
      svg("line", { x1: x(0), x2: x(0), y1: top - 6, y2: bottom, class: "zero" }),
      ...drawn,
    ],
    `Differences: ${c.title}`,
  );
}

function testTable(c: Comparison): HTMLElement {
  const kTests = ["McNemar", "p", "Least p", "Holm", "BH"];
  const kWhole = ["Items", "Clusters", `Only ${c.first}`, `Only ${c.second}`];
  const columns: Column[] = [
    { title: "Test" },
    ...[
      "Items",
      "Clusters",
      c.first,
      c.second,
      "Difference",
      "From",
      "To",
      "p",
      "Holm",
      "BH",
      "Least p",
      "McNemar",
      `Only ${c.first}`,
      `Only ${c.second}`,
      "MDD",
    ].map((title) => ({
      title,
      numeric: true,
      p: kTests.includes(title),
      whole: kWhole.includes(title),
    })),
  ];
  const row = (t: Compared, corrected: boolean): Value[] => [
    titleOf(c, t.test),
    t.items,
    t.clusters,
    t.first,
    t.second,
    t.difference,
    t.low,
    t.high,
    t.p,
    corrected ? t.holm : null,
    corrected ? t.benjamini_hochberg : null,
    t.smallest_p,
    t.mcnemar,
    t.only_first,
    t.only_second,
    t.detectable,
  ];
  const rows = [
    ...c.tests.map((t) => row(t, true)),
    ...(c.tests.length > 1 ? [row(c.total, false)] : []),
  ];
  return table(columns, rows, "Accuracy of both, and their difference with its 95% interval");
}

const shown = sentencesText;
const margin = (m: number | null) => (m === null ? "" : fixed(m, 2));

function flipsView(c: Comparison): HTMLElement {
  let at: Flip[] = [];
  const choice = (label: string, options: [string, string][]) =>
    el(
      "select",
      { "aria-label": label, onchange: () => refresh() },
      ...options.map(([v, t]) => el("option", { value: v }, t)),
    );
  const search = el("input", {
    type: "search",
    placeholder: "Search in sentences and names",
    "aria-label": "Search in sentences and names",
    oninput: () => refresh(),
  });
  const right = choice("Right", [
    ["", "right for either"],
    ["1", `right for ${c.first}`],
    ["0", `right for ${c.second}`],
  ]);
  const tests = choice("Test", [
    ["", "all tests"],
    ...c.tests.map((t): [string, string] => [t.test, titleOf(c, t.test)]),
  ]);
  const status = el("p", { role: "status", class: "status" });
  const detail = el("div", { class: "detail", "aria-live": "polite" });
  const list = longList(
    "Items that flipped",
    (p) => [
      el(
        "span",
        { class: `mark ${at[p].first ? "r" : "w"}`, title: at[p].first ? c.first : c.second },
        at[p].first ? c.first : c.second,
      ),
      el("span", { class: "n margin" }, margin(at[p].margins[0])),
      el("span", { class: "test" }, titleOf(c, at[p].test)),
      sentenceCells(at[p].sentences),
    ],
    (p) => {
      const f = at[p];
      const side = (name: string, m: number | null, sentences: Sentence[]) => [
        el("h4", {}, name, el("span", { class: "note" }, `margin ${margin(m)}`)),
        ...sentences.map(plainLine),
      ];
      detail.replaceChildren(
        el("h3", {}, f.id),
        ...side(c.first, f.margins[0], f.sentences),
        ...side(c.second, f.margins[1], f.other.length ? f.other : f.sentences),
      );
    },
  );
  const heads = el(
    "div",
    { class: "row heads", "aria-hidden": "true" },
    ...["Right", "Margin", "Test", "Sentences"].map((t) => el("span", {}, t)),
  );
  function refresh() {
    const word = search.value.trim().toLowerCase();
    at = c.flips.filter(
      (f) =>
        (!right.value || f.first === (right.value === "1")) &&
        (!tests.value || f.test === tests.value) &&
        (!word || `${f.id} ${shown(f.sentences)} ${shown(f.other)}`.toLowerCase().includes(word)),
    );
    detail.replaceChildren();
    status.textContent = [
      `${count(at.length)} of ${several(c.flips.length, "item")} that flipped,`,
      "the largest difference first",
    ].join(" ");
    list.show(at.length);
  }
  const columns: Column[] = [
    { title: "id" },
    { title: "test" },
    { title: "condition" },
    { title: "right" },
    { title: "margin A", numeric: true },
    { title: "margin B", numeric: true },
    { title: "sentences" },
  ];
  const rows = (): Value[][] =>
    at.map((f) => [
      f.id,
      f.test,
      f.condition,
      f.first ? c.first : c.second,
      f.margins[0],
      f.margins[1],
      shown(f.sentences),
    ]);
  const view = el(
    "div",
    { class: "items flips" },
    el("div", { class: "filters" }, search, right, tests),
    status,
    el("div", { class: "split" }, el("div", {}, heads, list.element), detail),
    copyButtons(columns, rows),
  );
  refresh();
  return view;
}

export async function comparisonPage(main: HTMLElement) {
  const { made, comparisons } = (await (await openBlock("comparison")).json()) as {
    made: string;
    comparisons: Comparison[];
  };
  const names = [...new Set(comparisons.map((c) => `${c.first} against ${c.second}`))].join(", ");
  document.title = `minpair: ${names}`;
  document.querySelector("h1")!.textContent = names;
  const sections = comparisons.map((c, i) =>
    el(
      "section",
      { id: `comparison-${i}` },
      el("h2", {}, c.title),
      figure(
        `Difference of the accuracies, ${c.title}; blue: ${c.first} is better, ` +
          `red: ${c.second} is better, where Holm's corrected p is below 0.05`,
        [differences(c)],
      ),
      testTable(c),
      el("ul", { class: "note" }, ...c.notes.map((n) => el("li", {}, n))),
      el("h3", {}, "Items that flipped"),
      c.flips.length ? flipsView(c) : el("p", {}, "None."),
    ),
  );
  if (sections.length > 1)
    document
      .querySelector("nav")!
      .append(...comparisons.map((c, i) => el("a", { href: `#comparison-${i}` }, c.title)));
  if (sections.length) skipTo(sections[0]);
  main.replaceChildren(...sections, el("p", { class: "note" }, `Made by ${made}.`));
}
