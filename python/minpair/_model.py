"""Models: loading, scoring, looking inside."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _arrow
from ._library import LoadOptions, ProgressCall, ScoreOptions, UsageError, Work, check, library, text, texts, whole
from ._table import Table, frame

Texts = Union[str, Sequence[str]]
Progress = Union[bool, None, ProgressCall]


def _several(values: Texts) -> List[str]:
    return [values] if isinstance(values, str) else list(values)


def _contexts(context: Optional[Texts], count: int) -> Any:
    """One for each text, or none."""
    if context is None:
        return None
    all_contexts = [context] * count if isinstance(context, str) else _several(context)
    if len(all_contexts) != count:
        raise UsageError(f"texts ({count}) and contexts ({len(all_contexts)}) differ in number")
    return texts(all_contexts)


class Model:
    """A language model: masked, causal, recurrent or n-gram. :func:`minpair.load` makes one.

    Several threads may use one model; their calls take turns. Other Python threads run meanwhile. A process that is made with ``fork`` must
    load its own: ``multiprocessing.get_context("spawn")``, or ``load`` in the worker.
    """

    def __init__(self, name: Union[str, "os.PathLike[str]"], options: LoadOptions) -> None:
        handle = ctypes.c_void_p()
        check(library.minpair_load(text(name), ctypes.byref(options), ctypes.byref(handle)))
        self._handle: Optional[ctypes.c_void_p] = handle
        table = Table(lambda out: library.minpair_about(handle, out))
        #: What is known about the model: name, kind, architecture, layers, hidden, heads, vocabulary, max_tokens, parameters,
        #: precision, fingerprint, mask, eos, start, start_from, end, method (the default), notes.
        self.info: Dict[str, Any] = next(iter(table))

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and library is not None:
            library.minpair_free_model(handle)

    def __repr__(self) -> str:
        return f"<minpair.Model {self.info['name']}: {self.info['kind']}, {self.info['architecture']}>"

    @property
    def name(self) -> str:
        """The name under which it was loaded."""
        return str(self.info["name"])

    @property
    def kind(self) -> str:
        """masked, causal, recurrent or ngram."""
        return str(self.info["kind"])

    def _scored(
        self, values: Texts, level: str, method: Optional[str], norm: Optional[str], context: Optional[Texts],
        progress: Progress, rank: bool = False,
    ) -> Table:
        all_texts = _several(values)
        with Work(progress, self.name) as work:
            options = ScoreOptions(
                method=text(method), norm=text(norm), level=text(level), progress=work.call,
                contexts=_contexts(context, len(all_texts)), ranks=int(rank))
            table = Table(lambda out: library.minpair_score(self._handle, texts(all_texts), len(all_texts), ctypes.byref(options), out))
        return table

    def score(
        self, texts: Texts, method: Optional[str] = None, norm: Optional[str] = None, context: Optional[Texts] = None,
        progress: Progress = None,
    ) -> Any:
        """The score of each text: natural log-probability under ``method``, normalised by ``norm``.

        >>> m.score(["Der Autor lacht.", "Der Autor lachen."], method="pll-word-l2r")
        array([-21.4, -24.9])

        ``method``: one of ``minpair.methods()``; by default the model's own (``m.info["method"]``). ``norm``: ``sum``, ``mean``, ``word``,
        ``char``, ``byte``, each also with ``-no-special``; by default the method's own. ``context``: text that is read before each text and not
        scored, one for all or one for each; a space goes in between unless there is white space or the script has none. Texts that cannot be
        scored (too long for the model, without a word that it knows) are NaN.

        Pass all texts at once: equal texts and shared prefixes are then computed once, in batches.
        """
        return self._scored(texts, "text", method, norm, context, progress)["score"]

    def tokens(
        self, texts: Texts, method: Optional[str] = None, context: Optional[Texts] = None,
        progress: Progress = None, rank: bool = False,
    ) -> Any:
        """Every scored token: text (its number), token, token_id, piece, begin, end (characters of the text), special, begins_word,
        logprob (natural), surprisal (bits); with ``rank`` also its rank among all tokens that could stand there, 1 for the best. A data
        frame, or a :class:`Table` if pandas is not installed."""
        return frame(self._scored(texts, "token", method, None, context, progress, rank))

    def words(
        self, texts: Texts, method: Optional[str] = None, context: Optional[Texts] = None,
        progress: Progress = None,
    ) -> Any:
        """Every word: text (its number), word, form, begin, end, special, tokens, logprob, surprisal. Words are the
        tokenizer's; with ``method="lp-by-words"`` (causal models) the probability of a word includes that it ends there, which ``method="lp"``
        has in one more column, surprisal_complete."""
        return frame(self._scored(texts, "word", method, None, context, progress))

    def tokenize(self, values: Texts, special: bool = True) -> Any:
        """How the model tokenizes texts, without scoring them: text, token, token_id, piece, begin, end, special, begins_word."""
        return frame(self._tokenized(values, special))

    def _tokenized(self, values: Texts, special: bool) -> Table:
        all_texts = _several(values)
        return Table(lambda out: library.minpair_tokenize(self._handle, texts(all_texts), len(all_texts), int(special), out))

    def predict(self, values: Texts, best: int = 10, context: Optional[Texts] = None, progress: Progress = None) -> Any:
        """The ``best`` pieces at every [MASK], after a ``context`` if there is one; models that read from left to right continue what stands
        before the first [MASK], or the whole text: text, gap, rank, token_id, piece, logprob."""
        all_texts = _several(values)
        contexts = _contexts(context, len(all_texts))
        count = whole(best, "best", 1, 2**32 - 1)
        with Work(progress, self.name) as work:
            table = Table(lambda out: library.minpair_predict(
                self._handle, texts(all_texts), contexts, len(all_texts), count, work.call, None, out))
        return frame(table)

    def states(self, values: Texts, layer: int = -1, progress: Progress = None) -> Any:
        """The hidden states of ``layer`` for every token: an array (tokens × width) for one text, a list of arrays for several.

        Layer 0 is the embeddings, n the output of the n-th layer, -1 the last layer. For masked models, tokens are those of
        :meth:`tokenize`; for others the start token comes first, if the model has one.
        """
        all_texts = _several(values)
        chosen = whole(layer, "layer", -(2**31), 2**31 - 1)
        with Work(progress, self.name) as work:
            table = Table(lambda out: library.minpair_states(
                self._handle, texts(all_texts), len(all_texts), chosen, work.call, None, out))
        numbers, values_of = table["text"], table["state"]
        found = [values_of[numbers == i] if _arrow.numpy is not None else [s for n, s in zip(numbers, values_of) if n == i]
                 for i in range(len(all_texts))]
        return found[0] if isinstance(values, str) else found


def load(
    name: Union[str, "os.PathLike[str]"], threads: int = 0, precision: str = "fp32",
    vocabulary: Union[str, "os.PathLike[str]", None] = None, start: str = "auto", end: str = "auto",
    read_as: str = "auto",
) -> Model:
    """Loads a model: a folder, a ``.gguf`` file, an id in the Hugging Face cache (``minpair pull`` fetches one), a recurrent model in a
    ``.pt`` file with its ``vocabulary``, an ARPA file, or the name of a shipped one.

    ``threads``: 0 for all. ``precision``: ``fp32`` (the same bits everywhere), ``fast``, ``bf16``, ``auto``. ``start``, ``end``: for
    models that read from left to right, what stands before the first token and what is scored after the last: a token, ``none``, or
    ``auto``. ``read_as``: ``masked`` or ``causal``, for a checkpoint that was trained as both (GPT-BERT); ``auto``: as its files say.
    """
    return Model(name, LoadOptions(threads=whole(threads, "threads", 0, 1024), precision=text(precision), vocabulary=text(vocabulary),
                                   start=text(start), end=text(end), read_as=text(read_as)))
