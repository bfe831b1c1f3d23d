// What is shown: suite, models, methods, norm, lengths, language, tests. Everything on the page
// follows.
import { el, labelled, select } from "./dom";
import { set, state } from "./state";
import { swatch } from "./svg";
import {
  allTests,
  data,
  languages,
  lengthsDiffer,
  norms,
  runsOfSuite,
  suite,
  titleOf,
} from "./view";

interface Choice {
  value: string;
  title: string;
  mark?: Node;
  section?: string;
}

/** A list of boxes to tick behind a button; `chosen` of all are shown. */
function menu(
  title: string,
  choices: Choice[],
  chosen: (value: string) => boolean,
  change: (chosen: string[]) => void,
): HTMLElement {
  const boxes = choices.map((c) =>
    el("input", {
      type: "checkbox",
      value: c.value,
      checked: chosen(c.value),
      onchange: () => tell(),
    }),
  );
  const summary = el("summary", {});
  const said = () => {
    const n = boxes.filter((b) => b.checked).length;
    summary.textContent =
      n === boxes.length ? `${title}: all ${n}` : `${title}: ${n} of ${boxes.length}`;
  };
  const tell = () => {
    said();
    change(boxes.filter((b) => b.checked).map((b) => b.value));
  };
  const all = (on: boolean) => () => {
    for (const b of boxes) if (!(b.closest("label") as HTMLElement).hidden) b.checked = on;
    tell();
  };
  const lines: HTMLElement[] = [];
  choices.forEach((c, i) => {
    if (c.section && c.section !== choices[i - 1]?.section)
      lines.push(el("p", { class: "note" }, c.section));
    lines.push(el("label", {}, boxes[i], c.mark ?? null, c.title));
  });
  const find = el("input", {
    type: "search",
    placeholder: "Find",
    "aria-label": `Find in ${title.toLowerCase()}`,
    oninput: () => {
      for (const l of lines)
        l.hidden = !l.textContent!.toLowerCase().includes(find.value.toLowerCase());
    },
  });
  said();
  const box = el(
    "details",
    { class: "menu" },
    summary,
    el(
      "div",
      { class: "choices", role: "group", "aria-label": title },
      choices.length > 10 ? find : null,
      el(
        "div",
        { class: "tools" },
        el("button", { type: "button", onclick: all(true) }, "All"),
        el("button", { type: "button", onclick: all(false) }, "None"),
      ),
      ...lines,
    ),
  );
  box.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    box.open = false;
    summary.focus();
  });
  return box;
}

export function controls(): HTMLElement {
  const bar = el("div", { class: "controls", role: "group", "aria-label": "What is shown" });
  const inSuite = runsOfSuite();
  const models = [...new Set(inSuite.map((r) => r.model))];
  const methods = [...new Set(inSuite.map((r) => r.method))];
  const fresh = {
    norm: "",
    lengths: "",
    language: "",
    tests: [],
    sort: "",
    run: "",
    test: "",
    spoken: "",
    condition: "",
    outcome: "",
    find: "",
    item: "",
    feature: "",
    against: "",
  };
  if (data.suites.length > 1)
    bar.append(
      labelled(
        "Suite",
        select(
          "Suite",
          data.suites.map((s) => [s.name, s.title]),
          suite().name,
          (v) => set({ ...fresh, suite: v }, true),
        ),
      ),
    );
  if (models.length > 1)
    bar.append(
      menu(
        "Models",
        models.map((m) => ({ value: m, title: m, mark: swatch({ model: m }) as unknown as Node })),
        (m) => !state.without.includes(m),
        (on) => set({ without: models.filter((m) => !on.includes(m)) }),
      ),
    );
  if (methods.length > 1)
    bar.append(
      menu(
        "Methods",
        methods.map((m) => ({ value: m, title: m })),
        (m) => !state.skip.includes(m),
        (on) => set({ skip: methods.filter((m) => !on.includes(m)) }),
      ),
    );
  if (norms().length > 1)
    bar.append(
      labelled(
        "Norm",
        select(
          "Norm",
          [["", "each run’s own"], ...norms().map((n): [string, string] => [n, n])],
          state.norm,
          (v) => set({ norm: v }),
        ),
      ),
    );
  if (lengthsDiffer())
    bar.append(
      labelled(
        "Lengths",
        select(
          "Lengths",
          [
            ["", "all items"],
            ["equal", "equal lengths only"],
          ],
          state.lengths,
          (v) => set({ lengths: v }),
        ),
      ),
    );
  if (languages().length > 1)
    bar.append(
      labelled(
        "Language",
        select(
          "Language",
          [["", "all"], ...languages().map((l): [string, string] => [l, l])],
          state.language,
          (v) => set({ language: v }),
        ),
      ),
    );
  const tests = allTests();
  const group = (t: string) => suite().tests.find((x) => x.name === t)?.group ?? "";
  // None ticked is none shown: a test that is nowhere.
  if (tests.length > 1)
    bar.append(
      menu(
        "Tests",
        tests.map((t) => ({ value: t, title: titleOf(t), section: group(t) })),
        (t) => !state.tests.length || state.tests.includes(t),
        (on) => set({ tests: on.length === tests.length ? [] : on.length ? on : ["-"] }),
      ),
    );
  return bar;
}
export const kShown = ["suite", "without", "skip", "norm", "lengths", "language", "tests"] as const;

addEventListener("click", (e) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!open.contains(e.target as Node)) open.open = false;
});
