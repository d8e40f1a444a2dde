"""The state equation strengthened by traps: several half spaces in conjunction.

A trap is a set of places that, once marked, stays marked: the half space "at least one token in it". Where
no oriented half space alone excludes a target, the state equation has a solution; if that solution empties
an initially marked trap, the trap is added and the linear query repeated with the trap's inequality as a
helper. Farkas's lemma then names one oriented half space and multipliers of traps whose sum excludes the
target, which `checking` verifies by adding them up.
"""

from __future__ import annotations

from collections.abc import Generator

from treville.petri.answers import Combination, Finding, Invariant
from treville.petri.halfspace import HalfSpace, least
from treville.petri.linear import Cone
from treville.petri.net import UNBOUNDED, Box, Net, Problem, Transition
from treville.petri.oriented import Separator, orientation_rows
from treville.results.budget import Budget

Method = Generator[None, None, Finding]


def greatest_trap(net: Net, places: set[int]) -> set[int]:
    """The union of all traps within `places`: what consumes from it also produces into it."""
    trap = set(places)
    changed = True
    while changed:
        changed = False
        for transition in net.transitions:
            taken = {p for p, i in transition.guard.items() if i.low and p in trap}
            touched = trap & _touched(transition)
            left = any(transition.low(p) + transition.delta.get(p, 0) > 0 for p in touched)
            if taken and not left:
                trap -= taken
                changed = True
    return trap


def _touched(transition: Transition) -> set[int]:
    return {*transition.guard, *transition.delta}


def traps(problem: Problem, separator: Separator, budget: Budget) -> Method:
    """Exclude every target by an oriented half space, with traps added where that is not enough."""
    if not problem.net.plain:
        return Finding(None, "traps are defined for Petri nets only")
    half_spaces: dict[HalfSpace, int] = {}
    combinations: dict[int, Combination] = {}
    known: list[frozenset[int]] = []
    for number, target in enumerate(problem.targets):
        half_space = separator.separate(target)
        if half_space is not None:
            half_spaces.setdefault(half_space, len(half_spaces))
            continue
        proof = yield from _refined(problem, target, known, budget)
        if proof is None:
            return Finding(None, f"target {number + 1}: the state equation with traps has a solution")
        indices = [(half_spaces.setdefault(h, len(half_spaces)), factor) for h, factor in proof]
        combinations[number] = Combination(tuple(indices))
    return Finding(Invariant(tuple(half_spaces), (), combinations))


def _refined(
    problem: Problem, target: Box, known: list[frozenset[int]], budget: Budget
) -> Generator[None, None, list[tuple[HalfSpace, int]] | None]:
    """Half spaces with multipliers whose sum excludes the target, or None."""
    while True:
        budget.check()
        query = _Query(problem, target, known, budget)
        proof = query.solve()
        if proof is not None:
            return proof
        solution = query.solution()
        empty = {p for p, tokens in solution.items() if tokens == 0}
        trap = greatest_trap(problem.net, empty)
        if sum(problem.initial.low[p] for p in trap) == 0:
            return None
        known.append(frozenset(trap))
        yield


class _Query:
    """One linear query: columns are the negative and positive parts of the sum, then the traps."""

    def __init__(self, problem: Problem, target: Box, known: list[frozenset[int]], budget: Budget) -> None:
        self.problem, self.target, self.traps = problem, target, known
        self.count = len(problem.net.places)
        self.usable = [p for p in range(self.count) if problem.initial.high[p] != UNBOUNDED]
        self.rows = [row for t in problem.net.transitions for row in orientation_rows(t)]
        self.positive = [p for p in range(self.count) if target.high[p] != UNBOUNDED]
        usable, positive = set(self.usable), set(self.positive)
        rows = []
        for row in self.rows:
            entries = {p: v for p, v in row.items() if p in usable}
            entries.update({self.count + p: -v for p, v in row.items() if p in positive})
            for index, trap in enumerate(known):
                entries[2 * self.count + index] = sum(v for p, v in row.items() if p in trap)
            rows.append(entries)
        self.cone = Cone(2 * self.count + len(known), rows, budget)

    def solve(self) -> list[tuple[HalfSpace, int]] | None:
        initial, target, count = self.problem.initial, self.target, self.count
        objective = {p: target.low[p] - int(initial.high[p]) for p in self.usable}
        objective.update({count + p: initial.low[p] - int(target.high[p]) for p in self.positive})
        for index, trap in enumerate(self.traps):
            objective[2 * count + index] = 1 - sum(int(initial.high[p]) for p in trap)
        point = self.cone.ray(objective)
        if point is None:
            return None
        factors = {trap: point.get(2 * count + i, 0) for i, trap in enumerate(self.traps)}
        k = [point.get(count + p, 0) - point.get(p, 0) for p in range(count)]
        for trap, factor in factors.items():
            for p in trap:
                k[p] -= factor
        proof = [(HalfSpace(tuple(k), int(least(k, initial))), 1)]
        for trap, factor in factors.items():
            if factor:
                proof.append((HalfSpace(tuple(int(p in trap) for p in range(count)), 1), factor))
        return proof

    def solution(self) -> dict[int, int]:
        """Tokens per place with bounded start (times a scale) in a solution of the state equation."""
        scale, multipliers = self.cone.combination()
        tokens = {p: scale * int(self.problem.initial.high[p]) for p in self.usable}
        for index, factor in multipliers.items():
            for p, value in self.rows[index].items():
                if p in tokens:
                    tokens[p] += factor * value
        return tokens
