import csv
import io
import json
import os
import re
import sqlite3
import subprocess

import pytest

import minpair as mp
from minpair._results import _called
from conftest import SOURCE


@pytest.fixture()
def results(bert, suite, tmp_path):
    return mp.run(suite, bert, methods=["ce", "pll"], out=tmp_path / "r.db", progress=False)


def test_items(results):
    table = results.table("items")
    assert len(table) == 400
    assert table.names[:5] == ["run", "suite", "model", "method", "ordinal"] and table.names[-1] == "n"
    assert list(table["n"][:3]) == [0.0, 1.0, 2.0]
    first = next(iter(table))
    assert first["good"] == "wort10 wort10 wort9" and first["outcome"] in ("right", "wrong", "tie") and first["excluded"] is None
    assert len(results.table("items", methods="pll", tests=["a"], conditions=["x", "y"])) == sum(n % 2 == 0 and n % 3 < 2 for n in range(200))


def test_every_accuracy_of_the_report(results):
    for row in csv.DictReader(io.StringIO(results.report(format="csv", by=["test", "condition"], lengths="all"))):
        mine = [i for i in results.table("items", methods=row["method"], tests=row["test"], conditions=row["condition"])]
        assert len(mine) == int(row["pairs"])
        assert abs(sum(i["correct"] for i in mine) / len(mine) - float(row["accuracy"])) < 1e-12
    assert "pairs" in results.report(format="table")


def test_ten_lines_of_pandas_give_every_number_of_the_report(results):
    pandas = pytest.importorskip("pandas")
    report = pandas.read_csv(io.StringIO(results.report(format="csv", by=["test", "condition"], lengths="all", norms="all")))
    items, keys = results.items(norms="all"), ["suite", "model", "method", "norm", "test", "condition"]
    counted = items[items.excluded.isna()]
    cells = counted.groupby(keys).agg(pairs=("correct", "size"), accuracy=("correct", "mean"), correct=("outcome", lambda o: (o == "right").sum()),
                                      ties=("outcome", lambda o: (o == "tie").sum()))
    cells["items"] = items.groupby(keys).size()
    shown = report.set_index(keys)
    assert len(shown) == len(cells) > 6
    for name in ("items", "pairs", "correct", "ties", "accuracy"):
        assert (abs(shown[name] - cells[name].reindex(shown.index)) < 1e-9).all(), name


def test_pandas(results):
    pytest.importorskip("pandas")
    items = results.items()
    means = items.query("test == 'a' and method == 'pll'").groupby("condition").correct.mean()
    assert list(means.index) == ["x", "y", "z"]
    summary = results.summary(methods="pll", tests="a", lengths="all").set_index("condition").accuracy
    assert (abs(means - summary) < 1e-12).all()


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_arrow_streams(results, library):
    pytest.importorskip(library)
    table = results.table("items")
    for _ in range(2):  # as often as wanted
        frame = table.to_arrow() if library == "pyarrow" else table.to_polars()
        assert len(frame) == 400


def test_a_capsule_that_nobody_takes_is_released(results):
    for _ in range(100):
        results.table("runs").__arrow_c_stream__()


def test_views_are_in_the_file(results):
    rows = sqlite3.connect(results.path).execute("SELECT count(*), avg(correct) FROM tidy_items WHERE method = 'pll'").fetchone()
    table = results.table("items", methods="pll")
    assert rows[0] == 200 and abs(rows[1] - sum(table["correct"]) / 200) < 1e-12


