// The bench of `minpair serve`: sentences typed in, and what the loaded models say about them.
import type { Live } from "./data";
import { copyButtons, el, fixed, labelled, table, type Column, type Value } from "./dom";
import { leads, lookedInto, type LookedInto } from "./live";
import { swatch } from "./svg";

interface Piece {
  piece: string;
  logprob: number;
  locus?: boolean;
}
interface Scored {
  model: string;
  method?: string;
  norm?: "sum" | "mean";
  // A sentence without a score says why.
  sentences?: {
    text: string;
    sum?: number;
    mean?: number;
    tokens?: Piece[];
    explanation?: string;
  }[];
  preferred?: number | null;
  difference?: number;
  predictions?: { text: string; seen: string; gaps: Piece[][] }[];
  error?: string;
}

function tokens(pieces: Piece[]): HTMLElement {
  return el(
    "p",
    { class: "tokens", dir: "auto" },
    ...pieces.map((t) =>
      el(
        "span",
        {
          class: `token${t.locus ? " locus" : ""}`,
          style: `--s:${Math.min(1, -t.logprob / 12).toFixed(2)}`,
          title: `log-probability ${fixed(t.logprob, 4)}`,
        },
        t.piece,
        el("small", {}, fixed(t.logprob, 2)),
      ),
    ),
  );
}

function verdict(s: Scored): string {
  if (s.error) return s.error;
  if (!s.sentences || s.sentences.length < 2) return "";
  if (s.preferred === null || s.preferred === undefined) return "no preference";
  return `prefers “${s.sentences[s.preferred].text}” by ${fixed(s.difference!, 4)}`;
}

function oneModel(s: Scored): HTMLElement {
  const box = el(
    "div",
    { class: "model" },
    el(
      "h3",
      {},
      swatch(s) as unknown as Node,
      s.model,
      s.method ? el("span", { class: "note" }, ` ${s.method}, ${s.norm}`) : null,
    ),
  );
  if (verdict(s)) box.append(el("p", { class: s.error ? "problem" : "verdict" }, verdict(s)));
  for (const sentence of s.sentences ?? [])
    box.append(
      sentence.tokens
        ? tokens(sentence.tokens)
        : el("p", { class: "problem" }, `“${sentence.text}” has no score: ${sentence.explanation}`),
    );
  for (const p of s.predictions ?? []) {
    box.append(el("p", { class: "note" }, p.seen === p.text ? p.text : `${p.seen} …`));
    p.gaps.forEach((gap, i) =>
      box.append(predictions(gap, p.gaps.length > 1 ? `Mask ${i + 1}` : "")),
    );
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
      el("span", {
        class: "bar",
        style: `--w:${(100 * share).toFixed(1)}%`,
        "aria-hidden": "true",
      }),
      el("span", { class: "n" }, `${(100 * share).toFixed(2)} %`),
    );
  });
  return el(
    "div",
    {},
    title ? el("h4", {}, title) : null,
    el("ol", { class: "guesses", "aria-label": title || "Best predictions" }, ...rows),
  );
}

/** The sentences beside each other, a column per model: where do they disagree? */
function sideBySide(all: Scored[]): HTMLElement | null {
  const scored = all.filter((s) => s.sentences && s.sentences.length > 1);
  if (!scored.length) return null;
  const columns: Column[] = [
    { title: "Sentence" },
    ...scored.map((s) => ({ title: `${s.model}, ${s.method}, ${s.norm}`, numeric: true })),
  ];
  const rows: Value[][] = scored[0].sentences!.map((sentence, i) => [
    sentence.text,
    ...scored.map((s) => s.sentences![i][s.norm ?? "sum"] ?? null),
  ]);
  const box = table(
    columns,
    [...rows, ["The preferred one leads by", ...scored.map((s) => s.difference ?? null)]],
    "Scores; higher is better, and the preferred sentence is bold",
  );
  scored.forEach((s, k) => {
    if (typeof s.preferred === "number")
      box.querySelectorAll("tbody tr")[s.preferred].children[k + 1].classList.add("preferred");
  });
  return box;
}

