"""``MaskedLMScorer`` and ``IncrementalLMScorer`` with minicons's methods, arguments and shapes, computed by minpair.

What is the same: natural logarithms unless ``base_two``; the mean over tokens unless ``reduction`` says otherwise; special tokens of masked
models are read and not scored; ``PLL_metric`` is ``original`` or ``within_word_l2r``; the first token of a causal model has the score
0.0 and the rank 0 in ``token_score`` and is in no sum unless ``bos_token=True``; ``rank=True`` adds the place of a token among all,
1 for the best.

What differs:

- Scores are numpy arrays, not torch tensors. ``x.mean(0).item()``, ``x.sum(0).item()``, ``x.exp()`` work on both.
- ``device`` is taken and ignored: everything runs on the processor. ``model`` is a name or a path, and the tokenizer is the model's own.
- Of what minicons passes on to transformers, what could change a score (``revision``, ``torch_dtype``, ...) is refused.
- ``prepare_text`` and ``prime_text`` give something that only ``compute_stats`` of the same scorer understands.
- Words get their tokens by characters. minicons counts tokens, which shifts scores by one without ``bos_token=True``.
- Where a text follows a ``prefix``, a token is the text's when it reaches into it. minicons counts the prefix's tokens, which is
  another thing where the two are cut differently together.
- ``bow_correction`` is minpair's method ``lp-by-words`` (Pimentel & Meister 2024; Oh & Schuler 2024). A word is also complete before
  punctuation and before the end of the text; minicons counts the pieces that begin with a space alone. After a ``prefix``, the first
  token is given that the prefix's last word is complete; minicons corrects it only at its end. Vocabularies of whole words stay as they are.
- ``prob=True`` multiplies the probabilities of a word's tokens in ``word_score``, too, where minicons adds them.
- Errors are ``minpair.UsageError`` where minicons has assertions.
- What stands before the first token is the model's own, as its tokenizer and configuration say; with ``bos_token=False`` nothing does,
  unless the tokenizer puts it there by itself. Each combination loads the model once.
- A ``PLL_metric`` that the scorer was made with holds for all its methods; in minicons ``sequence_score`` and ``token_score`` ignore it.
- The third argument of ``conditional_score`` and ``partial_score`` may also be the reduction, as in earlier versions of minicons.
- Ranks of equally probable tokens follow their numbers in the vocabulary. A word has none.
- Chat templates, whole distributions (``distribution``, ``next_word_distribution``, ``cloze_distribution``, ``topk``, ``query``,
  ``entropy``) and models of other kinds are not here; asking for one says what to use instead.
"""

from __future__ import annotations

import os
import re
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

if TYPE_CHECKING:
    _Array = numpy.ndarray[Any, Any]
else:
    _Array = numpy.ndarray

from .._library import UsageError
from .._model import Model, load
from .._table import Table

Text = Union[str, Sequence[str]]
Reduction = Callable[[Any], Any]
Words = Union[Callable[[str], List[str]], Sequence[List[str]]]

# What minicons has and minpair has not: what to use instead.
_INSTEAD = {
    "distribution": "scorer.model.predict(texts, best=...)", "next_word_distribution": "scorer.model.predict(texts, best=...)",
    "cloze_distribution": "scorer.model.predict(text with the mask, best=...)", "topk": "scorer.model.predict(texts, best=...)",
    "query": "scorer.model.predict(texts, best=...)", "entropy": "'minpair surprisal --entropy'",
    "cloze": "conditional_score(prefix, word, suffix=...)", "fixed_label_score": "conditional_score(prefixes, labels)",
    "logprobs": "compute_stats", "score": "sequence_score", "adapt_score": "conditional_score",
    "encode": "scorer.model.tokenize(texts)", "decode": "scorer.model.tokenize(texts)", "tokenizer": "scorer.model.tokenize(texts)",
}
# Settings of transformers that change no score.
_HARMLESS = {"low_cpu_mem_usage", "return_dict", "trust_remote_code", "device_map", "attn_implementation", "use_fast", "token"}


class Scores(_Array):
    """An array with the few methods of a tensor that reductions use."""

    def exp(self) -> "Scores":
        return _scores(numpy.exp(self))

    def log(self) -> "Scores":
        return _scores(numpy.log(self))

    def detach(self) -> "Scores":
        return self

    def cpu(self) -> "Scores":
        return self

    def numpy(self) -> Any:
        return numpy.asarray(self)


def _scores(values: Any) -> Scores:
    array: Scores = numpy.asarray(values, float).view(Scores)
    return array


