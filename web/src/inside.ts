// What `minpair introspect` found inside the models: layer × place, curves over layers, strongest
// parts, single sentences.
import { live, openBlock } from "./data";
import { count, el, fixed, labelled, select, several, table, type Column, type Value } from "./dom";
import { set, state } from "./state";
import {
  figure,
  fitted,
  kDashes,
  kSentences,
  panel,
  scale,
  spread,
  svg,
  xAxis,
  yAxis,
} from "./svg";
import { data, suite, titleOf } from "./view";

export type Row = Record<string, string | number | null>;
interface Grid {
  tables: [{ title: string; columns?: { key: string; title: string }[]; rows: Row[] }];
}
export interface Sentence {
  id: string;
  margin: number;
  names: string[]; // words, or places
  parts: [string, number[]][]; // text, and which of them it belongs to
  effects: (number | null)[][]; // of each, layer by layer
}
interface Overlap {
  what: "overlap";
  table: { tables: [{ title: string; notes: string[]; rows: Row[] }] };
}
interface Sweep {
  suite: string;
  model: string;
  what: string;
  options: Record<string, unknown>;
  command: string;
  notes: string[];
  test: Grid;
  condition: Grid;
  layers: number[];
  sentences: Sentence[];
  left: number;
}

export const hasEffects = () =>
  document.getElementById("effects") !== null || (live !== null && data.inside === true);
let opened: { version?: string; all: Promise<(Sweep | Overlap)[]> } | undefined;
function sweeps(): Promise<(Sweep | Overlap)[]> {
  // A served file may have changed.
  if (!opened || opened.version !== live?.version)
    opened = {
      version: live?.version,
      all: openBlock("effects").then((r) => r.json() as Promise<(Sweep | Overlap)[]>),
    };
  return opened.all;
}

const num = (v: unknown) => (typeof v === "number" ? v : null);
const kNames: Record<string, string> = {
  lens: "What each layer would answer",
  erasure: "What each word does",
  alti: "What each word says to the output",
  logit: "What each part says to the output",
  patch: "What a change inside does",
  ablate: "Accuracy without parts of the model",
};
function nameOf(s: Sweep): string {
  const o = s.options as { site?: string; how?: string; swap?: string };
  const how =
    o.how === "interchange"
      ? `as with the other ${o.swap}`
      : o.how === "direct"
        ? `all but this as with the other ${o.swap}`
        : o.how;
  return [
    `${s.model}: ${kNames[s.what] ?? s.what}`,
    o.site,
    s.what === "patch" || s.what === "ablate" ? how : "",
  ]
    .filter(Boolean)
    .join(", ");
}

// --- Which items: all of them, a test, or one of its conditions

export interface Group {
  title: string;
  test: string; // "": all items
  condition: string; // "": all of them
  rows: Row[];
}
function groups(s: Sweep): Group[] {
  const found = new Map<string, Group>();
  for (const [grid, both] of [
    [s.test, false],
    [s.condition, true],
  ] as const)
    for (const row of grid.tables[0].rows) {
      const [test, condition] = [
        String(row.test ?? "all"),
        both ? String(row.condition ?? "") : "",
      ];
      if (both && !condition) continue;
      const title =
        test === "all" ? "all items" : [titleOf(test), condition].filter(Boolean).join(", ");
      if (!found.has(title))
        found.set(title, { title, test: test === "all" ? "" : test, condition, rows: [] });
      found.get(title)!.rows.push(row);
    }
  const all = [...found.values()];
  return [
    ...all.filter((g) => g.title === "all items"),
    ...all.filter((g) => g.title !== "all items"),
  ];
}

// --- Pictures

/** The colour of right answers above zero, that of wrong ones below. */
function tint(x: number | null, most: number): string {
  if (x === null) return "transparent";
  const percent = Math.round(45 * Math.min(1, Math.abs(x) / most));
  return `color-mix(in srgb, var(${x >= 0 ? "--right" : "--wrong"}) ${percent}%, var(--paper))`;
}
const strongest = (values: (number | null)[]) =>
  Math.max(1e-9, ...values.map((v) => Math.abs(v ?? 0)));

