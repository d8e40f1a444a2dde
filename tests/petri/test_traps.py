"""Traps and their conjunction with oriented half spaces."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from tests.petri.nets import petri_problems, reachable

from treville.petri.answers import FiringSequence, Invariant
from treville.petri.checking import check
from treville.petri.decide import answer
from treville.petri.net import Net, Problem
from treville.petri.oriented import Separator
from treville.petri.spec import parse
from treville.petri.traps import greatest_trap, traps
from treville.results.budget import Budget
from treville.results.verdict import Verdict

# Two processes that take both locks in one step; no linear invariant alone separates their meeting.
BOTH = """vars free a b x y
rules
  free >= 1, a >= 1, b >= 1 -> free' = free - 1, b' = b - 1, x' = x + 1;
  free >= 1, a >= 1, b >= 1 -> free' = free - 1, a' = a - 1, y' = y + 1;
  x >= 1 -> free' = free + 1, b' = b + 1, x' = x - 1;
  y >= 1 -> free' = free + 1, a' = a + 1, y' = y - 1;
init free >= 1, a = 1, b = 1, x = 0, y = 0
target x >= 1, y >= 1
"""


def is_trap(net: Net, places: set[int]) -> bool:
    for transition in net.transitions:
        takes = any(transition.low(p) for p in places)
        gives = any(transition.low(p) + transition.delta.get(p, 0) for p in places)
        if takes and not gives:
            return False
    return True


@settings(max_examples=200, deadline=None)
@given(petri_problems())
def test_the_greatest_trap_is_the_union_of_all_traps(problem: Problem) -> None:
    net = problem.net
    everything = set(range(len(net.places)))
    found = greatest_trap(net, everything)
    union: set[int] = set()
    for size in range(1, len(everything) + 1):
        for chosen in combinations(sorted(everything), size):
            if is_trap(net, set(chosen)):
                union |= set(chosen)
    assert found == union


def test_a_trap_and_a_half_space_add_up_to_a_proof() -> None:
    problem = parse(BOTH, "both.spec")
    assert Separator(problem, Budget()).separate(problem.targets[0]) is None
    result = answer(problem, "traps", Budget(10))
    assert result.verdict is Verdict.PASS
    assert isinstance(result.evidence, Invariant)
    assert len(result.evidence.combinations[0].multipliers) == 2


@settings(max_examples=200, deadline=None)
@given(petri_problems(closed=None))
def test_proofs_with_traps_are_right(problem: Problem) -> None:
    method = traps(problem, Separator(problem, Budget()), Budget())
    try:
        while True:
            next(method)
    except StopIteration as stop:
        finding = stop.value
    assert not isinstance(finding.evidence, FiringSequence)
    if finding.evidence is not None:
        assert check(problem, finding.evidence) is None
        for marking in reachable(problem.net, problem.initial.low, 300) or ():
            assert not any(target.contains(marking) for target in problem.targets)