class Prepared(NamedTuple):
    """Texts on their way to ``compute_stats``."""

    texts: List[str]
    contexts: Optional[List[str]]
    suffixes: Optional[List[str]]
    model: Model
    method: str


class _Token(NamedTuple):
    begin: int
    score: float
    rank: int


def _list(text: Text) -> List[str]:
    return [text] if isinstance(text, str) else list(text)


def _parallel(values: Text, count: int, what: str) -> List[str]:
    found = [values] * count if isinstance(values, str) else list(values)
    if len(found) != count:
        raise UsageError(f"texts ({count}) and {what} ({len(found)}) differ in number")
    return found


def _mean(scores: Any) -> Any:
    return scores.mean(0).item()


class LMScorer:
    """What both scorers share."""

    def __init__(self, model: Union[str, "os.PathLike[str]"], device: Optional[str] = "cpu", tokenizer: Any = None, **kwargs: Any) -> None:
        if not isinstance(model, (str, os.PathLike)):
            raise UsageError("the model must be a name or a folder\n  save it with model.save_pretrained(folder)")
        if tokenizer is not None:
            raise UsageError("the tokenizer is the model's own; it cannot be given")
        for name in kwargs.keys() - _HARMLESS:
            raise UsageError(f"minpair loads models without '{name}'\n  docs/models.md says what it loads, and in which precision")
        self.device = device
        self._name = model
        self._models: Dict[Tuple[str, str], Model] = {}
        self.model = self._loaded()
        self._check_kind()

    def __getattr__(self, name: str) -> Any:
        if name in _INSTEAD:
            raise AttributeError(f"minicons's '{name}' is not here; use {_INSTEAD[name]}")
        raise AttributeError(f"'{type(self).__name__}' has no '{name}'")

    def _check_kind(self) -> None:
        raise NotImplementedError

    def _loaded(self, start: str = "auto", end: str = "auto") -> Model:
        if (start, end) not in self._models:
            self._models[start, end] = load(self._name, start=start, end=end)
        return self._models[start, end]

    # --- what is scored ---

    def _how(self, *settings: Any, **options: Any) -> Tuple[Model, str]:
        """The model and the method for the options of ``prepare_text``."""
        raise NotImplementedError

    def prepare_text(self, text: Text, *settings: Any, **options: Any) -> Prepared:
        """Texts for :meth:`compute_stats`. Settings are ``bos_token``, ``eos_token``; of masked models ``PLL_metric``."""
        return Prepared(_list(text), None, None, *self._how(*settings, **options))

    def _primed(self, prefix: Text, stimuli: Text, suffix: Optional[Text], separator: Text, how: Tuple[Model, str]) -> Prepared:
        texts = _list(stimuli)
        separators = _parallel(separator, len(texts), "separators")
        for s in separators:
            if not s.isspace():
                raise UsageError(f"what stands between a prefix and a text must be white space, not {s!r}\n  write it at the end of the prefix")
        contexts = [p + s for p, s in zip(_parallel(prefix, len(texts), "prefixes"), separators)]
        after = None
        if suffix is not None:
            after = [s + x for s, x in zip(separators, _parallel(suffix, len(texts), "suffixes"))]
        return Prepared(texts, contexts, after, *how)

    def prime_text(self, preamble: Text, stimuli: Text, separator: Text = " ", *settings: Any, **options: Any) -> Prepared:
        """Texts that follow others, for :meth:`compute_stats`."""
        return self._primed(preamble, stimuli, None, separator, self._how(*settings, **options))

    def _tokens(self, prepared: Prepared, rank: bool = False) -> List[List[_Token]]:
        whole = prepared.texts
        if prepared.suffixes is not None:
            whole = [text + suffix for text, suffix in zip(whole, prepared.suffixes)]
        table: Table = prepared.model._scored(whole, "token", prepared.method, None, prepared.contexts, None, rank)
        found: List[List[_Token]] = [[] for _ in whole]
        ranks = table["rank"] if rank else [0] * len(table)
        columns = [table[name] for name in ("text", "begin", "special", "logprob")]
        for number, begin, special, logprob, place in zip(*columns, ranks):
            if special and not self._scores_special():
                continue
            if prepared.suffixes is None or begin < len(prepared.texts[number]):
                found[number].append(_Token(int(begin), float(logprob), int(place)))
        return found

    def _scores_special(self) -> bool:
        return False

    # --- minicons's methods ---

    def compute_stats(
        self, batch: Prepared, rank: bool = False, prob: bool = False, base_two: bool = False, return_tensors: bool = False,
        bow_correction: bool = False,
    ) -> Any:
        """The scores of every token of every text; with ``rank`` a pair, scores and ranks."""
        if base_two and prob:
            raise UsageError("a probability has no base: base_two and prob exclude each other")
        tokens = self._tokens(self._corrected(batch, bow_correction), rank)
        scores = [self._converted(of_text, prob, base_two) for of_text in tokens]
        given: List[Any] = list(scores) if return_tensors else [s.tolist() for s in scores]
        return (given, [[t.rank for t in of_text] for of_text in tokens]) if rank else given

    def _corrected(self, batch: Prepared, bow_correction: bool) -> Prepared:
        return batch._replace(method="lp-by-words") if bow_correction else batch

    @staticmethod
    def _converted(tokens: List[_Token], prob: bool, base_two: bool) -> Scores:
        scores = _scores([t.score for t in tokens])
        if base_two:
            scores = _scores(scores / numpy.log(2.0))
        return scores.exp() if prob else scores

    def sequence_score(
        self, batch: Text, reduction: Reduction = _mean, prob: bool = False, base_two: bool = False, bow_correction: bool = False,
        **options: Any,
    ) -> List[Any]:
        """One number for each text: by default the mean log-probability of its tokens."""
        prepared = self.prepare_text(batch, **options)
        scores = self.compute_stats(prepared, prob=prob, base_two=base_two, bow_correction=bow_correction, return_tensors=True)
        return [reduction(s) for s in scores]

    def _conditional(
        self, prepared: Prepared, reduction: Reduction, prob: bool, base_two: bool, surprisal: bool, bow_correction: bool = False,
    ) -> List[Any]:
        _exclude(surprisal, prob)
        scores = self.compute_stats(prepared, prob=prob, base_two=base_two, bow_correction=bow_correction, return_tensors=True)
        return [reduction(-s if surprisal else s) for s in scores]

    def conditional_score(
        self, prefix: Text, stimuli: Text, separator: Union[Text, Reduction] = " ", reduction: Reduction = _mean, prob: bool = False,
        base_two: bool = False, bow_correction: bool = False, surprisal: bool = False, **options: Any,
    ) -> List[Any]:
        """The same for texts that follow others: what is before is read and not scored."""
        between, reduce = (" ", separator) if callable(separator) else (separator, reduction)
        return self._conditional(self.prime_text(prefix, stimuli, between, **options), reduce, prob, base_two, surprisal, bow_correction)

    def partial_score(self, preamble: Text, stimuli: Text, *arguments: Any, **options: Any) -> List[Any]:
        """An older name of :meth:`conditional_score`."""
        warnings.warn("partial_score is deprecated, use conditional_score instead", DeprecationWarning, stacklevel=2)
        return self.conditional_score(preamble, stimuli, *arguments, **options)

    def token_score(
        self, batch: Text, surprisal: bool = False, prob: bool = False, base_two: bool = False, rank: bool = False,
        decode: bool = False, bow_correction: bool = False, **options: Any,
    ) -> List[List[Tuple[Any, ...]]]:
        """``[(token, score), ...]`` for each text, with ``rank`` ``(token, score, rank)``; tokens that are read and not scored have 0.0
        and 0."""
        _exclude(surprisal, prob)
        prepared = self.prepare_text(batch, **options)
        scores, ranks = self.compute_stats(prepared, True, prob, base_two, bow_correction=bow_correction) if rank else (
            self.compute_stats(prepared, prob=prob, base_two=base_two, bow_correction=bow_correction), None)
        result: List[List[Tuple[Any, ...]]] = []
        for number, tokens in enumerate(self._names(prepared, decode)):
            unscored = len(tokens) - len(scores[number])
            columns: List[List[Any]] = [tokens, [0.0] * unscored + [-v if surprisal else v for v in scores[number]]]
            if ranks is not None:
                columns.append([0] * unscored + ranks[number])
            result.append(list(zip(*columns)))
        return result

    def _names(self, prepared: Prepared, decode: bool) -> List[List[str]]:
        tokens = prepared.model._tokenized(prepared.texts, special=False)
        names: List[List[str]] = [[] for _ in prepared.texts]
        columns = [tokens[name] for name in ("text", "piece", "begin", "end")]
        for number, piece, begin, end in zip(*columns):
            names[number].append(_decoded(piece, prepared.texts[number][begin:end]) if decode else piece)
        for of_text in names if self._scores_special() else []:
            of_text[:0] = [prepared.model.info["start"]] if prepared.model.info["start"] else []
            of_text += [prepared.model.info["end"]] if prepared.model.info["end"] else []
        return names

    def _by_words(
        self, prepared: Prepared, tokenize_function: Words, surprisal: bool, prob: bool, base_two: bool, return_tensors: bool,
    ) -> List[List[Tuple[str, Any]]]:
        _exclude(surprisal, prob)
        result = []
        for number, (text, tokens) in enumerate(zip(prepared.texts, self._tokens(prepared))):
            words = []
            own_words = tokenize_function(text) if callable(tokenize_function) else tokenize_function[number]
            for word, begin, end in _places(text, own_words):
                scores = self._converted([t for t in tokens if begin <= t.begin < end], prob, base_two)
                total = scores.prod() if prob else scores.sum()
                words.append((word, -total if surprisal else total))
            result.append([(w, s if return_tensors else float(s)) for w, s in words])
        return result

    def word_score(
        self, batch: Text, surprisal: bool = False, prob: bool = False, base_two: bool = False, rank: bool = False,
        bow_correction: bool = False, **options: Any,
    ) -> List[List[Tuple[str, Any]]]:
        """``[(word, score), ...]`` for each text; words and the marks ``.,!?;`` are apart."""
        if rank:
            raise UsageError("a word of several tokens has no rank\n  token_score(..., rank=True) has those of its tokens")
        prepared = self._corrected(self.prepare_text(batch, **options), bow_correction)
        return self._by_words(prepared, lambda text: re.findall(r"[\w']+|[.,!?;]", text), surprisal, prob, base_two, False)

    def word_score_tokenized(
        self, batch: Text, tokenize_function: Words, bow_correction: bool = False, bos_token: bool = False, eos_token: bool = False,
        surprisal: bool = False, prob: bool = False, base_two: bool = False, return_tensors: bool = False, **options: Any,
    ) -> List[List[Tuple[str, Any]]]:
        """``[(word, score), ...]`` for each text, in the words of ``tokenize_function``: the sum over each word's tokens."""
        prepared = self._corrected(self.prepare_text(batch, **_edges(bos_token, eos_token), **options), bow_correction)
        return self._by_words(prepared, tokenize_function, surprisal, prob, base_two, return_tensors)

    def conditional_word_score_tokenized(
        self, prefix: Text, stimuli: Text, tokenize_function: Words, separator: Text = " ", bow_correction: bool = False,
        bos_token: bool = False, eos_token: bool = False, surprisal: bool = False, prob: bool = False, base_two: bool = False,
        return_tensors: bool = False,
    ) -> List[List[Tuple[str, Any]]]:
        """The same for texts that follow others."""
        prepared = self._corrected(self.prime_text(prefix, stimuli, separator, **_edges(bos_token, eos_token)), bow_correction)
        return self._by_words(prepared, tokenize_function, surprisal, prob, base_two, return_tensors)


