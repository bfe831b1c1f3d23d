#!/usr/bin/env python3
"""Makes the study in docs/notes/2026-11-two-small-models.md anew: its tables, and every sentence of it that has a figure.

    tools/introspection_study.py build/release/minpair --write docs/notes/2026-11-two-small-models.md
    tools/introspection_study.py MINPAIR [--quick] [PART ...]

The page has a pair of lines for each part, <!-- study: PART --> and <!-- /study -->; with --write what stands between them is
replaced, otherwise it is printed. Parts are lens, probe, erase, words, patch, attractor, units; all of them unless some are named. No
figure of the shipped models stands elsewhere in the page. --quick takes 40 items, to try the script, not for the page. How long each part
took the processor is said on stderr.
"""
import json
import re
import resource
import subprocess
import sys

SUITE = "de-agreement"
MODELS = ["de-mini", "de-lstm"]
NESTED = "across_prepositional_phrase"
PLACES = "subject,attractor,locus,last"


class Study:
    def __init__(self, minpair, quick):
        self.minpair, self.quick, self.asked = minpair, quick, {}

    def ask(self, what, model, *options):
        """The table of 'minpair introspect', each asked for once."""
        options = list(options)
        if self.quick:
            if "--sample" not in options:
                options += ["--sample", ""]
            options[options.index("--sample") + 1] = "40"
        key = (what, model, *options)
        if key not in self.asked:
            command = [self.minpair, "introspect", what, "-q", "-s", SUITE, "-m", model, *options, "--format", "json"]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            self.asked[key] = json.loads(done.stdout)["tables"][0]
        return self.asked[key]


def share(x, digits=3):
    if x is None:
        return "–"
    text = f"{x:.{digits}f}"
    return "1" if float(text) == 1 else "0" if float(text) == 0 else text.replace("0.", ".").replace("-", "−")


def two(x):
    return share(x, 2)


def number(x):
    return "–" if x is None else f"{x:+.2f}".replace("-", "−")


def between(row, key, shown):
    low, high = row[f"{key}_low"], row[f"{key}_high"]
    return f"[{shown(low)}, {shown(high)}]" if low is not None else ""


def with_interval(row, key, shown, name=None):
    return f"{shown(row[key])} {between(row, name or key, shown)}".strip()


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "--:" for i in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def by_place(cells):
    """Places × layers of both models, from cells of (model, place, layer)."""
    columns = sorted({(MODELS.index(m), layer) for m, _, layer in cells})
    head = [f"{MODELS[m]} {layer}" if layer == 0 else str(layer) for m, layer in columns]
    places = list(dict.fromkeys(place for _, place, _ in cells))
    return table(["place", *head], [[p, *(cells.get((MODELS[m], p, layer), "") for m, layer in columns)] for p in places])


def from_layer(rows, holds):
    """From which layer on something holds in all of them."""
    layer = None
    for row in sorted(rows, key=lambda r: -r["layer"]):
        if not holds(row):
            break
        layer = row["layer"]
    return "in no layer" if layer is None else f"from layer {layer} on" if layer else "in every layer"


def lens(study):
    rows, excluded, said = [], [], []
    for model, sample in zip(MODELS, ["300", "1000"]):
        read = study.ask("lens", model, "--sample", sample, "--by", "all")
        for i, r in enumerate(read["rows"]):
            rows.append([model if i == 0 else "", str(r["layer"]), str(r["items"]), with_interval(r, "accuracy", share),
                         with_interval(r, "margin", number), share(r["settled"])])
        excluded += [f"{note.removeprefix('excluded: ')} ({model})" for note in read["notes"] if note.startswith("excluded")]
        above = from_layer(read["rows"], lambda r: (r["accuracy_low"] or 0) > 0.5)
        said.append(f"- {model} is above chance (the interval of its accuracy lies above one half) {above}; the last layer is its own answer.")
    return "\n".join([table(["model", "layer", "items", "accuracy", "margin", "settled"], rows), "",
                      f"Excluded were items: {'; '.join(excluded) or 'none'}.", "", *said])


def probed(study, model):
    return study.ask("probe", model, "--sample", "600", "--at", PLACES, "--erase")["rows"]


def probe(study):
    cells, majority, said = {}, [], []
    for model in MODELS:
        rows = probed(study, model)
        for r in rows:
            cells[model, r["at"], r["layer"]] = with_interval(r, "accuracy", two)
            majority.append(r["majority"])
        places = dict.fromkeys(r["at"] for r in rows)
        above = [f"at the {p} {from_layer([r for r in rows if r['at'] == p], lambda r: (r['accuracy_low'] or 0) > r['majority'])}"
                 for p in places]
        said.append(f"- {model} tells number (the interval lies above the majority): {', '.join(above)}.")
    return "\n".join([by_place(cells), "", f"The majority is {two(min(majority))} to {two(max(majority))}.", "", *said])


def erase(study):
    cells, said = {}, []
    for model in MODELS:
        rows = probed(study, model)
        for r in rows:
            cells[model, r["at"], r["layer"]] = f"{two(r['without'])} ({two(r['random'])})"
        own = [r["model"] for r in rows]
        worst = min(rows, key=lambda r: r["without"] - r["random"])
        said.append(f"- {model}, whose own accuracy is {two(min(own))} to {two(max(own))} on these items, misses number most at the "
                    f"{worst['at']} after layer {worst['layer']}: {two(worst['without'])} instead of {two(worst['random'])}.")
    return "\n".join([by_place(cells), "", *said])


