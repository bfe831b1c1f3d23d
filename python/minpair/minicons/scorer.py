"""``MaskedLMScorer`` and ``IncrementalLMScorer`` with minicons's methods, arguments and shapes, computed by minpair.

What is the same: natural logarithms unless ``base_two``; the mean over tokens unless ``reduction`` says otherwise; special tokens of masked
models are read and not scored; ``PLL_metric`` is ``original`` or ``within_word_l2r``; the first token of a causal model has the score
0.0 in ``token_score`` and is in no sum unless ``bos_token=True``.

What differs:

- Scores are numpy arrays, not torch tensors. ``x.mean(0).item()``, ``x.sum(0).item()``, ``x.exp()`` work on both.
- ``device`` is taken and ignored: everything runs on the processor. ``tokenizer`` must be absent: the model's own is used.
- ``prepare_text`` and ``prime_text`` give something that only ``compute_stats`` of the same scorer understands.
- ``word_score_tokenized`` assigns tokens to words by their characters. minicons counts tokens, which shifts scores by one without
  ``bos_token=True``.
- ``bow_correction`` is minpair's method ``lp-by-words`` (Pimentel & Meister 2024; Oh & Schuler 2024).
- What stands before the first token is the model's own, as its tokenizer and configuration say; with ``bos_token=False`` nothing does,
  unless the tokenizer puts it there by itself. Each combination loads the model once.
- ``rank=True`` is refused, and so are chat templates, ``cloze``, ``distribution`` and models of other kinds.
"""

from __future__ import annotations

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
    separator: str
    model: Model
    method: str


class _Token(NamedTuple):
    piece: str
    begin: int
    end: int
    score: float


def _list(text: Text) -> List[str]:
    return [text] if isinstance(text, str) else list(text)


def _mean(scores: Any) -> Any:
    return scores.mean(0).item()


class LMScorer:
    """What both scorers share."""

    def __init__(self, model: str, device: Optional[str] = "cpu", tokenizer: Any = None, **kwargs: Any) -> None:
        if tokenizer is not None:
            raise UsageError("the tokenizer is the model's own; it cannot be given")
        self.device = device
        self._name = model
        self._models: Dict[Tuple[str, str], Model] = {}
        self.model = self._loaded()
        self._check_kind()

    def _check_kind(self) -> None:
        raise NotImplementedError

    def _loaded(self, start: str = "auto", end: str = "auto") -> Model:
        if (start, end) not in self._models:
            self._models[start, end] = load(self._name, start=start, end=end)
        return self._models[start, end]

    # --- what is scored ---

    def _prepared(self, texts: Text, contexts: Optional[Text], separator: str, **options: Any) -> Prepared:
        raise NotImplementedError

    def prepare_text(self, text: Text, **options: Any) -> Prepared:
        """Texts for :meth:`compute_stats`."""
        return self._prepared(text, None, " ", **options)

    def prime_text(self, preamble: Text, stimuli: Text, separator: str = " ", **options: Any) -> Prepared:
        """Texts that follow others, for :meth:`compute_stats`."""
        return self._prepared(stimuli, preamble, separator, **options)

    def _tokens(self, prepared: Prepared) -> List[List[_Token]]:
        table: Table = prepared.model._scored(
            prepared.texts, "token", prepared.method, None, prepared.contexts, prepared.separator, None)
        found: List[List[_Token]] = [[] for _ in prepared.texts]
        columns = [table[name] for name in ("text", "piece", "begin", "end", "special", "logprob")]
        for number, piece, begin, end, special, logprob in zip(*columns):
            if not special or self._scores_special(prepared):
                found[number].append(_Token(piece, int(begin), int(end), float(logprob)))
        return found

    def _scores_special(self, prepared: Prepared) -> bool:
        return False

    # --- minicons's methods ---

    def compute_stats(
        self, batch: Prepared, rank: bool = False, prob: bool = False, base_two: bool = False, return_tensors: bool = False,
        bow_correction: bool = False,
    ) -> Any:
        """The scores of every token of every text."""
        if rank:
            raise UsageError("ranks are not there yet")
        if base_two and prob:
            raise UsageError("a probability has no base: base_two and prob exclude each other")
        if bow_correction:
            batch = batch._replace(method="lp-by-words")
        scores = [self._converted(tokens, prob, base_two) for tokens in self._tokens(batch)]
        if return_tensors:
            return scores
        return [s.tolist() for s in scores]

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

    def conditional_score(
        self, prefix: Text, stimuli: Text, reduction: Reduction = _mean, separator: str = " ", prob: bool = False,
        base_two: bool = False, surprisal: bool = False, bow_correction: bool = False, **options: Any,
    ) -> List[Any]:
        """The same for texts that follow others: what is before is read and not scored."""
        prepared = self.prime_text(prefix, stimuli, separator, **options)
        scores = self.compute_stats(prepared, prob=prob, base_two=base_two, bow_correction=bow_correction, return_tensors=True)
        return [reduction(-s if surprisal else s) for s in scores]

    def partial_score(self, preamble: Text, stimuli: Text, reduction: Reduction = _mean, **options: Any) -> List[Any]:
        """An older name of :meth:`conditional_score`."""
        warnings.warn("partial_score is deprecated, use conditional_score instead", DeprecationWarning, stacklevel=2)
        return self.conditional_score(preamble, stimuli, reduction, **options)

    def token_score(
        self, batch: Text, surprisal: bool = False, prob: bool = False, base_two: bool = False, rank: bool = False,
        decode: bool = False, bow_correction: bool = False, **options: Any,
    ) -> List[List[Tuple[str, float]]]:
        """``[(token, score), ...]`` for each text; tokens that are read and not scored have 0.0."""
        _exclude(surprisal, prob)
        prepared = self.prepare_text(batch, **options)
        scores = self.compute_stats(prepared, rank, prob, base_two, bow_correction=bow_correction)
        names = self._names(prepared, decode)
        result = []
        for tokens, values in zip(names, scores):
            padded = [0.0] * (len(tokens) - len(values)) + [-v if surprisal else v for v in values]
            result.append(list(zip(tokens, padded)))
        return result

    def _names(self, prepared: Prepared, decode: bool) -> List[List[str]]:
        special = self._scores_special(prepared)
        tokens = prepared.model._tokenized(prepared.texts, special=False)
        names: List[List[str]] = [[] for _ in prepared.texts]
        columns = [tokens[name] for name in ("text", "piece", "begin", "end")]
        for number, piece, begin, end in zip(*columns):
            names[number].append(prepared.texts[number][begin:end].strip() if decode else piece)
        for of_text in names if special else []:
            of_text[:0] = [prepared.model.info["start"]] if prepared.model.info["start"] else []
            of_text += [prepared.model.info["end"]] if prepared.model.info["end"] else []
        return names

    def word_score_tokenized(
        self, batch: Text, tokenize_function: Callable[[str], List[str]], bow_correction: bool = False, surprisal: bool = False,
        prob: bool = False, base_two: bool = False, return_tensors: bool = False, **options: Any,
    ) -> List[List[Tuple[str, Any]]]:
        """``[(word, score), ...]`` for each text, in the words of ``tokenize_function``: the sum over each word's tokens."""
        _exclude(surprisal, prob)
        prepared = self.prepare_text(batch, **options)
        if bow_correction:
            prepared = prepared._replace(method="lp-by-words")
        result = []
        for text, tokens in zip(prepared.texts, self._tokens(prepared)):
            words = []
            for word, begin, end in _places(text, tokenize_function(text)):
                own = [t for t in tokens if begin <= t.begin < end]
                scores = self._converted(own, prob, base_two)
                total = scores.prod() if prob else scores.sum()
                words.append((word, -total if surprisal else total))
            result.append([(w, s if return_tensors else float(s)) for w, s in words])
        return result


