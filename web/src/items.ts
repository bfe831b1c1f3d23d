// The items: searched, filtered and sorted; only the rows in view are in the page.
import {
  itemsOf,
  judgedOf,
  kKinds,
  kOutcomes,
  tokensOf,
  type Items,
  type Judged,
  type Run,
  type Sentence,
  type Token,
} from "./data";
import {
  copyButtons,
  count,
  el,
  fixed,
  labelled,
  linkButton,
  redraw,
  select,
  several,
  type Column,
  type Value,
} from "./dom";
import { longList } from "./list";
import { address, listen, set, state, type Key } from "./state";
import { nthAmong, swatch } from "./svg";
import { allTests, data, languages, nameOf, normOf, runs, suite, suiteAt, titleOf } from "./view";

/** The run whose items are shown. */
export const runAt = (): Run | undefined =>
  runs().find((r) => String(r.id) === state.run) ?? runs()[0];
export const marginOf = (j: Judged, i: number) =>
  j.margins[i] === null || j.margins[i] === undefined ? null : j.margins[i]! / j.scale;
export const outcomeOf = (j: Judged, i: number) => j.outcomes[i] ?? "-";

const kMark: Record<number, string> = {
  [kKinds.bad]: "*",
  [kKinds.good]: "✓",
  [kKinds.neither]: "",
  [kKinds.blank]: "",
};
const kMarkTitle: Record<number, string> = {
  [kKinds.bad]: "ungrammatical",
  [kKinds.good]: "grammatical",
};
const blank = (s: Sentence) => `${s[0].slice(0, s[1])}____${s[0].slice(s[2])}`;
const plainText = (s: Sentence) =>
  (s[3] === kKinds.bad ? "*" : "") + (s[3] === kKinds.blank ? blank(s) : s[0]);
// Isolated text does not tell its parent in which direction it runs: "auto" would always be
// left to right.
const directionOf = (text: string) =>
  /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(text) ? "rtl" : "ltr";
/** The words of `other` that differ from `first`: a list need not repeat the others. */
function instead(first: Sentence, other: Sentence): string {
  const [a, b] = [first[0].split(" "), other[0].split(" ")];
  const most = Math.min(a.length, b.length);
  let [begin, end] = [0, 0];
  while (begin < most && a[begin] === b[begin]) ++begin;
  while (end < most - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) ++end;
  const words = b.slice(begin, b.length - end).join(" ");
  return other[3] === kKinds.bad && words ? `*${words}` : plainText(other);
}
export const sentenceCells = (sentences: Sentence[]): HTMLElement =>
  el(
    "span",
    {
      class: "sentence",
      dir: directionOf(sentences[0]?.[0] ?? ""),
      title: sentencesText(sentences),
    },
    ...sentences.flatMap((s, k) => [
      k ? " / " : "",
      el("bdi", {}, k ? instead(sentences[0], s) : plainText(s)),
    ]),
  );
export const sentencesText = (sentences: Sentence[]) => sentences.map(plainText).join(" / ");

/** The chosen items of the suite, in their order. */
function chosenItems(items: Items, judged: Judged, lower: () => string[]): number[] {
  const test = state.test ? items.tests.texts.indexOf(state.test) : -1;
  const condition = state.condition ? items.conditions.texts.indexOf(state.condition) : -1;
  const spoken = state.spoken || state.language;
  const language = spoken ? items.languages.texts.indexOf(spoken) : -1;
  const among = new Set(state.tests.map((t) => items.tests.texts.indexOf(t)));
  const word = state.find.trim().toLowerCase();
  const texts = word ? lower() : [];
  const found: number[] = [];
  for (let i = 0; i < items.ids.length; ++i) {
    if (state.test ? items.tests.at[i] !== test : among.size && !among.has(items.tests.at[i]))
      continue;
    if (state.condition && items.conditions.at[i] !== condition) continue;
    if (spoken && items.languages.at[i] !== language) continue;
    if (state.lengths === "equal" && judged.equal[i] === "0") continue;
    if (state.outcome && outcomeOf(judged, i) !== state.outcome) continue;
    if (word && !texts[i].includes(word)) continue;
    found.push(i);
  }
  if (state.order === "low" || state.order === "high") {
    const key = (i: number) =>
      marginOf(judged, i) === null
        ? Infinity
        : (state.order === "low" ? 1 : -1) * marginOf(judged, i)!;
    found.sort((a, b) => key(a) - key(b) || a - b);
  }
  if (state.order === "name")
    found.sort((a, b) => (items.ids[a] < items.ids[b] ? -1 : items.ids[a] > items.ids[b] ? 1 : 0));
  return found;
}

