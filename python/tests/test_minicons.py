"""minicons's interface: shapes as in its source, numbers as minpair's own methods have them."""

import inspect
import math

import pytest

numpy = pytest.importorskip("numpy")
from minpair.minicons import scorer  # noqa: E402
import minpair as mp  # noqa: E402

TEXTS = ["wort7 wort11", "wort7 wort8 wort9"]


@pytest.fixture(scope="module")
def masked(bert_path):
    return scorer.MaskedLMScorer(str(bert_path), "cpu")


@pytest.fixture(scope="module")
def causal(gpt2_path):
    return scorer.IncrementalLMScorer(str(gpt2_path), "cpu")


@pytest.fixture(scope="module")
def words(causal):
    """Two texts in the causal model's own vocabulary."""
    return ["wort7 wort11.", "wort8 wort9 wort10 wort7"]


def test_masked_sequence_score(masked, bert):
    assert masked.sequence_score(TEXTS) == pytest.approx(list(bert.score(TEXTS, method="pll", norm="mean-no-special")), abs=1e-12)
    total = masked.sequence_score(TEXTS, reduction=lambda x: -x.sum(0).item(), PLL_metric="within_word_l2r")
    assert total == pytest.approx(list(-bert.score(TEXTS, method="pll-word-l2r", norm="sum-no-special")), abs=1e-12)
    bits = masked.sequence_score(TEXTS, base_two=True)
    assert bits == pytest.approx([s / math.log(2) for s in masked.sequence_score(TEXTS)])


def test_masked_token_score(masked):
    scores = masked.token_score(TEXTS)
    assert [[t for t, _ in text] for text in scores] == [["wort7", "wort11"], ["wort7", "wort8", "wort9"]]
    surprisals = masked.token_score(TEXTS, surprisal=True, base_two=True)
    probabilities = masked.token_score(TEXTS, prob=True)
    for text, surprisal, probability in zip(scores, surprisals, probabilities):
        for (_, s), (_, b), (_, p) in zip(text, surprisal, probability):
            assert b == pytest.approx(-s / math.log(2)) and p == pytest.approx(math.exp(s))


def test_conditional_score(masked):
    whole = masked.token_score("wort7 wort8 wort9")[0]
    assert masked.conditional_score("wort7", "wort8 wort9", reduction=lambda x: x.sum(0).item()) == [
        pytest.approx(whole[1][1] + whole[2][1])]
    with pytest.warns(DeprecationWarning):
        assert masked.partial_score(["wort7"], ["wort8 wort9"]) == masked.conditional_score(["wort7"], ["wort8 wort9"])


def test_text_between_others(masked):
    whole = masked.token_score("wort7 wort8 wort9")[0]
    assert masked.conditional_score("wort7", "wort8", "wort9") == [pytest.approx(whole[1][1])]
    assert masked.conditional_score(["wort7"] * 2, ["wort8", "wort8"], suffix=["wort9", ""], separator=" ")[0] == pytest.approx(whole[1][1])
    with pytest.raises(mp.UsageError, match="must be white space, not '-'"):
        masked.conditional_score("wort7", "wort8", separator="-")
    with pytest.raises(mp.UsageError, match=r"texts \(2\) and suffixes \(1\) differ"):
        masked.conditional_score(["wort7"] * 2, ["wort8", "wort8"], suffix=["wort9"])


def test_the_order_of_arguments_is_that_of_minicons(masked, causal):
    def total(x):
        return x.sum(0).item()

    assert causal.conditional_score("wort7", "wort8", " ", total) == causal.conditional_score("wort7", "wort8", reduction=total)
    assert causal.conditional_score("wort7", "wort8", total) == causal.conditional_score("wort7", "wort8", reduction=total)
    assert masked.conditional_score("wort7", "wort8 wort9", None, " ", total) == masked.conditional_score("wort7", "wort8 wort9", total)
    assert causal.conditional_score(["wort7"], ["wort8"], [" "]) == causal.conditional_score("wort7", "wort8")
    # compute_stats has prob before base_two, but for masked models.
    assert masked.compute_stats(masked.prepare_text("wort7"), False, True)[0][0] < 0
    assert causal.compute_stats(causal.prepare_text("wort7 wort8"), False, True)[0][0] > 0


