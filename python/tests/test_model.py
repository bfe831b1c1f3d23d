import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import minpair as mp
from conftest import SOURCE

numpy = pytest.importorskip("numpy")
TEXTS = ["wort7 wort11", "wort7 wort8 wort9", "wort7 wort11"]


def column(frame, name):
    return list(frame[name])


def test_scores_are_the_sums_of_tokens_and_words(bert):
    scores = bert.score(TEXTS, method="pll")
    assert isinstance(scores, numpy.ndarray) and scores.dtype == float and scores.shape == (3,)
    for table in (bert.tokens(TEXTS, method="pll"), bert.words(TEXTS, method="pll")):
        sums = [sum(p for t, p in zip(column(table, "text"), column(table, "logprob")) if t == i) for i in range(3)]
        assert numpy.allclose(scores, sums, rtol=0, atol=1e-12)
    assert scores[0] == scores[2] != scores[1]


@pytest.fixture
def said(request):
    """What the command line says, as JSON."""
    program = pathlib.Path(os.environ.get("MINPAIR_PROGRAM", ""))
    if not program.is_file():
        pytest.skip("MINPAIR_PROGRAM does not name the program")
    return lambda *arguments: json.loads(subprocess.run([program, "score", "--json", *arguments], capture_output=True, check=True).stdout)


CONTEXTS = ["", "wort8 wort9 wort10", "wort8 wort9 wort10 " * 8, "wort7 [MASK]"]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name, method", [
    ("bert", "pll"), ("bert", "pll-word-l2r"), ("bert", "ce"), ("bert", "masked"), ("gpt2", "lp-by-words"), ("gpt2", "word-lp"),
    ("rwkv", "lp-by-words")])
def test_the_command_line_says_the_same_and_asks_no_less(said, bert_path, name, method, context):
    """The same scores, and the model reads as many tokens for them."""
    path = bert_path.parent / name
    pair = ["wort7 wort11 wort8", "wort7 wort9 wort8"]
    theirs = said("-m", path, "--method", method, "--context", context, *pair)
    asked = []
    model = mp.load(path)
    ours = model.score(pair, method=method, norm="sum", context=context, progress=lambda done, total: asked.append(total))
    assert [s["sum"] for s in theirs["sentences"]] == list(ours)
    assert asked[-1] == theirs["asked"]["tokens"] > 0
    tokens = model.tokens(pair, method=method, context=context)
    for place in ("begin", "end", "logprob", "piece"):
        assert [t[place] for s in theirs["sentences"] for t in s["tokens"]] == column(tokens, place)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name", ["gpt2", "rwkv"])
def test_words_of_a_causal_model_are_those_of_the_command_line(said, bert_path, name, context):
    """By the default method, which also asks whether words are complete."""
    theirs = said("-m", bert_path.parent / name, "--context", context, *TEXTS[:2])
    asked = []
    words = mp.load(bert_path.parent / name).words(TEXTS[:2], context=context, progress=lambda done, total: asked.append(total))
    for place in ("begin", "end", "surprisal", "surprisal_complete"):
        assert [w[place] for s in theirs["sentences"] for w in s["words"]] == column(words, place)
    assert asked[-1] == theirs["asked"]["tokens"] > 0