def _exclude(surprisal: bool, prob: bool) -> None:
    if surprisal and prob:
        raise UsageError("surprisal and prob exclude each other")


def _edges(bos_token: bool, eos_token: bool) -> Dict[str, bool]:
    """Those that were asked for: a masked scorer knows of none."""
    return {name: True for name, asked in (("bos_token", bos_token), ("eos_token", eos_token)) if asked}


def _decoded(piece: str, text: str) -> str:
    """A token as tokenizers decode it: WordPiece keeps its marks, byte-level pieces and those with a space become text."""
    as_it_is = piece.isascii() or piece.startswith("##") or piece.casefold() == text.strip().casefold()
    return piece if as_it_is else text.strip()


def _places(text: str, words: Iterable[str]) -> Iterable[Tuple[str, int, int]]:
    """Where each word is. What stands between two words belongs to the first."""
    found, at = [], 0
    for word in words:
        begin = text.find(word, at)
        if begin < 0:
            raise UsageError(f"'{word}' is not where it should be in '{text}'")
        at = begin + len(word)
        found.append((word, begin))
    ends = [begin for _, begin in found[1:]] + [len(text)]
    return [(word, begin, end) for (word, begin), end in zip(found, ends)]


class IncrementalLMScorer(LMScorer):
    """Models that read from left to right: GPT-2, Llama, LSTMs, n-grams, ..."""

    def _check_kind(self) -> None:
        if self.model.kind == "masked":
            raise UsageError(f"'{self._name}' is a masked model: use MaskedLMScorer")

    def _how(self, bos_token: bool = False, eos_token: bool = False, chat: bool = False, **unknown: Any) -> Tuple[Model, str]:
        for name in unknown:
            raise UsageError(f"there is no option '{name}'")
        if chat:
            raise UsageError("chat templates are not applied\n  write the text as the template would, without chat=True")
        start = "auto" if bos_token or self._starts_by_itself() else "none"
        end = "none"
        if eos_token:
            if not self.model.info["eos"]:
                raise UsageError("the model has no end of text")
            end = self.model.info["eos"]
        return self._loaded(start, end), "lp"

    def sequence_score(  # type: ignore[override]
        self, batch: Text, reduction: Reduction = _mean, base_two: bool = False, bow_correction: bool = False, prob: bool = False,
        **options: Any,
    ) -> List[Any]:
        """One number for each text: by default the mean log-probability of its tokens."""
        return super().sequence_score(batch, reduction, prob, base_two, bow_correction, **options)

    def _starts_by_itself(self) -> bool:
        """Does the tokenizer put something before a text? Recurrent and n-gram models always begin somewhere."""
        if self.model.kind != "causal":
            return True
        tokens = self.model._tokenized("a", special=True)
        return bool(tokens["special"][0]) and tokens["piece"][0] == self.model.info["start"]

    def _scores_special(self) -> bool:
        return True


