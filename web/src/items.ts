// The items: searched, filtered and sorted; only the rows in view are in the page.
import { kOutcomes, nameOf, tokensOf, type Data, type Run, type Sentence, type Token } from "./data";
import { copyButtons, count, el, type Column, type Value } from "./dom";
import { longList } from "./list";

export function itemsView(data: Data): HTMLElement {
  let suite = 0;
  let shown: number[] = [];
  let sort = { by: "order", down: false };
  let lower: string[] = [];

  const select = (label: string, options: [string, string][], change: () => void) => {
    const s = el("select", { "aria-label": label, onchange: change }, ...options.map(([v, t]) => el("option", { value: v }, t)));
    return s;
  };
  const search = el("input", { type: "search", placeholder: "Search in sentences and names", "aria-label": "Search in sentences and names", oninput: () => refresh() });
  const suites = select("Suite", data.suites.map((s, i) => [String(i), s.title]), () => setSuite(Number(suites.value)));
  const runs = select("Run", [], () => refresh());
  const tests = select("Test", [], () => refresh());
  const conditions = select("Condition", [], () => refresh());
  const outcome = select("Outcome", [["", "any outcome"], ["r", "right"], ["w", "wrong"], ["t", "tie"], ["x", "excluded"]], () => refresh());
  const order = select("Order", [["order", "in order"], ["margin", "margin, lowest first"], ["-margin", "margin, highest first"], ["id", "by name"]], () => {
    sort = { by: order.value.replace("-", ""), down: order.value.startsWith("-") };
    refresh();
  });
  const status = el("p", { role: "status", class: "status" });
  const list = longList("Items", cells, choose);
  const detail = el("div", { class: "detail", "aria-live": "polite" });

  const runAt = (): Run => data.runs[Number(runs.value)];
  const items = () => data.suites[suite].items;
  const sentencesText = (i: number) => items().sentences[i].map((s) => (s[3] ? "" : "*") + s[0]).join(" / ");

  function fill(s: HTMLSelectElement, any: string, texts: string[]) {
    s.replaceChildren(el("option", { value: "" }, any), ...texts.map((t, i) => el("option", { value: i }, t || "(none)")));
  }

  function setSuite(to: number) {
    suite = to;
    lower = [];
    runs.replaceChildren(...data.runs.flatMap((r, i) => (r.suite === suite ? [el("option", { value: i }, nameOf(r))] : [])));
    fill(tests, "all tests", items().tests.texts);
    fill(conditions, "all conditions", items().conditions.texts);
    refresh();
  }

  function refresh() {
    const it = items();
    const run = runAt();
    const word = search.value.trim().toLowerCase();
    const test = tests.value === "" ? -1 : Number(tests.value);
    const condition = conditions.value === "" ? -1 : Number(conditions.value);
    // Only who searches pays for it.
    if (word && !lower.length) lower = it.sentences.map((ss, i) => (it.ids[i] + "\n" + ss.map((s) => s[0]).join("\n")).toLowerCase());
    shown = [];
    for (let i = 0; i < it.ids.length; ++i) {
      if (test >= 0 && it.tests.at[i] !== test) continue;
      if (condition >= 0 && it.conditions.at[i] !== condition) continue;
      if (outcome.value && run.outcomes[i] !== outcome.value) continue;
      if (word && !lower[i].includes(word)) continue;
      shown.push(i);
    }
    if (sort.by === "margin") {
      const m = (i: number) => run.margins[i] ?? Infinity;
      const sign = sort.down ? -1 : 1;
      const key = (i: number) => (run.margins[i] === null ? Infinity : sign * m(i));
      shown.sort((a, b) => key(a) - key(b) || a - b);
    }
    if (sort.by === "id") shown.sort((a, b) => (it.ids[a] < it.ids[b] ? -1 : it.ids[a] > it.ids[b] ? 1 : 0));
    detail.replaceChildren();
    status.textContent = `${count(shown.length)} of ${count(it.ids.length)} items`;
    list.show(shown.length);
  }

  function cells(place: number): Node[] {
    const i = shown[place];
    const run = runAt();
    const o = run.outcomes[i];
    const margin = run.margins[i];
    return [
      el("span", { class: `mark ${o}` }, kOutcomes[o]),
      el("span", { class: "n margin" }, margin === null ? "" : (margin / 1000).toFixed(2)),
      el("span", { class: "test" }, items().tests.texts[items().tests.at[i]]),
      el("span", { class: "sentence", dir: "auto", title: sentencesText(i) }, ...items().sentences[i].flatMap((s, k) => [k ? " / " : "", el("bdi", {}, (s[3] ? "" : "*") + s[0])])),
    ];
  }

  async function choose(place: number) {
    const i = shown[place];
    const parts: Node[] = [el("h3", {}, items().ids[i])];
    for (const run of data.runs.filter((r) => r.suite === suite)) parts.push(await oneRun(run, i));
    if (shown[list.chosen()] === i) detail.replaceChildren(...parts);
  }

  async function oneRun(run: Run, i: number): Promise<HTMLElement> {
    const o = run.outcomes[i];
    const reason = run.reasons.texts[run.reasons.at[i]].replaceAll("_", " ");
    const box = el("div", { class: "run" }, el("h4", {}, nameOf(run), el("span", { class: `mark ${o}` }, o === "x" ? `excluded: ${reason}` : o === "-" ? "not in this run" : `margin ${((run.margins[i] ?? 0) / 1000).toFixed(3)}`)));
    if (o === "x" || o === "-") return box;
    const scored = await tokensOf(data, run, i);
    items().sentences[i].forEach((s, k) => box.append(scored[k]?.length ? tokensLine(s[0], s[3] > 0, scored[k]) : plainLine(s)));
    return box;
  }

  const columns: Column[] = [{ title: "id" }, { title: "test" }, { title: "condition" }, { title: "outcome" }, { title: "margin", numeric: true }, { title: "sentences" }];
  const rows = (): Value[][] =>
    shown.map((i) => {
      const m = runAt().margins[i];
      return [items().ids[i], items().tests.texts[items().tests.at[i]], items().conditions.texts[items().conditions.at[i]], runAt().outcomes[i], m === null ? null : m / 1000, sentencesText(i)];
    });
  const view = el("div", { class: "items" }, el("div", { class: "filters" }, search, suites, runs, tests, conditions, outcome, order), status, el("div", { class: "split" }, list.element, detail), copyButtons(columns, rows));
  if (data.suites.length < 2) suites.hidden = true;
  setSuite(0);
  return view;
}

