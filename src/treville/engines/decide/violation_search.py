"""A session and a property -> an execution that violates it, or what was cut where there is none.

The literals of the violation are made when the search is, before the session is opened; it can be run again
after it ran out of work, and goes on with what the solver learnt.
"""

from __future__ import annotations

from treville.engines.session import Session
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, Literal
from treville.models.races import races_in
from treville.passes.fresh_memory import UnsetRead, reads_of_any_contents
from treville.programs.ir import Instruction, Load
from treville.records import dataclass, field
from treville.results import Budget
from treville.results.properties import Error, Property
from treville.solving.back_ends.by_name import BackEnd
from treville.solving.back_ends.clasp import OnSolution
from treville.solving.freed_objects import unordered_uses
from treville.solving.solution import IsTrue, evaluate_execution
from treville.solving.unset_contents import tie_unset_contents
from treville.solving.violations import check_waiting, violation


class ReadsUnset(Exception):
    """Some execution reads fresh memory before anybody wrote there."""


@dataclass(slots=True)
class Found:
    """What a search ended in: an `execution` that violates the property, with what fails in it (see
    `contract.Failure`); without one, `cut` lists the loops and calls that some execution did not do again.
    `given_up`: the search gave up, because a deeper one has to follow anyway. `spoilt`: some executions go
    wrong in another way than was asked for, and what follows is not known."""

    execution: Execution | None = None
    failed: list[Instruction] = field(default_factory=list)
    message: str = ""
    waiting: list[int] = field(default_factory=list)
    cut: list[Instruction] = field(default_factory=list)
    given_up: bool = False
    spoilt: bool = False

    @property
    def complete(self) -> bool:
        """Does the answer hold for all runs?"""
        return self.execution is None and not self.cut and not self.given_up and not self.spoilt


def _is_blind(instruction: Instruction | None) -> bool:
    return isinstance(instruction, Load) and instruction.blind


def _asks(instruction: Instruction | None) -> bool:
    return isinstance(instruction, Load) and instruction.zeroed


class ViolationSearch:
    """Looks for a violation among the executions of a session that nobody else uses."""

    def __init__(self, session: Session, goal: Property, unset: list[UnsetRead], back_end: BackEnd) -> None:
        encoding = session.encoding
        formula, memory = encoding.formula, encoding.memory
        self.session = session
        self.goal = goal
        looks = [(read.write, read.read) for read in unset] or reads_of_any_contents(encoding.facts)
        moved = tie_unset_contents(encoding, looks)
        self.violation = violation(encoding, session.model, goal, moved)
        self.cuts = self._cuts()
        if Error.UNDEFINED in goal.errors:
            unset = [read for read in unset if _is_blind(encoding.instruction(read.read))]
        unset = [read for read in unset if not _asks(encoding.instruction(read.read))]
        self.reads_unset = formula.either([memory.reads_from(r.write, r.read) for r in unset])
        self.wanted = formula.either([self.violation.literal, self.reads_unset])
        self.either = formula.either([self.wanted, encoding.cut])
        self.found = Found()
        self._is_cut: bool | None = None
        updates, wide = encoding.facts.relations["rmw"].may, encoding.facts.values.ranged
        session.open(back_end, rarely_restarts=bool(updates) and not wide)

    def run(self, budget: Budget, effort: int | None) -> Found:
        """Search. With an `effort`, give up after so many conflicts, but only where some execution is cut at
        the bound. Raises `ReadsUnset` where fresh memory is read and nothing else goes wrong."""
        found = self.found = Found()
        try:
            if effort is not None and self._is_cut is None:
                self._is_cut = self._look_for_cut(budget)
            cut = self._is_cut is not False
            if cut and found.execution is None:
                found.given_up = not self.session.look([self.wanted], self._on_solution, budget, effort)
        except ReadsUnset:
            self.session.look([self.violation.literal, -self.reads_unset], self._on_solution, budget)
            if found.execution is None:
                raise
        if found.execution is None and self._is_cut is not False:
            found.cut = self._cut_in_some(budget, effort if found.given_up else None)
        if found.complete and self.violation.spoilt != FALSE:
            found.spoilt = self._goes_wrong_otherwise(budget)
        return found

    def _goes_wrong_otherwise(self, budget: Budget) -> bool:
        seen: list[bool] = []

        def on_solution(_is_true: IsTrue) -> bool:
            seen.append(True)
            return False

        self.session.look([self.violation.spoilt], on_solution, budget)
        return bool(seen)

    def _on_solution(self, is_true: IsTrue) -> bool:
        """Note a violation; go on where it is none after all."""
        if self.reads_unset != FALSE and is_true(self.reads_unset):
            raise ReadsUnset
        reader, model, violated, found = self.session.reader, self.session.model, self.violation, self.found
        execution, numbers = reader.execution(is_true), reader.executed(is_true)
        unsure_race = self.goal is Property.RACE and violated.unsure
        if unsure_race and not races_in(evaluate_execution(model, execution)):
            return True
        parts = [part for part in violated.parts if is_true(part.literal)]
        check_waiting(parts, execution, numbers)
        failed = [(part.instruction, part.message) for part in parts]
        if not failed and self.goal.is_about_failures:
            executed = [self.session.encoding.instruction(number) for number in numbers]
            failed = unordered_uses(model, execution, executed)
            if not failed and violated.unsure:
                return True
        found.failed = [instruction for instruction, _ in failed]
        found.message = failed[0][1] if failed else ""
        found.waiting = [part.thread for part in parts if part.thread is not None]
        found.execution = execution
        return False

    # -- what was cut at the bound -------------------------------------------------------------------------

    def _cuts(self) -> list[tuple[Literal, Instruction]]:
        """What may not be done again because of the bound, each with the literal that it is not."""
        encoding = self.session.encoding
        symbolic, condition = encoding.facts.symbolic, encoding.memory.values.condition
        places: dict[int, tuple[Instruction, list[Literal]]] = {}
        for cut, instruction in zip(symbolic.cuts, symbolic.cut_at, strict=True):
            places.setdefault(id(instruction), (instruction, []))[1].append(condition(cut))
        either = encoding.formula.either
        return [(either(literals), instruction) for instruction, literals in places.values()]

    def _look_for_cut(self, budget: Budget) -> bool:
        """Look for what is wanted or a cut: is there a cut? If there is neither, one proof says so."""
        seen: list[bool] = []

        def on_solution(is_true: IsTrue) -> bool:
            if is_true(self.wanted):
                return self._on_solution(is_true)
            seen.append(True)
            return False

        self.session.look([self.either], on_solution, budget)
        return bool(seen)

    def _cut_in_some(self, budget: Budget, effort: int | None) -> list[Instruction]:
        """Those of the cuts that some consistent execution makes, or may make as far as an effort tells."""
        seen: set[Literal] = set()

        def on_solution(is_true: IsTrue) -> bool:
            seen.update(literal for literal, _ in self.cuts if is_true(literal))
            return False

        look: OnSolution = on_solution
        self.session.look([self.session.encoding.cut], look, budget)
        for literal, _ in self.cuts if seen else ():
            if literal not in seen and not self.session.look([literal], look, budget, effort):
                seen.add(literal)
        return [instruction for literal, instruction in self.cuts if literal in seen]
