import * as Plot from "@observablehq/plot";
import { kOutcomes, nameOf, type Data, type Result, type Run } from "./data";

export const base = { style: { background: "transparent", color: "currentColor", fontSize: "12px" }, className: "plot", marginBottom: 44 };
const accuracy = { domain: [0, 1], label: "accuracy", grid: true };

const titleOf = (data: Data, r: { suite: string; test: string | null }) =>
  data.suites.find((s) => s.name === r.suite)?.tests.find((t) => t.name === r.test)?.title || r.test || "";

export const labelWidth = (labels: string[]) => Math.min(280, 20 + 6.6 * Math.max(4, ...labels.map((l) => l.length)));

// Twelve colours that colour-blind readers can tell apart, lighter and darker in turn. A run has the same one in every figure.
const kPalette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6a3d9a", "#b2a100", "#8c510a", "#01665e", "#737373", "#c51b7d"];
let series: string[] = [];
export function useSeries(names: string[]) {
  series = [...new Set(names)];
}
const colours = (names: string[]) => ({ domain: names, range: names.map((n) => kPalette[Math.max(0, series.indexOf(n)) % kPalette.length]), legend: true });

export function heatMap(data: Data, results: Result[]) {
  const cells = results.filter((r) => r.accuracy !== null).map((r) => ({ ...r, row: titleOf(data, r), column: nameOf(r) }));
  const rows = [...new Set(cells.map((c) => c.row))];
  const columns = [...new Set(cells.map((c) => c.column))];
  return Plot.plot({
    ...base,
    width: labelWidth(rows) + columns.length * 80 + 0.8 * labelWidth(columns),
    height: 30 + rows.length * 26 + 0.6 * labelWidth(columns),
    marginBottom: 10,
    marginLeft: labelWidth(rows),
    marginRight: 0.8 * labelWidth(columns),
    marginTop: 20 + 0.6 * labelWidth(columns),
    x: { axis: "top", domain: columns, label: null, tickRotate: -35 },
    y: { domain: rows, label: null },
    color: { type: "linear", domain: [0, 0.5, 1], range: ["#b2182b", "#e8e8e8", "#2166ac"], interpolate: "rgb" },
    marks: [
      Plot.cell(cells, { x: "column", y: "row", fill: "accuracy", inset: 0.5, title: (d) => `${d.row}\n${d.column}\n${d.accuracy.toFixed(4)} of ${d.pairs}` }),
      Plot.text(cells, { x: "column", y: "row", text: (d) => d.accuracy.toFixed(2), fill: (d) => (d.accuracy > 0.8 || d.accuracy < 0.2 ? "white" : "black") }),
    ],
  });
}

export const interval = (low: number | null, high: number | null) => (low === null || high === null ? "fewer than 5 clusters: no interval" : `${low.toFixed(4)} to ${high.toFixed(4)}`);

/** Dots with intervals; what was published as ticks. */
export function withIntervals(data: Data, results: Result[], by: "test" | "condition") {
  const cells = results
    .filter((r) => r.accuracy !== null)
    .map((r) => ({ ...r, row: by === "test" ? titleOf(data, r) : `${titleOf(data, r)}: ${r.condition ?? "(none)"}`, series: nameOf(r) }));
  const published = cells.flatMap((c) => c.published.map((p) => ({ ...p, row: c.row })));
  const rows = [...new Set(cells.map((c) => c.row))];
  const shown = [...new Set(cells.map((c) => c.series))];
  const place = (name: string) => (shown.indexOf(name) - (shown.length - 1) / 2) * 7;
  const marks: Plot.Markish[] = [Plot.ruleX([0.5], { strokeDasharray: "3 3", strokeOpacity: 0.5 })];
  for (const s of shown) {
    const own = cells.filter((c) => c.series === s);
    const dy = place(s);
    marks.push(
      Plot.ruleY(own.filter((c) => c.ci_low !== null), { y: "row", x1: "ci_low", x2: "ci_high", stroke: "series", strokeWidth: 2, dy }),
      Plot.dot(own, { y: "row", x: "accuracy", fill: "series", r: 3.5, dy, title: (d) => `${d.row}\n${d.series}\n${d.accuracy.toFixed(4)} (${interval(d.ci_low, d.ci_high)}), ${d.pairs} pairs` }),
    );
  }
  marks.push(Plot.tickX(published, { y: "row", x: "accuracy", strokeWidth: 1.5, title: (d) => `published: ${d.model}\n${d.accuracy}\n${d.source ?? ""}` }));
  return Plot.plot({
    ...base,
    width: Math.max(640, labelWidth(rows) + 420),
    height: 70 + rows.length * Math.max(18, shown.length * 8 + 6),
    marginLeft: labelWidth(rows),
    x: accuracy,
    y: { domain: rows, label: null },
    color: colours(shown),
    marks,
  });
}

