"""Random systems of the whole language: verdicts and runs against an independent interpreter."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tests.parameterised.random_protocols import random_protocol
from tests.parameterised.reference import Reference

from treville.parameterised import decide
from treville.parameterised.decide import Answer
from treville.parameterised.language.resolve import read_system
from treville.results import Budget, Verdict

_MOST_STATES = 1500
_MOST_STARTS = 20_000
# Few cubes before the first guess, so that guesses are used for small systems too.
_NODES_BEFORE_GUESSES = (150, 3, 0)


def _answer(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Answer]:
    monkeypatch.setattr(decide, "_NODES_BEFORE_GUESSES", _NODES_BEFORE_GUESSES[seed % 3])
    text = random_protocol(seed)
    system = read_system(text, f"seed {seed}")
    return text, decide.decide(system, Budget(1), approximate=seed % 5 != 0, reduce=seed % 7 != 0)


def _instances(text: str) -> list[Reference]:
    """Instances whose initial states can be listed."""
    made = [Reference(text, count) for count in (1, 2, 3)]
    return [i for i in made if i.starts() <= _MOST_STARTS and len(i.init.parameters) <= i.processes]


@pytest.mark.parametrize("block", range(6))
def test_verdicts_agree_with_small_instances(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: Counter[str] = Counter()
    for seed in range(20 * block, 20 * block + 20):
        text, answer = _answer(seed, monkeypatch)
        counted[answer.verdict.name] += 1
        if answer.verdict is Verdict.FAIL:
            _check_run(text, answer)
        else:
            for instance in _instances(text):
                unsafe = instance.explore(_MOST_STATES)
                assert not (unsafe and answer.verdict is Verdict.PASS), (seed, instance.processes)
    assert counted["PASS"], counted
    assert counted["FAIL"], counted


def _check_run(text: str, answer: Answer) -> None:
    """The run starts in an initial state, makes the steps of the file and ends unsafe."""
    assert answer.machine is not None
    assert answer.run is not None
    instance = Reference(text, answer.machine.processes, lowest=-(10**9), highest=10**9)
    way = [_state(instance, answer.machine, step.state[0]) for step in answer.run]
    assert instance.starts_with(way[0])
    for before, after in pairwise(way):
        assert after in set(instance.after(before))
    assert instance.unsafe(way[-1])


def _state(instance: Reference, machine: Any, values: Any) -> Any:
    held = {(t[1], t[2] if t[0] == "a" else ()): values[slot] for t, slot in machine.slots.items()}
    return tuple((cell, held[cell]) for cell in instance.cells())
