// The few kinds of picture that the page draws, as SVG: panels that stand beside each other.
import { count, el, fixed, interval, several, share } from "./dom";
import { isPeople, placeOf, type Cell } from "./view";

type Attributes = Record<string, string | number | null | undefined>;

export function svg(
  tag: string,
  attributes: Attributes = {},
  ...children: (Node | string | null)[]
): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined)
      e.setAttribute(
        name,
        typeof value === "number" ? String(Math.round(value * 100) / 100) : value,
      );
  for (const child of children) if (child !== null) e.append(child);
  return e;
}

// --- A model has one colour and one shape wherever it is drawn. Those that share a shape can be
// told apart by colour-blind eyes.

const kLight = [
  "#0072b2",
  "#c24e00",
  "#00795a",
  "#b0408a",
  "#7a2f12",
  "#111417",
  "#a67600",
  "#3b3f9e",
  "#c2185b",
  "#6e6e6e",
  "#3aa0dc",
  "#4c8a00",
];
const kShapes = [
  "M0-4.2A4.2 4.2 0 1 1 0 4.2A4.2 4.2 0 1 1 0-4.2Z",
  "M-3.8-3.8H3.8V3.8H-3.8Z",
  "M0-4.8L4.7 3.6H-4.7Z",
  "M0-5.2L5.2 0L0 5.2L-5.2 0Z",
];
// More checkpoints than there are colours have that of their training.
const place = (model: string) => placeOf(model, kLight.length);
export const colourOf = (model: string) =>
  isPeople(model) ? "var(--ink)" : `var(--c${place(model) % kLight.length})`;
// People are no model: a star in the colour of the text.
const kStar = "M0-5.6L1.5-1.9L5.4-1.8L2.4.8L3.4 4.6L0 2.4L-3.4 4.6L-2.4.8L-5.4-1.8L-1.5-1.9Z";
const shapeOf = (model: string) =>
  isPeople(model) ? kStar : kShapes[place(model) % kShapes.length];

export interface Named {
  model: string;
  method: string;
}
/**
 * The methods of a model: the first full, the second hollow, the third with a hole, the others with
 * a bar.
 */
export function mark(
  run: { model: string },
  x: number,
  y: number,
  nth: number,
  title?: string,
): SVGElement {
  const style =
    nth % 2 || nth > 3
      ? `fill:var(--paper);stroke:${colourOf(run.model)};stroke-width:1.8`
      : `fill:${colourOf(run.model)};fill-rule:evenodd`;
  const inner =
    nth === 2 ? "M0-1.8A1.8 1.8 0 1 1 0 1.8A1.8 1.8 0 1 1 0-1.8Z" : nth > 2 ? "M-6 0H6" : "";
  return svg(
    "path",
    {
      d: shapeOf(run.model) + inner,
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      style,
    },
    title ? svg("title", {}, title) : null,
  );
}
/** Which run of its model one is. */
export const nthAmong = (all: Named[]) => (run: Named) =>
  all.filter((r) => r.model === run.model).indexOf(run);
const kMethodDashes = ["", "4 3", "1.5 2.5", "8 3 2 3"];

export function swatch(run: { model: string }, nth = 0): SVGElement {
  return svg(
    "svg",
    { width: 14, height: 14, viewBox: "-7 -7 14 14", class: "swatch", "aria-hidden": "true" },
    mark(run, 0, 0, nth),
  );
}

/** Runs and published results by their marks. */
export function legend(
  runs: Named[],
  published: { letter: string; name: string }[],
  name: (r: Named) => string,
): HTMLElement {
  const nth = nthAmong(runs);
  return el(
    "ul",
    { class: "legend" },
    ...runs.map((r) => el("li", {}, swatch(r, nth(r)) as unknown as Node, name(r))),
    ...published.map((p) => el("li", {}, el("b", { class: "letter" }, p.letter), p.name)),
  );
}

// --- Axes

export interface Scale {
  (x: number): number;
  ticks: number[];
  low: number;
  high: number;
}
export function scale(low: number, high: number, from: number, to: number, wanted = 5): Scale {
  const step = niceStep((high - low) / wanted);
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step)
    ticks.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return Object.assign((x: number) => from + ((x - low) / (high - low)) * (to - from), {
    ticks,
    low,
    high,
  });
}
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
}
export const tickText = (t: number) =>
  (Math.abs(t) >= 1000 ? count(t) : String(Number(t.toPrecision(6)))).replace("-", "\u2212");