export function heatMap(title: string, rows: Row[]): SVGElement {
  const places = [...new Set(rows.filter((r) => num(r.layer) !== null).map((r) => String(r.at)))];
  const layers = [...new Set(rows.flatMap((r) => num(r.layer) ?? []))].sort((a, b) => a - b);
  const most = strongest(rows.map((r) => num(r.effect)));
  const [left, top, side, high] = [84, 40, Math.max(26, Math.min(52, 560 / layers.length)), 30];
  const cells = rows.flatMap((r) => {
    const layer = num(r.layer);
    if (layer === null) return [];
    const [x, y] = [left + layers.indexOf(layer) * side, top + places.indexOf(String(r.at)) * high];
    const effect = num(r.effect);
    const [low, upper, items] = [num(r.effect_low), num(r.effect_high), num(r.items)];
    const said = [
      `${r.at}, layer ${layer}: ${effect === null ? "nothing" : fixed(effect, 3)}`,
      low === null ? "" : ` [${fixed(low, 3)}, ${fixed(upper!, 3)}]`,
      items === null ? "" : `, ${several(items, "item")}`,
    ].join("");
    return [
      svg(
        "rect",
        {
          x,
          y,
          width: side - 1,
          height: high - 1,
          style: `fill:${tint(effect, most)}`,
          class: "heat",
        },
        svg("title", {}, said),
      ),
      effect === null
        ? null
        : svg(
            "text",
            {
              x: x + side / 2,
              y: y + high / 2 + 4,
              "text-anchor": "middle",
              class: side < 34 ? "small" : "",
            },
            fixed(effect, side < 34 ? 1 : 2),
          ),
    ];
  });
  const names = places.map((p, i) =>
    fitted(p, left - 10, { x: left - 8, y: top + high * (i + 0.5) + 4, "text-anchor": "end" }),
  );
  const numbers = layers.map((l, i) =>
    svg(
      "text",
      { x: left + side * (i + 0.5), y: top + high * places.length + 15, "text-anchor": "middle" },
      String(l),
    ),
  );
  const end = top + high * places.length;
  return panel(
    left + side * layers.length + 8,
    end + 36,
    title,
    [
      ...cells,
      ...names,
      ...numbers,
      svg(
        "text",
        { x: left + side * layers.length, y: end + 31, "text-anchor": "end", class: "soft" },
        "layer",
      ),
    ],
    `Effect by layer and place: ${title}`,
  );
}

/** A line for each group over layers, distinguished by colour, dashes and a name at its end. */
const kLines = ["--ink", ...kSentences.filter((c) => c !== "--ink")];
export function curves(title: string, key: "accuracy" | "margin", shown: Group[]): SVGElement {
  const points = shown.map((g) =>
    g.rows.flatMap((r) =>
      num(r[key]) === null
        ? []
        : [
            {
              layer: num(r.layer)!,
              value: num(r[key])!,
              low: num(r[`${key}_low`]),
              high: num(r[`${key}_high`]),
            },
          ],
    ),
  );
  const all = points.flat().flatMap((p) => [p.value, p.low ?? p.value, p.high ?? p.value]);
  const layers = points.flat().map((p) => p.layer);
  const [low, high] = key === "accuracy" ? [0, 1] : [Math.min(0, ...all), Math.max(0.1, ...all)];
  const [left, width] = [44, 340];
  const bottom = 210;
  const x = scale(
    0,
    Math.max(1, ...layers),
    left + 6,
    width - 110,
    Math.min(6, Math.max(1, ...layers)),
  );
  const y = scale(low, high, bottom, 34, 4);
  const ends = spread(
    points.map((ps) => (ps.length ? y(ps.at(-1)!.value) + 4 : 0)),
    12,
  );
  const drawn = points.flatMap((ps, s) => {
    const colour = `var(${kLines[s % kLines.length]})`;
    const style = `stroke:${colour};stroke-dasharray:${kDashes[s % kDashes.length]}`;
    const last = ps.at(-1);
    return [
      svg(
        "path",
        {
          d: ps
            .map((p, k) => `${k ? "L" : "M"}${x(p.layer).toFixed(1)} ${y(p.value).toFixed(1)}`)
            .join(""),
          style: `fill:none;stroke-width:1.6;${style}`,
        },
        svg("title", {}, shown[s].title),
      ),
      ...ps.flatMap((p) => [
        p.low === null
          ? null
          : svg("line", {
              x1: x(p.layer),
              x2: x(p.layer),
              y1: y(p.low),
              y2: y(p.high!),
              style: `stroke:${colour};stroke-opacity:.35`,
            }),
        svg(
          "circle",
          { cx: x(p.layer), cy: y(p.value), r: 3, style: `fill:${colour}` },
          svg("title", {}, `${shown[s].title}, layer ${p.layer}: ${fixed(p.value, 3)}`),
        ),
      ]),
      last && shown.length > 1
        ? fitted(shown[s].condition || "all", 100, {
            x: x(last.layer) + 8,
            y: ends[s],
            class: "end",
            style: `fill:${colour}`,
          })
        : null,
    ];
  });
  return panel(
    width,
    bottom + 34,
    title,
    [
      ...xAxis(x, 34, bottom, "layer"),
      ...yAxis(y, left, width - 110),
      key === "accuracy"
        ? svg("line", { x1: left, x2: width - 110, y1: y(0.5), y2: y(0.5), class: "half" })
        : null,
      ...drawn,
    ],
    `${key} by layer: ${title}`,
  );
}

