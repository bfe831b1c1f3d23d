# What the calls of options.tsv read: suites, results of every kind, texts.
minpair() { "$MINPAIR" "$@"; }
python3 - <<'P'
import json, random
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
                "animacy": ("human", "thing")[n % 5 > 2], "lemma": f"l{n % 17}", "template": f"t{n % 11}"}, "sentences": sentences}) + "\n")
write("s.jsonl", False)
write("other.jsonl", True)
with open("gp.jsonl", "w") as out:
    for n in range(24):
        regions = lambda w: [["start", f"wort{7 + n} wort{w}"], ["verb", f"wort{9 + n % 5}"], ["end", "wort8"]]
        out.write(json.dumps({"id": str(n), "test": "gp" if n % 2 else "np", "condition": "xy"[n // 2 % 2], "language": "de" if n % 3 else "en",
            "cluster": f"c{n % 7}", "features": {"kind": f"k{n % 9}", "attractors": n % 4}, "sentences": [{"name": "a", "regions": regions(6)}, {"name": "b", "regions": regions(12)}]}) + "\n")
json.dump({"criteria": [{"name": "path", "formula": "verb in a > verb in b"}]}, open("gp.manifest.json", "w"))
open("list.csv", "w").write("Satz,Falsch,Phänomen\nwort7 wort8,wort7 wort9,x\nwort3 wort4,wort3 wort5,y\n")
open("text.txt", "w").write("wort7 wort8 wort9 .\nwort10 wort11 Qq wort12\n\nwort13 wort14\n")
open("text.csv", "w").write("n,satz\n1,wort7 wort8\n2,wort10 wort11 wort12\n")
open("counts.tsv", "w").write("".join(f"wort{n}\t{n * n}\n" for n in range(5, 60)))
open("numbers.tsv", "w").write("de\t1\nen\t2\nfr\t5\n")
open("context.txt", "w").write("wort20 wort21 wort22 wort23\n")
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
