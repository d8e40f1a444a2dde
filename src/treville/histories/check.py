"""Decides one level for one history: picks an algorithm, finds evidence, has it judged.

The choice (`--algorithm auto`): LOCAL by Algorithm 1; then the order of the log, if that is an order of all
events that works; then, with unique values, the polynomial algorithms of `certain.py`; then saturation, which
alone decides most histories with unique values at the other levels (those too large for it are left to the
levels above and below, `neighbours.py`); if it leaves something open, CC, SLOW and PRAM by their polynomial
algorithms where the instance is small enough for them, everything else by SAT with the saturated facts.
"""

from __future__ import annotations

import time

from treville.histories import calls, certain, evidence, neighbours, polynomial, sat
from treville.histories.audit import objections
from treville.histories.clusters import certain_sources
from treville.histories.history import Events, History
from treville.histories.levels import Level, find_level
from treville.histories.objects import LEVELS_OF_OBJECTS, REGISTER
from treville.histories.problem import Problem, build_problem
from treville.histories.saturation import Conflict, Facts, no_facts, refuse_too_large, saturate
from treville.histories.views import Execution
from treville.records import dataclass, replace
from treville.results import Budget, BudgetExceeded, InputError, TooLarge, Verdict

ALGORITHMS = ("auto", "polynomial", "saturation", "sat", "sat-transitive")
POLYNOMIAL_LEVELS = ("LOCAL", "CC", "SLOW", "PRAM")

_FEW_CONFIGURATIONS = 20_000
_FEW_EXECUTIONS = 64
_SHORT_THREAD = 4


@dataclass(frozen=True)
class Answer:
    """A level's verdict on a history, how it was found, and its evidence."""

    level: Level
    verdict: Verdict
    algorithm: str
    reason: str = ""
    seconds: float = 0.0
    execution: Execution | None = None
    conflict: Conflict | None = None
    order: tuple[int, ...] | None = None  # of the operations of other objects than registers
    stuck: calls.Stuck | None = None


def check(history: History, level: Level, budget: Budget | None = None, algorithm: str = "auto") -> Answer:
    """Could the history happen under the level? Never raises for a used-up budget: that is UNKNOWN."""
    started = time.monotonic()
    budget = budget or Budget()
    if level.needs_times and not history.has_times:
        raise InputError(
            f"level {level.name} needs the start and end of every operation",
            history.operations[0].span if history.operations else None,
            "give invoke and complete times, or choose another level",
        )
    try:
        if history.object_type != REGISTER.name:
            answer = _decide_calls(history, level, budget)
        else:
            answer = _decide(history.events, level, budget, algorithm)
    except BudgetExceeded as error:
        reason = f"{error.reason} ({error.advice})" if error.advice else error.reason
        answer = Answer(level, Verdict.UNKNOWN, algorithm, reason)
    except MemoryError:
        answer = Answer(level, Verdict.UNKNOWN, algorithm, "no memory left")
    return _judged(history, answer, time.monotonic() - started)


def _judged(history: History, answer: Answer, seconds: float) -> Answer:
    """No PASS leaves without the independent check of its evidence."""
    if answer.execution is not None:
        problems = objections(answer.level, history.events, answer.execution)
        if problems:
            raise AssertionError(
                f"{answer.algorithm} gave wrong evidence for {answer.level.name}: {problems[0]}"
            )
    if answer.order is not None and (problem := calls.wrong_order(history, answer.order)):
        raise AssertionError(f"{answer.algorithm} gave wrong evidence for {answer.level.name}: {problem}")
    return replace(answer, seconds=seconds)


def refuse_level(history: History, level: Level) -> None:
    """Raise `InputError` where the level does not speak of the history's object."""
    if history.object_type != REGISTER.name and level.name not in LEVELS_OF_OBJECTS:
        raise InputError(
            f"level {level.name} is about reads and writes, not about a {history.object_type}",
            next(o for o in history.operations if o.other_function).span,
            f"levels that make sense for it: {', '.join(LEVELS_OF_OBJECTS)}",
        )


def _decide_calls(history: History, level: Level, budget: Budget) -> Answer:
    refuse_level(history, level)
    found = calls.linearise(history, budget)
    if isinstance(found, calls.Stuck):
        return Answer(level, Verdict.FAIL, "replay", "an operation fits no order", stuck=found)
    return Answer(level, Verdict.PASS, "replay", order=found)


def _decide(events: Events, level: Level, budget: Budget, algorithm: str) -> Answer:
    if algorithm not in ALGORITHMS:
        raise InputError(f"unknown algorithm {algorithm!r}", hint=f"one of {', '.join(ALGORITHMS)}")
    unreadable = next((r for r, found in events.candidates.items() if not found), None)
    if unreadable is not None:
        conflict = Conflict(None, _without_source(events, unreadable), (), unreadable)
        return Answer(level, Verdict.FAIL, "values", "a read has no possible source", conflict=conflict)
    if algorithm == "polynomial" or (algorithm == "auto" and level.name == "LOCAL" and not events.optional):
        return _by_polynomial(events, level, budget)
    if algorithm == "auto" and (execution := _log_order(events, level)) is not None:
        return Answer(level, Verdict.PASS, "order of the log", execution=execution)
    if algorithm == "auto" and (answer := _by_certain_sources(events, level, budget)) is not None:
        return answer
    problem = build_problem(level, events)
    if algorithm in ("sat", "sat-transitive"):
        return _by_sat(problem, no_facts(problem), budget, algorithm)
    execution = _one_order(problem, budget) if algorithm == "auto" else None
    if execution is not None:
        return Answer(level, Verdict.PASS, "saturation (one order for all views)", execution=execution)
    facts = saturate(problem, budget)
    if isinstance(facts, Conflict):
        return Answer(level, Verdict.FAIL, "saturation", "forced orders form a cycle", conflict=facts)
    certain = all(len(found) == 1 for found in facts.candidates.values())
    execution = evidence.schedule(problem, facts, budget) if certain and not level.agree else None
    if execution is not None:
        return Answer(level, Verdict.PASS, "saturation", execution=execution)
    if algorithm == "saturation":
        raise BudgetExceeded("saturation does not decide this history", "use --algorithm auto")
    if _suits_polynomial(events, level):
        try:
            return _by_polynomial(events, level, budget, _FEW_CONFIGURATIONS)
        except TooLarge:
            budget.check()
    return _by_sat(problem, facts, budget, "saturation+sat")


