"""The cheapest assignment that every violating execution seen so far leaves out: a solver chooses.

Of each execution it is known that some site must get a level beyond those with which the execution is still
there. With all that is learnt the cheapest choice is a lower bound of what any repair costs; once it is a
repair, none is cheaper (implicit hitting sets: R. Karp, E. Moreno-Centeno, 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from treville.formulas.formula import Formula, Literal
from treville.questions.repair.sites import Assignment, Choice, Site, with_levels
from treville.results import Budget
from treville.solving.optimum import Optimum

# Costs count before the number of changes, and that before their strength.
_COST_COUNTS, _CHANGE_COUNTS = 1 << 14, 1 << 6


class Chooser:
    """Chooses levels for sites: `costs` gives, for every level that may be chosen, what it costs more than
    that of the assignment `start`, which has no price. `needs`: who chooses the first level of a pair has to
    choose one of the others, unless the start has one of them; `liked` are tags of fences that are preferred
    where others cost the same."""

    def __init__(
        self,
        sites: Sequence[Site],
        start: Assignment,
        costs: Mapping[Choice, int],
        needs: Iterable[tuple[Choice, Sequence[Choice]]] = (),
        liked: Mapping[int, str] | None = None,
    ) -> None:
        formula = Formula()
        self.sites = sites
        self.start = start
        self._liked = liked or {}
        self.literals: dict[Choice, Literal] = {choice: formula.choice() for choice in costs}
        by_site: dict[int, list[Literal]] = {}
        for (number, _), literal in self.literals.items():
            for other in by_site.setdefault(number, []):
                formula.forbid(literal, other)
            by_site[number].append(literal)
        prices = {
            literal: _COST_COUNTS * costs[choice] + _CHANGE_COUNTS + self._strength(choice)
            for choice, literal in self.literals.items()
        }
        for choice, others in needs:
            if choice in self.literals and not any(start[number] == level for number, level in others):
                wanted = [self.literals[other] for other in others if other in self.literals]
                formula.require(Literal(-self.literals[choice]), *wanted)
        self._all = list(self.literals.values())
        self._solver = Optimum(formula, prices)

    def _strength(self, choice: Choice) -> int:
        number, level = choice
        chosen = self.sites[number].levels[level]
        liked = number not in self._liked or self._liked[number] in chosen.tags
        return 2 * len(chosen.strength) + (not liked)

    def learn(self, beyond: Iterable[Assignment]) -> None:
        """For each assignment: a repair has at some site a level that is not at most the one there."""
        self._solver.forbid([self._none_of(assignment) for assignment in beyond])

    def _none_of(self, assignment: Assignment) -> list[Literal]:
        return [Literal(-literal) for literal in self._beyond(assignment)]

    def _beyond(self, assignment: Assignment) -> list[Literal]:
        found = []
        for (number, level), literal in self.literals.items():
            levels = self.sites[number].levels
            if not levels[level].at_most(levels[assignment[number]]):
                found.append(literal)
        return found

    def leave_out(self, assignment: Assignment) -> None:
        """Choose anything but this."""
        chosen = {(number, level) for number, level in enumerate(assignment)}
        literals = self.literals.items()
        self._solver.forbid([[atom if choice in chosen else Literal(-atom) for choice, atom in literals]])

    def cheapest(self, budget: Budget) -> Assignment | None:
        """The cheapest assignment that agrees with all that was learnt; None: nothing does."""
        found = self._solver.best(self._all, budget)
        if found is None:
            return None
        chosen = {number: level for (number, level), literal in self.literals.items() if literal in found}
        return with_levels(self.start, chosen)