export function itemsView(): HTMLElement {
  let items: Items;
  let judged: Judged;
  let shown: number[] = [];
  let lower: string[] = [];
  let asked = 0;
  const filters = el("div", { class: "filters" });
  const status = el("p", { role: "status", class: "status" }, "Opening the items …");
  const detail = el("div", { class: "detail", "aria-live": "polite" });
  const list = longList("Items", cells, (place) => set({ item: items.ids[shown[place]] }));
  const heads = el(
    "div",
    { class: "row heads", "aria-hidden": "true" },
    ...["Outcome", "Margin", "Test", "Sentences"].map((t) => el("span", {}, t)),
  );

  function drawFilters() {
    const run = runAt();
    const conditions = [
      ...new Set(
        suite()
          .groups.filter((g) => g[2] && (!state.test || g[1] === state.test))
          .map((g) => g[2]),
      ),
    ];
    const typed = el("input", {
      type: "search",
      placeholder: "Search in sentences and names",
      "aria-label": "Search in sentences and names",
      value: state.find,
      oninput: () => set({ find: typed.value, item: "" }),
    });
    filters.replaceChildren(
      typed,
      ...[
        runs().length > 1
          ? labelled(
              "Run",
              select(
                "Run",
                runs().map((r) => [String(r.id), nameOf(r)]),
                String(run?.id ?? ""),
                (v) => set({ run: v, item: state.item }),
              ),
            )
          : null,
        allTests().length > 1
          ? labelled(
              "Test",
              select(
                "Test",
                [
                  ["", "all that are shown"],
                  ...allTests().map((t): [string, string] => [t, titleOf(t)]),
                ],
                state.test,
                (v) => set({ test: v, condition: "", item: "" }),
              ),
            )
          : null,
        conditions.length > 1
          ? labelled(
              "Condition",
              select(
                "Condition",
                [["", "all"], ...conditions.map((c): [string, string] => [c, c])],
                state.condition,
                (v) => set({ condition: v, item: "" }),
              ),
            )
          : null,
        labelled(
          "Outcome",
          select(
            "Outcome",
            [
              ["", "any"],
              ["r", "right"],
              ["w", "wrong"],
              ["t", "tie"],
              ["x", "excluded"],
            ],
            state.outcome,
            (v) => set({ outcome: v, item: "" }),
          ),
        ),
        labelled(
          "Order",
          select(
            "Order",
            [
              ["", "of the suite"],
              ["low", "lowest margin first"],
              ["high", "highest margin first"],
              ["name", "by name"],
            ],
            state.order,
            (v) => set({ order: v, item: "" }),
          ),
        ),
      ].filter((n) => n !== null),
    );
  }

  const lowered = () => {
    if (!lower.length)
      lower = items.sentences.map((ss, i) =>
        `${items.ids[i]}\n${ss.map((s) => s[0]).join("\n")}`.toLowerCase(),
      );
    return lower;
  };

  async function refresh() {
    const mine = ++asked;
    const run = runAt();
    if (!run) {
      list.show(0);
      status.textContent = "No run is chosen.";
      return;
    }
    const [its, his] = await Promise.all([itemsOf(suiteAt()), judgedOf(run, normOf(run))]);
    if (mine !== asked) return;
    if (items !== its) lower = [];
    [items, judged] = [its, his];
    shown = chosenItems(items, judged, lowered);
    status.textContent = [
      `${count(shown.length)} of ${several(items.ids.length, "item")}`,
      `outcomes and margins of ${nameOf(run)}, ${normOf(run)}`,
    ].join("; ");
    list.show(shown.length);
    await showItem();
  }

  /** The item that the address names, whoever chose it. */
  async function showItem() {
    if (!items) return;
    const at = state.item ? shown.findIndex((i) => items.ids[i] === state.item) : -1;
    if (at >= 0 && list.chosen() !== at) list.reveal(at);
    const i = at >= 0 ? shown[at] : state.item ? items.ids.indexOf(state.item) : -1;
    if (i < 0) {
      detail.replaceChildren(
        el(
          "p",
          { class: "note" },
          state.item
            ? `There is no item '${state.item}'.`
            : "Choose an item to see its tokens under every run.",
        ),
      );
      return;
    }
    const parts = await itemDetail(items, i);
    if (state.item === items.ids[i]) detail.replaceChildren(...parts);
  }

  function cells(place: number): Node[] {
    const i = shown[place];
    const o = outcomeOf(judged, i);
    const margin = marginOf(judged, i);
    return [
      el("span", { class: `mark ${o}` }, kOutcomes[o]),
      el("span", { class: "n margin" }, margin === null ? "" : fixed(margin, 2)),
      el("span", { class: "test" }, titleOf(items.tests.texts[items.tests.at[i]])),
      sentenceCells(items.sentences[i]),
    ];
  }

  const columns: Column[] = [
    { title: "id" },
    { title: "test" },
    { title: "condition" },
    { title: "outcome" },
    { title: "margin", numeric: true },
    { title: "sentences" },
  ];
  const rows = (): Value[][] =>
    shown.map((i) => [
      items.ids[i],
      items.tests.texts[items.tests.at[i]],
      items.conditions.texts[items.conditions.at[i]],
      kOutcomes[outcomeOf(judged, i)],
      marginOf(judged, i),
      sentencesText(items.sentences[i]),
    ]);
  const view = el(
    "div",
    { class: "items" },
    filters,
    status,
    el("div", { class: "split" }, el("div", {}, heads, list.element), detail),
    copyButtons(columns, rows),
  );
  drawFilters();
  refresh();
  const chosen: Key[] = [
    "suite",
    "without",
    "skip",
    "norm",
    "tests",
    "language",
    "lengths",
    "run",
    "test",
    "spoken",
    "condition",
  ];
  listen(chosen, () => redraw(filters, drawFilters));
  listen([...chosen, "outcome", "order", "find"], refresh);
  listen(["item"], showItem);
  return view;
}