class MaskedLMScorer(LMScorer):
    """BERT and its relatives, by pseudo-log-likelihood."""

    def __init__(
        self, model: Union[str, "os.PathLike[str]"], device: Optional[str] = "cpu", tokenizer: Any = None, PLL_metric: str = "original",
        **kwargs: Any,
    ) -> None:
        self.PLL_metric = PLL_metric
        super().__init__(model, device, tokenizer, **kwargs)
        self._how()

    def _check_kind(self) -> None:
        if self.model.kind != "masked":
            raise UsageError(f"'{self._name}' reads from left to right: use IncrementalLMScorer")

    def _how(self, PLL_metric: Optional[str] = None, **unknown: Any) -> Tuple[Model, str]:
        methods = {"original": "pll", "within_word_l2r": "pll-word-l2r"}
        metric = PLL_metric or self.PLL_metric
        for name in unknown:
            raise UsageError(f"there is no option '{name}'")
        if metric not in methods:
            raise UsageError(f"there is no PLL_metric '{metric}'\n  original, within_word_l2r")
        return self.model, methods[metric]

    def _corrected(self, batch: Prepared, bow_correction: bool) -> Prepared:
        if bow_correction:
            raise UsageError("bow_correction is for models that read from left to right\n  PLL_metric='within_word_l2r' looks at whole words")
        return batch

    def compute_stats(  # type: ignore[override]
        self, batch: Prepared, rank: bool = False, base_two: bool = False, prob: bool = False, return_tensors: bool = False,
        bow_correction: bool = False,
    ) -> Any:
        """The scores of every token of every text; with ``rank`` a pair, scores and ranks. (minicons has another order of arguments here.)"""
        return super().compute_stats(batch, rank, prob, base_two, return_tensors, bow_correction)

    def prime_text(  # type: ignore[override]
        self, prefix: Text, stimuli: Text, suffix: Optional[Text] = None, separator: Text = " ", *settings: Any, **options: Any,
    ) -> Prepared:
        """Texts between others, for :meth:`compute_stats`."""
        return self._primed(prefix, stimuli, suffix, separator, self._how(*settings, **options))

    def conditional_score(  # type: ignore[override]
        self, prefix: Text, stimuli: Text, suffix: Union[Text, Reduction, None] = None, separator: Text = " ", reduction: Reduction = _mean,
        prob: bool = False, base_two: bool = False, surprisal: bool = False, **options: Any,
    ) -> List[Any]:
        """The scores of texts between others: what is before and after is read and not scored."""
        suffix, reduction = (None, suffix) if callable(suffix) else (suffix, reduction)
        return self._conditional(self.prime_text(prefix, stimuli, suffix, separator, **options), reduction, prob, base_two, surprisal)

    def token_score(  # type: ignore[override]
        self, batch: Text, surprisal: bool = False, prob: bool = False, base_two: bool = False, rank: bool = False,
        PLL_metric: Optional[str] = None, decode: bool = True,
    ) -> List[List[Tuple[Any, ...]]]:
        """``[(token, score), ...]`` for each text, with ``rank`` ``(token, score, rank)``; tokens as they decode."""
        return super().token_score(batch, surprisal, prob, base_two, rank, decode, PLL_metric=PLL_metric)

    def conditional_word_score_tokenized(self, prefix: Text, stimuli: Text, *arguments: Any, **options: Any) -> Any:
        raise UsageError("minicons has this for models that read from left to right\n  conditional_score(prefix, word, suffix=...) scores one word")
