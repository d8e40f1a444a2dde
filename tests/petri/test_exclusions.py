"""Places that exclude each other: survivors hold on every reachable marking."""

from __future__ import annotations

from hypothesis import given, settings
from tests.petri.nets import any_problems, petri_problems, reachable

from treville.petri.backward import _Predecessors, _Pruner
from treville.petri.exclusions import Exclusions, find_exclusions
from treville.petri.net import Problem
from treville.petri.oriented import Separator
from treville.petri.packing import Packing
from treville.petri.spec import parse
from treville.results.budget import Budget


def survivors(problem: Problem, size: int) -> Exclusions:
    packing = Packing(len(problem.net.places), 8)
    pruner = _Pruner(packing, Separator(problem, Budget()))
    search = find_exclusions(problem, packing, _Predecessors(problem.net, packing).of, pruner.known, size)
    while True:
        try:
            next(search)
        except StopIteration as stop:
            found: Exclusions = stop.value
            return found


def hold(problem: Problem, size: int) -> None:
    found = survivors(problem, size)
    for marking in reachable(problem.net, problem.initial.low, 200) or ():
        for packed in found.reasons:
            low = found.packing.unpack(packed)
            assert not all(a <= m for a, m in zip(low, marking, strict=True))


@settings(max_examples=150, deadline=None)
@given(petri_problems())
def test_exclusions_of_petri_nets_hold(problem: Problem) -> None:
    hold(problem, 3)


@settings(max_examples=150, deadline=None)
@given(any_problems(upper=False))
def test_exclusions_of_transfers_hold(problem: Problem) -> None:
    hold(problem, 2)


def test_two_flags_moved_by_transfers_exclude_each_other() -> None:
    text = """vars a not_a b not_b
    rules a >= 1 -> a' = a - 1, not_a' = not_a + 1, b' = b + not_b, not_b' = 0;
          b >= 1 -> b' = b - 1, not_b' = not_b + 1, a' = a + not_a, not_a' = 0;
    init a = 1, not_a = 0, b = 0, not_b = 1
    target not_a >= 1, not_b >= 1"""
    problem = parse(text, "flags")
    found = survivors(problem, 2)
    names = {frozenset(problem.net.places[p] for p in found.packing.support(v)) for v in found.reasons}
    assert frozenset({"not_a", "not_b"}) in names
    assert frozenset({"a", "not_b"}) not in names
