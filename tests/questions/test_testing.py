"""Recorded accesses against cat models: the same verdicts as machines, and evidence that names operations."""

from __future__ import annotations

from itertools import product

import pytest

from treville.models.library import load_model
from treville.questions.testing import Access, RecordedAnswer, recorded_program, run_test
from treville.results import Budget, BudgetExceeded

Threads = tuple[tuple[tuple[str, str, int], ...], ...]  # reads or writes, locations, values
Written = tuple[tuple[str, int], ...]
State = tuple[tuple[int, ...], Written, tuple[Written, ...]]  # positions, memory, buffers
EVENTS = [(kind, x, v) for kind in "rw" for x in "xy" for v in (0, 1) if kind == "r" or v]


def answer_for(threads: Threads, model: str, limit: float = 60) -> RecordedAnswer:
    accesses = [[Access(kind == "w", x, v) for kind, x, v in thread] for thread in threads]
    loaded = load_model(model)
    return run_test(recorded_program("t", accesses, {"x": 0, "y": 0}, loaded), loaded, Budget(limit))


def machine_allows(threads: Threads, buffered: bool) -> bool:
    """A search through interleavings, with a store buffer for each thread or none."""
    stack: list[State] = [(tuple(0 for _ in threads), (), tuple(() for _ in threads))]
    seen = set(stack)
    while stack:
        pointers, memory, buffers = stack.pop()
        if all(at == len(thread) for at, thread in zip(pointers, threads, strict=True)):
            return True
        for t, thread in enumerate(threads):
            following: list[State] = []
            if buffers[t]:
                (x, v), rest = buffers[t][0], buffers[t][1:]
                written = tuple(sorted({**dict(memory), x: v}.items()))
                following.append((pointers, written, (*buffers[:t], rest, *buffers[t + 1 :])))
            if pointers[t] < len(thread):
                kind, x, v = thread[pointers[t]]
                moved = (*pointers[:t], pointers[t] + 1, *pointers[t + 1 :])
                own = [value for y, value in buffers[t] if y == x]
                if kind == "w" and buffered:
                    queue = (*buffers[t], (x, v))
                    following.append((moved, memory, (*buffers[:t], queue, *buffers[t + 1 :])))
                elif kind == "w":
                    following.append((moved, tuple(sorted({**dict(memory), x: v}.items())), buffers))
                elif (own[-1] if own else dict(memory).get(x, 0)) == v:
                    following.append((moved, memory, buffers))
            for state in following:
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
    return False


def test_sc_and_tso_equal_their_machines_on_two_threads_of_two_accesses() -> None:
    threads = list(product(EVENTS, repeat=2))
    verdicts = set()
    for number, pair in enumerate(product(threads, repeat=2)):
        if number % 17:
            continue
        for model, buffered in (("sc", False), ("tso", True)):
            expected = machine_allows(pair, buffered)
            verdicts.add((model, expected))
            assert answer_for(pair, model).succeeds == expected, (model, pair)
    assert len(verdicts) == 4


def test_evidence_says_where_values_came_from() -> None:
    answer = answer_for(((("w", "x", 1), ("r", "y", 0)), (("r", "x", 1),)), "tso")
    assert answer.succeeds
    assert answer.sources == {(0, 1): None, (1, 0): (0, 0)}


@pytest.mark.parametrize("model", ["sc", "tso", "power", "aarch64", "riscv", "rc11", "lkmm"])
def test_store_buffering_separates_sc_from_every_weaker_model(model: str) -> None:
    store_buffering = ((("w", "x", 1), ("r", "y", 0)), (("w", "y", 1), ("r", "x", 0)))
    assert answer_for(store_buffering, model).succeeds == (model != "sc")


def test_an_optional_write_may_be_left_out() -> None:
    model = load_model("sc")
    for value in (0, 1):
        threads = [[Access(True, "x", 1, optional=True), Access(False, "x", value)]]
        assert run_test(recorded_program("t", threads, {"x": 0}, model), model, Budget(20)).succeeds


def test_a_long_history_goes_to_the_symbolic_engine() -> None:
    thread = tuple(("w", "xy"[i % 2], 1) for i in range(40))
    readers = tuple((("r", "x", 1), ("r", "y", 1)) for _ in range(15))
    answer = answer_for((thread, *readers), "tso")
    assert answer == RecordedAnswer(True, "symbolic")


def test_a_used_up_budget_is_reported() -> None:
    thread = tuple(("w", "xy"[i % 2], 1) for i in range(300))
    with pytest.raises(BudgetExceeded):
        answer_for((thread, thread, thread), "sc", 0.01)