def _exclude(surprisal: bool, prob: bool) -> None:
    if surprisal and prob:
        raise UsageError("surprisal and prob exclude each other")


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

    def _prepared(
        self, texts: Text, contexts: Optional[Text], separator: str, bos_token: bool = False, eos_token: bool = False,
        **unknown: Any,
    ) -> Prepared:
        if unknown:
            raise UsageError(f"there is no option '{next(iter(unknown))}'")
        start = "auto" if bos_token or self._starts_by_itself() else "none"
        end = "none"
        if eos_token:
            if not self.model.info["eos"]:
                raise UsageError("the model has no end of text")
            end = self.model.info["eos"]
        model = self._loaded(start, end)
        return Prepared(_list(texts), None if contexts is None else _list(contexts), separator, model, "lp")

    def _starts_by_itself(self) -> bool:
        """Does the tokenizer put something before a text? Recurrent and n-gram models always begin somewhere."""
        if self.model.kind != "causal":
            return True
        tokens = self.model._tokenized("a", special=True)
        return bool(tokens["special"][0]) and tokens["piece"][0] == self.model.info["start"]

    def _scores_special(self, prepared: Prepared) -> bool:
        return True


class MaskedLMScorer(LMScorer):
    """BERT and its relatives, by pseudo-log-likelihood."""

    def _check_kind(self) -> None:
        if self.model.kind != "masked":
            raise UsageError(f"'{self._name}' reads from left to right: use IncrementalLMScorer")

    def _prepared(
        self, texts: Text, contexts: Optional[Text], separator: str, PLL_metric: str = "original", **unknown: Any,
    ) -> Prepared:
        methods = {"original": "pll", "within_word_l2r": "pll-word-l2r"}
        if unknown:
            raise UsageError(f"there is no option '{next(iter(unknown))}'")
        if PLL_metric not in methods:
            raise UsageError(f"there is no PLL_metric '{PLL_metric}'\n  original, within_word_l2r")
        return Prepared(_list(texts), None if contexts is None else _list(contexts), separator, self.model, methods[PLL_metric])