def _without_source(events: Events, read: int) -> frozenset[int]:
    """The read, what its own process has overwritten by then or writes only later, and what overwrote it."""
    location, value = events.location_of[read], events.values[read]
    thread, at = events.threads[events.thread_of[read]], events.index_in_thread[read]
    writes = [e for e in thread if events.is_write[e] and events.location_of[e] == location]
    latest = [e for e in writes if events.index_in_thread[e] < at][-1:]
    return frozenset({read, *latest, *(e for e in writes if events.values[e] == value)})


def _by_certain_sources(events: Events, level: Level, budget: Budget) -> Answer | None:
    """What is polynomial once every source is certain, of this level or, for large histories, of others."""
    name, found = certain.algorithm_of(level) or "", certain.decide(level, events, budget)
    if found is None:
        try:
            refuse_too_large(level, events, budget)
        except TooLarge as error:
            answer = neighbours.decide(level, events, budget)
            if answer is None:
                raise TooLarge(f"{_why_not(events, level)}: {error.reason}", error.advice) from None
            name, found = answer
    if found is None:
        return None
    if isinstance(found, Conflict):
        return Answer(level, Verdict.FAIL, name, "forced orders form a cycle", conflict=found)
    return Answer(level, Verdict.PASS, name, execution=found)


def _why_not(events: Events, level: Level) -> str:
    """Why a large history has to be searched."""
    if certain_sources(events) is None:
        return "some reads have several possible sources"
    if level.needs_times:
        return "operations of a process overlap"
    return (
        f"unique values do not make {level.name} polynomial, and the levels above and below do not decide it"
    )


def _log_order(events: Events, level: Level) -> Execution | None:
    """The views that the order of the log gives, if every read sees the last write logged before it."""
    if events.optional or any(list(thread) != sorted(thread) for thread in events.threads):
        return None
    last: dict[int, int] = {}
    sources: dict[int, int] = {}
    for event in range(events.count):
        location = events.location_of[event]
        if events.is_write[event]:
            last[location] = event
        else:
            source = last.get(location, events.initial(location))
            if source not in events.candidates[event]:
                return None
            sources[event] = source
    execution = evidence.from_one_order(level, events, range(events.count), sources)
    return None if level.needs_times and objections(level, events, execution) else execution


def _one_order(problem: Problem, budget: Budget) -> Execution | None:
    """For views that depend on each other: the views that a sequentially consistent order gives, if any.

    Saturation of one view is far cheaper than that of linked ones, and most logged runs have such an order.
    """
    events = problem.events
    if not problem.linked or any(len(found) != 1 for found in events.candidates.values()):
        return None
    one = build_problem(find_level("SC"), events)
    facts = saturate(one, budget)
    execution = None if isinstance(facts, Conflict) else evidence.schedule(one, facts, budget)
    if execution is None:
        return None
    (_, order), *_ = execution.views
    return evidence.from_one_order(problem.level, events, order, execution.sources)


def _suits_polynomial(events: Events, level: Level) -> bool:
    if events.optional:
        return False
    if level.name in ("CC", "SLOW"):
        return True  # as long as few configurations are reached
    if level.name == "PRAM":
        short = max(map(len, events.threads), default=0) <= _SHORT_THREAD
        return short and polynomial.pram_executions(events) <= _FEW_EXECUTIONS
    return False


def _by_polynomial(
    events: Events, level: Level, budget: Budget, most: int = polynomial.MOST_CONFIGURATIONS
) -> Answer:
    if level.name not in POLYNOMIAL_LEVELS:
        raise InputError(
            f"no polynomial algorithm for level {level.name}",
            hint=f"they exist for {', '.join(POLYNOMIAL_LEVELS)}; use --algorithm sat",
        )
    if events.optional:
        raise InputError("the polynomial algorithms do not take uncertain writes", hint="use --algorithm sat")
    found: object
    if level.name == "LOCAL":
        name, found = "polynomial (Algorithm 1)", polynomial.local(events)
    elif level.name == "PRAM":
        name, found = "polynomial (Algorithm 3)", polynomial.pram(events, budget)
    else:
        name, found = "polynomial (Algorithm 2)", polynomial.by_location(level, events, budget, most)
    if isinstance(found, Execution):
        return Answer(level, Verdict.PASS, name, execution=found)
    return Answer(level, Verdict.FAIL, name, "no view exists")


def _by_sat(problem: Problem, facts: Facts, budget: Budget, name: str) -> Answer:
    result = sat.solve_with_orders(problem, facts, budget, transitive=name == "sat-transitive")
    if result is None:
        return Answer(problem.level, Verdict.FAIL, name, "no choice of sources and orders works")
    execution = evidence.from_choices(problem, facts, *result)
    return Answer(problem.level, Verdict.PASS, name, execution=execution)
