"""Chooses parts for the holes of a sketch: a loop of choices and counterexamples (paper 004, section 6.4;
MemSynth, PLDI 2017).

clasp proposes a cheapest choice. An execution that must be forbidden and is not makes it choose one of the
parts that could forbid it; an allowed test that lost its last witness makes it drop one of the parts of a
cycle in one of the witnesses. Where no choice is left, the tests whose clauses contradict each other are
told."""

from __future__ import annotations

from collections.abc import Sequence

from treville.formulas.formula import Formula, Literal
from treville.models.model import Model
from treville.questions.synthesis.filling import Filling, Slot
from treville.questions.synthesis.listing import Evidence
from treville.questions.synthesis.problem import Requirement
from treville.records import dataclass, field
from treville.results import Budget
from treville.solving.optimum import Optimum

_COUNTEREXAMPLES = 48
_TESTS = 64
# The cost of a part beside its size: fewer parts are better than more of the same size.
_SIZE_COUNTS = 16


@dataclass(slots=True)
class Exhausted:
    """No choice of parts explains these tests together."""

    tests: list[Requirement]


@dataclass(slots=True)
class Chooser:
    """The state of the loop."""

    sketch: Model
    holes: Sequence[str]
    slots: Sequence[Slot]
    evidence: Evidence
    budget: Budget
    rounds: int = 0
    _effort: int = 2_000
    _solver: Optimum = field(init=False)
    _slot: list[Literal] = field(init=False)
    _asked: dict[Requirement, Literal] = field(default_factory=dict)
    _alive: dict[Requirement, list[Literal]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        formula = Formula()
        self._slot = [formula.choice() for _ in self.slots]
        costs = {literal: self._cost(number) for number, literal in enumerate(self._slot)}
        self._solver = Optimum(formula, costs)

    def run(self, avoided: Slot | None = None) -> list[Slot] | Exhausted:
        """The cheapest choice that explains all requirements, without a slot that is to be avoided."""
        without = [-self._slot[self.slots.index(avoided)]] if avoided is not None else []
        whole = Filling(self.sketch, self.holes, self.evidence.world, self.slots)
        while True:
            self.rounds += 1
            self.budget.spend(1)
            assumptions = [*without, *self._asked.values()]
            found = self._solver.best(self._slot, self.budget, assumptions, self._effort)
            if self._effort and not self._solver.optimal:
                self._effort //= 4
            if found is None:
                return Exhausted([] if avoided else self._contradiction(assumptions))
            chosen = [number for number, literal in enumerate(self._slot) if literal in found]
            killed = _killed(whole, chosen)
            learnt = self._learn_forbidden(chosen, self.evidence.forbidden & ~killed)
            learnt += self._learn_allowed(chosen, killed)
            if not learnt:
                small = self._without_needless(whole, chosen)
                if not self._solver.optimal:
                    small = self._exchanged(whole, small, avoided)
                return [self.slots[number] for number in small]

    def largest(self) -> list[Slot]:
        """A choice to which nothing can be added without an allowed test losing its last witness."""
        whole = Filling(self.sketch, self.holes, self.evidence.world, self.slots)
        everything = self.evidence.world.all
        needed = set(self.evidence.witnesses.values())
        choice: dict[int, int] = {}
        for number in range(len(self.slots)):
            killed = whole.forbidden({**choice, number: everything})
            if all(mask & ~killed for mask in needed):
                choice[number] = everything
        return [self.slots[number] for number in choice]

    def _without_needless(self, whole: Filling, chosen: list[int]) -> list[int]:
        """The choice without parts that it explains everything without: a solver that ran out of effort may
        have chosen too many."""
        for number in sorted(chosen, key=lambda each: -self.slots[each].cost):
            rest = [each for each in chosen if each != number]
            killed = _killed(whole, rest)
            if not self.evidence.forbidden & ~killed:
                chosen = rest
        return chosen

    def _exchanged(self, whole: Filling, chosen: list[int], avoided: Slot | None) -> list[int]:
        """The choice with cheaper parts in the places of dear ones, as long as that explains everything; a
        part that takes one place often makes others needless."""
        before: list[int] = []
        while before != chosen:
            before = chosen
            for number in sorted(chosen, key=self._cost, reverse=True):
                if number not in chosen:
                    continue
                rest = [each for each in chosen if each != number]
                other = self._instead(whole, rest, number, avoided)
                if other is not None:
                    chosen = self._without_needless(whole, [other, *rest])
        return chosen

    def _instead(self, whole: Filling, rest: list[int], number: int, avoided: Slot | None) -> int | None:
        """The cheapest part, cheaper than one, that explains everything with the rest; most are left out by
        the first executions that the rest allows."""
        alive = self.evidence.forbidden & ~_killed(whole, rest)
        part = self._part(self.evidence.world.of_one_group(alive, _COUNTEREXAMPLES))
        self.budget.spend(1)
        for other in sorted(range(len(self.slots)), key=self._cost):
            if self._cost(other) >= self._cost(number):
                return None
            choice = [*rest, other]
            if other in rest or self.slots[other] == avoided or _killed(part, choice) != part.world.all:
                continue
            killed = _killed(whole, choice)
            explained = not self.evidence.forbidden & ~killed
            if explained and all(mask & ~killed for mask in self.evidence.witnesses.values()):
                return other
        return None

    def _cost(self, number: int) -> int:
        return _SIZE_COUNTS * self.slots[number].cost + 1

    def _learn_forbidden(self, chosen: list[int], alive: int) -> int:
        """Executions that must not be allowed: one of the parts outside of a largest harmless choice."""
        numbers = self.evidence.world.of_one_group(alive, _COUNTEREXAMPLES)
        if not numbers:
            return 0
        bodies = []
        for number, outside in zip(numbers, self._part(numbers).grown(chosen), strict=True):
            asked = self._request(self.evidence.blame[number][0])
            bodies.append([asked, *[-self._slot[each] for each in outside]])
        self._solver.forbid(bodies)
        return len(bodies)

    def _learn_allowed(self, chosen: list[int], killed: int) -> int:
        """Tests that lost all witnesses: in one of those, a part of what forbids it has to go."""
        world = self.evidence.world
        lost = [r for r, mask in self.evidence.witnesses.items() if not mask & ~killed][:_TESTS]
        if not lost:
            return 0
        bodies: list[list[Literal]] = []
        uses: dict[int, list[Literal]] = {}
        for requirement in lost:
            numbers = world.numbers(self.evidence.witnesses[requirement])
            for number, alive in zip(numbers, self._alive_atoms(requirement, numbers, bodies), strict=True):
                uses.setdefault(number, []).append(alive)
        ordered = sorted(uses)
        for number, kept in zip(ordered, self._part(ordered).shrunk(chosen), strict=True):
            bodies += [[alive, *[self._slot[each] for each in kept]] for alive in uses[number]]
        self._solver.forbid(bodies)
        return len(bodies)

    def _alive_atoms(
        self, requirement: Requirement, numbers: Sequence[int], bodies: list[list[Literal]]
    ) -> list[Literal]:
        """An atom for each witness: it is not forbidden. The first time, that there is such a witness."""
        found = self._alive.get(requirement)
        if found is None:
            found = self._alive[requirement] = self._solver.atoms(len(numbers))
            bodies.append([self._request(requirement), *[-alive for alive in found]])
        return found

    def _part(self, numbers: Sequence[int]) -> Filling:
        """The sketch over some executions."""
        part, take = self.evidence.world.some(numbers)
        return Filling(self.sketch, self.holes, part, self.slots, take)

    def _request(self, requirement: Requirement) -> Literal:
        """An atom that stands for the requirement: clauses hold where it is assumed."""
        if requirement not in self._asked:
            (self._asked[requirement],) = self._solver.atoms(1)
        return self._asked[requirement]

    def _contradiction(self, assumptions: Sequence[Literal]) -> list[Requirement]:
        """A minimal set of requirements that no choice explains, by leaving out one after the other."""
        core = [literal for literal in assumptions if literal in set(self._solver.core)]
        for literal in list(core):
            rest = [each for each in core if each != literal]
            if self._solver.best(self._slot, self.budget, rest, 0) is None:
                core = rest
        return [requirement for requirement, literal in self._asked.items() if literal in set(core)]


def _killed(filling: Filling, chosen: Sequence[int]) -> int:
    """The executions that a choice forbids."""
    return filling.forbidden(dict.fromkeys(chosen, filling.world.all))