def test_regions_of_a_design(tmp_path):
    golden, suite = SOURCE / "tests/golden/recurrent", tmp_path / "gp.jsonl"
    suite.write_text("".join(json.dumps({"id": str(n), "test": "gp", "sentences": [
        {"name": name, "context": "w3", "regions": [["start", f"w{n} w{other}"], ["verb", "w7"]]}
        for name, other in (("a", 6), ("b", 9))]}) + "\n" for n in range(5)))
    (tmp_path / "gp.manifest.json").write_text('{"criteria":[{"name":"path","formula":"verb in a > verb in b"}]}')
    model = mp.load(golden / "lstm0.pt", vocabulary=golden / "vocab.txt")
    results = mp.run(suite, model, out=tmp_path / "r.db", progress=False)
    rows = list(results.table("regions"))
    assert [(r["sentence_name"], r["region_name"], r["text"]) for r in rows[:3]] == [("a", "start", "w0 w6"), ("a", "verb", "w7"), ("b", "start", "w0 w9")]
    words = model._scored(["w0 w6 w7"], "word", "lp", None, "w3", False)
    assert abs(rows[1]["surprisal"] - words["surprisal"][2]) < 1e-9
    assert rows[0]["grammatical"] is None and {s["context"] for s in results.table("sentences")} == {"w3"}
    margins = {i["id"]: i["margin"] for i in results.table("items")}
    verbs = {(r["id"], r["sentence_name"]): r["surprisal"] for r in rows if r["region_name"] == "verb"}
    for item, margin in margins.items():
        assert abs(verbs[item, "a"] - verbs[item, "b"] - margin) < 1e-9
    if hasattr(results.regions(), "groupby"):
        assert results.regions().groupby("sentence_name").surprisal.mean().index.tolist() == ["a", "b"]


def test_a_stopped_run_goes_on(bert, tmp_path):
    out, calls, suite = tmp_path / "r.db", [], tmp_path / "many.jsonl"
    suite.write_text("".join(
        f'{{"id":"{n}","test":"t","sentences":[{{"text":"wort{n % 20} wort{n // 20} wort{n % 13} wort9","grammatical":true}},'
        f'{{"text":"wort{n % 20} wort{n % 17} wort{n // 20} wort8","grammatical":false}}]}}\n' for n in range(400)))

    def stop(done, total):
        calls.append(done)
        return len(calls) < 2

    with pytest.raises(mp.Stopped):
        mp.run(suite, bert, methods="pll", out=out, progress=stop)
    again = mp.run(suite, bert, methods="pll", out=out)
    whole = mp.run(suite, bert, methods="pll", out=tmp_path / "whole.db")
    assert open(again.path, "rb").read() == open(whole.path, "rb").read()


def test_mistakes(results, bert, tmp_path):
    with pytest.raises(mp.UsageError, match="did you mean 'items'"):
        results.table("itens")
    with pytest.raises(mp.UsageError, match="no model 'brt'"):
        results.table("items", models="brt")
    with pytest.raises(mp.UsageError):
        results.report(format="docx")
    with pytest.raises(mp.Error):
        mp.run("no-such-suite", bert, out=tmp_path / "x.db")
    broken = tmp_path / "broken.db"
    broken.write_text("not a database, but long enough to look like one" * 100)
    with pytest.raises(mp.Error):
        mp.results(broken)


def test_several_models_of_several_kinds(bert, bert_path, gpt2_path, suite, tmp_path):
    both = mp.run(suite, [bert, gpt2_path], methods=["ce", "lp"], limit=20, out=tmp_path / "both.db")
    assert sorted((r["model"], r["method"]) for r in both.table("runs")) == [("bert", "ce"), ("gpt2", "lp")]
    assert both.compare("bert:ce", "gpt2:lp", format="csv").startswith("table,")
    with pytest.raises(mp.UsageError, match="the method 'lp' is for none of these models"):
        mp.run(suite, [bert, bert_path], methods=["ce", "lp"], out=tmp_path / "x.db")
    with pytest.raises(mp.UsageError, match="options of loading have no effect on a loaded model"):
        mp.run(suite, bert, precision="bf16", out=tmp_path / "x.db")


PROGRAM = os.environ.get("MINPAIR_PROGRAM", "")


