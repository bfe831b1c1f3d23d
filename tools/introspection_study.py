#!/usr/bin/env python3
"""Makes the figures of the study in docs/introspection.md anew: its tables as Markdown, and what its text says of them.

    tools/introspection_study.py MINPAIR [--quick] [PART ...] > study.md

Parts are lens, probe, attribute, patch, head, attractor, ablate; all of them unless some are named. Where a shipped model is
replaced, all that is from it in the page is replaced by this. --quick takes 40 items, to try the script, not for the page.
"""
import json
import subprocess
import sys

SUITE = "de-agreement"
MODELS = ["de-mini", "de-lstm"]
NESTED = "across_prepositional_phrase"


QUICK = "--quick" in sys.argv


def ask(minpair, what, model, *options):
    options = list(options)
    if QUICK and "--sample" not in options:
        options += ["--sample", ""]
    if QUICK:
        options[options.index("--sample") + 1] = "40"
    command = [minpair, "introspect", what, "-q", "-s", SUITE, "-m", model, *options, "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["tables"][0]


def share(x, digits=3):
    if x is None:
        return "–"
    text = f"{x:.{digits}f}"
    return "1" if float(text) == 1 else "0" if float(text) == 0 else text.replace("0.", ".").replace("-", "−")


def number(x):
    return "–" if x is None else f"{x:+.2f}".replace("-", "−")


def between(row, key, shown):
    low, high = row[f"{key}_low"], row[f"{key}_high"]
    return f"[{shown(low)}, {shown(high)}]" if low is not None else ""


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---" if i == 0 else "--:" for i in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def notes(read):
    for note in read["notes"]:
        if note.startswith("excluded"):
            print(f"- {note}")
    print()


def lens(minpair):
    rows = []
    for model, sample in zip(MODELS, ["300", "1000"]):
        read = ask(minpair, "lens", model, "--sample", sample, "--by", "all")
        for i, r in enumerate(read["rows"]):
            rows.append([model if i == 0 else "", str(r["layer"]), str(r["items"]),
                         f"{share(r['accuracy'])} {between(r, 'accuracy', share)}",
                         f"{number(r['margin'])} {between(r, 'margin', number)}", share(r["settled"])])
        print(f"{model}:")
        notes(read)
    table(["model", "layer", "items", "accuracy", "margin", "settled"], rows)


def by_place(cells):
    """Places × layers of both models, from cells of (model, place, layer)."""
    columns = sorted({(MODELS.index(m), layer) for m, _, layer in cells})
    head = [f"{MODELS[m]} {layer}" if layer == 0 else str(layer) for m, layer in columns]
    places = list(dict.fromkeys(place for _, place, _ in cells))
    table(["place", *head], [[p, *(cells.get((MODELS[m], p, layer), "") for m, layer in columns)] for p in places])


def probe(minpair):
    two = lambda x: share(x, 2)
    found, used, own = {}, {}, {}
    for model in MODELS:
        for r in ask(minpair, "probe", model, "--sample", "600", "--at", "subject,attractor,locus,last", "--erase")["rows"]:
            at = (model, r["at"], r["layer"])
            found[at] = f"{two(r['accuracy'])} {between(r, 'accuracy', two)}"
            used[at] = f"{two(r['without'])} ({two(r['random'])})"
            own.setdefault(model, []).append(r["model"])
            own.setdefault("majority", []).append(r["majority"])
    by_place(found)
    for name, values in own.items():
        print(f"- {name}: {two(min(values))} to {two(max(values))}")
    print()
    by_place(used)


def attribute(minpair):
    rows = []
    two = lambda x: share(x, 2)
    for model in MODELS:
        r = ask(minpair, "attribute", model, "--sample", "300", "--by", "all")["rows"][0]
        rows.append([model, str(r["items"]), f"{two(r['first'])} {between(r, 'first', two)}", two(r["first_chance"]),
                     f"{r['rank']:.2f}", f"{r['rank_chance']:.2f}", two(r["reciprocal"]), two(r["reciprocal_chance"]),
                     f"{number(r['effect'])} {between(r, 'effect', number)}"])
    table(["model", "items", "subject first", "by chance", "rank", "by chance", "1/rank", "by chance", "effect"], rows)


def patch(minpair):
    cells = {}
    for model in MODELS:
        for r in ask(minpair, "patch", model, "--sample", "1000", "--at", "subject,attractor,locus,last", "--by", "all")["rows"]:
            if r["layer"] is not None:
                cells[model, r["at"], r["layer"]] = share(r["of_total"], 2)
                continue
            whole = lambda x: "–" if x is None else f"{100 * x:.0f}"
            print(f"- total of {model}: {number(r['effect'])} {between(r, 'effect', number)}, {r['items']} items, "
                  f"{whole(r['interchange'])} % {between(r, 'outcome', whole)} then prefer the other form")
    print()
    by_place(cells)


def strongest(read, what):
    for r in read["rows"]:
        if r.get("index") is not None:
            print(f"- {what} {r['index']} of layer {r['layer']}: {number(r['effect'])} {between(r, 'effect', number)}")
    print()


def head(minpair):
    strongest(ask(minpair, "patch", "de-mini", "--sample", "1000", "--site", "head", "--at", "locus", "--by", "all", "--top", "3"), "head")


def attractor(minpair):
    read = ask(minpair, "patch", "de-mini", "--test", NESTED, "--swap", "attractor", "--by", "condition")
    lenses = {r["condition"]: r for r in ask(minpair, "lens", "de-mini", "--test", NESTED, "--by", "condition")["rows"]}
    for r in read["rows"]:
        if r["at"] == "total" or (r["at"] == "attractor" and r["layer"] == 0):
            print(f"- {r['condition']}, {r['at']}: {number(r['effect'])} {between(r, 'effect', number)}, {r['items']} items")
    for condition, r in lenses.items():  # the last layer's
        print(f"- {condition}: accuracy {share(r['accuracy'], 2)} {between(r, 'accuracy', lambda x: share(x, 2))}")
    print()


def ablate(minpair):
    two = lambda x: share(x, 2)
    one = ask(minpair, "ablate", "de-lstm", "--test", NESTED, "--sample", "300", "--by", "all", "--top", "3")["rows"]
    unit = one[0]["index"]
    print("- found by all items:", ", ".join(f"unit {r['index']} ({number(r['difference'])})" for r in one))
    found = ask(minpair, "patch", "de-lstm", "--test", NESTED, "--sample", "100", "--site", "unit", "--at", "last", "--by", "all", "--top", "3")
    strongest(found, "patched at the last word: unit")
    rows = ask(minpair, "ablate", "de-lstm", "--test", NESTED, "--sample", "300", "--by", "condition", "--indices", f"1:{unit}")["rows"]
    table(["condition", "items", "accuracy", f"without {unit}", "difference"],
          [[r["condition"], str(r["items"]), two(r["before"]), f"{two(r['accuracy'])} {between(r, 'accuracy', two)}",
            f"{two(r['difference'])} {between(r, 'difference', two)}"] for r in rows if r.get("condition") not in (None, "all")])


PARTS = {part.__name__: part for part in (lens, probe, attribute, patch, head, attractor, ablate)}


def main():
    words = [word for word in sys.argv[1:] if word != "--quick"]
    if not words or any(name not in PARTS for name in words[1:]):
        sys.exit(__doc__)
    for name in words[1:] or PARTS:
        print(f"## {name}\n")
        PARTS[name](words[0])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
