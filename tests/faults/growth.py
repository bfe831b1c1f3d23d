#!/usr/bin/env python3
"""Time grows as files do: growth.py MINPAIR SOURCE [--only WORD] [--list]

Every reader gets a file with n and one with 4 n of each thing that its format repeats. The second may take six times as
long as the first, measured in processor time without that of starting the program. n is made larger until the time can
be told; a reader that is quick with all of MOST is left at that.
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

FACTOR, CLEAR, LONGEST, MOST = 6, 0.08, 60, 1 << 21
CASES = {}


def case(start=2000, most=MOST, status=(0, 1)):
    def add(function):
        CASES[function.__name__.replace("_", " ")] = (function, start, most, status)
        return function
    return add


def item(**more):
    return json.dumps({"id": "a", "test": "t", "sentences": [{"text": "wort7 wort11", "grammatical": True},
                                                             {"text": "wort7 wort12", "grammatical": False}], **more}) + "\n"


def both(**more):
    return [{"grammatical": True, **more}, {"grammatical": False, **more}]


def lint(text, name="s.jsonl"):
    pathlib.Path(name).write_text(text)
    return ["lint", name]


# --- suites ---

@case()
def items(n):
    return lint("".join(item(id=str(i)) for i in range(n)))


@case()
def items_that_differ(n):
    return lint("".join(item(id=str(i), sentences=[{"text": f"He {i} goes.", "grammatical": True},
                                                   {"text": f"He {i} go.", "grammatical": False}]) for i in range(n)))


@case()
def tests(n):
    return lint("".join(item(id=str(i), test=f"t{i}") for i in range(n)))


@case()
def conditions(n):
    return lint("".join(item(id=str(i), condition=f"c{i % (n // 2)}") for i in range(n)))


@case()
def features(n):
    return lint(item(features={f"f{i}": i for i in range(n)}))


@case()
def regions(n):
    words = "a " * n
    return lint(item(sentences=both(text=words, regions=[[f"r{i}", 2 * i, 2 * i + 1] for i in range(n)])))


@case()
def written_regions(n):
    return lint(item(sentences=both(regions=[[f"r{i}", "ä"] for i in range(n)])))


@case()
def sentences(n):
    return lint(item(sentences=[{"text": f"He {i}.", "grammatical": i % 2 == 0} for i in range(n)]))


@case()
def equal_sentences(n):
    return lint(item(sentences=[{"text": "He.", "grammatical": i % 2 == 0} for i in range(n)]))


@case()
def named_sentences(n):
    return lint(item(sentences=[{"name": f"s{i}", "text": "He."} for i in range(n)]))


@case()
def words(n):
    return lint(item(sentences=[{"text": "ä " * n + "goes.", "grammatical": True}, {"text": "ä " * n + "go.", "grammatical": False}]))


def manifest(**more):
    pathlib.Path("s.manifest.json").write_text(json.dumps({"name": "s", **more}))
    return lint(item())


@case()
def tests_of_a_manifest(n):
    return manifest(tests=[{"name": f"t{i}"} for i in range(n)])


@case()
def results_of_a_manifest(n):
    return manifest(results=[{"model": f"m{i}", "test": "t", "accuracy": 0.5} for i in range(n)])


@case()
def criteria_of_a_manifest(n):
    return manifest(criteria=[{"name": f"c{i}", "formula": "(1;%a%) < (1;%b%)".replace("%", "")} for i in range(n)])


@case(status=(0, 1))
def parts_of_a_formula(n):
    return manifest(criteria=[{"name": "c", "formula": " + ".join(["a:1"] * n) + " < b:1"}])


# --- lists ---

@case()
def rows_of_a_list(n):
    return lint("good,bad\n" + "".join(f"He {i} goes.,He {i} go.\n" for i in range(n)), "l.csv")


@case(status=(0, 1))
def columns_of_a_list(n):
    names = ",".join(f"c{i}" for i in range(n))
    return lint(f"good,bad,{names}\nHe goes.,He go.,{',' .join('1' * n)}\n", "l.csv")


@case()
def wrong_sentences_of_a_row(n):
    return lint("good," + ",".join(f"bad_{i}" for i in range(n)) + "\nHe.," + ",".join(f"He {i}." for i in range(n)) + "\n", "l.csv")


@case(status=(0, 1))
def lines_of_a_field(n):
    return lint('good,bad\n"' + "He\n" * n + '",b\n', "l.csv")


@case()
def rows_of_a_long_list(n):
    return lint("item,sentence,grammatical\n" + "".join(f"{i},He {i}.,1\n{i},He go {i}.,0\n" for i in range(n)), "l.csv")


@case()
def sentences_of_one_item(n):
    return lint("item,sentence,grammatical\n" + "".join(f"1,He {i}.,{i % 2}\n" for i in range(n)), "l.csv")


def workbook(sheets, strings=()):
    with zipfile.ZipFile("b.xlsx", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("xl/workbook.xml", "<w><sheets>" + "".join(f'<sheet name="s{i}" id="r{i}"/>' for i in range(len(sheets))) + "</sheets></w>")
        z.writestr("xl/_rels/workbook.xml.rels", "<R>" + "".join(
            f'<Relationship Id="r{i}" Target="s{i}.xml"/>' for i in range(len(sheets))) + "</R>")
        z.writestr("xl/sharedStrings.xml", "<sst>" + "".join(f"<si><t>{t}</t></si>" for t in strings) + "</sst>")
        for i, rows in enumerate(sheets):
            z.writestr(f"xl/s{i}.xml", f"<w><sheetData>{rows}</sheetData></w>")
    return ["lint", "b.xlsx"]


def row(*cells):
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{c}</t></is></c>' for c in cells) + "</row>"


@case(most=1 << 19)
def rows_of_a_sheet(n):
    return workbook([row("good", "bad") + "".join(row(f"He {i} goes.", f"He {i} go.") for i in range(n))])


@case(most=4000, status=(0, 1))
def columns_of_a_sheet(n):
    return workbook([row("good", "bad", *range(n)) + row("He goes.", "He go.", *range(n))])


@case(start=500, most=1 << 14)
def sheets(n):
    return workbook([row("good", "bad") + row("He goes.", "He go.")] * n)


@case(most=1 << 19)
def shared_strings(n):
    return workbook([row("good", "bad") + row("He goes.", "He go.")], range(n))


@case(most=1 << 19, status=(0, 1))
def merged_cells(n):
    merged = "".join(f'<mergeCell ref="A{3 * i + 2}:A{3 * i + 3}"/>' for i in range(n))
    return workbook([row("good", "bad") + row("He goes.", "He go.") * (3 * n) + merged])


@case(most=1 << 19)
def rows_of_a_calc_sheet(n):
    def calc(*cells):
        return "<table-row>" + "".join(f"<table-cell><p>{c}</p></table-cell>" for c in cells) + \
            '<table-cell number-columns-repeated="16382"/></table-row>'
    body = calc("good", "bad") + "".join(calc(f"He {i} goes.", f"He {i} go.") for i in range(n))
    with zipfile.ZipFile("b.ods", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("content.xml", f"<d><table>{body}</table></d>")
    return ["lint", "b.ods"]


# --- grammars and treebanks ---

def grammar(text, *more):
    pathlib.Path("g.cfg").write_text(text)
    return ["generate", "g.cfg", "--count", *more]


@case(status=(0, 1))
def alternatives(n):
    return grammar("S -> " + " | ".join(f"'w{i}'" for i in range(n)) + "\n")


@case(status=(0, 1))
def alternatives_with_several_symbols(n):
    return grammar("S -> A 'x'\nA -> " + " | ".join(f"'w{i}' 'v'" for i in range(n)) + "\n")


@case(status=(0, 1))
def rules(n):
    return grammar("S -> " + " | ".join(f"A{i}" for i in range(n)) + "\n" + "".join(f"A{i} -> 'w{i}'\n" for i in range(n)))


@case(status=(0, 1))
def rules_with_features(n):
    return grammar("S -> N[number=sg] 'x'\n" + "".join(f"N[number=sg] -> 'w{i}'\n" for i in range(n)))


@case(status=(0, 1))
def uses_and_rules_of_a_symbol(n):
    return grammar("S -> " + " | ".join(f"N[number=sg] 'x{i}'" for i in range(n)) + "\n" +
                   "".join(f"N[number=sg] -> 'w{i}' 'v'\n" for i in range(n)))


@case(status=(0, 1))
def rules_that_lead_to_a_loop(n):
    return grammar("S -> A0\n" + "".join(f"A{i} -> A{i + 1}\n" for i in range(n)) + f"A{n} -> A{n} 'x' | 'y'\n")


@case(status=(0, 1))
def rules_without_use(n):
    return grammar("S -> 'a'\n" + "".join(f"A{i} -> 'w'\n" for i in range(n)))


@case(status=(0, 1))
def comments(n):
    return grammar("S -> 'a'\n" + "# x\n" * n)


LEXICON = "% lexicon l.tsv\n% vary number sg:pl pl:sg\n"


@case(status=(0, 1))
def lines_of_a_lexicon(n):
    pathlib.Path("l.tsv").write_text("".join(f"w{i}\tw{i}\tN;SG\nw{i}\tw{i}s\tN;PL\n" for i in range(n)))
    return grammar(LEXICON + "S -> 'the' locus:<w1>[number=sg]\n")


@case(status=(0, 1))
def lemmas(n):
    pathlib.Path("l.tsv").write_text("".join(f"w{i}\tw{i}\tN;SG\nw{i}\tw{i}s\tN;PL\n" for i in range(n)))
    return grammar(LEXICON + "S -> 'the' locus:N[number=?n]\nN[number=?n] -> " + " | ".join(f"<w{i}>" for i in range(n)) + "\n")


@case(status=(0, 1))
def conditions_of_a_grammar(n):
    pathlib.Path("l.tsv").write_text("".join(f"w{i}\tw{i}\tN;SG\nw{i}\tw{i}s\tN;PL\n" for i in range(n)))
    return grammar("% condition subject.lemma\n" + LEXICON + "S -> subject:N[lemma=?l] 'x'\nN[lemma=?l] -> " +
                   " | ".join(f"<w{i}>" for i in range(n)) + "\n")


@case(status=(0, 1))
def rules_of_varying_attributes(n):
    pathlib.Path("g.avg").write_text("S[] -> A[]\n" + "".join(f"A[] -> w{i}\n" for i in range(n)))
    return ["generate", "g.avg", "--count"]


def treebank(sentences):
    pathlib.Path("t.conllu").write_text("".join(s + "\n" for s in sentences))
    return ["extract", "t.conllu", "-o", "out", "--quiet", "--language", "de"]


def token(i, head=0, features="Number=Sing"):
    return f"{i}\tw{i}\tw\tNOUN\t_\t{features}\t{head}\t{'nsubj' if head else 'root'}\t_\t_\n"


@case(status=(0, 1, 2))
def sentences_of_a_treebank(n):
    return treebank([token(1) + token(2, 1)] * n)


@case(most=1 << 17, status=(0, 1, 2))
def words_of_a_tree(n):
    return treebank([token(1) + "".join(token(i, i - 1) for i in range(2, n))])


@case(most=1 << 17, status=(0, 1, 2))
def words_below_one(n):
    return treebank([token(1) + "".join(token(i, 1) for i in range(2, n))])


@case(status=(0, 1, 2))
def features_of_a_word(n):
    return treebank([token(1, 0, "|".join(f"F{i}=x" for i in range(n)))])


# --- models and tokenizers ---

def golden(name):
    return str(SOURCE / "tests/golden/tokenizer" / name)


def tokenize(model, text, *more):
    pathlib.Path("text").write_text(text)
    return ["tokenize", "-m", model, *more, "<", "text"]


def tokenizers():
    for name in ("bert-cased", "gpt2", "llama-2", "llama-3", "xlm-roberta", "albert", "words", "xlm-cased", "moses"):
        if not (SOURCE / "tests/golden/tokenizer" / name).is_dir():
            continue

        def letters(n, name=name):
            return tokenize(golden(name), "äb" * n + "\n")

        def words_of_a_line(n, name=name):
            return tokenize(golden(name), "äb cd, " * n + "\n", "--json")
        CASES[f"letters of a word, {name}"] = (letters, 2000, 1 << 18, (0,))
        CASES[f"words of a line, {name}"] = (words_of_a_line, 2000, 1 << 18, (0,))


def tokenizer_json(model, **more):
    os.makedirs("tok", exist_ok=True)
    json.dump({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
               "post_processor": None, "decoder": None, "model": model, **more}, open("tok/tokenizer.json", "w"))
    return "tok"


def pieces(n=0):
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 1000000000, "vocab": {"[UNK]": 0, "a": 1, "##a": 2, **{f"w{i}": i + 3 for i in range(n)}}}


@case()
def letters_of_a_long_word(n):
    return tokenize(tokenizer_json(pieces()), "a" * n + "\n", "--ids")


@case(status=(0, 1))
def pieces_of_a_vocabulary(n):
    return tokenize(tokenizer_json(pieces(n)), "a\n", "--ids")


@case(status=(0, 1))
def added_tokens(n):
    added = [{"id": i + 3, "content": f"<x{i}>", "special": True} for i in range(n)]
    return tokenize(tokenizer_json(pieces(), added_tokens=added), "a\n", "--ids")


@case(status=(0, 1))
def added_tokens_in_a_text(n):
    return tokenize(tokenizer_json(pieces(), added_tokens=[{"id": 3, "content": "<x>", "special": True}]), "<x> a " * n + "\n", "--ids")


@case(status=(0, 1))
def merges(n):
    vocabulary = {chr(0x4E00 + i % 5000) + chr(0x4E00 + i // 5000): 5000 + i for i in range(n)}
    vocabulary.update({chr(0x4E00 + i): i for i in range(5000)})
    model = {"type": "BPE", "vocab": vocabulary, "merges": [f"{w[0]} {w[1]}" for w in vocabulary if len(w) == 2]}
    return tokenize(tokenizer_json(model), "a\n", "--ids")


@case(status=(0, 1))
def unigrams(n):
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1]] + [[f"w{i}", -i] for i in range(n)]}
    return tokenize(tokenizer_json(model), "a\n", "--ids")


@case(status=(0, 1))
def tokens_of_a_template(n):
    around = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}] * n + [{"Sequence": {"id": "A", "type_id": 0}}],
              "pair": [], "special_tokens": {"x": {"id": "x", "ids": [1] * n, "tokens": ["a"] * n}}}
    return tokenize(tokenizer_json(pieces(), post_processor=around), "a\n", "--ids")


@case(status=(0, 1))
def steps_of_a_normalizer(n):
    steps = {"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"String": f"q{i}"}, "content": "b"} for i in range(n)]}
    return tokenize(tokenizer_json(pieces(), normalizer=steps), "a\n", "--ids")


@case(status=(0, 1))
def lines_of_unigram_counts(n):
    pathlib.Path("m.arpa").write_text(f"\\data\\\nngram 1={n + 3}\n\n\\1-grams:\n-1 <unk>\n-1 <s>\n-1 </s>\n" +
                                      "".join(f"-1 w{i}\n" for i in range(n)) + "\n\\end\\\n")
    return ["score", "-m", "m.arpa", "w1 w2"]


@case(status=(0, 1))
def tensors(n):
    os.makedirs("model", exist_ok=True)
    head = json.dumps({f"t{i}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i in range(n)}).encode()
    pathlib.Path("model/model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + bytes(4 * n))
    (pathlib.Path("model/config.json")).write_text((SOURCE / "tests/model/golden/bert/config.json").read_text())
    (pathlib.Path("model/vocab.txt")).write_text((SOURCE / "tests/model/golden/bert/vocab.txt").read_text())
    return ["score", "-m", "model", "a"]


def gguf(pairs, count):
    pathlib.Path("m.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, count) + pairs)
    return ["tokenize", "-m", "m.gguf", "a"]


def gguf_text(text):
    return struct.pack("<Q", len(text)) + text.encode()


@case(status=(0, 1))
def keys_of_a_gguf(n):
    return gguf(b"".join(gguf_text(f"k{i}") + struct.pack("<II", 4, i) for i in range(n)), n)


@case(status=(0, 1))
def texts_of_a_gguf(n):
    return gguf(gguf_text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, n) + b"".join(gguf_text(f"w{i}") for i in range(n)), 1)


@case(status=(0, 1))
def entries_of_an_archive(n):
    os.makedirs("torch", exist_ok=True)
    with zipfile.ZipFile("torch/pytorch_model.bin", "w") as z:
        for i in range(n):
            z.writestr(f"m/data/{i}", b"")
        z.writestr("m/data.pkl", b"\x80\x02}.")
    for name in ("config.json", "vocab.txt"):
        pathlib.Path("torch", name).write_text((SOURCE / "tests/model/golden/bert" / name).read_text())
    return ["score", "-m", "torch", "a"]


# --- results and what is made of them ---

def results(name, suite, *more):
    pathlib.Path(f"{name}.jsonl").write_text(suite)
    if not os.path.exists(f"{name}.db"):
        subprocess.run([MINPAIR, "run", "-q", "-s", f"{name}.jsonl", "-m", str(SOURCE / "tests/model/golden/gpt2"), "-o", f"{name}.db"],
                       check=True, stdout=subprocess.DEVNULL)
    return f"{name}.db"


def report_of(kind):
    def measured(n):
        texts = {"items": lambda i: item(id=str(i)), "tests": lambda i: item(id=str(i), test=f"t{i}"),
                 "conditions": lambda i: item(id=str(i), condition=f"c{i}"), "languages": lambda i: item(id=str(i), language=f"l{i}")}[kind]
        by = {"items": "test", "tests": "test", "conditions": "condition", "languages": "language"}[kind]
        return ["report", results(f"{kind}{n}", "".join(texts(i) for i in range(n))), "--by", by]
    return measured


for kind in ("items", "tests", "conditions", "languages"):
    CASES[f"report, {kind}"] = (report_of(kind), 1000, 1 << 15, (0,))


@case(start=1000, most=1 << 15)
def export_of_tests(n):
    return ["export", results(f"tests{n}", "".join(item(id=str(i), test=f"t{i}") for i in range(n))), "-o", "x.csv"]


@case(start=1000, most=1 << 14)
def files_of_a_converted_suite(n):
    pathlib.Path("c.jsonl").write_text("".join(item(id=str(i), test=f"t{i}") for i in range(n)))
    return ["convert", "c.jsonl", "c.tsv", "--to", "blimp"]


def seconds(command):
    """(processor time, exit status)"""
    stdin = open(command[-1]) if "<" in command else subprocess.DEVNULL
    words = command[:command.index("<")] if "<" in command else command
    process = subprocess.Popen([MINPAIR, *words], stdin=stdin, stdout=subprocess.DEVNULL, stderr=open("messages", "w"))
    if stdin is not subprocess.DEVNULL:
        stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, process.returncode


def limited():
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def measured(function, n, statuses):
    time, status = seconds(function(n))
    if status not in statuses:
        raise SystemExit(f"{function.__name__}, {n}: status {status}: {pathlib.Path('messages').read_text()[:300]}")
    return max(time - START, 0.001)


def growth(name):
    """A line for the table, and whether it is too much."""
    function, n, most, statuses = CASES[name]
    small = measured(function, n, statuses)
    while small < CLEAR / 4 and 4 * n < most:
        n *= 4 if small < CLEAR / 16 else 2
        small = measured(function, n, statuses)
    for _ in range(3):  # what grows with the square does so at any size; caches and noise do not
        large = measured(function, 4 * n, statuses)
        if large > FACTOR * small:  # a neighbour may have slowed this one down
            large = min(large, measured(function, 4 * n, statuses))
        factor = large / small
        if large < CLEAR or factor <= FACTOR:
            break
        n *= 2
        small = measured(function, n, statuses)
    bad = large >= CLEAR and factor > FACTOR
    return f"{name:40} {n:>9,} {small:8.2f} s {large:8.2f} s {factor:6.1f}{'  <--' if bad else ''}", bad


parser = argparse.ArgumentParser()
parser.add_argument("minpair", type=os.path.abspath)
parser.add_argument("source", type=pathlib.Path)
parser.add_argument("--only", default="")
parser.add_argument("--list", action="store_true")
options = parser.parse_args()
MINPAIR, SOURCE = options.minpair, options.source.resolve()
tokenizers()
if options.list:
    sys.exit("\n".join(CASES))
os.environ.pop("MINPAIR_VERIFY", None)  # computes everything twice
bad = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    limited()
    START = min(seconds(["version"])[0] for _ in range(3))
    print(f"{'':40} {'n':>9} {'n':>10} {'4 n':>10} {'factor':>6}")
    for name in CASES:
        if options.only in name:
            line, too_much = growth(name)
            print(line, flush=True)
            bad += too_much
    os.chdir("/")
if bad:
    sys.exit(f"{bad} grow faster than their files")
