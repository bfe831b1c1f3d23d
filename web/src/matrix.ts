// Tests and runs: one table from which everything opens.
import type { Run } from "./data";
import {
  breakable,
  copyButtons,
  count,
  el,
  interval,
  linkButton,
  several,
  share,
  type Column,
  type Value,
} from "./dom";
import { address, set, state } from "./state";
import { colourOf, nthAmong, swatch } from "./svg";
import {
  cellAt,
  conditionRows,
  nameOf,
  normOf,
  otherAt,
  others,
  runs,
  suite,
  testRows,
  totalRows,
  type Beside,
  type Cell,
  type Row,
} from "./view";

/** The accuracy, and under it its interval on a line from 0 to 1. */
function track(cell: Cell): HTMLElement {
  const at = (x: number) => `${(100 * x).toFixed(1)}%`;
  return el(
    "span",
    { class: "track", "aria-hidden": "true" },
    cell.low === null
      ? null
      : el("i", { style: `left:${at(cell.low)};right:${at(1 - cell.high!)}` }),
    el("b", { style: `left:${at(cell.accuracy)}` }),
  );
}

export const isOpen = (run: Run, row: Row) =>
  state.test === row.test &&
  state.run === String(run.id) &&
  state.condition === row.condition &&
  (!row.language || state.spoken === row.language);

function cellButton(run: Run, row: Row): HTMLElement {
  const cell = cellAt(run, row.group);
  if (!cell) return el("span", { class: "none" }, "–");
  const rowTitle = [row.title, row.language].filter(Boolean).join(", ");
  const label = `${rowTitle}: ${run.model} ${run.method}`;
  const content = [share(cell.accuracy), track(cell)];
  const title = [
    `${label}\n${interval(cell.low, cell.high)}`,
    `${several(cell.items, suite().designs ? "item" : "pair")} in ` +
      `${several(cell.clusters, "cluster")}, ${several(cell.ties, "tie")}`,
  ].join("\n");
  const props = {
    class: "cell",
    style: `--a:${cell.accuracy.toFixed(3)};--model:${colourOf(run.model)}`,
    title,
  };
  if (!row.test) return el("span", props, ...content);
  const open = () =>
    set(
      {
        test: row.test,
        condition: row.condition,
        run: String(run.id),
        item: "",
        spoken: row.language,
      },
      true,
    );
  return el(
    "button",
    {
      ...props,
      type: "button",
      tabindex: -1,
      "aria-label": `${label}: ${share(cell.accuracy)}, ${interval(cell.low, cell.high)}`,
      "aria-pressed": String(isOpen(run, row)),
      "data-at": `${row.group}/${run.id}`,
      onclick: open,
    },
    ...content,
  );
}

function head(shown: Run[], beside: Beside[], first: string, sortable: boolean): HTMLElement {
  const nth = nthAmong(shown);
  const name = (run: Run) => [
    swatch(run, nth(run)) as unknown as Node,
    el("span", {}, ...breakable(run.model)),
    el("small", {}, nameOf(run) === run.model ? normOf(run) : `${run.method}, ${normOf(run)}`),
  ];
  const sorted = (run: Run) => state.sort === String(run.id);
  return el(
    "thead",
    {},
    el(
      "tr",
      {},
      el("th", { scope: "col" }, first),
      ...shown.map((run) =>
        el(
          "th",
          {
            scope: "col",
            class: "run",
            "aria-sort": sorted(run) && sortable ? "descending" : null,
          },
          sortable
            ? el(
                "button",
                {
                  type: "button",
                  class: "head",
                  "data-focus": `sort ${run.id}`,
                  title: sorted(run) ? "in the order of the suite" : "highest first",
                  onclick: () => set({ sort: sorted(run) ? "" : String(run.id) }),
                },
                ...name(run),
                sorted(run) ? "↓" : "",
              )
            : null,
          el(
            "span",
            { class: sortable ? "head paper" : "head", "aria-hidden": sortable ? "true" : null },
            ...name(run),
          ),
        ),
      ),
      ...beside.map((o) =>
        el(
          "th",
          { scope: "col", class: "run" },
          el(
            "span",
            { class: "head words" },
            el("b", { class: "letter" }, o.letter),
            el("span", {}, o.name),
            el("small", {}, o.origin),
          ),
        ),
      ),
      el("th", { scope: "col", class: "n" }, "Pairs"),
    ),
  );
}

function line(row: Row, shown: Run[], beside: Beside[], total = false): HTMLElement {
  return el(
    "tr",
    { class: total ? "total" : null },
    el(
      "th",
      { scope: "row", title: row.test || null },
      ...breakable(row.title),
      row.language ? el("small", {}, ` ${row.language}`) : null,
    ),
    ...shown.map((run) => el("td", {}, cellButton(run, row))),
    ...beside.map((o) => {
      const at = otherAt(o.of, row);
      return el(
        "td",
        { class: "n published", title: at?.source || null },
        at ? share(at.accuracy) + (o.seeds ? ` ±${share(at.deviation)}` : "") : "–",
      );
    }),
    el(
      "td",
      { class: "n" },
      count(Math.max(0, ...shown.map((r) => cellAt(r, row.group)?.items ?? 0))),
    ),
  );
}

