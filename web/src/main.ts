import { benchView, watchResults } from "./bench";
import { comparisonPage } from "./compare";
import { controls, kShown } from "./controls";
import { forget, live, openMain } from "./data";
import { el, redraw, skipTo } from "./dom";
import {
  against,
  checkpointPanels,
  excludedTable,
  featurePanels,
  marginPanels,
  opened,
  regionPanels,
  testPanels,
} from "./figures";
import { found } from "./found";
import { hasEffects, inside } from "./inside";
import { itemsView } from "./items";
import { markOpen, matrix } from "./matrix";
import { forgetListeners, listen, read, state, type State } from "./state";
import { data, features, nameOf, runsOfSuite, suite, useData } from "./view";

interface Section {
  id: string;
  title: string;
  draw: () => Node[];
  keys: (keyof State)[]; // what it follows
  now?: boolean; // drawn at once, not when it comes near the window
  there?: () => boolean;
}
const kOpen: (keyof State)[] = ["run", "test", "spoken", "condition"];

function made(): Node[] {
  return [
    el("p", {}, `Made by ${data.made}.`),
    ...(suite().citation ? [el("p", {}, `${suite().title}: ${suite().citation}`)] : []),
    ...runsOfSuite().map((r) =>
      el(
        "details",
        {},
        el("summary", {}, nameOf(r)),
        el(
          "dl",
          {},
          ...Object.entries(r.about).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]),
        ),
      ),
    ),
  ];
}

function matrixAndOpened(): Node[] {
  const place = el("div", { class: "opened-place" });
  const table = el("div", { class: "matrix-place" }, ...matrix());
  const open = (move: boolean) => {
    place.replaceChildren(...opened());
    markOpen(table);
    markOpen(place);
    // Not when it follows from a choice among the items.
    if (move && state.test && document.activeElement?.closest("#matrix, #found"))
      place.scrollIntoView({ block: "nearest" });
  };
  open(false);
  openedListener = () => open(true);
  return [el("div", { class: "side-by-side" }, table, place)];
}
let openedListener = () => {};

// Always the same element: sentences and answers stay when the results change.
let benchBox: HTMLElement | undefined;
const bench = (): Section => ({
  id: "bench",
  title: "Try sentences",
  draw: () => [(benchBox ??= benchView(live!))],
  keys: [],
  now: true,
});
const kSections: Section[] = [
  { id: "found", title: "What was found", draw: found, keys: [...kShown], now: true },
  {
    id: "matrix",
    title: "Tests and runs",
    draw: matrixAndOpened,
    keys: [...kShown, "sort"],
    now: true,
  },
  { id: "items", title: "Items", draw: () => [itemsView()], keys: [] },
  {
    id: "checkpoints",
    title: "Over checkpoints",
    draw: checkpointPanels,
    keys: [...kShown],
    there: () => runsOfSuite().some((r) => r.stage),
  },
  { id: "tests", title: "Tests and conditions", draw: testPanels, keys: [...kShown] },
  {
    id: "features",
    title: "By feature",
    draw: featurePanels,
    keys: [...kShown, "feature"],
    there: () => features().length > 0,
  },
  {
    id: "regions",
    title: "Regions",
    draw: regionPanels,
    keys: [...kShown],
    there: () => suite().designs,
  },
  {
    id: "against",
    title: "Run against run",
    draw: against,
    keys: [...kShown, "against"],
    there: () => runsOfSuite().length > 1,
  },
  { id: "margins", title: "Margins", draw: marginPanels, keys: [...kShown] },
  {
    id: "inside",
    title: "Inside the models",
    draw: inside,
    keys: ["suite", "item"],
    there: hasEffects,
  },
  { id: "excluded", title: "Excluded", draw: excludedTable, keys: [...kShown] },
  { id: "made", title: "How it was made", draw: made, keys: ["suite"] },
];

// Sections below the window are drawn as they come near it, so that the page is usable at once. The
// rest follows when the browser is idle, so that a printed page has all of them.
let waiting: (() => void)[] = [];
const whenIdle = (todo: () => void) =>
  "requestIdleCallback" in window ? requestIdleCallback(todo) : setTimeout(todo, 50);
