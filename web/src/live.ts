// "Look inside" for a typed pair: which words made the difference, what each layer would answer,
// and the effect of changes inside.
import { el, fixed } from "./dom";
import {
  colouredLine,
  colouredTable,
  curves,
  heatMap,
  strongestOf,
  type Row,
  type Sentence,
} from "./inside";
import { figure, swatch } from "./svg";

export interface LookedInto {
  model: string;
  error?: string;
  good: string;
  bad: string;
  margin: number;
  lens: (number | null)[];
  words: Sentence[]; // by each method
  layers?: number[];
  patch?: Sentence;
  total?: number;
  shifted?: boolean; // the third sentence has another number of pieces
  left_out?: string;
}

const kWords: Record<string, string> = {
  masked: "each word masked",
  "left out": "each word left out",
  alti: "ALTI-Logit",
};
const kPut: Record<string, string> = {
  masked: "replaced by the state of a mask",
  zero: "set to zero",
  other: "replaced by that of the third sentence",
};

/** Words that occur twice get a number. */
function placeNames(names: string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return nth > 1 ? `${name} (${nth})` : name;
  });
}

function patched(one: LookedInto): SVGElement[] {
  if (!one.patch || !one.layers) return [];
  const names = placeNames(one.patch.names);
  const rows = names.flatMap((at, p) =>
    one.layers!.map((layer, l): Row => ({ at, layer, effect: one.patch!.effects[p][l] })),
  );
  return [heatMap("Effect by layer and place", rows)];
}

export const leads = (one: LookedInto) =>
  one.margin === 0
    ? `no preference between “${one.good}” and “${one.bad}”`
    : `${one.margin > 0 ? "right" : "wrong"}: ` +
      `log odds ${fixed(one.margin, 2)} of “${one.good}” over “${one.bad}”`;

export function lookedInto(one: LookedInto): HTMLElement {
  const box = el(
    "div",
    { class: "model looked" },
    el("h3", {}, swatch(one) as unknown as Node, one.model),
  );
  if (one.error) {
    box.append(el("p", { class: "problem" }, one.error));
    return box;
  }
  box.append(el("p", { class: "verdict" }, leads(one)));
  const lines = one.words.map((s) => colouredLine(s, 0, strongestOf(s), kWords[s.id] ?? s.id));
  if (lines.length)
    box.append(
      colouredTable(
        `Words, ${one.model}`,
        "Which words made the difference; blue: what speaks for the right form, red: against it",
        lines,
      ),
    );
  const lens = [
    {
      title: "margin",
      test: "",
      condition: "",
      rows: one.lens.map((margin, layer): Row => ({ layer, margin })),
    },
  ];
  box.append(
    figure(
      [
        `${one.model}: what each layer would answer`,
        ...(one.patch
          ? [`and the margin when the state of a word after a layer is ${kPut[one.patch.id]}`]
          : []),
      ].join("; "),
      [curves("Margin by layer", "margin", lens), ...patched(one)],
    ),
  );
  const notes = [
    one.total === undefined
      ? ""
      : `The whole third sentence has an effect of ${fixed(one.total, 2)}.`,
    one.shifted
      ? "It has another number of pieces, so the positions of the words after them differ, too."
      : "",
    one.left_out ? `Left out: ${one.left_out}.` : "",
    "Effect: the margin minus the margin after the change. " +
      "Layer 0 is the embeddings, the last layer the model's own answer.",
  ];
  box.append(el("p", { class: "note" }, notes.filter(Boolean).join(" ")));
  return box;
}
