"""Our hierarchy: inclusions are not refuted, and everything else is refuted by a witness."""

from __future__ import annotations

import pytest
from tests.seeds import generator

from treville.histories import LEVELS, check, find_level, read_history
from treville.histories.hierarchy import (
    WEAKER,
    WITNESSES,
    separating,
    strongest_satisfied,
    weaker_than,
    weakest_violated,
)
from treville.histories.overall import check_all
from treville.results import Budget, Verdict

from . import oracle, shapes

UNTIMED = [name for name, level in LEVELS.items() if not level.needs_times]


def test_every_level_has_its_place() -> None:
    assert set(WEAKER) == set(LEVELS)
    assert all(name not in weaker_than(name) for name in LEVELS)
    assert weaker_than("linearizability") == set(UNTIMED)


@pytest.mark.parametrize(("text", "levels"), WITNESSES)
def test_witnesses_are_allowed_by_exactly_the_levels_they_name(text: str, levels: str) -> None:
    history = read_history(text, "witness")
    allowed = {name for name in UNTIMED if check(history, find_level(name)).verdict is Verdict.PASS}
    assert allowed == set(levels.split())


@pytest.mark.parametrize("text", [text for text, _ in WITNESSES if text.count("(") <= 7])
def test_witnesses_are_confirmed_by_brute_force(text: str) -> None:
    history = read_history(text, "witness")
    threads = tuple(
        tuple(
            ("w" if o.is_write else "r", o.key, o.value)
            for o in history.operations
            if o.process == p and isinstance(o.value, int)
        )
        for p in history.processes()
    )
    assert sum(map(len, threads)) == len(history.operations)
    levels = dict(WITNESSES)[text].split()
    assert {name for name in UNTIMED if oracle.allows(name, threads)} == set(levels)


def test_every_pair_is_either_an_inclusion_or_separated() -> None:
    for first in UNTIMED:
        for second in UNTIMED:
            if first != second:
                included = second in weaker_than(first)
                assert included == (separating(first, second) is None), (first, second)


def test_random_histories_do_not_refute_an_inclusion() -> None:
    random = generator(99)
    for _ in range(60):
        history = shapes.history_of(shapes.random_history(random, 9, 3, 2, 2))
        passing = {n for n in UNTIMED if check(history, find_level(n)).verdict is Verdict.PASS}
        for name in passing:
            assert weaker_than(name) <= passing, (name, history.compact())


def test_the_border_between_satisfied_and_violated() -> None:
    history = read_history("(w,x,1).(w,y,1) || (r,y,1).(r,x,0)", "h")
    levels = [LEVELS[name] for name in UNTIMED]
    verdicts = {a.level.name: a.verdict for a in check_all(history, levels, lambda: Budget(20))}
    assert strongest_satisfied(verdicts) == ["PSO", "GWO"]
    assert weakest_violated(verdicts) == ["TSO", "PC-D", "GAO", "PRAM"]


def test_one_order_is_evidence_for_all_weaker_levels() -> None:
    history = read_history("0,w,x,1,0,1\n1,r,x,1,2,3\n", "h")
    answers = list(check_all(history, LEVELS.values(), lambda: Budget(20)))
    assert all(answer.verdict is Verdict.PASS and answer.execution for answer in answers)
    assert {answer.algorithm for answer in answers[1:]} == {"implied by linearizability"}
