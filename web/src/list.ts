// A long list of which only the rows in view are in the page.
import { el } from "./dom";

const kRow = 34;
let lists = 0;

export interface LongList {
  element: HTMLElement;
  /** Shows so many rows, from the first, none chosen. */
  show(count: number): void;
  chosen(): number;
  /** Marks a row as chosen and brings it into view, without telling anybody. */
  reveal(place: number): void;
}

export function longList(
  label: string,
  cells: (place: number) => Node[],
  choose: (place: number) => void,
): LongList {
  const name = `list-${++lists}`;
  let length = 0;
  let chosen = -1;
  const spacer = el("div", { class: "spacer" });
  const list = el(
    "div",
    { class: "list", role: "listbox", tabindex: 0, "aria-label": label },
    spacer,
  );

  function draw() {
    const from = Math.max(0, Math.floor(list.scrollTop / kRow) - 5);
    const to = Math.min(
      length,
      Math.ceil((list.scrollTop + (list.clientHeight || 400)) / kRow) + 5,
    );
    const rows: HTMLElement[] = [];
    for (let p = from; p < to; ++p)
      rows.push(
        el(
          "div",
          {
            class: "row",
            role: "option",
            id: `${name}-${p}`,
            "aria-selected": String(p === chosen),
            style: `top:${p * kRow}px`,
            onclick: () => pick(p),
          },
          ...cells(p),
        ),
      );
    spacer.replaceChildren(...rows);
    if (chosen >= 0) list.setAttribute("aria-activedescendant", `${name}-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  }

  function reveal(place: number) {
    chosen = place;
    const top = place * kRow;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + kRow > list.scrollTop + list.clientHeight)
      list.scrollTop = top + kRow - list.clientHeight;
    draw();
  }
  function pick(place: number) {
    reveal(place);
    choose(place);
  }

  list.addEventListener("scroll", draw);
  list.addEventListener("keydown", (e) => {
    const step: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    if (!(e.key in step) || length === 0) return;
    e.preventDefault();
    pick(Math.min(length - 1, Math.max(0, chosen + step[e.key])));
  });
  new ResizeObserver(draw).observe(list);
  return {
    element: list,
    chosen: () => chosen,
    reveal,
    show(n) {
      length = n;
      chosen = -1;
      spacer.style.height = `${n * kRow}px`;
      // No taller than its content.
      list.style.setProperty("--rows", `${Math.max(2, n) * kRow + 2}px`);
      list.scrollTop = 0;
      draw();
    },
  };
}