const judge = (good: boolean) => el("span", { class: "judge", title: good ? "grammatical" : "ungrammatical" }, good ? "✓" : "*");

// Released scores are often one number for a sentence: only the locus can be shown.
export function plainLine([text, from, to, good]: Sentence): HTMLElement {
  return el("p", { class: "tokens", dir: "auto" }, judge(good > 0), el("span", { class: "plain" }, text.slice(0, from)), el("span", { class: "token locus", style: "--s:0" }, text.slice(from, to)), el("span", { class: "plain" }, text.slice(to)));
}

function tokensLine(text: string, good: boolean, tokens: Token[]): HTMLElement {
  const line = el("p", { class: "tokens", dir: "auto" }, judge(good));
  let at = 0;
  const total = tokens.reduce((sum, t) => sum + t.logprob, 0);
  for (const t of tokens) {
    if (t.begin > at) line.append(el("span", { class: "plain" }, text.slice(at, t.begin)));
    const strength = Math.min(1, -t.logprob / 12);
    line.append(
      el(
        "span",
        { class: "token" + (t.locus ? " locus" : ""), style: `--s:${strength.toFixed(2)}`, title: `log-probability ${t.logprob.toFixed(2)}` },
        t.special ? "□" : t.text || "·",
        el("small", {}, t.logprob.toFixed(2)),
      ),
    );
    at = Math.max(at, t.end);
  }
  line.append(el("span", { class: "plain" }, text.slice(at)), el("span", { class: "total" }, tokens.length ? `Σ ${total.toFixed(2)}` : ""));
  return line;
}
