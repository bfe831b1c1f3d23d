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
  p?: boolean; // a probability: very small ones are only said to be so
}
export type Value = string | number | null;

export const share = (x: number | null | undefined) => (x === null || x === undefined ? "" : x.toFixed(4));
export const count = (n: number) => n.toLocaleString("en-US");

function shown(v: Value, column: Column): string {
  if (v === null) return "";
  if (column.p && typeof v === "number") return v < 0.0001 ? "<0.0001" : v.toFixed(4);
  return typeof v === "number" && !Number.isInteger(v) ? v.toFixed(4) : String(v);
}

export function toCsv(columns: Column[], rows: Value[][]): string {
  const quote = (s: string) => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  return [columns.map((c) => c.title), ...rows.map((r) => r.map((v) => (v === null ? "" : String(v))))]
    .map((r) => r.map(quote).join(",") + "\n")
    .join("");
}

export function toLatex(columns: Column[], rows: Value[][]): string {
  const escape = (s: string) =>
    s.replace(/[\\&%$#_{}~^<>]/g, (c) => c === "<" || c === ">" ? `$${c}$` : (c === "\\" ? "\\textbackslash{}" : c === "~" || c === "^" ? `\\${c}{}` : `\\${c}`));
  const line = (cells: string[]) => cells.map(escape).join(" & ") + " \\\\\n";
  return (
    `\\begin{tabular}{${columns.map((c) => (c.numeric ? "r" : "l")).join("")}}\n\\toprule\n` +
    line(columns.map((c) => c.title)) +
    "\\midrule\n" +
    rows.map((r) => line(r.map((v, i) => shown(v, columns[i])))).join("") +
    "\\bottomrule\n\\end{tabular}\n"
  );
}

async function copy(button: HTMLButtonElement, text: string) {
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

export function copyButtons(columns: Column[], rows: () => Value[][]): HTMLElement {
  const make = (title: string, as: typeof toCsv) => {
    const b = el("button", { type: "button" }, title);
    b.addEventListener("click", () => copy(b, as(columns, rows())));
    return b;
  };
  return el("div", { class: "tools" }, make("Copy as LaTeX", toLatex), make("Copy as CSV", toCsv));
}

export function table(columns: Column[], rows: Value[][], caption: string): HTMLElement {
  const head = el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: c.numeric ? "n" : "" }, c.title)));
  const body = rows.map((r) =>
    el("tr", {}, ...r.map((v, i) => el(i ? "td" : "th", { class: columns[i].numeric ? "n" : "", scope: i ? null : "row" }, shown(v, columns[i])))),
  );
  const t = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
  return el("div", { class: "block" }, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, t), copyButtons(columns, () => rows));
}

/** A picture with a way to keep it. */
export function figure(plot: Element, caption: string): HTMLElement {
  const save = el("button", { type: "button" }, "Save as SVG");
  save.addEventListener("click", () => {
    const svg = (plot.tagName === "svg" ? plot : plot.querySelector("svg:last-of-type"))!.cloneNode(true) as SVGElement;
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    svg.style.color = "black";
    svg.style.background = "white";
    const link = el("a", { download: caption.replace(/[^a-z0-9]+/gi, "-").toLowerCase() + ".svg" });
    link.href = URL.createObjectURL(new Blob([svg.outerHTML], { type: "image/svg+xml" }));
    link.click();
    URL.revokeObjectURL(link.href);
  });
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", caption);
  return el("figure", {}, el("figcaption", {}, caption), el("div", { class: "scroll" }, plot), el("div", { class: "tools" }, save));
}
