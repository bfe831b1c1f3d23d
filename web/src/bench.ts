// The bench of `minpair serve`: sentences typed in, and what the loaded models say about them.
import type { Live } from "./data";
import { el, table, type Column, type Value } from "./dom";

interface Piece {
  piece: string;
  logprob: number;
  locus?: boolean;
}
interface Scored {
  model: string;
  method?: string;
  norm?: "sum" | "mean";
  sentences?: { text: string; sum: number; mean: number; tokens: Piece[] }[];
  preferred?: number | null;
  difference?: number;
  predictions?: { text: string; seen: string; gaps: Piece[][] }[];
  error?: string;
}

function tokens(pieces: Piece[]): HTMLElement {
  return el(
    "p",
    { class: "tokens" },
    ...pieces.map((t) =>
      el(
        "span",
        { class: "token" + (t.locus ? " locus" : ""), style: `--s:${Math.min(1, -t.logprob / 12).toFixed(2)}`, title: `log-probability ${t.logprob.toFixed(4)}` },
        t.piece,
        el("small", {}, t.logprob.toFixed(2)),
      ),
    ),
  );
}

function verdict(s: Scored): string {
  if (s.error) return s.error;
  if (!s.sentences || s.sentences.length < 2) return "";
  if (s.preferred === null || s.preferred === undefined) return "no preference";
  return `prefers “${s.sentences[s.preferred].text}” by ${s.difference!.toFixed(4)}`;
}

function oneModel(s: Scored): HTMLElement {
  const box = el("div", { class: "model" }, el("h3", {}, s.model, s.method ? el("span", { class: "note" }, ` ${s.method}, ${s.norm}`) : null));
  if (verdict(s)) box.append(el("p", { class: s.error ? "problem" : "verdict" }, verdict(s)));
  for (const sentence of s.sentences ?? []) box.append(tokens(sentence.tokens));
  for (const p of s.predictions ?? []) {
    box.append(el("p", { class: "note" }, p.seen === p.text ? p.text : `${p.seen} …`));
    p.gaps.forEach((gap, i) => box.append(predictions(gap, p.gaps.length > 1 ? `Mask ${i + 1}` : "")));
  }
  return box;
}

function predictions(gap: Piece[], title: string): HTMLElement {
  const rows = gap.map((p) => {
    const share = Math.exp(p.logprob);
    return el(
      "li",
      { class: "guess" },
      el("span", { class: "piece" }, p.piece),
      el("span", { class: "bar", style: `--w:${(100 * share).toFixed(1)}%`, "aria-hidden": "true" }),
      el("span", { class: "n" }, `${(100 * share).toFixed(2)} %`),
    );
  });
  return el("div", {}, title ? el("h4", {}, title) : null, el("ol", { class: "guesses", "aria-label": title || "Best predictions" }, ...rows));
}

/** The sentences beside each other, a column per model: where do they disagree? */
function sideBySide(all: Scored[]): HTMLElement | null {
  const scored = all.filter((s) => s.sentences && s.sentences.length > 1);
  if (!scored.length) return null;
  const columns: Column[] = [{ title: "Sentence" }, ...scored.map((s) => ({ title: `${s.model}, ${s.norm}`, numeric: true }))];
  const rows: Value[][] = scored[0].sentences!.map((sentence, i) => [sentence.text, ...scored.map((s) => s.sentences![i][s.norm ?? "sum"])]);
  rows.push(["First minus best of the others", ...scored.map((s) => { const [first, ...others] = s.sentences!.map((x) => x[s.norm ?? "sum"]); return first - Math.max(...others); })]);
  return table(columns, rows, "Scores; higher is better");
}

export function benchView(live: Live): HTMLElement {
  const typed = el("textarea", { rows: 3, "aria-label": "Sentences, one a line", placeholder: "A sentence a line; [MASK] for a word to be guessed", spellcheck: "false" });
  const choice = (label: string, none: boolean) =>
    el("select", { "aria-label": label, onchange: () => setMethods() }, none ? el("option", { value: "" }, "no second model") : null, ...live.models.map((m, i) => el("option", { value: i }, m.name)));
  const first = choice("Model", false);
  const second = choice("Second model", true);
  const method = el("select", { "aria-label": "Method" });
  const button = el("button", { type: "submit", class: "go" }, "Score");
  const status = el("p", { role: "status", class: "status" });
  const out = el("div", { class: "bench-out", "aria-live": "polite" });
  if (live.models.length < 2) second.hidden = true;
  else second.value = "1";

  const chosen = () => [first.value, second.value].filter((v, i, all) => v !== "" && all.indexOf(v) === i).map(Number);

  function setMethods() {
    const before = method.value;
    const common = live.models[chosen()[0]].methods.filter((name) => chosen().every((m) => live.models[m].methods.includes(name)));
    method.replaceChildren(el("option", { value: "" }, "each model's own method"), ...common.map((name) => el("option", { value: name }, name)));
    method.value = common.includes(before) ? before : "";
  }

  async function score() {
    const texts = typed.value.split("\n").map((t) => t.trim()).filter(Boolean);
    if (!texts.length) {
      status.textContent = "Type a sentence first.";
      typed.focus();
      return;
    }
    button.disabled = true;
    status.textContent = "Scoring …";
    try {
      const response = await fetch("score", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ models: chosen(), texts, method: method.value, top: 10 }),
      });
      const answer = (await response.json()) as { models: Scored[]; error?: string };
      if (!response.ok) throw new Error(answer.error);
      out.replaceChildren(...answer.models.map(oneModel));
      const both = sideBySide(answer.models);
      if (both) out.append(both);
      status.textContent = "";
    } catch (e) {
      status.textContent = `Not scored: ${e instanceof Error ? e.message : e}`;
    }
    button.disabled = false;
  }

  typed.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      score();
    }
  });
  const form = el("form", { class: "bench" }, typed, el("div", { class: "filters" }, first, second, method, button, el("span", { class: "note" }, "Ctrl+Enter scores")), status);
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    score();
  });
  setMethods();
  return el("div", {}, form, out);
}

/** Says so when the results file has changed since the page was opened. */
export function watchResults(live: Live, place: HTMLElement) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const now = (await (await fetch("version")).json()) as { version: string };
      if (now.version === live.version) return;
      clearInterval(timer);
      place.append(el("p", { role: "status", class: "problem" }, "The results have changed. ", el("button", { type: "button", onclick: () => location.reload() }, "Load them")));
    } catch {
      clearInterval(timer);
      place.append(el("p", { role: "status", class: "problem" }, "The server has stopped; what is shown is from before."));
    }
  }, 5000);
}
