// Everything that is drawn of the chosen runs and tests.
import { designsOf, itemsOf, judgedOf, kOutcomes, type Run } from "./data";
import { count, el, labelled, select, share, table, type Column, type Value } from "./dom";
import { marginOf, outcomeOf, runAt } from "./items";
import { conditionTable } from "./matrix";
import { set, state } from "./state";
import { atMost, dots, figure, histogram, legend, lines, regions, scatter } from "./svg";
import {
  cellAt,
  conditionRows,
  counted,
  data,
  excludedAt,
  features,
  featureGroups,
  featureTitle,
  nameOf,
  normOf,
  otherAt,
  others,
  runs,
  runsOfSuite,
  suite,
  suiteAt,
  testRows,
  titleOf,
  totalGroup,
  totalRows,
  type Row,
} from "./view";

const kMostPanels = 24;
const named = nameOf;
const published = () =>
  others().map((o) => ({
    letter: o.letter,
    name: `${o.name} (${o.origin})`,
    of: o.of,
  }));
const lettered = () => (others().length ? "; letters: published results" : "");
const keyOf = (withOthers: boolean) => legend(counted(), withOthers ? published() : [], named);

/** The first panels at once, the others when asked for. */
function shownFirst(all: (() => Node)[]): Node[] {
  const rest = all.slice(kMostPanels);
  const first: Node[] = all.slice(0, kMostPanels).map((make) => make());
  if (!rest.length) return first;
  const more = el(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => more.replaceWith(...rest.map((make) => make())),
    },
    `Show ${rest.length} more`,
  );
  addEventListener("beforeprint", () => more.isConnected && more.click());
  return [...first, more];
}

function dotRow(row: Row, label: string) {
  return {
    label,
    dots: counted().flatMap((run) => {
      const cell = cellAt(run, row.group);
      return cell ? [{ run, cell }] : [];
    }),
    published: published().flatMap((p) => {
      const at = otherAt(p.of, row);
      return at
        ? [
            {
              letter: p.letter,
              x: at.accuracy,
              title: `${p.name}: ${share(at.accuracy)}${at.source ? `\n${at.source}` : ""}`,
            },
          ]
        : [];
    }),
  };
}

const whole = (row: Row) => [row.title, row.language].filter(Boolean).join(", ");

/** A panel per test with conditions; the tests without conditions share one. */
export function testPanels(): Node[] {
  const rows = testRows();
  if (!rows.length || !runs().length) return [];
  const conditions = (row: Row) => conditionRows(row.test, row.language);
  const plain = rows.filter((row) => !conditions(row).length);
  const panels = rows
    .filter((row) => conditions(row).length)
    .map(
      (row) => () =>
        dots(
          whole(row),
          [dotRow(row, "all"), ...conditions(row).map((c) => dotRow(c, c.title))],
          counted(),
        ),
    );
  for (const section of new Set(plain.map((row) => row.section)))
    panels.push(() =>
      dots(
        section || "Tests",
        plain.filter((row) => row.section === section).map((row) => dotRow(row, whole(row))),
        counted(),
        atMost(460),
      ),
    );
  return [
    figure(
      `Accuracy by test and condition, with 95% intervals${lettered()}`,
      shownFirst(panels),
      keyOf(true),
    ),
  ];
}

/** Accuracy by distance, attractors, language, and the items' other features. */
export function featurePanels(): Node[] {
  const names = features();
  if (!names.length || !runs().length) return [];
  const feature = names.includes(state.feature) ? state.feature : names[0];
  const known = featureGroups(feature).filter((p) =>
    p.values.some((v) => counted().some((run) => cellAt(run, v.group))),
  );
  const panels = known.map(
    (p) => () =>
      lines(
        [p.title, p.language].filter(Boolean).join(", "),
        p.values.map((v) => v.value),
        counted().map((run) => ({ run, cells: p.values.map((v) => cellAt(run, v.group)) })),
        280,
      ),
  );
  return [
    labelled(
      "By",
      select(
        "Feature",
        names.map((n) => [n, featureTitle(n)]),
        feature,
        (v) => set({ feature: v }),
      ),
    ),
    figure(
      `Accuracy by ${featureTitle(feature)}, with 95% intervals`,
      shownFirst(panels),
      keyOf(false),
    ),
  ];
}

