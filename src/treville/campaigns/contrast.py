"""A litmus test, a model and what was observed -> the execution that tells most about the condition.

If its outcome is reached, that is an allowed execution that ends in it: there is nothing to explain. If it is
never reached, all candidates that end in it are forbidden, for reasons good and bad: nobody asks why a read
cannot return its own thread's later write. Shown is one that respects the order of each location, and
differs as little as possible, in what is read from where and in the order of writes, from an allowed one; so
the cycle that forbids it leads through the fence or the dependency that makes the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice

from treville.events.execution import Access, Execution
from treville.models.evaluate import Value
from treville.models.model import Axiom, Model
from treville.programs.litmus.states import FinalValue, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.executions import Judged, executions
from treville.records import dataclass
from treville.relations import EventId
from treville.results import Budget, BudgetExceeded
from treville.witness.explanation import Explanation, explain

# How many candidates are judged, with how many allowed ones they are compared, and how many of those that
# differ least are explained: some seconds at most.
CANDIDATES_SEEN = 3_000
_ALLOWED_COMPARED = 100
_EXPLAINED = 24

Choices = frozenset[Hashable]


@dataclass(slots=True)
class Candidate:
    """A candidate execution with the model's judgement."""

    execution: Execution
    consistent: bool
    violated: list[Axiom]
    values: list[Value]
    explanation: Explanation | None


@dataclass(frozen=True, slots=True)
class Contrast:
    """The execution that tells most, if one was found; `nothing`: not even a forbidden one ends so."""

    candidate: Candidate | None
    nothing: bool = False


def candidates(
    test: LitmusTest, model: Model, which: str, bound: int, budget: Budget, limit: int | None = None
) -> Iterator[Candidate]:
    """Candidate executions (`all`, `allowed` or `forbidden`) with an explanation of each forbidden one.
    Raises `TooLarge` when more than `limit` are there."""
    for judged in executions(test, model, which, bound, budget, limit):
        yield _explained(judged, model)


def contrasting(test: LitmusTest, model: Model, observation: str, bound: int, budget: Budget) -> Contrast:
    """An allowed execution that ends in the outcome of the condition; where the observation says that there
    is none, the forbidden one that differs least from an allowed one."""
    forall = test.quantifier is Quantifier.FORALL

    def ending(state: tuple[FinalValue, ...]) -> bool:
        return state_satisfies(test, state) != forall

    if observation != ("Always" if forall else "Never"):
        allowed = executions(test, model, "allowed", bound, budget, CANDIDATES_SEEN, ending=ending)
        return Contrast(next((_explained(judged, model) for judged in _within(allowed)), None))
    found, complete = _forbidden(test, model, bound, budget, ending)
    if not found:
        return Contrast(None, nothing=complete)
    return Contrast(_nearest(found, _some_allowed(test, model, bound, budget), model))


def _nearest(found: list[Judged], allowed: list[Judged], model: Model) -> Candidate:
    """The candidate that differs least from an allowed one; of several, that with few violated axioms and
    a short cycle."""
    near = [_choices(judged.execution) for judged in allowed]
    ranked = [(_apart(each.execution, near), len(each.evaluation.violated)) for each in found]
    order = sorted(range(len(found)), key=ranked.__getitem__)[:_EXPLAINED]
    explained = {index: _explained(found[index], model) for index in order}
    return explained[min(order, key=lambda index: (*ranked[index], _length(explained[index])))]


def _forbidden(
    test: LitmusTest, model: Model, bound: int, budget: Budget, ending: Callable[..., bool]
) -> tuple[list[Judged], bool]:
    """Forbidden candidates of the outcome, coherent ones if there are any, and whether all were seen."""
    for coherent in (True, False):
        found: list[Judged] = []
        wanted = executions(
            test, model, "forbidden", bound, budget, CANDIDATES_SEEN, coherent=coherent, ending=ending
        )
        try:
            found.extend(wanted)
        except BudgetExceeded:
            return found, False
        if found:
            return _orderly(found), True
    return [], True


def _orderly(found: list[Judged]) -> list[Judged]:
    """Those that respect the order of each location, also where the model does not ask for it."""
    coherent = [judged for judged in found if _is_coherent(judged.execution)]
    return coherent or found


def _is_coherent(execution: Execution) -> bool:
    relations = execution.relations
    rf, co = relations["rf"], relations["co"]
    return ((relations["po"] & relations["loc"]) | rf | co | (rf.inverse() @ co)).is_acyclic()


def _some_allowed(test: LitmusTest, model: Model, bound: int, budget: Budget) -> list[Judged]:
    allowed = executions(test, model, "allowed", bound, budget, CANDIDATES_SEEN)
    return list(islice(_within(allowed), _ALLOWED_COMPARED))


def _within(found: Iterable[Judged]) -> Iterator[Judged]:
    """As many as can be listed."""
    try:
        yield from found
    except BudgetExceeded:
        return


def _explained(judged: Judged, model: Model) -> Candidate:
    values, violated = judged.evaluation.values, judged.evaluation.violated
    explanation = explain(judged.execution, model, values, violated[0]) if violated else None
    return Candidate(judged.execution, judged.consistent, violated, values, explanation)


def _length(candidate: Candidate) -> int:
    return len(candidate.explanation.hops()) if candidate.explanation else 0


def _apart(execution: Execution, near: list[Choices]) -> int:
    """In how many choices an execution differs from the nearest of some others."""
    own = _choices(execution)
    return min((len(own ^ other) for other in near), default=0)


def _choices(execution: Execution) -> Choices:
    """Who reads from whom and the order of writes, by the places of accesses in their threads."""
    names: dict[EventId, Hashable] = {}
    counts: dict[int, int] = {}
    for event in execution.events:
        if isinstance(event, Access):
            counts[event.thread] = counts.get(event.thread, 0) + 1
            place = event.address if "IW" in event.tags else counts[event.thread]
            names[event.number] = (event.thread, place)
    return frozenset(
        (name, names[first], names[second])
        for name in ("rf", "co")
        for first, second in execution.relations[name].pairs()
    )