def test_a_context_costs_no_questions(bert):
    """Its tokens are read, and the model is asked about the text's alone."""
    def asked(text, context):
        totals = []
        bert.score(text, method="pll", context=context, progress=lambda done, total: totals.append(total))
        return totals[-1]

    words = " ".join(["wort8"] * 20)
    assert asked("wort7 wort11", words) == 2 * (20 + asked("wort7 wort11", None) // 2)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
@pytest.mark.parametrize("context", CONTEXTS)
def test_predictions_are_those_of_the_command_line(said, bert_path, name, context):
    theirs = said("-m", bert_path.parent / name, "--context", context, "--top", "4", "wort7 [MASK] wort9", "wort11 [MASK]")
    ours = mp.load(bert_path.parent / name).predict(["wort7 [MASK] wort9", "wort11 [MASK]"], best=4, context=context)
    predictions = [p for text in theirs for gap in text["gaps"] for p in gap]
    assert [p["logprob"] for p in predictions] == column(ours, "logprob")
    assert [p["id"] for p in predictions] == column(ours, "token_id")


def test_texts_without_words_have_no_score(said, bert, bert_path):
    texts = ["wort7 wort8", "", "nobody knows", "\u200b"]
    theirs = said("-m", bert_path, "--method", "pll", *texts)["sentences"]
    assert [s.get("excluded") for s in theirs] == [None, "empty_text", "unknown_text", "nothing_to_score"]
    scores = bert.score(texts, method="pll")
    assert scores[0] == theirs[0]["sum"] and all(numpy.isnan(scores[1:]))


def test_norms(bert):
    total = bert.score(TEXTS, method="pll", norm="sum")
    assert numpy.allclose(bert.score(TEXTS, method="pll", norm="mean"), total / [2, 3, 2])
    assert numpy.allclose(bert.score(TEXTS, method="pll", norm="char"), total / [12, 17, 12])


def test_contexts_are_read_and_not_scored(bert):
    alone = bert.tokens("wort8 wort7 wort11", method="pll")
    after = bert.tokens("wort7 wort11", method="pll", context="wort8")
    assert column(after, "piece") == ["wort7", "wort11"]
    assert column(after, "begin") == [0, 6]
    assert column(after, "logprob") == column(alone, "logprob")[1:]
    both = bert.score(["wort11", "wort9"], method="pll", context=["wort7", "wort8"])
    assert both[0] == bert.score("wort11", method="pll", context="wort7")[0]
    with pytest.raises(mp.UsageError, match=r"texts \(2\) and contexts \(1\) differ"):
        bert.score(["a", "b"], context=["c"])


def test_tokenize_and_predict(bert):
    tokens = bert.tokenize("wort7 [MASK]")
    assert column(tokens, "piece") == ["[CLS]", "wort7", "[MASK]", "[SEP]"]
    assert column(tokens, "special") == [True, False, True, True]
    best = bert.predict("wort7 [MASK]", best=5)
    assert column(best, "rank") == [1, 2, 3, 4, 5]
    logprobs = column(best, "logprob")
    assert logprobs == sorted(logprobs, reverse=True)


@pytest.mark.parametrize("golden, method", [("bert", "pll"), ("bert", "pll-word-l2r"), ("gpt2", "lp")])
def test_ranks_are_places_in_the_whole_distribution(golden, method):
    model = mp.load(SOURCE / "tests/model/golden" / golden, threads=1)
    table = model.tokens("wort7 wort11", method=method, rank=True)
    gap = "wort7 [MASK]" if golden == "bert" else "wort7"
    everything = model.predict(gap, best=model.info["vocabulary"])
    places = dict(zip(column(everything, "token_id"), column(everything, "rank")))
    last = column(table, "piece").index("wort11")
    assert column(table, "rank")[last] == places[column(table, "token_id")[last]]
    assert "rank" not in list(model.tokens("wort7", method=method))
    # Those of the text alone: what is read before has none.
    after = model.tokens("wort11", method=method, context="wort7", rank=True)
    assert column(after, "rank")[0] == column(table, "rank")[last]


def test_states(bert):
    one = bert.states("wort7 wort11", layer=1)
    assert one.shape == (4, bert.info["hidden"]) and one.dtype == numpy.float32
    several = bert.states(TEXTS, layer=1)
    assert len(several) == 3 and numpy.array_equal(several[0], one) and numpy.array_equal(several[2], one)
    assert numpy.array_equal(bert.states("wort7", layer=-1), bert.states("wort7", layer=bert.info["layers"]))
    assert not numpy.array_equal(bert.states("wort7", layer=0), bert.states("wort7", layer=1))
    with pytest.raises(mp.UsageError, match="layers"):
        bert.states("wort7", layer=99)


GOLDEN = SOURCE / "tests/model/golden"


@pytest.mark.parametrize("read_as, kind", [("auto", "masked"), ("masked", "masked"), ("causal", "causal")])
def test_what_was_trained_as_both_is_read_as_either(read_as, kind):
    assert mp.load(GOLDEN / "gpt-bert", threads=1, read_as=read_as).info["kind"] == kind


def test_what_was_not_is_not(bert_path):
    with pytest.raises(mp.Error, match="masked model and nothing else"):
        mp.load(bert_path, read_as="causal")


RECURRENT = SOURCE / "tests/golden/recurrent"


@pytest.mark.parametrize("path", [*sorted(p.parent for p in GOLDEN.glob("*/config.json")), *sorted(RECURRENT.glob("*.pt"))],
                         ids=lambda p: p.stem)
def test_states_of_every_architecture(path):
    recurrent = path.suffix == ".pt"
    model = mp.load(path, threads=1, vocabulary=RECURRENT / "vocab.txt" if recurrent else None)
    text = "w7 w11 w8" if recurrent else "wort7 wort11 wort8"
    if any(kind in model.info["architecture"] for kind in ("t5", "bart")):  # where there is no gap, a decoder's layers change nothing
        text = text.replace("wort11", model.info["mask"])
    layers = [model.states(text, layer=n) for n in range(model.info["layers"] + 1)]
    assert all(numpy.isfinite(states).all() and len(states) == len(layers[0]) for states in layers)
    assert all(states.shape[1] == model.info["hidden"] for states in layers[1:])
    assert numpy.array_equal(model.states(text), layers[-1])
    for before, after in zip(layers[1:], layers[2:]):
        assert not numpy.array_equal(before, after)
    if model.info["kind"] != "masked":  # who reads from left to right does not know what comes
        shorter = model.states(text.rsplit(" ", 1)[0], layer=1)
        assert numpy.array_equal(shorter, layers[1][:len(shorter)]) and len(shorter) < len(layers[1])


def test_errors_have_the_words_of_the_command_line(bert):
    with pytest.raises(mp.UsageError, match="there is no method 'pl'\n  did you mean 'pll'?"):
        bert.score("wort7", method="pl")
    with pytest.raises(mp.Error, match="none-such"):
        mp.load("none-such")
    with pytest.raises(mp.InputError, match="zero byte"):
        bert.score("a\0b")
    with pytest.raises(mp.InputError):
        mp.results(os.devnull + "x")
    with pytest.raises(ValueError, match="compares texts at the words in which they differ"):
        bert.score("wort7", method="masked")


def test_texts_that_cannot_be_scored_are_nan(bert):
    long = "wort7 " * 1000
    scores = bert.score(["wort7", long], method="pll")
    assert scores[0] < 0 and numpy.isnan(scores[1])


def test_no_texts(bert):
    assert len(bert.score([])) == 0
    assert len(bert.tokens([])) == 0


def test_progress_is_seen_and_can_stop(bert):
    texts = [f"wort{i % 20} wort{i // 20} wort{i % 7}" for i in range(400)] * 2
    seen = []
    bert.score(texts, method="pll", progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 1 and seen[-1][0] == seen[-1][1] and seen == sorted(seen)
    with pytest.raises(mp.Stopped):
        bert.score(texts, method="pll", progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        bert.score(texts, method="pll", progress=lambda done, total: 1 // 0)


def test_ctrl_c(bert):
    texts = [f"wort{i % 20} wort{i // 20 % 20} wort{i % 7} wort{i % 11}" for i in range(4000)]
    before = signal.getsignal(signal.SIGINT)
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        bert.score(texts, method="pll", progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is before
    assert len(calls) < 10


def test_ctrl_c_while_predicting(bert):
    texts = [f"wort{i % 20} wort{i // 20 % 20} [MASK] wort{i // 400 % 20}" for i in range(8000)]
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        bert.predict(texts, progress=interrupt)
    assert len(calls) < 10


@pytest.mark.parametrize("gap", [None, float("nan"), ["a"], b"a", 7])
def test_what_is_no_text_is_refused(bert, gap):
    with pytest.raises(mp.UsageError, match="text 2 is"):
        bert.score(["wort7", gap])
    with pytest.raises(mp.UsageError, match="text 1 is"):
        bert.score(["wort7"], context=[gap])


def test_integers_that_do_not_fit_are_refused(bert):
    for layer in (2**32 + 1, 2**63, -(2**40)):
        with pytest.raises(mp.UsageError, match="layer is"):
            bert.states("wort7", layer=layer)
    for best in (0, -1, 2**32):
        with pytest.raises(mp.UsageError, match="best is"):
            bert.predict("wort7 [MASK]", best=best)
    with pytest.raises(TypeError):
        bert.states("wort7", layer=1.5)


def test_a_forked_process_must_load_its_own_model(bert, bert_path):
    bert.score(["wort7 wort8"])
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            try:
                bert.score(["wort7 wort8"])
                os._exit(1)
            except mp.SystemFailure as error:
                if "fork" not in str(error):
                    os._exit(2)
            mp.load(bert_path).score(["wort7 wort8"])
            os._exit(0)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_works_without_numpy_and_pandas(bert_path):
    script = """
import sys
for name in ("numpy", "pandas"): sys.modules[name] = None
import minpair
m = minpair.load(sys.argv[1])
assert m.score(["wort7 wort11", "wort7"], method="pll")[0] < 0
t = m.tokens("wort7 wort11", method="pll")
assert t["piece"] == ["wort7", "wort11"] and len(t) == 2 and "2 rows" in repr(t)
assert len(m.states("wort7", layer=1)[0]) == m.info["hidden"]
"""
    import pathlib

    done = subprocess.run([sys.executable, "-c", script, str(bert_path)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(mp.__file__).parents[1])})
    assert done.returncode == 0, done.stderr


def test_lists():
    assert "pll" in column(mp.methods(), "name")
    assert "de-agreement" in column(mp.suites(), "name")
    assert "de-mini" in column(mp.models(), "name")


@pytest.mark.parametrize("wrong", [None, float("nan"), 1, b"bytes", ["a"], numpy.nan, numpy.float64(1)])
def test_only_a_str_is_a_text(bert, wrong):
    for call in (bert.score, bert.tokens, bert.words, bert.tokenize, bert.predict, bert.states):
        with pytest.raises(mp.WrongType, match="text 2 is .*, not a string"):
            call(["wort7 wort11", wrong])
    with pytest.raises(mp.WrongType, match="text 2 is"):
        bert.score(TEXTS[:2], context=["a", wrong])


def test_missing_values_of_pandas_are_no_words(bert):
    pandas = pytest.importorskip("pandas")
    for gap in (pandas.NA, pandas.NaT, None, float("nan")):
        with pytest.raises(mp.WrongType, match="text 2 is"):
            bert.score(pandas.Series(["wort7 wort11", gap]))
    for word in ("NA", "nan", "NaN", "#N/A", "<NA>", "null"):
        with pytest.raises(mp.InputError, match=f"text 2.*'{word}' stands for a missing value"):
            bert.score(["wort7 wort11", word])


def test_wrong_types_are_said_by_name(bert):
    with pytest.raises(mp.WrongType, match="threads is a whole number"):
        mp.load("de-mini", threads="x")
    with pytest.raises(mp.UsageError, match="layer is"):
        bert.states("wort7", layer=2**32 + 1)
    with pytest.raises(mp.WrongType, match="sample cannot be nan"):
        mp.command("report", results="r.db", sample=float("nan"))
