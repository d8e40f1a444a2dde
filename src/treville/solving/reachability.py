"""A whole program and a model -> a consistent execution that fails an assertion, or that there is none.

The question of paper 004, chapter 4. Threads that are cut at the loop bound, wait or are stopped do not keep
others from failing. Where no assertion fails, a second call asks whether some execution is cut at the bound:
only if none is, the answer holds for all runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from treville.analysis.aliases import FLOW
from treville.analysis.facts import Facts
from treville.analysis.relations import NotEncodable
from treville.analysis.unset import UnsetRead, unset_reads, with_any_contents
from treville.encoding.executions import Encoding, encode_facts, facts_of_program
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, TooManyRules
from treville.models.lifetimes import USE_AFTER_FREE
from treville.models.model import Axiom, Model
from treville.models.races import races_in, races_of
from treville.programs.ir import Instruction, Program
from treville.results import Budget, TooLarge, Unsupported
from treville.results.properties import ASSERTION, RACE
from treville.solving.lazy.propagator import LazyModel
from treville.solving.lifetimes import unordered_uses
from treville.solving.outcomes import eager_axioms, known_coherent
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution
from treville.solving.solver import Clasp, OnSolution
from treville.solving.violations import check_waiting, violation

# Beyond this many rules the lazy engine is faster on the mutexes (bench/check.py).
MAX_RULES = 8_000


class ReadsUnset(Exception):
    """Some execution reads fresh memory before anybody wrote there."""


@dataclass(slots=True)
class Reachability:
    """`failed` are the assertions that fail in `execution`, and what is wrong with memory (`message` tells
    more of the first), or where the threads `waiting` wait for ever; without one, `complete` says that no
    consistent execution was cut at the bound, and `cut` lists the loops and calls that one of them did not do
    again. `hasty`: the search gave up, because a deeper one has to follow anyway. `stats` counts what was
    built. `program`: what was searched, if not what was given."""

    failed: list[Instruction] = field(default_factory=list)
    message: str = ""
    waiting: list[int] = field(default_factory=list)
    execution: Execution | None = None
    thread_names: list[str] = field(default_factory=list)
    complete: bool = True
    cut: list[Instruction] = field(default_factory=list)
    hasty: bool = False
    stats: dict[str, Any] = field(default_factory=dict)
    program: Program | None = None


def reach_failure(
    program: Program,
    model: Model,
    bound: int,
    budget: Budget,
    lazy: bool | None = None,
    goal: str = ASSERTION,
    alias: str = FLOW,
    effort: int | None = None,
) -> Reachability:
    """Look for a consistent execution that violates the property `goal`. `alias`: see `analysis.aliases`.
    `effort`: after so many conflicts give up, but only where some execution is cut at the bound.

    `lazy`: encode simple axioms only and enforce the others by looking at the executions found; None: only
    where the eager formula would be too large. (Power's preserved program order is recursive over all pairs
    of events: eagerly minutes on a mutex, lazily a tenth of a second. Arithmetic is the other way round.)"""
    model = _judging(model, goal)
    facts = facts_of_program(program, bound, budget, known_coherent(model), alias)
    unset = unset_reads(facts)
    try:
        return _reach(facts, model, budget, lazy, goal, unset, effort)
    except ReadsUnset:
        filled = with_any_contents(program, facts, unset)
    try:
        any_contents = facts_of_program(filled, bound, budget, known_coherent(model), alias)
        found = _reach(any_contents, model, budget, lazy, goal, [], effort)
        found.program = filled
        return found
    except (Unsupported, TooLarge):  # any number as an address; zero is one that fresh memory may hold
        found = _reach(facts, model, budget, lazy, goal, [])
        if found.execution is None:
            raise
        return found


def _reach(
    facts: Facts,
    model: Model,
    budget: Budget,
    lazy: bool | None,
    goal: str,
    unset: list[UnsetRead],
    effort: int | None = None,
) -> Reachability:
    try:
        if lazy is not True:
            try:
                limit = MAX_RULES if lazy is None else None
                return _search(facts, model, budget, goal, unset, model.axioms, effort, limit)
            except TooManyRules:
                pass
        return _search(facts, model, budget, goal, unset, eager_axioms(model), effort)
    except NotEncodable:
        return _search(facts, model, budget, goal, unset, [], effort)


@lru_cache(maxsize=64)
def _judging(model: Model, goal: str) -> Model:
    """The model without the flags that have no part in the answer."""
    races = races_of(model) if goal == RACE else []
    if goal == ASSERTION:
        races = [axiom for axiom in model.axioms if axiom.name == USE_AFTER_FREE]
    flags = [axiom for axiom in model.axioms if axiom.flag or axiom.undefined]
    kept = [axiom for axiom in model.axioms if axiom not in flags or axiom in races]
    return model if len(kept) == len(model.axioms) else replace(model, axioms=kept)


def _search(
    facts: Facts,
    model: Model,
    budget: Budget,
    goal: str,
    unset: list[UnsetRead],
    axioms: list[Axiom],
    effort: int | None,
    max_rules: int | None = None,
) -> Reachability:
    encoding = encode_facts(facts, model, budget, axioms, max_rules)
    reader = ExecutionReader(encoding)
    left = [axiom for axiom in model.axioms if axiom not in axioms]
    lazy = LazyModel(encoding, model) if left else None
    violated = violation(encoding, model, goal)
    answer = Reachability(thread_names=encoding.facts.symbolic.thread_names, stats=_stats(encoding))
    cuts = _cuts(encoding)
    reads_unset = encoding.formula.either([encoding.memory.reads_from(r.write, r.read) for r in unset])
    wanted = encoding.formula.either([violated.literal, reads_unset])
    either = encoding.formula.either([wanted, encoding.cut])
    solver = Clasp(encoding.formula, patient=bool(facts.relations["rmw"].may) and not facts.values.wide)
    if lazy is not None:
        solver.register(lazy)

    def on_solution(is_true: IsTrue) -> bool:
        if reads_unset != FALSE and is_true(reads_unset):
            raise ReadsUnset
        execution, numbers = reader.execution(is_true), reader.executed(is_true)
        if goal == RACE and violated.unsure and not races_in(evaluate_execution(model, execution)):
            return True
        parts = [part for part in violated.parts if is_true(part.literal)]
        check_waiting(parts, execution, numbers)
        failed = [(part.instruction, part.message) for part in parts]
        if not failed and goal == ASSERTION:
            failed = unordered_uses(model, execution, [encoding.instruction(number) for number in numbers])
            if not failed and violated.unsure:
                return True
        answer.failed = [instruction for instruction, _ in failed]
        answer.message = failed[0][1] if failed else ""
        answer.waiting = [part.thread for part in parts if part.thread is not None]
        answer.execution = execution
        return False

    with budget.stage("solving"):
        is_cut = True
        try:
            if effort is not None:
                is_cut = _is_cut(solver, budget, on_solution, wanted, either)
            if is_cut and answer.execution is None:
                answer.hasty = not solver.look(budget, on_solution, [wanted], effort)
        except ReadsUnset:
            solver.enumerate(budget, on_solution, [violated.literal, -reads_unset])
            if answer.execution is None:
                raise
        if answer.execution is None and is_cut:
            answer.cut = _cut_in_some(solver, budget, cuts, encoding.cut, effort if answer.hasty else None)
            answer.complete = not answer.cut and not answer.hasty
    if lazy is not None:
        answer.stats.update(iterations=lazy.checks, reasons=lazy.clauses)
    return answer


def _cuts(encoding: Encoding) -> list[tuple[int, Instruction]]:
    """What may not be done again because of the bound, each with the literal that it is not."""
    symbolic, condition = encoding.facts.symbolic, encoding.memory.values.condition
    places: dict[int, tuple[Instruction, list[int]]] = {}
    for cut, instruction in zip(symbolic.cuts, symbolic.cut_at, strict=True):
        places.setdefault(id(instruction), (instruction, []))[1].append(condition(cut))
    return [(encoding.formula.either(literals), instruction) for instruction, literals in places.values()]


def _is_cut(solver: Clasp, budget: Budget, on_wanted: OnSolution, wanted: int, either: int) -> bool:
    """Look for what is wanted or a cut: is there a cut? If there is neither, one proof says so."""
    seen: list[bool] = []

    def on_solution(is_true: IsTrue) -> bool:
        if is_true(wanted):
            return on_wanted(is_true)
        seen.append(True)
        return False

    solver.enumerate(budget, on_solution, [either])
    return bool(seen)


def _cut_in_some(
    solver: Clasp, budget: Budget, cuts: list[tuple[int, Instruction]], any_cut: int, effort: int | None
) -> list[Instruction]:
    """Those of the cuts that some consistent execution makes, or may make as far as an effort tells."""
    seen: set[int] = set()

    def on_solution(is_true: IsTrue) -> bool:
        seen.update(literal for literal, _ in cuts if is_true(literal))
        return False

    solver.enumerate(budget, on_solution, [any_cut])
    for literal, _ in cuts if seen else ():
        if literal not in seen and not solver.look(budget, on_solution, [literal], effort):
            seen.add(literal)
    return [instruction for literal, instruction in cuts if literal in seen]


def _stats(encoding: Encoding) -> dict[str, Any]:
    formula, facts = encoding.formula, encoding.facts
    return {
        "threads": len(facts.symbolic.thread_names),
        "events": facts.live.bit_count(),
        "rf": len(facts.relations["rf"].may),
        "co": len(facts.relations["co"].may),
        "atoms": formula.atoms,
        "rules": len(formula.rules),
        "constraints": len(formula.forbidden),
        "edges": len(formula.edges),
        "relations": encoding.relations.sizes() if encoding.relations else {},
    }
