// The first screen: what was found, run by run.
import type { Run } from "./data";
import { count, el, fixed, interval, share } from "./dom";
import { set } from "./state";
import { colourOf, hollowAmong, swatch } from "./svg";
import { cellAt, data, excludedAt, featureGroups, normOf, otherAt, others, runs, suite, testRows, totalGroup, totalRows, type Row } from "./view";

type Ranked = { row: Row; accuracy: number };

const named = (row: Row) => (row.language ? `${row.title}, ${row.language}` : row.title);
const opener = (row: Row, run: Run) => el("button", { type: "button", class: "plain-link", onclick: () => set({ test: row.test, run: String(run.id), condition: "", item: "", spoken: row.language }, true) }, named(row));

function ranked(run: Run): Ranked[] {
  const all = testRows().flatMap((row) => {
    const c = cellAt(run, row.group);
    return c ? [{ row, accuracy: c.accuracy }] : [];
  });
  return all.sort((a, b) => b.accuracy - a.accuracy);
}

/** Where attractors cost most: the test, and its accuracies without and with them. */
function attraction(run: Run): { test: string; language: string; title: string; without: number; with: number } | null {
  const effects = featureGroups("attraction").flatMap((p) => {
    if (!p.test) return [];
    const at = (value: string) => cellAt(run, p.values.find((v) => v.value === value)?.group ?? -1);
    const [without, withThem] = [at("without attractors"), at("with attractors")];
    return without && withThem ? [{ ...p, without: without.accuracy, with: withThem.accuracy }] : [];
  });
  effects.sort((a, b) => b.without - b.with - (a.without - a.with));
  return effects[0] ?? null;
}

function fact(title: string, ...content: (Node | string)[]): Node[] {
  return [el("dt", {}, title), el("dd", {}, ...content)];
}

function tests(run: Run, of: Ranked[]): Node[] {
  return of.map(({ row, accuracy }) => el("span", { class: "of" }, opener(row, run), " ", el("b", {}, share(accuracy))));
}

function card(run: Run, hollow: boolean): HTMLElement {
  const total = cellAt(run, totalGroup());
  const order = ranked(run);
  const most = Math.min(2, Math.floor(order.length / 2));
  const worst = attraction(run);
  const excluded = excludedAt(run, totalGroup());
  const facts: Node[] = [];
  if (most) facts.push(...fact("Strongest", ...tests(run, order.slice(0, most))), ...fact("Weakest", ...tests(run, order.slice(-most).reverse())));
  if (worst) {
    const lost = worst.without - worst.with;
    const row: Row = { title: worst.title, section: "", group: 0, language: worst.language, test: worst.test, condition: "" };
    facts.push(...fact("Attraction", opener(row, run), ` ${share(worst.without)} without attractors, ${share(worst.with)} with: `, el("b", {}, `${lost > 0 ? "\u2212" : "+"}${fixed(Math.abs(lost), 4)}`)));
  }
  facts.push(...fact("Excluded", excluded.length ? excluded.map(([why, n]) => `${count(n)} ${why}`).join(", ") : "nothing"));
  const box = el("article", { class: "card", style: `--model:${colourOf(run.model)}`, "data-run": run.id }, el("h3", {}, swatch(run, hollow) as unknown as Node, run.model, el("span", { class: "note" }, `${run.method}, ${normOf(run)}`)));
  if (total)
    box.append(
      el("p", { class: "headline" }, el("strong", {}, share(total.accuracy)), el("span", { class: "note" }, interval(total.low, total.high))),
      el("p", { class: "note" }, `${count(total.items)} pairs in ${count(total.clusters)} clusters, ${count(total.ties)} ${total.ties === 1 ? "tie" : "ties"}`),
    );
  else box.append(el("p", { class: "headline" }, "no item counts"));
  box.append(el("dl", {}, ...facts));
  return box;
}

export function found(): Node[] {
  const shown = runs();
  if (!shown.length) return [el("p", {}, "No run is chosen.")];
  const rows = testRows();
  const best = shown.map((run) => ({ run, cell: cellAt(run, totalGroup()) })).filter((b) => b.cell).sort((a, b) => b.cell!.accuracy - a.cell!.accuracy);
  const published = others().flatMap((o) => {
    const at = totalRows()[0] && otherAt(o.of, totalRows()[0]);
    return at && !o.seeds ? [`${o.letter} ${o.name} ${share(at.accuracy)}`] : [];
  });
  const lead = best.length > 1 ? `Highest over all: ${best.slice(0, 3).map((b) => `${b.run.model} (${b.run.method}) ${share(b.cell!.accuracy)}`).join(", ")}.` : "";
  const hollow = hollowAmong(shown);
  return [
    el("p", { class: "lead" }, `${count(suite().items)} items, ${count(new Set(rows.map((r) => r.test)).size)} ${rows.length === 1 ? "test" : "tests"}, ${shown.length} ${shown.length === 1 ? "run" : "runs"}. ${lead}`),
    el("div", { class: "cards" }, ...shown.map((r) => card(r, hollow(r)))),
    published.length ? el("p", { class: "note" }, `Published: ${published.join("; ")}.`) : "",
    el("p", { class: "note" }, [...data.policies, suite().clusters, "intervals: 95%, over clusters"].join("; ") + "."),
  ].filter((n) => n !== "") as Node[];
}
