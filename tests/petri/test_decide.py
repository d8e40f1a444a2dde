"""The methods against explicit exploration, and against each other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.petri.nets import (
    any_problems,
    any_transitions,
    box_of_markings,
    boxes,
    finding,
    petri_problems,
    reachable,
)

from treville.petri.answers import Finding, FiringSequence
from treville.petri.backward import backward
from treville.petri.boxes import backward_boxes, preimages
from treville.petri.checking import check
from treville.petri.decide import METHODS, answer
from treville.petri.forward import forward
from treville.petri.guided import guided
from treville.petri.net import UNBOUNDED, Box, Interval, Net, Problem, Transition, Update
from treville.petri.oriented import Separator
from treville.petri.spec import parse
from treville.results.budget import Budget
from treville.results.verdict import Verdict

PROVING = [m for m in METHODS if m != "guided"]


def truth(problem: Problem, most: int = 3000) -> bool | None:
    """Whether a target is reachable, by exploration; None when there are too many markings."""
    markings = reachable(problem.net, problem.initial.low, most)
    if markings is None:
        return None
    return any(target.contains(m) for m in markings for target in problem.targets)


def agrees(problem: Problem, result: Finding | None, expected: bool | None) -> None:
    if result is None or result.evidence is None:
        return
    assert check(problem, result.evidence) is None
    if expected is not None:
        assert isinstance(result.evidence, FiringSequence) == expected


@settings(max_examples=200, deadline=None)
@given(petri_problems())
def test_coverability_of_petri_nets_equals_exploration(problem: Problem) -> None:
    expected = truth(problem)
    result = finding(backward(problem, Separator(problem, Budget())), 5000)
    assert result is not None, "backward search of a small net must end"
    agrees(problem, result, expected)
    agrees(problem, finding(forward(problem, Budget()), 500), expected)
    agrees(problem, finding(backward_boxes(problem, Separator(problem, Budget())), 2000), expected)


@settings(max_examples=150, deadline=None)
@given(petri_problems(closed=True, parametric=True))
def test_parametric_initial_sets_give_one_verdict(problem: Problem) -> None:
    result = finding(backward(problem, Separator(problem, Budget())), 5000)
    assert result is not None
    assert result.evidence is not None
    assert check(problem, result.evidence) is None
    unsafe = isinstance(result.evidence, FiringSequence)
    agrees(problem, finding(forward(problem, Budget()), 500), unsafe)
    agrees(problem, finding(guided(problem, Budget()), 300), unsafe)


@settings(max_examples=150, deadline=None)
@given(petri_problems(closed=None))
def test_reachability_of_petri_nets_equals_exploration(problem: Problem) -> None:
    expected = truth(problem)
    agrees(problem, finding(backward_boxes(problem, Separator(problem, Budget())), 1500), expected)
    agrees(problem, finding(forward(problem, Budget()), 3500), expected)
    agrees(problem, finding(guided(problem, Budget()), 300), expected)


@settings(max_examples=100, deadline=None)
@given(any_problems(upper=False))
def test_transfers_and_resets_equal_exploration(problem: Problem) -> None:
    expected = truth(problem)
    result = finding(backward(problem, Separator(problem, Budget())), 3000)
    agrees(problem, result, expected)
    agrees(problem, finding(backward_boxes(problem, Separator(problem, Budget())), 1500), expected)
    agrees(problem, finding(forward(problem, Budget()), 200), expected)


@settings(max_examples=200, deadline=None)
@given(any_problems(upper=True))
def test_zero_tests_equal_exploration(problem: Problem) -> None:
    expected = truth(problem)
    agrees(problem, finding(backward_boxes(problem, Separator(problem, Budget())), 1500), expected)
    agrees(problem, finding(forward(problem, Budget()), 1500), expected)


@settings(max_examples=200, deadline=None)
@given(any_transitions(3, upper=True), boxes(3))
def test_preimages_are_exact(transition: Transition, box: Box) -> None:
    pieces = list(preimages(transition, box))
    for marking in box_of_markings(3, 5):
        inside = transition.enabled(marking) and box.contains(transition.fire(marking))
        assert any(piece.contains(marking) for piece in pieces) == inside


@settings(max_examples=60, deadline=None)
@given(petri_problems(closed=None))
def test_auto_agrees_with_exploration(problem: Problem) -> None:
    expected = truth(problem)
    result = answer(problem, "auto", Budget(1.0))
    if expected is not None and result.verdict is not Verdict.UNKNOWN:
        assert (result.verdict is Verdict.FAIL) == expected


MUTEX = """vars idle wait busy lock
rules
  idle >= 1 -> idle' = idle - 1, wait' = wait + 1;
  wait >= 1, lock >= 1 -> wait' = wait - 1, lock' = lock - 1, busy' = busy + 1;
  busy >= 1 -> busy' = busy - 1, idle' = idle + 1, lock' = lock + 1;