async function itemDetail(items: Items, i: number): Promise<Node[]> {
  const about = [
    titleOf(items.tests.texts[items.tests.at[i]]),
    items.conditions.texts[items.conditions.at[i]],
    languages().length > 1 ? items.languages.texts[items.languages.at[i]] : "",
  ].filter(Boolean);
  const features = Object.entries(items.features).flatMap(([name, of]) =>
    of.texts[of.at[i]] ? [`${name.replaceAll("_", " ")} ${of.texts[of.at[i]]}`] : [],
  );
  const parts: Node[] = [
    el("h3", {}, items.ids[i]),
    el(
      "p",
      { class: "note" },
      about.join(", "),
      features.length ? el("br") : null,
      features.join(", "),
    ),
  ];
  const context = items.sentences[i].find((s) => s[5])?.[5];
  if (context)
    parts.push(
      el(
        "p",
        { class: "context", dir: "auto" },
        el("span", { class: "note" }, "Read before: "),
        el("bdi", {}, context),
      ),
    );
  const nth = nthAmong(runs());
  for (const run of runs()) parts.push(await oneRun(items, run, i, nth(run)));
  parts.push(
    el(
      "div",
      { class: "tools" },
      linkButton("Copy link to this item", () => address()),
    ),
  );
  return parts;
}

async function oneRun(items: Items, run: Run, i: number, nth: number): Promise<HTMLElement> {
  const judged = await judgedOf(run, normOf(run));
  const o = outcomeOf(judged, i);
  const margin = marginOf(judged, i);
  const reason = judged.reasons.texts[judged.reasons.at[i]] ?? "";
  const said =
    o === "x"
      ? `excluded: ${data.reasons[reason] ?? reason}`
      : o === "-"
        ? "not in this run"
        : `${kOutcomes[o]}${margin === null ? "" : `, margin ${fixed(margin, 3)}`}`;
  const box = el(
    "div",
    { class: "run" },
    el(
      "h4",
      {},
      swatch(run, nth) as unknown as Node,
      nameOf(run),
      el("span", { class: `mark ${o}` }, said),
    ),
  );
  if (o === "-") return box;
  const scored = o === "x" ? [] : await tokensOf(items, run, i);
  items.sentences[i].forEach((s, k) =>
    box.append(scored[k]?.length ? tokensLine(s, scored[k]) : plainLine(s)),
  );
  return box;
}

function judge(kind: number, name?: string): HTMLElement | null {
  if (name && kind === kKinds.neither)
    return el("span", { class: "of-design" }, name.replaceAll("_", " "));
  return kMark[kind] ? el("span", { class: "judge", title: kMarkTitle[kind] }, kMark[kind]) : null;
}

// Released scores are often one number for a sentence: only the locus can be shown.
export function plainLine([text, from, to, kind, name]: Sentence): HTMLElement {
  const locus = kind === kKinds.blank ? "____" : text.slice(from, to);
  return el(
    "p",
    { class: "tokens", dir: "auto" },
    judge(kind, name),
    el("span", { class: "plain" }, text.slice(0, from)),
    locus ? el("span", { class: "token locus", style: "--s:0" }, locus) : null,
    el("span", { class: "plain" }, text.slice(to)),
  );
}

const isStart = (i: number) => i === 0;
function tokensLine([text, , , kind, name, , regions]: Sentence, tokens: Token[]): HTMLElement {
  const line = el("p", { class: "tokens", dir: "auto" }, judge(kind, name));
  let at = 0;
  const total = tokens.reduce((sum, t) => sum + t.logprob, 0);
  tokens.forEach((t, i) => {
    if (t.begin > at) line.append(el("span", { class: "plain" }, text.slice(at, t.begin)));
    const region = regions?.find(([, from, to]) => t.begin >= from && t.begin < to && to > from);
    const starts = region && t.begin <= region[1];
    line.append(
      el(
        "span",
        {
          class: `token${t.locus ? " locus" : ""}${t.special ? " special" : ""}`,
          style: `--s:${Math.min(1, -t.logprob / 12).toFixed(2)}`,
          title: `log-probability ${fixed(t.logprob, 2)}${region ? `, region ${region[0]}` : ""}`,
        },
        starts ? el("small", { class: "region" }, region[0]) : null,
        t.special ? (isStart(i) ? "⟨start⟩" : "⟨end⟩") : t.text || "·",
        el("small", {}, fixed(t.logprob, 2)),
      ),
    );
    at = Math.max(at, t.end);
  });
  line.append(
    el("span", { class: "plain" }, text.slice(at)),
    el("span", { class: "total" }, tokens.length ? `Σ ${fixed(total, 2)}` : ""),
  );
  return line;
}