// --- Earlier questions, kept while the tab is open.

interface Asked {
  texts: string[];
  method: string;
  answers: Scored[];
  looked?: LookedInto[]; // instead of scores
}
const kKey = "minpair-bench";
const kMost = 50;
function remembered(): Asked[] {
  try {
    return JSON.parse(sessionStorage.getItem(kKey) ?? "[]") as Asked[];
  } catch {
    return [];
  }
}
function remember(all: Asked[]) {
  try {
    sessionStorage.setItem(kKey, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing still has the list of this page.
  }
}

function historyView(again: (asked: Asked) => void): {
  element: HTMLElement;
  add: (asked: Asked) => void;
} {
  let all = remembered();
  const list = el("ol", { class: "asked" });
  const columns: Column[] = [
    { title: "sentences" },
    { title: "model" },
    { title: "method" },
    { title: "answer" },
  ];
  const rows = (): Value[][] =>
    all.flatMap((a) =>
      answersOf(a).map((s): Value[] => [a.texts.join(" / "), s.model, s.method, s.said]),
    );
  const clear = el("button", { type: "button", onclick: () => keep([]) }, "Clear");
  const element = el(
    "details",
    { class: "history", open: true },
    el("summary", {}, "History"),
    list,
    copyButtons(columns, rows, clear),
  );
  function keep(now: Asked[]) {
    all = now.slice(0, kMost);
    remember(all);
    element.hidden = !all.length;
    list.replaceChildren(
      ...all.map((a) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "plain-link", dir: "auto", onclick: () => again(a) },
            a.texts.join(" / "),
          ),
          ...answersOf(a).map((s) =>
            el(
              "span",
              { class: "note answer" },
              swatch(s) as unknown as Node,
              `${s.model}: ${s.said}`,
            ),
          ),
        ),
      ),
    );
  }
  keep(all);
  return {
    element,
    add: (asked) => keep([asked, ...all.filter((a) => questionOf(a) !== questionOf(asked))]),
  };
}
const answerOf = (s: Scored) =>
  verdict(s) ||
  s.predictions?.map((p) => p.gaps.map((g) => g[0]?.piece).join(", ")).join("; ") ||
  (s.sentences?.[0].tokens
    ? fixed(s.sentences[0][s.norm ?? "sum"]!, 4)
    : (s.sentences?.[0].explanation ?? ""));

/** Each model's answer in a few words. */
const answersOf = (a: Asked) =>
  a.looked
    ? a.looked.map((one) => ({
        model: one.model,
        method: "looked into",
        said: one.error ?? leads(one),
      }))
    : a.answers.map((s) => ({ model: s.model, method: s.method ?? "", said: answerOf(s) }));
const questionOf = (a: Asked) =>
  JSON.stringify([a.texts, a.method, !a.looked, answersOf(a).map((s) => s.model)]);

