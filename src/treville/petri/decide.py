"""The question itself: problem -> oriented half spaces -> the other methods in turns -> checked answer.

`answer` runs the chosen method, or in `auto` gives every applicable method slices of work that grow, until
one ends. Whatever a method claims goes through `checking` first; a claim that does not pass is a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from treville.petri import work
from treville.petri.answers import Evidence, Finding, FiringSequence, Invariant
from treville.petri.backward import backward
from treville.petri.boxes import backward_boxes
from treville.petri.checking import check
from treville.petri.forward import forward
from treville.petri.guided import guided
from treville.petri.halfspace import HalfSpace
from treville.petri.net import Problem
from treville.petri.oriented import Separator, from_weights
from treville.petri.synthesis import separating_half_space
from treville.petri.traps import traps
from treville.records import dataclass
from treville.results.budget import Budget
from treville.results.errors import BudgetExceeded, TrevilleError
from treville.results.verdict import Verdict

Method = Generator[None, None, Finding]

METHODS = ("auto", "halfspace", "traps", "backward", "forward", "guided")
# Units of work (`petri.work`): some 50 milliseconds, and two seconds.
_FIRST_SLICE, _LONGEST_SLICE = 20_000, 800_000


@dataclass(frozen=True)
class Answer:
    """The verdict on a problem, the method that found it, and its checked evidence."""

    problem: Problem
    verdict: Verdict
    method: str
    reason: str
    evidence: Evidence | None = None
    advice: str = ""
    seconds: float = 0.0


def answer(problem: Problem, method: str = "auto", budget: Budget | None = None) -> Answer:
    """Is a target reachable? PASS: none is, with an invariant; FAIL: with a firing sequence."""
    budget = budget or Budget()
    try:
        name, finding = _run(problem, method, budget)
    except BudgetExceeded as error:
        return Answer(problem, Verdict.UNKNOWN, method, error.reason, None, error.advice, budget.elapsed())
    if finding.evidence is None:
        return Answer(
            problem, Verdict.UNKNOWN, name, finding.reason, None, "try --method auto", budget.elapsed()
        )
    try:
        complaint = check(problem, finding.evidence, budget)
    except BudgetExceeded as error:
        reason = f"{error.reason} while the proof found by {name} was checked"
        return Answer(problem, Verdict.UNKNOWN, name, reason, None, error.advice, budget.elapsed())
    if complaint:
        raise AssertionError(f"the evidence of method {name} for {problem.name} is wrong: {complaint}")
    return _judged(problem, name, finding.evidence, budget)


def _judged(problem: Problem, name: str, evidence: Evidence, budget: Budget) -> Answer:
    if isinstance(evidence, FiringSequence):
        transitions = [problem.net.transitions[step] for step in evidence.steps]
        unclear = next((t for t in transitions if t.alternative), None)
        if unclear is not None:
            place = f" at line {unclear.span.line}" if unclear.span else ""
            reason = f"a target is reached through the rule{place}, which assigns one place two values"
            return Answer(problem, Verdict.UNKNOWN, name, reason, None, "keep one of them", budget.elapsed())
        reason = f"a target is reached after {len(evidence.steps)} steps"
        return Answer(problem, Verdict.FAIL, name, reason, evidence, "", budget.elapsed())
    reason = "no target is reachable: an inductive invariant excludes them"
    return Answer(problem, Verdict.PASS, name, reason, evidence, "", budget.elapsed())


def _run(problem: Problem, method: str, budget: Budget) -> tuple[str, Finding]:
    separator = Separator(problem, budget)
    separator.found.extend(from_weights(problem))
    makers: dict[str, Callable[[], Method]] = {
        "halfspace": lambda: _half_spaces(problem, separator, budget),
        "traps": lambda: _traps(problem, separator, budget),
        "backward": lambda: _backward(problem, separator),
        "forward": lambda: forward(problem, budget),
        "guided": lambda: _guided(problem, budget),
    }
    if method != "auto":
        return method, _exhaust(makers[method](), budget)
    linear = _linear(problem, separator)
    if linear is not None:
        return "halfspace", Finding(linear)
    return _take_turns(makers, budget)


def _linear(problem: Problem, separator: Separator) -> Invariant | None:
    """Oriented half spaces for every target, when they exist; the cheapest proof there is."""
    used: dict[HalfSpace, None] = {}
    for target in problem.targets:
        half_space = separator.separate(target)
        if half_space is None:
            return None
        used[half_space] = None
    return Invariant(tuple(used))


def _backward(problem: Problem, separator: Separator) -> Method:
    return backward(problem, separator) if problem.coverability else backward_boxes(problem, separator)


def _exhaust(running: Method, budget: Budget) -> Finding:
    while True:
        finding = _slice(running, _LONGEST_SLICE, budget)
        if finding is not None:
            return finding


def _take_turns(makers: dict[str, Callable[[], Method]], budget: Budget) -> tuple[str, Finding]:
    """Slices of work for each method in turn, doubling each round, until one has evidence.

    Half spaces from the solver come last: by then the others have had time to answer without importing it.
    """
    running = {name: makers[name]() for name in ("traps", "backward", "forward", "guided", "halfspace")}
    reasons: list[str] = []
    slice_length = _FIRST_SLICE
    while running:
        for name in list(running):
            if name == "halfspace" and slice_length < 4 * _FIRST_SLICE and len(running) > 1:
                continue
            finding = _slice(running[name], slice_length, budget)
            if finding is None:
                continue
            if finding.evidence is not None:
                return name, finding
            reasons.append(f"{name}: {finding.reason}")
            del running[name]
        slice_length = min(2 * slice_length, _LONGEST_SLICE)
    return "auto", Finding(None, "; ".join(reasons))


def _slice(running: Method, units: int, budget: Budget) -> Finding | None:
    """Let a method do so much work; its finding when it ended."""
    end = budget.spent + units
    try:
        while budget.spent < end:
            budget.check()
            budget.spend(work.STEP)
            next(running)
    except StopIteration as stop:
        finding: Finding = stop.value
        return finding
    except TrevilleError as error:
        if isinstance(error, BudgetExceeded):
            raise
        return Finding(None, str(error))
    return None


def _half_spaces(problem: Problem, separator: Separator, budget: Budget) -> Method:
    """One half space per target: oriented by linear programming, otherwise by the solver."""
    used: dict[HalfSpace, None] = {}
    for number, target in enumerate(problem.targets):
        half_space = separator.separate(target)
        if half_space is None:
            if target.meet(problem.initial):
                return Finding(None, f"target {number + 1} contains an initial marking")
            if not problem.net.plain:
                return Finding(None, "no half space that never decreases, and the net is not a Petri net")
            result = yield from separating_half_space(problem, target, budget)
            if isinstance(result, str):
                return Finding(None, f"target {number + 1}: {result}")
            half_space = result
            separator.found.append(half_space)
        used[half_space] = None
        yield
    return Finding(Invariant(tuple(used)))


def _guided(problem: Problem, budget: Budget) -> Method:
    return (yield from guided(problem, budget))


def _traps(problem: Problem, separator: Separator, budget: Budget) -> Method:
    return (yield from traps(problem, separator, budget))
