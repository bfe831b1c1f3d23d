import { benchView, watchResults } from "./bench";
import { comparisonPage } from "./compare";
import { live, nameOf, openMain, type Data, type Result } from "./data";
import { count, el, figure, table, type Column, type Value } from "./dom";
import { itemsView } from "./items";
import { against, heatMap, margins, scatter, useSeries, withIntervals } from "./plots";

const reasonText = (r: string) => r.replaceAll("_", " ");

function overview(data: Data): Node[] {
  const several = data.suites.length > 1;
  const columns: Column[] = [{ title: "Run" }, ...(several ? [{ title: "Suite" }] : []), ...["Accuracy", "From", "To", "Pairs", "Clusters", "Ties", "Excluded"].map((title) => ({ title, numeric: true }))];
  const rows: Value[][] = data.tests.totals.map((r) => [
    nameOf(r),
    ...(several ? [r.suite] : []),
    r.accuracy,
    r.ci_low,
    r.ci_high,
    r.pairs,
    r.clusters ?? null,
    r.ties,
    Object.values(r.excluded).reduce((a, b) => a + b, 0),
  ]);
  const clustered = data.tests.totals.some((r) => r.clusters);
  const caption = clustered ? "All tests together, with a 95% interval over clusters" : "All tests together, with Wilson's 95% interval";
  return [table(columns, rows, caption), el("p", { class: "note" }, [...data.tests.policies, ...(clustered ? [data.clusters] : [])].join("; "))];
}

function testTable(data: Data, results: Result[], caption: string): HTMLElement {
  const runs = [...new Set(results.map(nameOf))];
  const published = [...new Set(results.flatMap((r) => r.published.map((p) => p.model)))];
  const withCondition = results.some((r) => r.condition);
  const columns: Column[] = [{ title: "Test" }, ...(withCondition ? [{ title: "Condition" }] : []), ...runs.map((title) => ({ title, numeric: true })), ...published.map((p) => ({ title: `${p} (published)`, numeric: true })), { title: "Pairs", numeric: true }];
  const keys = [...new Set(results.map((r) => JSON.stringify([r.suite, r.test, r.condition])))];
  const at = new Map(results.map((r) => [JSON.stringify([r.suite, r.test, r.condition, nameOf(r)]), r]));
  const rows = keys.map((key): Value[] => {
    const [suite, test, condition] = JSON.parse(key) as string[];
    const own = runs.map((run) => at.get(JSON.stringify([suite, test, condition, run])));
    const first = own.find((r) => r);
    const title = data.suites.find((s) => s.name === suite)?.tests.find((t) => t.name === test)?.title || test;
    return [
      title,
      ...(withCondition ? [condition ?? ""] : []),
      ...own.map((r) => r?.accuracy ?? null),
      ...published.map((p) => first?.published.find((q) => q.model === p)?.accuracy ?? null),
      Math.max(...own.map((r) => r?.pairs ?? 0)),
    ];
  });
  return table(columns, rows, caption);
}

function excluded(data: Data): Node[] {
  const columns: Column[] = [{ title: "Run" }, { title: "Suite" }, { title: "Reason" }, { title: "Items", numeric: true }];
  const rows: Value[][] = data.tests.totals.flatMap((r) => Object.entries(r.excluded).map(([reason, n]): Value[] => [nameOf(r), r.suite, reasonText(reason), n]));
  const account = el("ul", {}, ...[...data.tests.account, ...data.tests.notes].map((line) => el("li", {}, line)));
  return rows.length ? [table(columns, rows, "Items that are not in the accuracy"), account] : [el("p", {}, "Nothing was excluded."), account];
}

function made(data: Data): Node[] {
  return [
    el("p", {}, `Made by ${data.made}.`),
    ...data.suites.filter((s) => s.citation).map((s) => el("p", {}, `${s.title}: ${s.citation}`)),
    ...data.runs.map((r) => el("details", {}, el("summary", {}, nameOf(r) + ", " + data.suites[r.suite].name), el("dl", {}, ...Object.entries(r.about).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])))),
  ];
}