init idle >= 1, wait = 0, busy = 0, lock = {locks}
target busy >= 2
"""


@pytest.mark.parametrize("method", PROVING)
def test_mutual_exclusion_of_any_number_of_processes(method: str) -> None:
    assert answer(parse(MUTEX.format(locks=1), "f"), method, Budget(20)).verdict is Verdict.PASS


@pytest.mark.parametrize("method", ["auto", "backward", "forward", "guided"])
def test_two_locks_break_mutual_exclusion(method: str) -> None:
    result = answer(parse(MUTEX.format(locks=2), "f"), method, Budget(20))
    assert result.verdict is Verdict.FAIL
    assert isinstance(result.evidence, FiringSequence)
    assert result.evidence.initial[0] >= 2, "one process alone cannot be twice in the critical section"


def test_an_initial_target_is_reached_without_a_step() -> None:
    problem = parse("vars x rules init x >= 1 target x >= 5", "f")
    for method in ("auto", "backward", "forward", "guided"):
        result = answer(problem, method, Budget(5))
        assert isinstance(result.evidence, FiringSequence)
        assert result.evidence.steps == ()


def test_a_used_up_budget_is_unknown_with_advice() -> None:
    problem = parse("vars x y rules true -> x' = x + 1; init x = 0, y = 0 target x = 3, y = 1", "f")
    result = answer(problem, "forward", Budget(0.2))
    assert result.verdict is Verdict.UNKNOWN
    assert "--timeout" in result.advice


def test_every_target_line_counts() -> None:
    """The first line alone is unreachable; the original tool looked no further."""
    text = MUTEX.format(locks=1) + "  wait >= 3\n"
    assert answer(parse(text, "f")).verdict is Verdict.FAIL


def test_exclusive_places_prune_the_backward_search() -> None:
    """A ring of flags of which one is raised, moved by transfers that no linear invariant follows."""
    size = 9
    rules = []
    for i in range(size):
        j = (i + 1) % size
        moved = f"up{j}' = up{j} + down{j} + 0, down{j}' = 0"
        rules.append(f"go >= 1, up{i} >= 1 -> up{i}' = up{i} - 1, down{i}' = down{i} + 1, {moved};")
    init = ", ".join(f"up{i} = {int(i == 0)}, down{i} = {int(i != 0)}" for i in range(size))
    names = " ".join(f"up{i} down{i}" for i in range(size))
    target = ", ".join(f"down{i} >= 1" for i in range(size))
    text = f"vars go {names} rules {' '.join(rules)} init go >= 1, {init} target {target}"
    problem = parse(text, "ring.spec")
    result = answer(problem, "backward", Budget(30))
    assert result.verdict is Verdict.PASS


def test_a_long_way_is_found_along_the_state_equation() -> None:
    """Every philosopher takes the left fork: breadth-first search would see exponentially many markings."""
    size = 40
    rules = []
    for i in range(size):
        j = (i + 1) % size
        rules.append(f"a{i} >= 1, f{i} >= 1 -> a{i}' = a{i} - 1, f{i}' = f{i} - 1, l{i}' = l{i} + 1;")
        rules.append(f"l{i} >= 1, f{j} >= 1 -> l{i}' = l{i} - 1, f{j}' = f{j} - 1, e{i}' = e{i} + 1;")
    names = " ".join(f"a{i} f{i} l{i} e{i}" for i in range(size))
    init = ", ".join(f"a{i} = 1, f{i} = 1, l{i} = 0, e{i} = 0" for i in range(size))
    target = ", ".join(f"l{i} >= 1" for i in range(size))
    problem = parse(f"vars {names} rules {' '.join(rules)} init {init} target {target}", "table.spec")
    result = answer(problem, "guided", Budget(30))
    assert isinstance(result.evidence, FiringSequence)
    assert len(result.evidence.steps) == size


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_loop_of_several_steps_is_repeated_as_often_as_needed(steps: int) -> None:
    """A token goes round, and each time one more is left behind: what grows for ever is reached by steps."""
    places = [f"p{number}" for number in range(steps)]
    shift = {number: {number: -1, (number + 1) % steps: 1} if steps > 1 else {} for number in range(steps)}
    shift[steps - 1][steps] = 1
    rules = [
        Transition(f"t{n}", {n: Interval(1)}, {p: Update((p,), change) for p, change in shift[n].items()})
        for n in range(steps)
    ]
    net = Net((*places, "left"), tuple(rules))
    start = (1, *[0] * steps)
    problem = Problem("ring", net, Box(start, start), (Box((*[0] * steps, 5), (UNBOUNDED,) * (steps + 1)),))
    result = finding(forward(problem, Budget()), 1000)
    assert result is not None
    assert isinstance(result.evidence, FiringSequence)
    assert check(problem, result.evidence) is None