/** Arrow keys go from cell to cell; Tab enters and leaves the table at one. */
function withKeys(table: HTMLElement) {
  const rows = [...table.querySelectorAll("tbody tr")]
    .map((tr) => [...tr.querySelectorAll<HTMLButtonElement>("button.cell")])
    .filter((r) => r.length);
  const first =
    table.querySelector<HTMLButtonElement>('button.cell[aria-pressed="true"]') ?? rows[0]?.[0];
  if (first) first.tabIndex = 0;
  table.addEventListener("keydown", (e) => {
    const step: Record<string, [number, number]> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      Home: [0, -1e9],
      End: [0, 1e9],
    };
    const r = rows.findIndex((row) => row.includes(e.target as HTMLButtonElement));
    if (!(e.key in step) || r < 0) return;
    e.preventDefault();
    const within = (n: number, most: number) => Math.min(most - 1, Math.max(0, n));
    const row = rows[within(r + step[e.key][0], rows.length)];
    const to =
      row[within(rows[r].indexOf(e.target as HTMLButtonElement) + step[e.key][1], row.length)];
    (e.target as HTMLButtonElement).tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
}

function plain(
  rows: Row[],
  shown: Run[],
  beside: Beside[],
): { columns: Column[]; values: Value[][] } {
  const spoken = rows.some((r) => r.language);
  const columns: Column[] = [
    { title: "Test" },
    ...(rows.some((r) => r.condition) ? [{ title: "Condition" }] : []),
    ...(spoken ? [{ title: "Language" }] : []),
    ...shown.map((r) => ({ title: `${r.model} ${r.method} ${normOf(r)}`, numeric: true })),
    ...beside.map((o) => ({
      title: `${o.name} (${o.origin})`,
      numeric: true,
    })),
    { title: "Pairs", numeric: true, whole: true },
  ];
  const values = rows.map((row): Value[] => [
    row.condition ? row.test : row.title,
    ...(rows.some((r) => r.condition) ? [row.condition] : []),
    ...(spoken ? [row.language] : []),
    ...shown.map((r) => cellAt(r, row.group)?.accuracy ?? null),
    ...beside.map((o) => otherAt(o.of, row)?.accuracy ?? null),
    Math.max(0, ...shown.map((r) => cellAt(r, row.group)?.items ?? 0)),
  ]);
  return { columns, values };
}

function tableOf(
  rows: Row[],
  totals: Row[],
  caption: string,
  first: string,
  sortable: boolean,
): HTMLElement {
  const shown = runs();
  const beside = others().filter((o) => rows.some((row) => otherAt(o.of, row)));
  const body: HTMLElement[] = [];
  let section = "";
  for (const row of rows) {
    if (row.section !== section && !(sortable && state.sort))
      body.push(
        el(
          "tr",
          { class: "section" },
          el(
            "th",
            { scope: "rowgroup", colspan: shown.length + beside.length + 2 },
            el("span", {}, row.section || "Others"),
          ),
        ),
      );
    section = row.section;
    body.push(line(row, shown, beside));
  }
  const table = el(
    "table",
    { class: shown.length + beside.length > (sortable ? 7 : 3) ? "matrix dense" : "matrix" },
    el("caption", {}, el("span", {}, caption)),
    head(shown, beside, first, sortable),
    el("tbody", {}, ...body, ...totals.map((t) => line(t, shown, beside, true))),
  );
  withKeys(table);
  const { columns, values } = plain([...rows, ...totals], shown, beside);
  return el(
    "div",
    { class: "block" },
    el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": caption }, table),
    copyButtons(
      columns,
      () => values,
      linkButton("Copy link", () => address()),
    ),
  );
}

export function matrix(): Node[] {
  let rows = testRows();
  const by = runs().find((r) => String(r.id) === state.sort);
  if (by)
    rows = [...rows].sort(
      (a, b) => (cellAt(by, b.group)?.accuracy ?? -1) - (cellAt(by, a.group)?.accuracy ?? -1),
    );
  if (!runs().length) return [el("p", {}, "No run is chosen.")];
  if (!rows.length) return [el("p", {}, "No test is chosen.")];
  // What sums up everything is the last line, which stays in sight.
  const totals = totalRows().sort((a, b) => Number(!a.language) - Number(!b.language));
  return [
    tableOf(
      rows,
      totals,
      "Accuracy by test and run. The line under a number is its 95% interval from 0 to 1. " +
        "Open a number for its conditions, margins and items.",
      "Test",
      true,
    ),
  ];
}

export function conditionTable(test: string): HTMLElement | null {
  const rows = conditionRows(test, state.spoken || state.language);
  return rows.length
    ? tableOf(rows, [], "Accuracy by condition; open a number for its items.", "Condition", false)
    : null;
}

/** Without drawing the table again: which of its numbers is open. */
export function markOpen(place: HTMLElement) {
  const open = [
    ...testRows(),
    ...conditionRows(state.test, state.spoken || state.language),
  ].flatMap((row) =>
    runs()
      .filter((run) => isOpen(run, row))
      .map((run) => `${row.group}/${run.id}`),
  );
  for (const b of place.querySelectorAll<HTMLElement>("button.cell"))
    b.setAttribute("aria-pressed", String(open.includes(b.dataset.at!)));
}