/**
 * Accuracy over the checkpoints of a training: all tests, then each. A line for a training and
 * method.
 */
export function checkpointPanels(): Node[] {
  const staged = runs().filter((r) => r.stage);
  const places = [...new Map(staged.map((r) => [r.stage!.at, r.stage!.said])).entries()].sort(
    (a, b) => a[0] - b[0],
  );
  const drawn = new Map<string, Run[]>();
  for (const r of staged)
    drawn.set(JSON.stringify([r.stage!.of, r.method]), [
      ...(drawn.get(JSON.stringify([r.stage!.of, r.method])) ?? []),
      r,
    ]);
  if (places.length < 2) return [];
  // The line has the colour of its first checkpoint's model, dashed for a second method.
  const series = [...drawn.values()].map((of) => ({
    run: {
      model: staged.find((r) => r.stage!.of === of[0].stage!.of)!.model,
      method: of[0].method,
    },
    of,
    name:
      new Set(staged.map((r) => r.method)).size > 1
        ? `${of[0].stage!.of} · ${of[0].method}`
        : of[0].stage!.of,
  }));
  const one = (title: string, group: number, width: number, height: number) => () =>
    lines(
      title,
      places.map((p) => p[1]),
      series.map((s) => ({
        run: s.run,
        cells: places.map((p) => {
          const at = s.of.find((r) => r.stage!.at === p[0]);
          return at ? cellAt(at, group) : null;
        }),
      })),
      width,
      height,
      places.map((p) => p[0]),
    );
  const panels = [
    ...totalRows().map((r) => one(whole(r), r.group, 460, 260)),
    ...testRows().map((r) => one(whole(r), r.group, 280, 200)),
  ];
  return [
    figure(
      "Accuracy over checkpoints, with 95% intervals",
      shownFirst(panels),
      legend(
        series.map((s) => s.run),
        [],
        (r) => series.find((s) => s.run === r)!.name,
      ),
    ),
  ];
}

const kOutcomeAt: Record<string, number> = { w: 0, t: 1, r: 2 };
async function marginPanel(
  run: Run,
  title: string,
  wanted: (i: number) => boolean,
): Promise<SVGElement> {
  const judged = await judgedOf(run, normOf(run));
  const margins: number[] = [];
  const outcomes: number[] = [];
  for (let i = 0; i < judged.outcomes.length; ++i) {
    const m = marginOf(judged, i);
    if (
      m === null ||
      !(judged.outcomes[i] in kOutcomeAt) ||
      (state.lengths === "equal" && judged.equal[i] === "0") ||
      !wanted(i)
    )
      continue;
    margins.push(m);
    outcomes.push(kOutcomeAt[judged.outcomes[i]]);
  }
  return histogram(title, margins, outcomes);
}
const outcomeKey = () =>
  el(
    "ul",
    { class: "legend" },
    ...["w", "t", "r"].map((o) =>
      el("li", {}, el("i", { class: `square ${kOutcomes[o]}` }), kOutcomes[o]),
    ),
  );

/**
 * Nothing is open: the numbers of the matrix as a picture beside it, where that is not too long.
 */
function overTests(): Node[] {
  const rows = testRows();
  if (rows.length < 2 || rows.length * counted().length > 80) return [];
  const drawn = (width: number) =>
    dots(
      "",
      rows.map((r) => dotRow(r, whole(r))),
      counted(),
      width,
    );
  const place = figure(
    `Accuracy by test, with 95% intervals${lettered()}`,
    [drawn(420)],
    keyOf(true),
  );
  // As wide as the room beside the matrix, or under it.
  let width = 420;
  new ResizeObserver(([at]) => {
    const room = Math.round(Math.min(760, Math.max(320, at.contentRect.width)));
    if (room !== width) place.querySelector(".panels")!.replaceChildren(drawn((width = room)));
  }).observe(place);
  return [place];
}