export const kLetter = 6.3; // the width of a letter of 11 pixels, nearly
export function fitted(text: string, width: number, attributes: Attributes): SVGElement {
  const most = Math.max(3, Math.floor(width / kLetter));
  const cut = text.length > most;
  return svg(
    "text",
    attributes,
    cut ? `${text.slice(0, most - 1)}…` : text,
    cut ? svg("title", {}, text) : null,
  );
}
/**
 * A picture that would like to be so wide; a small screen has less room, and would shrink its
 * letters.
 */
export const atMost = (width: number) =>
  Math.min(width, Math.max(280, document.querySelector("main")?.clientWidth ?? width));
/** Where names go that want to stand at these heights, so that none stands on another. */
export function spread(wanted: number[], step: number): number[] {
  const at = [...wanted];
  let free = -Infinity;
  for (const i of wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b])) {
    at[i] = Math.max(wanted[i], free);
    free = at[i] + step;
  }
  return at;
}
/** A title may have two lines. */
function titleLines(title: string, width: number): string[] {
  const most = Math.floor(width / 7.4);
  if (title.length <= most) return [title];
  const cut = Math.max(title.lastIndexOf(" ", most), title.lastIndexOf("_", most - 1) + 1);
  return cut <= 0 ? [title] : [title.slice(0, cut), title.slice(cut).trimStart()];
}
export function panel(
  width: number,
  height: number,
  title: string,
  children: (Node | null)[],
  label = title,
): SVGElement {
  const lines = titleLines(title, width);
  return svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
      class: "panel",
    },
    ...lines.map((l, i) =>
      fitted(l, (width * kLetter) / 7.4, { x: 0, y: 12 + 14 * i, class: "title" }),
    ),
    ...children,
  );
}
const kTop = 34; // under two lines of title

