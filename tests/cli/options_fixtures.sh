# What the calls of options.tsv read: suites, results of every kind, texts.
minpair() { "$MINPAIR" "$@"; }
python3 - <<'P'
import json, os, random
rng = random.Random(5)
def write(name, turned):
    with open(name, "w") as out:
        for n in range(90):
            a, b = rng.randrange(7, 40), rng.randrange(7, 40)
            good, bad = f"wort{a} wort{b} wort9", f"wort{a} wort{b + 1} wort9"
            if n % 9 == 1: bad = good
            if n % 9 == 2: bad += " wort5"
            if n % 9 == 3: bad = bad.replace("wort9", "Qq")
            sentences = [{"text": good, "grammatical": True}, {"text": bad, "grammatical": False}]
            if n % 9 == 4: sentences.append({"text": f"wort8 wort{b} wort9", "grammatical": False})
            if turned: sentences[0]["text"] += " wort6"
            test, number = "ab"[n // 9 % 2], ("sg", "pl")[n // 18 % 2] + "_" + ("sg", "pl")[n // 36 % 2]
            out.write(json.dumps({"id": f"i{n * 37 % 90}" if turned else f"i{n}", "test": test, "condition": number,
                "language": ("de", "en", "fr")[n // 2 % 3], "cluster": f"c{n % 31}", "features": {"attractors": n % 4, "distance": n % 23,
                "animacy": ("human", "thing")[n % 5 > 2], "lemma": f"@l{n % 17}", "template": f"t{n % 11}"}, "sentences": sentences}) + "\n")
write("s.jsonl", False)
write("other.jsonl", True)
with open("gp.jsonl", "w") as out:
    for n in range(24):
        regions = lambda w: [["start", f"wort{7 + n} wort{w}"], ["verb", f"wort{9 + n % 5}"], ["end", "wort8"]]
        out.write(json.dumps({"id": str(n), "test": "gp" if n % 2 else "np", "condition": "xy"[n // 2 % 2], "language": "de" if n % 3 else "en",
            "cluster": f"c{n % 7}", "features": {"kind": f"k{n % 9}", "attractors": n % 4}, "sentences": [{"name": "a", "regions": regions(6)}, {"name": "b", "regions": regions(12)}]}) + "\n")
json.dump({"criteria": [{"name": "path", "formula": "verb in a > verb in b"}]}, open("gp.manifest.json", "w"))
open("words.tsv", "w").write("wort7\twort7\tN\n")
open("list.csv", "w").write("Satz,Falsch,Phänomen\nwort7 wort8,wort7 wort9,x\nwort3 wort4,wort3 wort5,y\n")
open("text.txt", "w").write("wort7 wort8 wort9 .\nwort10 wort11 Qq wort12\n\nwort13 wort14\n")
open("text.csv", "w").write("n,satz\n1,wort7 wort8\n2,wort10 wort11 wort12\n")
open("counts.tsv", "w").write("".join(f"wort{n}\t{n * n}\n" for n in range(5, 60)))
open("numbers.tsv", "w").write("de\t1\nen\t2\nfr\t5\n")
open("context.txt", "w").write("wort20 wort21 wort22 wort23\n")
open("sentences.txt", "w").write("".join(f"{a} {n} {v} {w}.\n" for a, n in (("Der", "Koch"), ("Die", "Köche"), ("Die", "Frau"))
    for v in ("lacht", "lachen", "sieht") for w in ("laut", "sehr oft", "laut und gern", "jeden Tag")) * 3)
import pathlib, shutil
pathlib.Path("trained").mkdir()
pathlib.Path("trained/curve.jsonl").write_text("".join(
    json.dumps({"step": s, "tokens": 9 * s, "loss": 9 / s, "valid_loss": 8 / s, "rate": 0.1, "per_second": 5}) + "\n" for s in range(1, 50)))
pathlib.Path("UD_German-Own").mkdir()
nouns = [("Haus", "Häuser", "Neut"), ("Tag", "Tage", "Masc"), ("Frau", "Frauen", "Fem")]
with open("UD_German-Own/de_own-ud-dev.conllu", "w") as out:
    for n, (one, many, gender) in enumerate(nouns * 4):
        number, noun, verb = (("Sing", one, "steht"), ("Plur", many, "stehen"))[n % 2]
        rows = [("das", "der", "DET", number, 2, "det"), (noun, one, "NOUN", number, 3, "nsubj"), (verb, "stehen", "VERB", number, 0, "root")]
        for i, (form, lemma, tag, value, head, relation) in enumerate(rows):
            more = f"|Gender={gender}" if tag == "NOUN" else "|Person=3" if tag == "VERB" else ""
            print(i + 1, form, lemma, tag, "_", f"Number={value}{more}", head, relation, "_", "_", sep="\t", file=out)
        print(file=out)
open("forms.txt", "w").write("Baum\tBaum\tN;NOM;SG\nBaum\tBäume\tN;NOM;PL\ngehen\tgeht\tV;IND;PRS;3;SG\ngehen\tgehen\tV;IND;PRS;3;PL\n")
pathlib.Path("papers").mkdir()
open("papers/ratings.csv", "w").write("phenomenon,type,rating\nBinding,good,7\nBinding,bad,2\nIslands,good,5\nIslands,bad,4\n")
open("own.sql", "w").write("""/*
title: Ratings
citation: Somebody (2026)
source: example.org
*/
create virtual table ratings using released('ratings.csv', phenomenon text, type text, rating real);
/* table: Table 1: means
|         | good | bad |
| Binding |  7   | 2   |
| Islands |  5   | 4   |
*/
select phenomenon, mean(rating) filter (where type = 'good') as good, mean(rating) filter (where type = 'bad') as bad
from ratings group by phenomenon;
/* table: Table 2: all
|         | all |
| Binding | 4.5 |
*/
select phenomenon, mean(rating) as "all" from ratings where phenomenon = 'Binding' group by phenomenon;
""")
reading = pathlib.Path(os.environ["MINPAIR_SOURCE"]) / "tests/reading/golden"
shutil.copy(reading / "a.csv", "a.csv")
shutil.copy(reading / "counts.tsv", "frequencies.tsv")
rows = [line.split("\t") for line in (reading / "times.tsv").read_text().splitlines()]
at = rows[0].index("ms"), rows[0].index("place")
with open("times.tsv", "w") as out:
    for n, row in enumerate(rows):
        place = row[at[1]]
        extra = "other" if n == 0 else str(int(place) + 1) if place.isdigit() else "1"
        print(*row, extra, sep="\t", file=out)
types = (pathlib.Path(os.environ["MINPAIR_SOURCE"]) / "suites/treebank/agreement-types.tsv").read_text().splitlines()
open("types.tsv", "w").write("\n".join(line.replace(" verb", "") if line.startswith("German") else line for line in types) + "\n")
open("words.txt", "w").write("der\ndie\nAutor\nlacht\n")
P
B=$GOLDEN/bert G=$GOLDEN/gpt2
minpair run -q -s s.jsonl -s other.jsonl -m $B -m $G --method ce,pll,lp -o r.db
for seed in 1 2; do minpair run -q -s s.jsonl -m $GOLDEN/$([ $seed = 1 ] && echo bert-saved || echo bert-untied) --name net/seed$seed --method ce -o r.db; done
minpair run -q -s gp.jsonl -m $B -m $G --method pll,lp -o gp.db
for step in 100 900; do minpair run -q -s s.jsonl -m $GOLDEN/$([ $step = 100 ] && echo gpt2 || echo gpt-neo) --name g@step$step --method lp -o steps.db; done
minpair generate de-agreement --test simple_sentence --test pre_field --roles 2> /dev/null > roles.jsonl
minpair introspect lens -s roles.jsonl -m de-mini --sample 20 -q -o inside.db
minpair introspect lens -s roles.jsonl -m de-lstm --sample 20 -q -o inside.db
minpair introspect ablate -s roles.jsonl -m de-mini --site head --sample 20 -q -o inside.db
sed 's/"language":"de"/"language":"nl"/' roles.jsonl > dutch.jsonl
for what in lens "ablate --site head"; do minpair introspect $what -s dutch.jsonl -m de-mini --sample 20 -q -o inside.db; done
mkdir q q/predictions
python3 - <<'P'
import json
annotators = [1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
with open("q/annotations.tsv", "w") as said, open("q/predictions/m_predictions.tsv", "w") as model:
    print("remarque", "id", "sentence_b", "sentence_a", "type", "category", *[f"annotator_{a}" for a in annotators], sep="\t", file=said)
    print("minimal_pair_comparison", "sentence_bad", "sentence_good", "id", "category", "type", sep="\t", file=model)
    for n, line in enumerate(open("s.jsonl")):
        good, bad = (s["text"] for s in json.loads(line)["sentences"][:2])
        if good == bad: continue
        print("e", n, bad, good, n % 2 + 1, "syntax", *[int((a * n) % 7 < 2) for a in annotators], sep="\t", file=said)
        print(int(n % 5 < 3), bad, good, n, "syntax", n % 2 + 1, sep="\t", file=model)
P
minpair convert --quiet --from qfrblimp q people.db
minpair run -q -s s.jsonl -m $B -m $G --method ce,pll,lp -o people.db
rm -r q