/** The test that was opened: its conditions beside the margins of its items. */
export function opened(): Node[] {
  const run = runAt();
  if (!run) return [];
  if (!state.test) return overTests();
  const close = el(
    "button",
    {
      type: "button",
      class: "close",
      onclick: () => set({ test: "", spoken: "", condition: "", item: "" }, true),
    },
    "Close",
  );
  const title = [titleOf(state.test), state.spoken, state.condition].filter(Boolean).join(", ");
  const margins = el("div", { class: "margins" });
  const criteria = el("div", {});
  (async () => {
    const items = await itemsOf(suiteAt());
    const test = items.tests.texts.indexOf(state.test);
    const condition = items.conditions.texts.indexOf(state.condition);
    const language = items.languages.texts.indexOf(state.spoken);
    const wanted = (i: number) =>
      items.tests.at[i] === test &&
      (!state.condition || items.conditions.at[i] === condition) &&
      (!state.spoken || items.languages.at[i] === language);
    margins.replaceChildren(
      figure(
        `Margins of ${named(run)}, ${normOf(run)}`,
        [await marginPanel(run, title, wanted)],
        outcomeKey(),
      ),
    );
    if (suite().designs) criteria.replaceChildren(...(await criteriaOf(run, state.test)));
  })();
  return [
    el(
      "div",
      { class: "opened" },
      el(
        "div",
        { class: "bar" },
        el("h3", { tabindex: -1 }, title, el("span", { class: "note" }, named(run))),
        el("a", { href: "#items", class: "to-items" }, "Its items"),
        close,
      ),
      el(
        "div",
        { class: "beside" },
        el(
          "div",
          {},
          conditionTable(state.test) ?? el("p", { class: "note" }, "This test has no conditions."),
          criteria,
        ),
        margins,
      ),
    ),
  ];
}

async function criteriaOf(run: Run, test: string): Promise<Node[]> {
  const own = (await designsOf(suiteAt()))[runsOfSuite().indexOf(run)];
  const rows = own.tables[1].rows.filter((r) => r.test === test);
  const columns: Column[] = [
    { title: "Criterion" },
    { title: "Formula" },
    { title: "Accuracy", numeric: true },
    { title: "Mean margin", numeric: true },
    { title: "From", numeric: true },
    { title: "To", numeric: true },
    { title: "Items", numeric: true, whole: true },
  ];
  const formula = (name: string) =>
    suite().criteria.find((c) => c.name === name && (!c.test || c.test === test))?.formula ?? "";
  const values = rows.map((r): Value[] => [
    r.criterion || "all",
    formula(r.criterion),
    r.accuracy,
    r.margin,
    r.ci_low,
    r.ci_high,
    r.items,
  ]);
  return rows.length
    ? [table(columns, values, `Criteria of ${titleOf(test)} under ${named(run)}; margins in bits`)]
    : [];
}

export function marginPanels(): Node[] {
  const place = el("div", {}, el("p", { class: "note" }, "Drawing …"));
  (async () => {
    const items = await itemsOf(suiteAt());
    const tests = new Set(state.tests.map((t) => items.tests.texts.indexOf(t)));
    const language = items.languages.texts.indexOf(state.language);
    const wanted = (i: number) =>
      (!tests.size || tests.has(items.tests.at[i])) &&
      (!state.language || items.languages.at[i] === language);
    const panels = await Promise.all(
      runs().map((run) => marginPanel(run, `${named(run)}, ${normOf(run)}`, wanted)),
    );
    place.replaceChildren(
      figure("Margins: the right answer's score minus its best rival's", panels, outcomeKey()),
    );
  })();
  return runs().length ? [place] : [];
}