export function xAxis(
  x: Scale,
  top: number,
  bottom: number,
  label?: string,
  format = tickText,
): Node[] {
  return [
    ...x.ticks.flatMap((t) => [
      svg("line", { x1: x(t), x2: x(t), y1: top, y2: bottom, class: "grid" }),
      svg("text", { x: x(t), y: bottom + 14, "text-anchor": "middle" }, format(t)),
    ]),
    ...(label
      ? [svg("text", { x: x(x.high), y: bottom + 28, "text-anchor": "end", class: "soft" }, label)]
      : []),
  ];
}
export function yAxis(y: Scale, left: number, right: number, format = tickText): Node[] {
  return y.ticks.flatMap((t) => [
    svg("line", { x1: left, x2: right, y1: y(t), y2: y(t), class: "grid" }),
    svg("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, format(t)),
  ]);
}

// --- Accuracies

export interface Dot {
  run: Named;
  cell: Cell;
}
const said = (name: string, d: Dot) =>
  [
    `${name}\n${d.run.model} ${d.run.method}\n${share(d.cell.accuracy)}`,
    ` (${interval(d.cell.low, d.cell.high)}), ${several(d.cell.items, "pair")}`,
  ].join("");

/** Rows of dots with intervals; published results as letters on ticks. */
export function dots(
  title: string,
  rows: { label: string; dots: Dot[]; published: { letter: string; x: number; title: string }[] }[],
  all: Named[],
  width = 310,
): SVGElement {
  const left = Math.min(
    width * 0.46,
    12 + kLetter * Math.max(3, ...rows.map((r) => r.label.length)),
  );
  const x = scale(0, 1, left + 6, width - 12, 4);
  const lettered = rows.some((r) => r.published.length);
  const step = all.length > 6 ? 7 : 9;
  const rowHeight = Math.max(20, all.length * step + 8 + (lettered ? 8 : 0));
  const bottom = kTop + rows.length * rowHeight;
  const nth = nthAmong(all);
  const drawn = rows.flatMap((row, i) => {
    const top = kTop + i * rowHeight;
    const middle = top + rowHeight / 2;
    const letters = spread(
      row.published.map((p) => x(p.x)),
      9,
    );
    // those at the end give way to the left
    const beyond = Math.max(0, ...letters.map((l) => l - width + 4));
    return [
      i ? svg("line", { x1: 0, x2: width, y1: top, y2: top, class: "rule" }) : null,
      fitted(row.label, left, { x: 0, y: middle + 4 }),
      ...row.published.flatMap((p, l) => [
        svg(
          "line",
          { x1: x(p.x), x2: x(p.x), y1: top + 9, y2: top + rowHeight - 1, class: "published" },
          svg("title", {}, p.title),
        ),
        svg(
          "text",
          { x: letters[l] - beyond, y: top + 8, "text-anchor": "middle", class: "small" },
          p.letter,
        ),
      ]),
      ...row.dots.flatMap((d) => {
        const y =
          top +
          (lettered ? 8 : 0) +
          (rowHeight - (lettered ? 8 : 0)) / 2 +
          (all.indexOf(d.run) - (all.length - 1) / 2) * step;
        return [
          d.cell.low === null
            ? null
            : svg("line", {
                x1: x(d.cell.low),
                x2: x(d.cell.high!),
                y1: y,
                y2: y,
                style: `stroke:${colourOf(d.run.model)};stroke-width:2`,
              }),
          mark(d.run, x(d.cell.accuracy), y, nth(d.run), said(row.label, d)),
        ];
      }),
    ];
  });
  return panel(
    width,
    bottom + 20,
    title,
    [
      ...xAxis(x, kTop, bottom),
      svg("line", { x1: x(0.5), x2: x(0.5), y1: kTop, y2: bottom, class: "half" }),
      ...drawn,
    ],
    `Accuracy: ${title}`,
  );
}

/**
 * Accuracy at each value of something. Only where there are three or more does a line join them.
 * `places`: where the values stand, from 0 to 1; absent: evenly.
 */
export function lines(
  title: string,
  values: string[],
  series: { run: Named; cells: (Cell | null)[] }[],
  width = 280,
  height = 200,
  places?: number[],
): SVGElement {
  const all = series.map((s) => s.run);
  const nth = nthAmong(all);
  const bottom = height - 24;
  const y = scale(0, 1, bottom, kTop + 4, 4);
  const room = (width - 44) / values.length;
  const middle = (i: number) => (places ? 48 + (width - 64) * places[i] : 38 + room * (i + 0.5));
  const at = (i: number, s: number) =>
    middle(i) + (places ? 0 : (s - (all.length - 1) / 2) * Math.min(6, (room * 0.6) / all.length));
  const drawn = series.flatMap(({ run, cells }, s) => {
    const known = cells.flatMap((c, i) => (c ? [{ c, i }] : []));
    return [
      values.length > 2
        ? svg("path", {
            d: known
              .map(
                ({ c, i }, k) =>
                  `${k ? "L" : "M"}${at(i, s).toFixed(1)} ${y(c.accuracy).toFixed(1)}`,
              )
              .join(""),
            style: [
              `fill:none;stroke:${colourOf(run.model)};stroke-width:1.5;`,
              `stroke-dasharray:${kMethodDashes[nth(run) % kMethodDashes.length]}`,
            ].join(""),
          })
        : null,
      ...known.flatMap(({ c, i }) => [
        c.low === null
          ? null
          : svg("line", {
              x1: at(i, s),
              x2: at(i, s),
              y1: y(c.low),
              y2: y(c.high!),
              style: `stroke:${colourOf(run.model)};stroke-width:1.5;stroke-opacity:.55`,
            }),
        mark(
          run,
          at(i, s),
          y(c.accuracy),
          nth(run),
          said(`${title}: ${values[i]}`, { run, cell: c }),
        ),
      ]),
    ];
  });
  const every = Math.max(
    1,
    Math.ceil(
      (Math.max(...values.map((v) => v.length)) * kLetter + 5) /
        room /
        (values.length > 3 ? 1 : 1.6),
    ),
  );
  let free = 0; // names that stand unevenly wait for the one before
  const named = (v: string, i: number) => {
    if (!places) return !(i % every && values.length > 3);
    const half = (v.length * kLetter) / 2 + 3;
    if (middle(i) - half < free) return false;
    free = middle(i) + half;
    return true;
  };
  const names = values.map((v, i) =>
    named(v, i)
      ? fitted(v, places ? 99 : room * Math.max(1, every), {
          x: middle(i),
          y: bottom + 15,
          "text-anchor": "middle",
        })
      : null,
  );
  return panel(
    width,
    height,
    title,
    [
      ...yAxis(y, 38, width - 4),
      svg("line", { x1: 38, x2: width - 4, y1: y(0.5), y2: y(0.5), class: "half" }),
      ...drawn,
      ...names,
    ],
    `Accuracy by value: ${title}`,
  );
}

// --- Margins

const kOutcomeClass = ["wrong", "tie", "right"];
/** How many items have which margin; bars are stacked by outcome. */
export function histogram(
  title: string,
  margins: number[],
  outcomes: number[],
  width = 310,
  height = 190,
): SVGElement {
  let [low, high] = [0, 0];
  for (const m of margins) [low, high] = [Math.min(low, m), Math.max(high, m)];
  if (low === high) [low, high] = [-1, 1];
  // A bar ends at 0, so that right and wrong do not share one. Few items make few bars.
  const step = (high - low) / Math.max(8, Math.min(48, Math.ceil(3 * Math.sqrt(margins.length))));
  low = Math.floor(low / step) * step;
  const bars = Array.from({ length: Math.floor((high - low) / step) + 1 }, () => [0, 0, 0]);
  margins.forEach(
    (m, i) => bars[Math.min(bars.length - 1, Math.floor((m - low) / step + 1e-9))][outcomes[i]]++,
  );
  high = low + bars.length * step;
  const most = Math.max(1, ...bars.map(([a, b, c]) => a + b + c));
  const bottom = height - 34;
  const left = 14 + kLetter * count(most).length;
  const x = scale(low, high, left, width - 12, 5);
  const y = scale(0, most, bottom, kTop, Math.min(4, most));
  const drawn = bars.flatMap((bar, b) => {
    let under = 0;
    return bar.map((n, o) => {
      if (!n) return null;
      const from = under;
      under += n;
      return svg(
        "rect",
        {
          x: x(low + b * step),
          width: Math.max(1, x(low + step) - x(low) - 0.5),
          y: y(under),
          height: y(from) - y(under),
          class: kOutcomeClass[o],
        },
        svg(
          "title",
          {},
          [low + b * step, low + (b + 1) * step].map((x) => fixed(x, 2)).join(" to ") +
            `: ${count(n)} ${kOutcomeClass[o]}`,
        ),
      );
    });
  });
  return panel(
    width,
    height,
    title,
    [
      ...yAxis(y, left, width - 12),
      ...xAxis(x, bottom, bottom, "margin"),
      ...drawn,
      svg("line", { x1: x(0), x2: x(0), y1: kTop, y2: bottom, class: "zero" }),
    ],
    `Margins: ${title}`,
  );
}

/** Two numbers of everything: dots, or squares that are the stronger the more there are. */
export function scatter(
  title: string,
  labels: [string, string],
  domain: [number, number],
  points: { x: number; y: number; title: string }[],
  binned: boolean,
  width = 350,
): SVGElement {
  const height = width + 32;
  const bottom = height - 40;
  const top = kTop + 12; // under the name of the axis, whatever the font's height
  const x = scale(...domain, 48, width - 8, 4);
  const y = scale(...domain, bottom, top, 4);
  const parts: (Node | null)[] = [
    ...xAxis(x, top, bottom),
    ...yAxis(y, 48, width - 8),
    svg("line", {
      x1: x(domain[0]),
      x2: x(domain[1]),
      y1: y(domain[0]),
      y2: y(domain[1]),
      class: "half",
    }),
  ];
  if (binned) {
    const kBins = 50;
    const bins = new Map<number, number>();
    const bin = (v: number) =>
      Math.min(
        kBins - 1,
        Math.max(0, Math.floor(((v - domain[0]) / (domain[1] - domain[0])) * kBins)),
      );
    for (const p of points)
      bins.set(bin(p.x) * kBins + bin(p.y), (bins.get(bin(p.x) * kBins + bin(p.y)) ?? 0) + 1);
    const most = Math.max(1, ...bins.values());
    const side = (x(domain[1]) - x(domain[0])) / kBins;
    for (const [b, n] of bins)
      parts.push(
        svg(
          "rect",
          {
            x: x(domain[0]) + Math.floor(b / kBins) * side,
            y: y(domain[0]) - ((b % kBins) + 1) * ((y(domain[0]) - y(domain[1])) / kBins),
            width: side,
            height: (y(domain[0]) - y(domain[1])) / kBins,
            class: "bin",
            "fill-opacity": 0.2 + 0.8 * Math.sqrt(n / most),
          },
          svg("title", {}, several(n, "item")),
        ),
      );
    for (const zero of [
      svg("line", { x1: x(0), x2: x(0), y1: top, y2: bottom, class: "zero" }),
      svg("line", { y1: y(0), y2: y(0), x1: 48, x2: width - 8, class: "zero" }),
    ])
      parts.push(zero);
  } else
    for (const p of points)
      parts.push(
        svg("circle", { cx: x(p.x), cy: y(p.y), r: 4, class: "point" }, svg("title", {}, p.title)),
      );
  parts.push(
    fitted(`${labels[0]} →`, width - 60, {
      x: width - 8,
      y: height - 8,
      "text-anchor": "end",
      class: "soft",
    }),
    fitted(`↑ ${labels[1]}`, width - 60, { x: 0, y: kTop - 4, class: "soft" }),
  );
  return panel(width, height, title, parts);
}

// --- Regions of designs: sentences are told apart by dashes and shapes, not by a model's colour.

export const kDashes = ["", "6 3", "2 2.5", "8 3 2 3", "1 3", "10 4"];
export const kSentences = ["--right", "--wrong", "--ink", "--soft"];
export function regions(
  title: string,
  names: string[],
  sentences: {
    name: string;
    at: (null | { mean: number; low: number | null; high: number | null; items: number })[];
  }[],
  width = 360,
  height = 240,
): SVGElement {
  const keys = sentences.length;
  const top = kTop + 6 + 14 * keys;
  const bottom = height + 14 * keys - 30;
  const values = sentences.flatMap((s) =>
    s.at.flatMap((p) => (p ? [p.high ?? p.mean, p.mean] : [])),
  );
  const y = scale(0, Math.max(1, ...values), bottom, top, 4);
  const room = (width - 44) / names.length;
  const at = (i: number, s: number) => 36 + room * (i + 0.5) + (s - (keys - 1) / 2) * 4;
  const style = (s: number) =>
    [
      `stroke:var(${kSentences[s % kSentences.length]});`,
      `stroke-dasharray:${kDashes[s % kDashes.length]}`,
    ].join("");
  const parts = sentences.flatMap(({ name, at: points }, s) => {
    const known = points.flatMap((p, i) => (p ? [{ p, i }] : []));
    const shape = (px: number, py: number, said: string) =>
      svg(
        "path",
        {
          d: kShapes[s % kShapes.length],
          transform: `translate(${px.toFixed(1)} ${py.toFixed(1)}) scale(.85)`,
          style: `fill:var(${kSentences[s % kSentences.length]})`,
        },
        svg("title", {}, said),
      );
    return [
      svg("line", {
        x1: 36,
        x2: 62,
        y1: kTop + 4 + 14 * s,
        y2: kTop + 4 + 14 * s,
        style: `${style(s)};stroke-width:1.6`,
      }),
      shape(49, kTop + 4 + 14 * s, name),
      fitted(name.replaceAll("_", " "), width - 72, { x: 68, y: kTop + 8 + 14 * s }),
      svg("path", {
        d: known
          .map(({ p, i }, k) => `${k ? "L" : "M"}${at(i, s).toFixed(1)} ${y(p.mean).toFixed(1)}`)
          .join(""),
        style: `fill:none;stroke-width:1.6;${style(s)}`,
      }),
      ...known.flatMap(({ p, i }) => [
        p.low === null
          ? null
          : svg("line", {
              x1: at(i, s),
              x2: at(i, s),
              y1: y(p.low),
              y2: y(p.high!),
              style: `stroke:var(${kSentences[s % kSentences.length]});stroke-opacity:.5`,
            }),
        shape(
          at(i, s),
          y(p.mean),
          `${name}, ${names[i]}: ${fixed(p.mean, 2)} bits over ${several(p.items, "item")}`,
        ),
      ]),
    ];
  });
  const labels = names.map((n, i) =>
    fitted(n, room * 1.05, { x: 36 + room * (i + 0.5), y: bottom + 15, "text-anchor": "middle" }),
  );
  return panel(
    width,
    bottom + 24,
    title,
    [...yAxis(y, 36, width - 4), ...parts, ...labels],
    `Surprisal by region, in bits: ${title}`,
  );
}

// --- Keeping a picture

const kSaved: Record<string, string> = {
  "--paper": "#fff",
  "--ink": "#1c1e21",
  "--right": "#2166ac",
  "--wrong": "#b2182b",
  "--soft": "#5b6169",
  ...Object.fromEntries(kLight.map((c, i) => [`--c${i}`, c])),
};
const kStyle = [
  "text{font:11px sans-serif;fill:#1c1e21}",
  ".title{font-weight:600;font-size:12px}",
  ".soft{fill:#5b6169}",
  ".small{font-size:9px}",
  ".grid,.rule{stroke:#d8dce1}",
  ".half{stroke:#5b6169;stroke-dasharray:3 3}",
  ".zero{stroke:#1c1e21}",
  ".published{stroke:#1c1e21;stroke-width:1.5}",
  ".wrong{fill:#b2182b}",
  ".tie{fill:#8a8f98}",
  ".right{fill:#2166ac}",
  ".bin,.point{fill:#2b6cb0}",
].join("");

/** Programs that draw SVG know neither variables nor mixtures. */
function settled(drawn: string): string {
  const channels = (hex: string) =>
    hex.length === 4
      ? [1, 2, 3].map((i) => parseInt(hex[i] + hex[i], 16))
      : [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const mixed = (a: string, share: string, b: string) =>
    `rgb(${channels(a)
      .map((x, i) => Math.round((x * Number(share) + channels(b)[i] * (100 - Number(share))) / 100))
      .join(",")})`;
  return drawn
    .replace(/var\((--\w+)\)/g, (all, name) => kSaved[name] ?? all)
    .replace(/color-mix\(in srgb, (#\w+) (\d+)%, (#\w+)\)/g, (_, a, share, b) =>
      mixed(a, share, b),
    );
}

/** All panels of a figure in one file, where they stand on the screen, under their legend. */
function saved(figure: HTMLElement): string {
  const area = figure.querySelector(".panels")!.getBoundingClientRect();
  const keys = [...figure.querySelectorAll(".legend li")];
  const top = keys.length * 16 + 8;
  const parts = [...figure.querySelectorAll<SVGElement>(".panel")].map((p) => {
    const at = p.getBoundingClientRect();
    const copy = p.cloneNode(true) as SVGElement;
    copy.setAttribute("x", String(at.left - area.left));
    copy.setAttribute("y", String(at.top - area.top + top));
    return copy;
  });
  const legend = keys.map((k, i) =>
    svg(
      "g",
      { transform: `translate(8 ${8 + 16 * i})` },
      k.querySelector("path")?.cloneNode(true) ??
        svg("text", { x: -3, y: 4 }, k.querySelector(".letter")?.textContent ?? ""),
      svg("text", { x: 12, y: 4 }, k.lastChild?.textContent ?? ""),
    ),
  );
  const whole = svg(
    "svg",
    {
      width: area.width,
      height: area.height + top,
      viewBox: `0 0 ${area.width} ${area.height + top}`,
      xmlns: "http://www.w3.org/2000/svg",
    },
    svg("style", {}, kStyle),
    svg("rect", { width: "100%", height: "100%", fill: "#fff" }),
    ...legend,
    ...parts,
  );
  return settled(whole.outerHTML);
}

export function figure(
  caption: string,
  panels: Node[],
  key: HTMLElement | null = null,
): HTMLElement {
  const save = el("button", { type: "button" }, "Save as SVG");
  const f = el(
    "figure",
    {},
    el("figcaption", {}, caption),
    key,
    el("div", { class: "panels" }, ...panels),
    el("div", { class: "tools" }, save),
  );
  save.addEventListener("click", () => {
    const link = el("a", {
      download: `${caption
        .replace(/[^a-z0-9]+/gi, "-")
        .toLowerCase()
        .slice(0, 60)}.svg`,
    });
    link.href = URL.createObjectURL(new Blob([saved(f)], { type: "image/svg+xml" }));
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return f;
}