ORDERS = {  # as its source has them
    "MaskedLMScorer.__init__": "model device tokenizer PLL_metric",
    "MaskedLMScorer.compute_stats": "batch rank base_two prob return_tensors",
    "MaskedLMScorer.sequence_score": "batch reduction prob base_two",
    "MaskedLMScorer.token_score": "batch surprisal prob base_two rank PLL_metric",
    "MaskedLMScorer.conditional_score": "prefix stimuli suffix separator reduction prob base_two",
    "MaskedLMScorer.prime_text": "prefix stimuli suffix separator",
    "IncrementalLMScorer.__init__": "model device tokenizer",
    "IncrementalLMScorer.compute_stats": "batch rank prob base_two return_tensors bow_correction",
    "IncrementalLMScorer.sequence_score": "batch reduction base_two bow_correction",
    "IncrementalLMScorer.token_score": "batch surprisal prob base_two rank decode bow_correction",
    "IncrementalLMScorer.conditional_score": "prefix stimuli separator reduction prob base_two bow_correction",
    "IncrementalLMScorer.prime_text": "preamble stimuli separator",
    "IncrementalLMScorer.word_score": "batch surprisal prob base_two rank bow_correction",
    "IncrementalLMScorer.word_score_tokenized":
        "batch tokenize_function bow_correction bos_token eos_token surprisal prob base_two return_tensors",
    "IncrementalLMScorer.conditional_word_score_tokenized":
        "prefix stimuli tokenize_function separator bow_correction bos_token eos_token surprisal prob base_two return_tensors",
}


@pytest.mark.parametrize("method", ORDERS)
def test_arguments_stand_where_minicons_has_them(method):
    of, name = method.split(".")
    wanted = ["self", *ORDERS[method].split()]
    assert list(inspect.signature(getattr(getattr(scorer, of), name)).parameters)[:len(wanted)] == wanted


def test_settings_by_place(masked, causal):
    assert masked.prepare_text("wort7", "within_word_l2r").method == "pll-word-l2r"
    assert causal.prepare_text("wort7", True).model is causal.prepare_text("wort7", bos_token=True).model
    assert causal.prepare_text("wort7", False, True).model is causal.prepare_text("wort7", eos_token=True).model
    with pytest.raises(mp.UsageError, match="no option 'bos_token'"):
        masked.word_score_tokenized(TEXTS, str.split, bos_token=True)


def test_ranks(masked, causal, words):
    for scorer_of, texts, options in ((masked, TEXTS, {}), (causal, words, {"bos_token": True}), (causal, words, {})):
        plain, ranked = scorer_of.token_score(texts, **options), scorer_of.token_score(texts, rank=True, **options)
        assert [[t[:2] for t in text] for text in ranked] == plain
        vocabulary = scorer_of.model.info["vocabulary"]
        for text in ranked:
            for _, score, rank in text:
                assert rank == 0 if score == 0.0 else 1 <= rank <= vocabulary
        scores, ranks = scorer_of.compute_stats(scorer_of.prepare_text(texts, **options), rank=True)
        assert [len(s) for s in scores] == [len(r) for r in ranks]
    best = masked.model.predict("wort7 [MASK]", best=1)["piece"][0]
    assert masked.token_score(f"wort7 {best}", rank=True)[0][1][2] == 1


def test_a_metric_for_all(bert_path):
    by_word = scorer.MaskedLMScorer(str(bert_path), PLL_metric="within_word_l2r")
    assert by_word.prepare_text("wort7").method == "pll-word-l2r"
    assert by_word.prepare_text("wort7", PLL_metric="original").method == "pll"


def test_causal_first_token_is_not_scored_without_a_beginning(causal, words):
    bare, begun = causal.token_score(words), causal.token_score(words, bos_token=True)
    for without, having in zip(bare, begun):
        assert len(having) == len(without) + 1
        assert without[0][1] == 0.0 and having[0][1] == 0.0 and having[1][1] < 0.0
        assert [t for t, _ in without] == [t for t, _ in having[1:]]
    # What the sums leave out is what minicons leaves out.
    sums = causal.sequence_score(words, reduction=lambda x: x.sum(0).item(), bos_token=True)
    assert sums == pytest.approx([sum(s for _, s in text) for text in begun])
    assert sums == pytest.approx(list(causal.model.score(words, method="lp", norm="sum")))