/** Two runs: test by test, and item by item. */
export function against(): Node[] {
  const all = runs();
  if (all.length < 2) return [];
  const given = state.against.split("-").map((id) => all.find((r) => String(r.id) === id));
  const [a, b] =
    given[0] && given[1]
      ? [given[0], given[1]]
      : [...counted(), ...all.filter((r) => !counted().includes(r))];
  const choose = (label: string, run: Run, to: (id: string) => string) =>
    labelled(
      label,
      select(
        label,
        all.map((r) => [String(r.id), named(r)]),
        String(run.id),
        (v) => set({ against: to(v) }),
      ),
    );
  const tests = testRows().flatMap((row) => {
    const [x, y] = [cellAt(a, row.group), cellAt(b, row.group)];
    return x && y
      ? [
          {
            x: x.accuracy,
            y: y.accuracy,
            title: `${row.title}\n${share(x.accuracy)}, ${share(y.accuracy)}`,
          },
        ]
      : [];
  });
  const panels = [scatter("Accuracy of each test", [named(a), named(b)], [0, 1], tests, false)];
  const drawn = figure(
    `${named(a)} against ${named(b)}; the darker a square, the more items`,
    panels,
  );
  (async () => {
    const [ja, jb] = await Promise.all([judgedOf(a, normOf(a)), judgedOf(b, normOf(b))]);
    const points: { x: number; y: number; title: string }[] = [];
    const counts: Record<string, number> = { rr: 0, rw: 0, wr: 0, ww: 0 };
    for (let i = 0; i < ja.outcomes.length; ++i) {
      const [x, y] = [marginOf(ja, i), marginOf(jb, i)];
      if (x === null || y === null) continue;
      points.push({ x, y, title: "" });
      const both = outcomeOf(ja, i) + outcomeOf(jb, i);
      if (both in counts) counts[both] += 1;
    }
    let most = 1;
    for (const p of points) most = Math.max(most, Math.abs(p.x), Math.abs(p.y));
    drawn.querySelector(".panels")!.append(
      scatter("Margins of each item", [named(a), named(b)], [-most, most], points, true),
      el(
        "dl",
        { class: "counts" },
        ...(
          [
            ["Both right", "rr"],
            [`Only ${named(a)}`, "rw"],
            [`Only ${named(b)}`, "wr"],
            ["Both wrong", "ww"],
          ] as const
        ).flatMap(([t, k]) => [el("dt", {}, t), el("dd", {}, count(counts[k]))]),
      ),
    );
  })();
  return [
    el(
      "div",
      { class: "filters" },
      choose("First run", a, (v) => `${v}-${b.id}`),
      choose("Second run", b, (v) => `${a.id}-${v}`),
    ),
    drawn,
  ];
}

/** The plot of designs: how surprising each region is, sentence by sentence. */
export function regionPanels(): Node[] {
  const place = el("div", {}, el("p", { class: "note" }, "Drawing …"));
  (async () => {
    const designs = await designsOf(suiteAt());
    const panels: (() => Node)[] = [];
    for (const row of testRows())
      for (const run of runs()) {
        const rows = designs[runsOfSuite().indexOf(run)].tables[0].rows.filter(
          (r) => r.test === row.test,
        );
        if (!rows.length) continue;
        const names = [
          ...new Map(rows.map((r) => [r.number, r.region || String(r.number)])).entries(),
        ].sort((x, y) => x[0] - y[0]);
        const sentences = [...new Set(rows.map((r) => r.sentence))].map((name) => ({
          name,
          at: names.map(([number]) => {
            const r = rows.find((x) => x.sentence === name && x.number === number);
            return r && r.surprisal !== null
              ? { mean: r.surprisal, low: r.ci_low, high: r.ci_high, items: r.items }
              : null;
          }),
        }));
        panels.push(() =>
          regions(
            `${row.title}: ${named(run)}`,
            names.map((n) => n[1]),
            sentences,
            atMost(Math.min(490, Math.max(320, 60 + 62 * names.length))),
          ),
        );
      }
    place.replaceChildren(
      panels.length
        ? figure("Mean surprisal of every region in bits, with 95% intervals", shownFirst(panels))
        : el("p", {}, "No region was scored."),
    );
  })();
  return runs().length ? [place] : [];
}

export const excludedTable = (): Node[] => {
  const columns: Column[] = [
    { title: "Run" },
    { title: "Reason" },
    { title: "Items", numeric: true, whole: true },
  ];
  const rows = runs().flatMap((run) =>
    excludedAt(run, totalGroup()).map(([why, n]): Value[] => [named(run), why, n]),
  );
  const account = el(
    "ul",
    { class: "note" },
    ...[...data.account, ...data.notes].map((l) => el("li", {}, l)),
  );
  return rows.length
    ? [table(columns, rows, "Items that are not in the accuracy"), account]
    : [el("p", {}, "Nothing was excluded."), account];
};