export function benchView(live: Live): HTMLElement {
  const typed = el("textarea", {
    rows: 3,
    "aria-label": "Sentences, one a line",
    placeholder: "A sentence a line; [MASK] for a word to be guessed",
    spellcheck: "false",
  });
  const choice = (label: string, none: boolean) =>
    el(
      "select",
      { "aria-label": label, onchange: () => setMethods() },
      none ? el("option", { value: "" }, "no second model") : null,
      ...live.models.map((m, i) => el("option", { value: i }, m.name)),
    );
  const first = choice("Model", false);
  const second = choice("Second model", true);
  const method = el("select", { "aria-label": "Method" });
  const button = el("button", { type: "submit", class: "go" }, "Score");
  const look = el(
    "button",
    { type: "button", class: "look", onclick: () => lookInside() },
    "Look inside",
  );
  const status = el("p", { role: "status", class: "status" });
  const out = el("div", { class: "bench-out", "aria-live": "polite" });
  if (live.models.length < 2) second.hidden = true;
  else second.value = "1";

  const chosen = () =>
    [first.value, second.value].filter((v, i, all) => v !== "" && all.indexOf(v) === i).map(Number);

  function setMethods() {
    const before = method.value;
    const common = live.models[chosen()[0]].methods.filter((name) =>
      chosen().every((m) => live.models[m].methods.includes(name)),
    );
    method.replaceChildren(
      el("option", { value: "" }, "each model's own method"),
      ...common.map((name) => el("option", { value: name }, name)),
    );
    method.value = common.includes(before) ? before : "";
  }

  function show(answers: Scored[]) {
    const both = sideBySide(answers);
    out.replaceChildren(...(both ? [both] : []), ...answers.map(oneModel));
  }
  const history = historyView((asked) => {
    typed.value = asked.texts.join("\n");
    if (asked.looked) out.replaceChildren(...asked.looked.map(lookedInto));
    else show(asked.answers);
    typed.focus();
  });

  /** Sends what was typed, and hands on the answers of the models. */
  async function ask<T>(
    where: string,
    more: Record<string, unknown>,
    doing: string,
    not: string,
    use: (texts: string[], models: T[]) => void,
  ) {
    const texts = typed.value
      .split("\n")
      .map((t) => t.trim())
      .filter(Boolean);
    if (!texts.length) {
      status.textContent = "Type a sentence first.";
      typed.focus();
      return;
    }
    button.disabled = look.disabled = true;
    status.textContent = doing;
    try {
      const response = await fetch(where, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ models: chosen(), texts, ...more }),
      });
      const answer = (await response.json()) as { models: T[]; error?: string };
      if (!response.ok) throw new Error(answer.error);
      use(texts, answer.models);
      status.textContent = "";
    } catch (e) {
      status.textContent = `${not}: ${e instanceof Error ? e.message : e}`;
    }
    button.disabled = look.disabled = false;
  }
  const score = () =>
    ask<Scored>(
      "score",
      { method: method.value, top: 10 },
      "Scoring …",
      "Not scored",
      (texts, answers) => {
        show(answers);
        history.add({ texts, method: method.value, answers });
      },
    );
  const lookInside = () =>
    ask<LookedInto>("inside", {}, "Looking inside …", "Not looked into", (texts, looked) => {
      out.replaceChildren(...looked.map(lookedInto));
      history.add({ texts, method: "", answers: [], looked });
    });

  typed.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      score();
    }
  });
  const form = el(
    "form",
    { class: "bench" },
    typed,
    el(
      "div",
      { class: "filters" },
      labelled("Model", first),
      live.models.length > 1 ? labelled("Beside it", second) : second,
      labelled("Method", method),
      button,
      look,
      el(
        "span",
        { class: "note" },
        "Ctrl+Enter scores. To look inside: a right sentence and a wrong one. A third sentence, " +
          "the right one with another subject or attractor, is optional",
      ),
    ),
    status,
  );
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    score();
  });
  setMethods();
  return el("div", {}, form, out, history.element);
}

/** Says so when the results file has changed, and shows the new results in place when asked to. */
export function watchResults(
  live: Live,
  place: HTMLElement,
  load: (version: string) => Promise<void>,
) {
  const said = el("p", { role: "status", class: "problem" });
  place.append(said);
  let now = live.version;
  const show = el("button", { type: "button" }, "Show them");
  show.addEventListener("click", async () => {
    show.disabled = true;
    try {
      await load(now);
      said.replaceChildren();
    } catch (e) {
      said.replaceChildren(
        `The new results could not be opened: ${e instanceof Error ? e.message : e}`,
      );
    }
    show.disabled = false;
  });
  setInterval(async () => {
    if (document.hidden) return;
    try {
      now = ((await (await fetch("version")).json()) as { version: string }).version;
      if (now === live.version) said.replaceChildren();
      else if (!said.contains(show)) said.replaceChildren("The results have changed. ", show);
    } catch {
      said.replaceChildren("The server has stopped; these results are from before.");
    }
  }, 5000);
}
