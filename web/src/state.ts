// What the reader has chosen. It is in the address, so that a link leads to the same view, also in
// a file.

export interface State {
  suite: string;
  without: string[]; // models that are not shown
  skip: string[]; // methods that are not
  norm: string; // "": each run's own
  lengths: string; // "": all
  language: string; // "": all
  tests: string[]; // none: all
  sort: string; // id of the run whose accuracy orders the matrix; "": as the suite
  run: string; // id of the run whose items are shown
  test: string; // opened
  spoken: string; // its language, where there are several
  condition: string;
  outcome: string;
  order: string;
  find: string;
  item: string;
  feature: string;
  against: string; // two runs, "0-1"
}
const kNone: State = {
  suite: "",
  without: [],
  skip: [],
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
  order: "",
  find: "",
  item: "",
  feature: "",
  against: "",
};
export type Key = keyof State;
type Listener = { keys: Key[]; tell: () => void };

export const state: State = structuredClone(kNone);
const listeners: Listener[] = [];

/** The page's own links are sections; everything else has an "=". */
export function read(hash = location.hash): void {
  const given = new URLSearchParams(hash.includes("=") ? hash.slice(1) : "");
  for (const key of Object.keys(kNone) as Key[]) {
    const value = given.getAll(key);
    (state as unknown as Record<string, unknown>)[key] = Array.isArray(kNone[key])
      ? value
      : (value[0] ?? "");
  }
}

export function address(patch: Partial<State> = {}): string {
  const to = new URLSearchParams();
  for (const [key, value] of Object.entries({ ...state, ...patch }))
    for (const one of [value].flat()) if (one !== "") to.append(key, one);
  return `#${to.toString()}`;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** `step`: adds an entry to the browser's history, so that Back undoes it. */
export function set(patch: Partial<State>, step = false): void {
  const changed = (Object.keys(patch) as Key[]).filter((k) => !same(state[k], patch[k]));
  if (!changed.length) return;
  Object.assign(state, patch);
  history[step ? "pushState" : "replaceState"](null, "", address());
  tell(changed);
}

function tell(changed: Key[]) {
  // One of them may draw the whole page: then the others are of before.
  for (const l of [...listeners])
    if (listeners.includes(l) && l.keys.some((k) => changed.includes(k))) l.tell();
}

export function listen(keys: Key[], tell: () => void): void {
  listeners.push({ keys, tell });
}
export const forgetListeners = () => void (listeners.length = 0);

function moved() {
  if (location.hash && !location.hash.includes("=")) return; // a section of the page
  const before = structuredClone(state);
  read();
  tell((Object.keys(kNone) as Key[]).filter((k) => !same(before[k], state[k])));
}
addEventListener("popstate", moved);
addEventListener("hashchange", moved);
