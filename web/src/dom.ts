// Small helpers: elements, tables that copy themselves, pictures that save themselves.

type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value as EventListener);
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) e.append(child);
  return e;
}

export interface Column {
  title: string;
  numeric?: boolean;
  whole?: boolean; // counts
  p?: boolean; // a probability: very small ones are only said to be so
}
export type Value = string | number | null;

export const fixed = (x: number, digits: number) =>
  x
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, "$1")
    .replace("-", "\u2212");
export const share = (x: number | null | undefined) =>
  x === null || x === undefined ? "–" : fixed(x, 4);
export const count = (n: number) => n.toLocaleString("en-US");
export const several = (n: number, thing: string) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;
export const interval = (low: number | null, high: number | null) =>
  low === null || high === null
    ? "no interval: fewer than 5 clusters"
    : `${share(low)} to ${share(high)}`;

function shown(v: Value, column: Column): string {
  if (v === null) return "";
  if (typeof v === "string") return v;
  if (column.whole) return count(v);
  return column.p && v < 0.0001 ? "<0.0001" : fixed(v, 4);
}

export function toCsv(columns: Column[], rows: Value[][]): string {
  const quote = (s: string) => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  return [
    columns.map((c) => c.title),
    ...rows.map((r) => r.map((v) => (v === null ? "" : String(v)))),
  ]
    .map((r) => `${r.map(quote).join(",")}\n`)
    .join("");
}

export function toLatex(columns: Column[], rows: Value[][]): string {
  const escaped = (s: string) =>
    s.replace(/[\\&%$#_{}~^<>]/g, (c) =>
      c === "<" || c === ">"
        ? `$${c}$`
        : c === "\\"
          ? "\\textbackslash{}"
          : c === "~" || c === "^"
            ? `\\${c}{}`
            : `\\${c}`,
    );
  const line = (cells: string[]) => `${cells.map(escaped).join(" & ")} \\\\\n`;
  return (
    `\\begin{tabular}{${columns.map((c) => (c.numeric ? "r" : "l")).join("")}}\n\\toprule\n` +
    line(columns.map((c) => c.title)) +
    "\\midrule\n" +
    rows.map((r) => line(r.map((v, i) => shown(v, columns[i]).replace("\u2212", "-")))).join("") +
    "\\bottomrule\n\\end{tabular}\n"
  );
}

export async function copy(button: HTMLButtonElement, text: string) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from a file has no clipboard in some browsers; the old way still works there.
    const area = el("textarea", { class: "away" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = done ? "Copied" : "Not allowed";
  setTimeout(() => (button.textContent = before), 1200);
}

export function copyButtons(
  columns: Column[],
  rows: () => Value[][],
  ...more: Node[]
): HTMLElement {
  const make = (title: string, as: typeof toCsv) => {
    const b = el("button", { type: "button" }, title);
    b.addEventListener("click", () => copy(b, as(columns, rows())));
    return b;
  };
  return el(
    "div",
    { class: "tools" },
    make("Copy as LaTeX", toLatex),
    make("Copy as CSV", toCsv),
    ...more,
  );
}

export function table(columns: Column[], rows: Value[][], caption: string): HTMLElement {
  const head = el(
    "tr",
    {},
    ...columns.map((c) =>
      el("th", { scope: "col", class: c.numeric ? "n" : "" }, ...breakable(c.title)),
    ),
  );
  const body = rows.map((r) =>
    el(
      "tr",
      {},
      ...r.map((v, i) =>
        el(
          i ? "td" : "th",
          { class: columns[i].numeric ? "n" : "", scope: i ? null : "row" },
          shown(v, columns[i]),
        ),
      ),
    ),
  );
  const t = el(
    "table",
    {},
    el("caption", {}, el("span", {}, caption)),
    el("thead", {}, head),
    el("tbody", {}, ...body),
  );
  return el(
    "div",
    { class: "block" },
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, t),
    copyButtons(columns, () => rows),
  );
}

/** A link to what the page shows now. */
export function linkButton(title: string, to: () => string): HTMLElement {
  const b = el("button", { type: "button", class: "link" }, title);
  b.addEventListener("click", () => copy(b, location.href.replace(/#.*$/, "") + to()));
  return b;
}

export const select = (
  label: string,
  options: [string, string][],
  value: string,
  change: (value: string) => void,
) => {
  const s = el(
    "select",
    { "aria-label": label, onchange: () => change(s.value) },
    ...options.map(([v, t]) => el("option", { value: v, selected: v === value }, t)),
  );
  return s;
};
/** A name that may break where its parts meet, as those of models are long. */
export const breakable = (name: string): (Node | string)[] =>
  name.split(/(?<=[_/@.:])/).flatMap((part, i) => [...(i ? [el("wbr")] : []), part]);
/** A choice with its name before it. */
export const labelled = (title: string, control: HTMLElement) =>
  el("label", { class: "labelled" }, el("span", {}, title), control);

/** Redraws `place` and keeps the focus on the same control. */
export function redraw(place: HTMLElement, draw: () => void) {
  const name = (e: Element | null) =>
    e?.getAttribute("data-focus") ?? e?.getAttribute("aria-label");
  const at = place.contains(document.activeElement) ? name(document.activeElement) : null;
  draw();
  if (at)
    [...place.querySelectorAll<HTMLElement>("button, select, input")]
      .find((e) => name(e) === at)
      ?.focus();
}

/** Skip links, for the keyboard. */
export const skipTo = (section: HTMLElement) =>
  document
    .querySelector(".skip")!
    .replaceWith(
      el(
        "a",
        { class: "skip", href: `#${section.id}` },
        `Skip to “${section.querySelector("h2")!.textContent}”`,
      ),
    );