def words(study):
    rows = []
    for model in MODELS:
        r = study.ask("attribute", model, "--sample", "300", "--by", "all")["rows"][0]
        rows.append([model, str(r["items"]), with_interval(r, "first", two), two(r["first_chance"]), f"{r['rank']:.2f}",
                     f"{r['rank_chance']:.2f}", two(r["reciprocal"]), two(r["reciprocal_chance"]), with_interval(r, "effect", number)])
    return table(["model", "items", "subject first", "by chance", "rank", "by chance", "1/rank", "by chance", "effect"], rows)


def patch(study):
    cells, said = {}, []
    for model in MODELS:
        rows = study.ask("patch", model, "--sample", "1000", "--at", PLACES, "--by", "all")["rows"]
        total = next(r for r in rows if r["layer"] is None)
        for r in rows:
            if r["layer"] is not None:
                cells[model, r["at"], r["layer"]] = share(r["of_total"], 2)
        said.append(f"- The total of {model} is {with_interval(total, 'effect', number)} ({total['items']} items with a counterpart); "
                    f"{two(total['interchange'])} {between(total, 'outcome', two)} of them then prefer the other form.".replace("  ", " "))
    rows = study.ask("patch", "de-mini", "--sample", "1000", "--site", "head", "--at", "locus", "--by", "all", "--top", "3")["rows"]
    total = next(r for r in rows if r["layer"] is None)["effect"]
    heads = [f"head {r['index']} of layer {r['layer']} {with_interval(r, 'effect', number)}, {share(r['effect'] / total, 2)} of the total"
             for r in rows if r.get("index") is not None]
    said.append(f"- The strongest heads of de-mini, exchanged at the mask alone (`--site head --at locus`): {'; '.join(heads)}.")
    return "\n".join([by_place(cells), "", *said])


def attractor(study):
    rows = []
    read = study.ask("patch", "de-mini", "--test", NESTED, "--swap", "attractor", "--at", "attractor", "--layers", "0", "--by", "condition")["rows"]
    last = {r["condition"]: r for r in study.ask("lens", "de-mini", "--test", NESTED, "--by", "condition")["rows"]}
    for condition in dict.fromkeys(r["condition"] for r in read):
        if not condition or condition == "all":
            continue
        total, alone = ([r for r in read if r["condition"] == condition and (r["at"] == "total") is whole][0] for whole in (True, False))
        rows.append([condition, str(total["items"]), with_interval(last[condition], "accuracy", two), with_interval(total, "effect", number),
                     with_interval(alone, "effect", number)])
    return table(["condition", "items", "accuracy", "the other attractor", "its embeddings alone"], rows)


def units(study):
    sample = ["--test", NESTED, "--sample", "300"]
    rows = study.ask("patch", "de-lstm", *sample, "--site", "unit", "--at", "last", "--by", "all", "--top", "6")["rows"]
    total = next(r for r in rows if r["layer"] is None)
    found = sorted((r for r in rows if r.get("index") is not None), key=lambda r: -r["effect"])
    best = found[:3]
    strongest = table(["unit", "effect", "of the total"],
                      [[f"{r['layer']}:{r['index']}", with_interval(r, "effect", number), share(r["effect"] / total["effect"], 2)] for r in found])
    named = [f"{r['layer']}:{r['index']}" for r in best]
    one = study.ask("ablate", "de-lstm", *sample, "--by", "all", "--indices", named[0])["rows"][0]
    without = study.ask("ablate", "de-lstm", *sample, "--by", "condition", "--indices", ",".join(named))["rows"]
    lost = table(["condition", "items", "accuracy", "without the three", "difference"],
                 [[r["condition"], str(r["items"]), two(r["before"]), with_interval(r, "accuracy", two), with_interval(r, "difference", two)]
                  for r in without if r.get("condition") not in (None, "", "all")])
    return "\n".join([strongest, "", f"The total is {with_interval(total, 'effect', number)}. Without the first of them alone the accuracy is "
                      f"{with_interval(one, 'accuracy', two)} instead of {two(one['before'])}; without the first three at once "
                      f"(`ablate --indices {','.join(named)}`):", "", lost])


PARTS = {part.__name__: part for part in (lens, probe, erase, words, patch, attractor, units)}


def written(page, name, text):
    block = re.compile(rf"(<!-- study: {name} -->\n).*?(\n<!-- /study -->)", re.DOTALL)
    if len(block.findall(page)) != 1:
        sys.exit(f"the page has no lines '<!-- study: {name} -->' and '<!-- /study -->'")
    return block.sub(lambda found: found[1] + "\n" + text + "\n" + found[2], page)


def main():
    words_given = sys.argv[1:]
    quick = "--quick" in words_given
    page = None
    if "--write" in words_given:
        at = words_given.index("--write")
        page = (words_given[at + 1:] or sys.exit(__doc__))[0]
        del words_given[at:at + 2]
    given = [word for word in words_given if word != "--quick"]
    if not given or any(name not in PARTS for name in given[1:]):
        sys.exit(__doc__)
    study = Study(given[0], quick)
    for name in given[1:] or PARTS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = PARTS[name](study)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{name}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.0f} s of the processor", file=sys.stderr)
        if page:  # part by part, so that nothing is lost
            with open(page, encoding="utf-8") as file:
                whole = written(file.read(), name, text)
            with open(page, "w", encoding="utf-8") as file:
                file.write(whole)
        else:
            print(f"## {name}\n\n{text}\n", flush=True)


if __name__ == "__main__":
    main()