/** Accuracy against a number that items carry: distance, attractors. */
export function against(runs: Run[], feature: string) {
  const all = runs.flatMap((run) => (run.against[feature] ?? []).map((p) => ({ ...p, series: nameOf(run) })));
  const places = [...new Set(all.map((p) => p.x))];
  // Few whole numbers: a tick for each, and no tick between them.
  const ticks = places.length <= 20 && places.every(Number.isInteger) ? places : undefined;
  return Plot.plot({
    ...base,
    width: 640,
    x: { label: feature, ticks, tickFormat: ticks ? "d" : undefined, inset: 12 },
    y: accuracy,
    color: colours([...new Set(all.map((p) => p.series))]),
    marks: [
      Plot.ruleX(all, { x: "x", y1: "low", y2: "high", stroke: "series", strokeOpacity: 0.6 }),
      Plot.lineY(all, { x: "x", y: "accuracy", stroke: "series" }),
      Plot.dot(all, { x: "x", y: "accuracy", fill: "series", title: (d) => `${feature} ${d.x}\n${d.series}\n${d.accuracy.toFixed(4)} of ${d.n}` }),
    ],
  });
}

/** Margins of two runs over the same items: binned, so that any number of items stays quick. */
export function scatter(a: Run, b: Run) {
  const points: { x: number; y: number }[] = [];
  for (let i = 0; i < a.margins.length; ++i)
    if (a.margins[i] !== null && b.margins[i] !== null) points.push({ x: a.margins[i]! / 1000, y: b.margins[i]! / 1000 });
  return Plot.plot({
    ...base,
    width: 480,
    height: 440,
    x: { label: `margin, ${nameOf(a)}` },
    y: { label: `margin, ${nameOf(b)}` },
    opacity: { type: "sqrt", range: [0.25, 1] },
    marks: [
      Plot.rect(points, Plot.bin({ fillOpacity: "count" }, { x: { value: "x", thresholds: 50 }, y: { value: "y", thresholds: 50 }, inset: 0, fill: "#4e8ac7" } as never)),
      Plot.ruleX([0], { strokeOpacity: 0.6 }),
      Plot.ruleY([0], { strokeOpacity: 0.6 }),
    ],
  });
}

export function margins(run: Run) {
  const items = run.margins.flatMap((m, i) => (m === null ? [] : [{ margin: m / 1000, outcome: kOutcomes[run.outcomes[i]] }]));
  // Zero is always in sight, and so is a bar where all margins are alike.
  let [low, high] = [0, 0];
  for (const { margin } of items) [low, high] = [Math.min(low, margin), Math.max(high, margin)];
  if (low === high) [low, high] = [-1, 1];
  const step = (high - low) / 60;
  const thresholds = Array.from({ length: 59 }, (_, i) => low + step * (i + 1));
  return Plot.plot({
    ...base,
    width: 480,
    height: 220,
    x: { label: "margin (good minus bad)", domain: [low, high] },
    y: { label: "items", grid: true },
    color: { domain: ["wrong", "tie", "right"], range: ["#b2182b", "#8a8f98", "#2166ac"], legend: true },
    marks: [
      Plot.rectY(items, Plot.binX({ y: "count" }, { x: { value: "margin", thresholds, domain: [low, high] }, inset: 0, fill: "outcome" } as never)),
      Plot.ruleX([0]),
      Plot.ruleY([0]),
    ],
  });
}