function drawWaiting(mine = waiting) {
  whenIdle(() => {
    if (mine !== waiting || !mine.length) return;
    mine.shift()!();
    drawWaiting(mine);
  });
}
function sectionOf(s: Section): HTMLElement {
  const body = el("div", { class: "body" });
  const box = el(
    "section",
    { id: s.id, "aria-labelledby": `${s.id}-title` },
    el("h2", { id: `${s.id}-title`, tabindex: -1 }, s.title),
    body,
  );
  const draw = () => {
    box.dataset.drawn = "1";
    const nodes = s.draw();
    body.replaceChildren(
      ...(nodes.length ? nodes : [el("p", { class: "note" }, "These results have none.")]),
    );
  };
  const once = () => box.dataset.drawn || draw();
  if (s.now) draw();
  else {
    new IntersectionObserver(
      (seen, o) => {
        if (!seen.some((e) => e.isIntersecting)) return;
        o.disconnect();
        once();
      },
      { rootMargin: "400px" },
    ).observe(box);
    waiting.push(once);
  }
  listen(s.keys, () => box.dataset.drawn && redraw(body, draw));
  return box;
}

/** The contents: beside the page, or above it on a small screen. */
function rail(sections: HTMLElement[]): Node[] {
  const links = sections.map((s) =>
    el("a", { href: `#${s.id}` }, s.querySelector("h2")!.textContent!),
  );
  const seen = new Set<Element>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const e of entries) seen[e.isIntersecting ? "add" : "delete"](e.target);
      const first = sections.findIndex((s) => seen.has(s));
      links.forEach((l, i) =>
        i === first ? l.setAttribute("aria-current", "true") : l.removeAttribute("aria-current"),
      );
    },
    { rootMargin: "-80px 0px -50% 0px" },
  );
  for (const s of sections) watch.observe(s);
  return links;
}

/** Links to sections leave the address to what was chosen. */
function followLinks() {
  document.addEventListener("click", (e) => {
    const link = (e.target as Element).closest?.('a[href^="#"]');
    const to = link && document.getElementById(link.getAttribute("href")!.slice(1));
    if (!to) return;
    e.preventDefault();
    to.scrollIntoView();
    to.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  });
}

function draw() {
  forgetListeners();
  waiting = [];
  const main = document.querySelector("main")!;
  // A file may have only what was found inside models, and no scores.
  const there = data.runs.length
    ? kSections.filter((s) => !s.there || s.there())
    : kSections.filter((s) => s.id === "inside" && hasEffects());
  // What was found comes first; without results the bench is all there is.
  if (live?.models.length) there.splice(Math.min(1, there.length), 0, bench());
  const bar = el("div", { class: "controls-place" });
  const drawBar = () => bar.replaceChildren(controls());
  listen(["suite"], draw);
  if (data.runs.length) {
    drawBar();
    // Its own controls show already what they say.
    listen([...kShown], () => bar.contains(document.activeElement) || drawBar());
  }
  const sections = there.map(sectionOf);
  main.replaceChildren(bar, ...sections);
  // Without results there are no items to skip to.
  if (sections.length && !data.runs.length) skipTo(sections[0]);
  document.querySelector("nav")!.replaceChildren(...rail(sections));
  listen(kOpen, () => openedListener());
  const titles = data.suites.length
    ? suite().title
    : live?.models.map((m) => m.name).join(", ") || "No results";
  document.title = `minpair: ${titles}`;
  document.querySelector("h1")!.textContent = titles;
  drawWaiting();
}
// On paper nothing can be opened.
let unfolded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  for (const once of waiting.splice(0)) once();
  unfolded = [...document.querySelectorAll<HTMLDetailsElement>("#made details:not([open])")];
  for (const d of unfolded) d.open = true;
});
addEventListener("afterprint", () => unfolded.splice(0).forEach((d) => (d.open = false)));

async function start() {
  followLinks();
  if (document.getElementById("comparison")) return comparisonPage(document.querySelector("main")!);
  useData(await openMain());
  read();
  draw();
  const at = location.hash.includes("=")
    ? state.item
      ? "items"
      : state.test
        ? "matrix"
        : ""
    : location.hash.slice(1);
  if (at) document.getElementById(at)?.scrollIntoView();
  if (live)
    watchResults(live, document.querySelector("header")!, async (version) => {
      forget(version);
      useData(await openMain());
      draw();
    });
}

start()
  .catch((e) => {
    const main = document.querySelector("main")!;
    main.replaceChildren(
      el(
        "p",
        { role: "alert" },
        `The results could not be opened: ${e}. A browser of 2023 or later is needed.`,
      ),
    );
  })
  .finally(() => document.querySelector("main")!.removeAttribute("aria-busy"));