@pytest.mark.skipif(not PROGRAM, reason="the program is not there")
@pytest.mark.parametrize("words", [
    "report r.db --by condition --format csv", "report r.db --digits 2", "report r.db --ties sometimes", "report r.db --html x",
    "stats r.db --method pll --format json", "stats r.db --norm sum,mean", "compare r.db --method ce --method pll", "compare r.db bert:ce bert:pl",
    "margins r.db --test a", "figure r.db tests", "figure r.db tets", "norms r.db slor", "norms r.db power", "people r.db", "effects r.db",
    "correlate r.db complexity", "regions r.db", "run --suite s.jsonl", "run -s s.jsonl -m x --seed 3", "run -s s.jsonl -m x --where n>",
    "introspect lens -s s.jsonl -m x --site head", "report r.db --where n>4 --format csv", "export r.db --what summary --format jsonl",
    "introspect patch -s s.jsonl -m x --how zero --swap attractor", "introspect ablate -s s.jsonl -m x --indices 1:0 --layers 1",
    "overlap r.db 60", "export r.db --what runs --norm sum", "compare r.db --method ce --method pll --label x", "page r.db",
    "page r.db -o p.html --ties often", "curve r.db",
])
def test_what_the_command_line_prints_and_refuses(results, words, tmp_path):
    """The same text, or the same words of refusal."""
    command, *rest = words.replace("introspect ", "introspect_").split()
    command, options, sides = command.replace("_", " "), {}, []
    while rest:
        word = rest.pop(0)
        if word.startswith("-"):
            name = {"-s": "suite", "-m": "model", "-o": "output"}.get(word, word.lstrip("-"))
            options.setdefault(name, []).append(rest.pop(0) if rest else True)
        elif not command.startswith(("run", "introspect")) and not {"results", "folder"} & set(options):
            options["folder" if command == "curve" else "results"] = word
        else:
            sides.append(word)
    if sides:
        options[{"compare": "sides", "figure": "kind", "norms": "norms", "correlate": "numbers", "overlap": "percent"}[command]] = sides
    done = subprocess.run([PROGRAM, *words.split()], cwd=tmp_path, capture_output=True, text=True)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        if command not in ("figure", "page", "run", "export"):
            options.setdefault("format", "table")
        printed, refused = mp.command(command, **options), None
    except mp.Error as error:
        printed, refused = None, str(error)
    finally:
        os.chdir(before)
    if done.returncode == 0:
        assert printed == done.stdout
    else:
        said = re.sub(r"\n  'minpair .* --help' shows what there is", "", re.sub(r"^minpair[a-z -]*: ", "", done.stderr)).strip()
        said = re.sub(r"(?<=there is no option ')--", "", said)  # as it was called
        assert refused == said


def same(a, b):
    if isinstance(a, float) and a != a:
        a = None
    return a == b or (isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) < 1e-12)


@pytest.mark.parametrize("command, options", [
    ("stats", {}), ("stats", {"by": "condition", "where": "n > 20"}), ("compare", {"method": ["ce", "pll"], "flips": 2}), ("margins", {}),
    ("norms", {"norms": "power:0.8"}),
])
def test_rows_are_those_of_the_printed_tables(results, command, options):
    rows = _called(command, {"results": results.path, **options})
    printed = json.loads(mp.command(command, results=results.path, format="json", **options))["tables"]
    expected = [{"kind": t["kind"], "table": t["title"], **row} for t in printed for row in t["rows"]]
    assert len(rows) == len(expected) > 1 and rows.notes == [line for t in printed for note in t["notes"] for line in note.splitlines()]
    for mine, theirs in zip(rows, expected):
        for name, value in mine.items():
            assert same(value, theirs.get(name)), (name, value, theirs)
    assert all(any(row[name] is not None for row in rows) for name in rows.names)


def test_a_report_is_a_data_frame(results):
    frame, text = results.report(by=["test", "condition"], norms="all"), results.report(by=["test", "condition"], norms="all", format="csv")
    columns = {name: list(frame[name]) for name in ("model", "norm", "test", "condition", "pairs", "accuracy", "ci_low")}
    printed = list(csv.DictReader(io.StringIO(text)))
    assert len(printed) == len(frame) > 6
    for i, row in enumerate(printed):
        for name, column in columns.items():
            assert float(row[name]) == column[i] if name in ("pairs", "accuracy", "ci_low") else row[name] == column[i], name
    notes = _called("report", {"results": results.path}).notes
    assert any("200" in note for note in notes) and any("ties" in note for note in notes)


def test_pages_and_figures(results, tmp_path):
    results.figure("tests", tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text().startswith("<svg")
    try:
        results.page(tmp_path / "p.html")
    except mp.SystemFailure as error:
        assert "without the page" in str(error)


def test_inside(tmp_path):
    shown = mp.introspect("lens", "de-agreement", mp.load("de-mini"), tests="simple_sentence", sample=4, out=tmp_path / "i.db")
    assert "layer" in list(shown)
    assert repr(shown) == repr(mp.command("effects", results=tmp_path / "i.db"))
    rows = mp.introspect("lens", "de-agreement", mp.load("de-mini"), tests="simple_sentence", sample=4, out="-")
    assert len(rows) > len(shown)
    assert len(mp.results(tmp_path / "i.db").table("effects")) > 4
