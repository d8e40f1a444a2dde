"""The cheapest assignment that every violating execution seen so far leaves out: a solver chooses.

Of each execution it is known that some site must get a level beyond those with which the execution is still
there. With all that is learnt the cheapest choice is a lower bound of what any repair costs; once it is a
repair, none is cheaper (implicit hitting sets: R. Karp, E. Moreno-Centeno, 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from treville.formulas.formula import Formula, Literal
from treville.questions.repair.sites import Assignment, Choice, Site, SiteKind, with_levels
from treville.results import Budget
from treville.solving.optimum import Optimum

# Costs count before the number of changes, and that before their strength; of equals orders before fences.
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
        self.sites = sites
        self.start = start
        self.costs = costs
        self._liked = liked or {}
        self._needs = list(needs)
        self._beyond: list[Assignment] = []
        self._left_out: list[Assignment] = []

    def _strength(self, choice: Choice) -> int:
        number, level = choice
        chosen = self.sites[number].levels[level]
        liked = number not in self._liked or self._liked[number] in chosen.tags
        return 3 * len(chosen.strength) + 2 * (not liked) + (self.sites[number].kind is SiteKind.GAP)

    def learn(self, beyond: Iterable[Assignment]) -> None:
        """For each assignment: a repair has at some site a level that is not at most the one there."""
        self._beyond += beyond

    def leave_out(self, assignment: Assignment) -> None:
        """Choose anything but this."""
        self._left_out.append(assignment)

    def cheapest(self, budget: Budget) -> Assignment | None:
        """The cheapest assignment that agrees with all that was learnt; None: nothing does. The solver starts
        anew each time, and goes down from solutions: a core-guided search did not end on some of these."""
        formula = Formula()
        literals = {choice: formula.choice() for choice in self.costs}
        self._constrain(formula, literals)
        prices = {
            literal: _COST_COUNTS * self.costs[choice] + _CHANGE_COUNTS + self._strength(choice)
            for choice, literal in literals.items()
        }
        found = Optimum(formula, prices, strategy="bb").best(list(literals.values()), budget)
        if found is None:
            return None
        chosen = {number: level for (number, level), literal in literals.items() if literal in found}
        return with_levels(self.start, chosen)

    def _constrain(self, formula: Formula, literals: Mapping[Choice, Literal]) -> None:
        by_site: dict[int, list[Literal]] = {}
        for (number, _), literal in literals.items():
            for other in by_site.setdefault(number, []):
                formula.forbid(literal, other)
            by_site[number].append(literal)
        for choice, others in self._needs:
            if choice in literals and not any(self.start[number] == level for number, level in others):
                wanted = [literals[other] for other in others if other in literals]
                formula.require(Literal(-literals[choice]), *wanted)
        for assignment in self._beyond:
            formula.require(*(literals[choice] for choice in literals if self._is_beyond(choice, assignment)))
        for assignment in self._left_out:
            chosen = set(enumerate(assignment))
            atoms = literals.items()
            formula.forbid(*(atom if choice in chosen else Literal(-atom) for choice, atom in atoms))

    def _is_beyond(self, choice: Choice, assignment: Assignment) -> bool:
        number, level = choice
        levels = self.sites[number].levels
        return not levels[level].at_most(levels[assignment[number]])
