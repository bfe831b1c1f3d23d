"""Eight threads with one model: no crash, the same bits, no memory lost.

    MINPAIR_THREAD_SECONDS=60 python/tests/run.py LIBRARY PROGRAM -k threads
"""

import os
import threading
import time

import pytest

numpy = pytest.importorskip("numpy")
SECONDS = float(os.environ.get("MINPAIR_THREAD_SECONDS", "3"))
TEXTS = ["wort7 wort11", "wort7 wort8 wort9", "wort3 wort4 wort5 wort6", "wort7 wort11"]


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def asked_of(model):
    """One of each thing that can be asked, as bytes."""
    return [
        lambda: model.score(TEXTS, method="pll").tobytes(),
        lambda: model.score(TEXTS, method="pll-word-l2r", norm="mean", context="wort9").tobytes(),
        lambda: numpy.asarray(model._scored(TEXTS, "token", "pll", None, None, False, True)["rank"]).tobytes(),
        lambda: numpy.asarray(model._scored(TEXTS, "word", "ce", None, None, False)["surprisal"]).tobytes(),
        lambda: numpy.concatenate(model.states(TEXTS, layer=1)).tobytes(),
        lambda: repr(list(model._tokenized(TEXTS, True)["piece"])).encode(),
    ]


def test_eight_threads_with_one_model(bert):
    questions = asked_of(bert)
    expected = [ask() for ask in questions]
    wrong, calls, end = [], [0] * 8, time.monotonic() + SECONDS

    def work(own):
        try:
            while time.monotonic() < end:
                which = (own + calls[own]) % len(questions)
                if questions[which]() != expected[which]:
                    wrong.append(f"thread {own}, call {calls[own]}: other bits from question {which}")
                    return
                calls[own] += 1
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    memory = []
    while any(t.is_alive() for t in threads):
        memory.append(resident())
        time.sleep(SECONDS / 300)
    for t in threads:
        t.join()
    assert not wrong, wrong
    assert min(calls) > len(questions), calls
    # Once every thread has its own pieces of the heap, nothing is added.
    third = len(memory) // 3
    middle, last = max(memory[third:2 * third]), max(memory[2 * third:])
    print(f"{sum(calls)} calls in {SECONDS:g} s; resident {middle >> 10} KiB, then {last >> 10} KiB")
    assert last - middle < 512 << 10, f"{sum(calls)} calls: {middle} bytes became {last}"