def test_causal_conditional_score_is_the_end_of_the_whole(causal):
    whole = causal.token_score("wort7 wort8 wort9 wort10", bos_token=True)[0]
    part = causal.compute_stats(causal.prime_text("wort7 wort8", "wort9 wort10", bos_token=True))[0]
    assert part == pytest.approx([s for _, s in whole[-len(part):]])
    assert 0 < len(part) < len(whole) - 1


def test_end_of_text(causal, words):
    assert [len(e) - len(b) for e, b in zip(causal.token_score(words, eos_token=True), causal.token_score(words))] == [1, 1]


def test_words(causal, words):
    by_word = causal.word_score_tokenized(words, str.split, bos_token=True)
    assert [[w for w, _ in text] for text in by_word] == [text.split() for text in words]
    sums = causal.sequence_score(words, reduction=lambda x: x.sum(0).item(), bos_token=True)
    assert [sum(s for _, s in text) for text in by_word] == pytest.approx(sums)
    corrected = causal.word_score_tokenized(words, str.split, bow_correction=True, bos_token=True, surprisal=True, base_two=True)
    own = causal.model._scored(words, "word", "lp-by-words", None, None, None)
    assert sum(s for _, s in corrected[0]) == pytest.approx(sum(s for n, s in zip(own["text"], own["surprisal"]) if n == 0))


def test_words_after_others(causal):
    whole = causal.word_score_tokenized("wort7 wort8 wort9", str.split, bos_token=True)[0]
    assert causal.conditional_word_score_tokenized("wort7", "wort8 wort9", str.split, bos_token=True)[0] == [
        (w, pytest.approx(s)) for w, s in whole[1:]]
    assert causal.conditional_word_score_tokenized(["wort7"], ["wort8 wort9"], [["wort8", "wort9"]], bos_token=True)[0][1] == (
        "wort9", pytest.approx(whole[2][1]))
    assert [w for w, _ in causal.word_score("wort7 wort8, wort9.")[0]] == ["wort7", "wort8", ",", "wort9", "."]


@pytest.mark.parametrize("what, message", [
    (lambda m, c: m.cloze_distribution([("wort7 x", "x")]), "predict"),
    (lambda m, c: c.next_word_distribution(["wort7"]), "predict"),
    (lambda m, c: c.nothing_like_that, "has no 'nothing_like_that'"),
    (lambda m, c: c.sequence_score(TEXTS, chat=True), "chat templates"),
    (lambda m, c: c.sequence_score(TEXTS, suffix="x"), "no option 'suffix'"),
    (lambda m, c: c.word_score(TEXTS, rank=True), "no rank"),
    (lambda m, c: m.sequence_score(TEXTS, bow_correction=True), "from left to right"),
    (lambda m, c: scorer.MaskedLMScorer(object()), "a name or a folder"),
    (lambda m, c: scorer.MaskedLMScorer("x", revision="step1"), "'revision'"),
    (lambda m, c: scorer.IncrementalLMScorer("x", tokenizer="y"), "model's own"),
    (lambda m, c: scorer.MaskedLMScorer(m._name, PLL_metric="l2r"), "PLL_metric"),
])
def test_what_is_not_here_says_what_to_do(masked, causal, what, message):
    with pytest.raises((mp.UsageError, AttributeError), match=message):
        what(masked, causal)


def test_what_is_refused(masked, causal, bert_path, gpt2_path):
    with pytest.raises(mp.UsageError, match="IncrementalLMScorer"):
        scorer.MaskedLMScorer(str(gpt2_path))
    with pytest.raises(mp.UsageError, match="MaskedLMScorer"):
        scorer.IncrementalLMScorer(str(bert_path))
    with pytest.raises(mp.UsageError, match="PLL_metric"):
        masked.sequence_score(TEXTS, PLL_metric="l2r")
    with pytest.raises(mp.UsageError, match="chat"):
        causal.sequence_score(TEXTS, chat=True)
    with pytest.raises(mp.UsageError):
        masked.token_score(TEXTS, surprisal=True, prob=True)