// --- Tables, as the program prints them

function tableOf(s: Sweep, g: Group): HTMLElement {
  const keys = Object.keys(g.rows[0]).filter((k) => k !== "test" && k !== "condition");
  const words = (k: string) => k.replaceAll("_", " ");
  const columns: Column[] = keys.map((k) => ({
    title: words(k),
    numeric: g.rows.some((r) => typeof r[k] === "number"),
    whole: k === "layer" || k === "index" || k === "items",
    p: k === "p",
  }));
  return table(
    columns,
    g.rows.map((r) => keys.map((k): Value => r[k] ?? null)),
    `${nameOf(s)}; ${g.title}`,
  );
}

// --- One sentence

/**
 * The words of a sentence, coloured by what they do; of places in several layers, a line for each
 * layer.
 */
export function colouredLine(one: Sentence, l: number, most: number, title: string): HTMLElement {
  const at = (of: number[]) =>
    of.reduce<number | null>((best, i) => {
      const e = one.effects[i]?.[l] ?? null;
      return e !== null && (best === null || Math.abs(e) > Math.abs(best)) ? e : best;
    }, null);
  const words = one.parts.map(([text, of]) =>
    of.length
      ? el(
          "mark",
          {
            class: "effect",
            style: `background:${tint(at(of), most)}`,
            title: of
              .map(
                (i) =>
                  `${one.names[i]}: ${
                    one.effects[i]?.[l] == null ? "nothing" : fixed(one.effects[i][l]!, 3)
                  }`,
              )
              .join("\n"),
          },
          text,
        )
      : text,
  );
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, title),
    el("td", { dir: "auto" }, el("bdi", {}, ...words)),
  );
}
export function colouredTable(label: string, caption: string, lines: HTMLElement[]): HTMLElement {
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    el("table", { class: "one-sentence" }, el("caption", {}, caption), el("tbody", {}, ...lines)),
  );
}
export const strongestOf = (one: Sentence) => strongest(one.effects.flat());

function sentenceView(s: Sweep): Node[] {
  if (!s.sentences.length) return [];
  const one = s.sentences.find((i) => i.id === state.item) ?? s.sentences[0];
  const layers = s.layers.length ? s.layers : [0];
  const lines = layers.map((layer, l) =>
    colouredLine(one, l, strongestOf(one), s.layers.length ? `layer ${layer}` : "words"),
  );
  const choose = labelled(
    "Sentence",
    select(
      `Sentence of ${nameOf(s)}`,
      s.sentences.map((i) => [i.id, i.id]),
      one.id,
      (v) => set({ item: v }),
    ),
  );
  const left = s.left ? ` ${count(s.left)} more items are in the results file only.` : "";
  return [
    el("div", {}, choose),
    colouredTable(
      `${nameOf(s)}: ${one.id}`,
      `${one.id}: margin ${fixed(one.margin, 2)}; ` +
        `blue: for the right form, red: against it.${left}`,
      lines,
    ),
  ];
}

// --- What the strongest parts of two groups of items share

/** Groups against groups; a group with itself compares the halves of its items. */
function overlapMap(title: string, rows: Row[]): SVGElement {
  const names = [...new Set(rows.flatMap((r) => [String(r.first), String(r.second)]))].filter(
    (n) => n !== "itself, halves",
  );
  const [left, top, side] = [200, 40, 34];
  const cells = rows.flatMap((r) => {
    const i = names.indexOf(String(r.first));
    const itself = r.second === "itself, halves";
    const j = itself ? i : names.indexOf(String(r.second));
    const p = num(r.p)! < 0.0001 ? "p < 0.0001" : `p = ${fixed(num(r.p)!, 4)}`;
    const said =
      `${r.first} and ${r.second}: ${r.shared} of ${r.top} shared, ` +
      `by chance ${fixed(num(r.expected)! * num(r.top)!, 2)}; ${p}`;
    return (
      itself
        ? [[i, j]]
        : [
            [i, j],
            [j, i],
          ]
    ).flatMap(([row, column]) => {
      const [x, y] = [left + column * side, top + row * side];
      return [
        svg(
          "rect",
          {
            x,
            y,
            width: side - 1,
            height: side - 1,
            style: `fill:${tint(num(r.overlap), 1)}${itself ? ";stroke:var(--soft)" : ""}`,
            class: "shared",
          },
          svg("title", {}, said),
        ),
        svg(
          "text",
          { x: x + side / 2, y: y + side / 2 + 4, "text-anchor": "middle" },
          fixed(num(r.overlap)!, 2).replace(/^0/, ""),
        ),
      ];
    });
  });
  const rowNames = names.map((n, i) =>
    fitted(`${i + 1} ${titleOf(n)}`, left - 10, {
      x: left - 8,
      y: top + side * (i + 0.5) + 4,
      "text-anchor": "end",
    }),
  );
  const numbers = names.map((_, i) =>
    svg(
      "text",
      { x: left + side * (i + 0.5), y: top + side * names.length + 15, "text-anchor": "middle" },
      String(i + 1),
    ),
  );
  return panel(
    left + side * names.length + 8,
    top + side * names.length + 26,
    title,
    [...cells, ...rowNames, ...numbers],
    `Overlap of the strongest parts: ${title}`,
  );
}