function scatters(data: Data): Node[] {
  const figures: Node[] = [];
  for (let i = 0; i < data.runs.length; ++i)
    for (let j = i + 1; j < data.runs.length && figures.length < 12; ++j) {
      const [a, b] = [data.runs[i], data.runs[j]];
      if (a.suite !== b.suite) continue;
      figures.push(figure(scatter(a, b), `Margins, ${nameOf(a)} against ${nameOf(b)}; the stronger the colour, the more items`));
    }
  return figures;
}

function features(data: Data): Node[] {
  const names = [...new Set(data.suites.flatMap((s) => Object.keys(s.items.features)))];
  return names.map((name) => figure(against(data.runs, name), `Accuracy against ${name}`));
}

// Sections below the window are drawn when they come near it, so that the page is usable at once.
function section(title: string, id: string, content: () => Node[], now = false): HTMLElement {
  const s = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title));
  const draw = () => {
    if (s.dataset.drawn) return;
    s.dataset.drawn = "1";
    const nodes = content();
    if (nodes.length) s.append(...nodes);
    else s.append(el("p", {}, "These results have none."));
  };
  if (now) {
    draw();
  } else {
    new IntersectionObserver((seen, o) => {
      if (!seen.some((e) => e.isIntersecting)) return;
      o.disconnect();
      draw();
    }, { rootMargin: "400px" }).observe(s);
    window.addEventListener("beforeprint", draw);
  }
  return s;
}

async function start() {
  if (document.getElementById("comparison")) return comparisonPage(document.querySelector("main")!);
  const data = await openMain();
  useSeries([...data.runs.map(nameOf), ...data.tests.results.map(nameOf)]);
  const main = document.querySelector("main")!;
  const sections = !data.runs.length ? [] : [
    section("Overview", "overview", () => overview(data), true),
    section("Tests and models", "tests", () => [figure(heatMap(data, data.tests.results), "Accuracy by test and model"), testTable(data, data.tests.results, "Accuracy by test")], true),
    section("Intervals", "intervals", () => [figure(withIntervals(data, data.tests.results, "test"), "Accuracy by test, with 95% intervals; ticks: published")]),
    section("Conditions", "conditions", () => [figure(withIntervals(data, data.conditions.results, "condition"), "Accuracy by condition, with 95% intervals; ticks: published"), testTable(data, data.conditions.results, "Accuracy by condition")]),
    section("Distance and attractors", "features", () => features(data)),
    section("Run against run", "scatter", () => scatters(data)),
    section("Margins", "margins", () => data.runs.map((r) => figure(margins(r), `Margins of ${nameOf(r)}, ${data.suites[r.suite].name}`))),
    section("Items", "items", () => [itemsView(data)], true),
    section("Excluded", "excluded", () => excluded(data)),
    section("How it was made", "made", () => made(data), true),
  ];
  if (live?.models.length) sections.unshift(section("Try sentences", "bench", () => [benchView(live!)], true));
  const titles = data.suites.map((s) => s.title).join(", ") || live?.models.map((m) => m.name).join(", ") || "No results";
  const header = document.querySelector("header")!;
  document.title = `minpair: ${titles}`;
  document.querySelector("h1")!.textContent = titles;
  if (data.runs.length) header.append(el("p", { class: "note" }, `${count(data.suites.reduce((n, s) => n + s.items.ids.length, 0))} items, ${data.runs.length} ${data.runs.length === 1 ? "run" : "runs"}`));
  if (live) watchResults(live, header);
  document.querySelector("nav")!.append(...sections.map((s) => el("a", { href: `#${s.id}` }, s.querySelector("h2")!.textContent!)));
  main.replaceChildren(...sections);
}

start().catch((e) => {
  const main = document.querySelector("main")!;
  main.replaceChildren(el("p", { role: "alert" }, `The results could not be opened: ${e}. A browser of 2023 or later is needed.`));
}).finally(() => document.querySelector("main")!.removeAttribute("aria-busy"));