function overlapView(o: Overlap): HTMLElement {
  const { title, notes, rows } = o.table.tables[0];
  const places = [...new Set(rows.map((r) => String(r.at ?? "")))];
  const keys = Object.keys(rows[0]);
  const columns: Column[] = keys.map((k) => ({
    title: k,
    numeric: typeof rows[0][k] === "number",
    whole: k === "parts" || k === "top" || k === "shared",
    p: k === "p",
  }));
  return el(
    "div",
    { class: "overlap" },
    el("h3", {}, title),
    figure(
      `${title} Share of the strongest parts that two groups of items have in common`,
      places.map((at) =>
        overlapMap(
          at ? `at ${at}` : "at every token",
          rows.filter((r) => String(r.at ?? "") === at),
        ),
      ),
    ),
    el(
      "details",
      {},
      el("summary", {}, "Table"),
      table(
        columns,
        rows.map((r) => keys.map((k): Value => r[k] ?? null)),
        title,
      ),
    ),
    el("p", { class: "note" }, `${notes.join("; ")}.`),
  );
}

// --- All of it

const chosen = new Map<Sweep, string>(); // the group of each
function oneSweep(s: Sweep, again: () => void): HTMLElement {
  const all = groups(s);
  const group = all.find((g) => g.title === chosen.get(s)) ?? all[0];
  const parts: Node[] = [el("h3", {}, nameOf(s))];
  if (!group)
    return el(
      "div",
      { class: "sweep" },
      ...parts,
      el("p", { class: "note" }, "Every item was excluded."),
    );
  if (s.what !== "lens" && all.length > 1)
    parts.push(
      labelled(
        "Items",
        select(
          `Items of ${nameOf(s)}`,
          all.map((g) => [g.title, g.title]),
          group.title,
          (v) => {
            chosen.set(s, v);
            again();
          },
        ),
      ),
    );
  if (s.what === "lens") {
    const byTest = new Map<string, Group[]>();
    for (const g of all) byTest.set(g.test, [...(byTest.get(g.test) ?? []), g]);
    parts.push(
      figure(
        `${nameOf(s)}: accuracy and margin by layer, with 95% intervals`,
        [...byTest]
          .slice(0, 12)
          .flatMap(([test, of]) =>
            (["accuracy", "margin"] as const).map((key) =>
              curves(`${test ? titleOf(test) : "all items"}: ${key}`, key, of),
            ),
          ),
      ),
    );
  } else if (s.what === "patch" && !group.rows.some((r) => r.index !== undefined)) {
    parts.push(
      figure(`${nameOf(s)}: effect by layer and place`, [heatMap(group.title, group.rows)]),
    );
  }
  parts.push(
    ...sentenceView(s),
    el(
      "details",
      {
        open:
          s.what === "ablate" ||
          s.what === "logit" ||
          group.rows.some((r) => r.index !== undefined),
      },
      el("summary", {}, "Table"),
      tableOf(s, group),
    ),
    el("p", { class: "note" }, `${s.notes.join("; ")}.`),
  );
  if (s.command) parts.push(el("p", { class: "note" }, el("code", {}, s.command)));
  return el("div", { class: "sweep" }, ...parts);
}

export function inside(): Node[] {
  const place = el("div", {}, el("p", { class: "note" }, "Drawing …"));
  sweeps().then((all) => {
    const draw = () => {
      const own = all.filter(
        (s): s is Sweep =>
          s.what !== "overlap" && (!data.runs.length || (s as Sweep).suite === suite().name),
      );
      const overlaps = all.filter((s): s is Overlap => s.what === "overlap").map(overlapView);
      place.replaceChildren(
        ...(own.length
          ? [...own.map((s) => oneSweep(s, draw)), ...overlaps]
          : [el("p", { class: "note" }, "Nobody has looked into a model with this suite.")]),
      );
    };
    draw();
  });
  return [place];
}
