"""Walks towards a target along solutions of the state equation: deep counterexamples of large Petri nets.

A solution of the state equation says how often each transition would have to fire. The walk fires enabled
transitions of the solution; where none is enabled it solves again from the marking reached, or fires what
helps an awaited transition, or anything. Restarts are random but reproducible. Places without upper end
initially hold "any number" of tokens; the numbers needed follow at the end. Only finds counterexamples.
"""

from __future__ import annotations

import random
from collections.abc import Generator

from treville.petri import work
from treville.petri.answers import Finding, FiringSequence
from treville.petri.linear import Cone
from treville.petri.net import UNBOUNDED, Bound, Box, Problem
from treville.results.budget import Budget

Method = Generator[None, None, Finding]
Limit = tuple[Bound, ...]

_FIRST_LENGTH = 64


def guided(problem: Problem, budget: Budget) -> Method:
    """Walk from the initial markings towards each target in turn, farther and farther."""
    if not problem.net.plain:
        return Finding(None, "the state equation guides Petri nets only")
    guides = []
    for target in problem.targets:
        guide = _Guide(problem, target, budget)
        if guide.counts(guide.start) is not None:
            guides.append(guide)
        yield
    attempt = 0
    while guides:
        for guide in guides:
            length = _FIRST_LENGTH << min(attempt, 24)
            sequence = yield from _walk(problem, guide, length, random.Random(attempt))
            if sequence is not None:
                return Finding(sequence)
            yield
        attempt += 1
    return Finding(None, "the state equation excludes every target")


class _Guide:
    """Solves the state equation between a marking and one target."""

    def __init__(self, problem: Problem, target: Box, budget: Budget) -> None:
        self.target, self.budget = target, budget
        self.count = len(problem.net.places)
        self.capped = [p for p in range(self.count) if target.high[p] != UNBOUNDED]
        # Any number of tokens cannot be compared with an upper end: then start from the least marking.
        endless = any(problem.initial.high[p] == UNBOUNDED for p in self.capped)
        self.start: Limit = problem.initial.low if endless else problem.initial.high
        self.usable = [p for p in range(self.count) if self.start[p] != UNBOUNDED]
        self.transitions: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for index, transition in enumerate(problem.net.transitions):
            if transition.delta:
                self.transitions.setdefault(tuple(sorted(transition.delta.items())), []).append(index)
        usable, capped = set(self.usable), set(self.capped)
        rows = []
        for delta in self.transitions:
            row = {p: change for p, change in delta if p in usable}
            row.update({self.count + p: -change for p, change in delta if p in capped})
            rows.append(row)
        self.members = list(self.transitions.values())
        self.cone = Cone(2 * self.count, rows, budget)

    def counts(self, marking: Limit) -> dict[int, int] | None:
        """How often each transition should fire (rounded up); None when the target is out of reach."""
        objective = {p: self.target.low[p] - int(marking[p]) for p in self.usable}
        objective.update({self.count + p: int(marking[p]) - int(self.target.high[p]) for p in self.capped})
        if self.cone.ray(objective) is not None:
            return None
        scale, multipliers = self.cone.combination()
        return {t: -(-value // scale) for row, value in multipliers.items() for t in self.members[row]}

    def reached(self, marking: Limit) -> bool:
        """True when the marking lies in the target."""
        return all(a <= m <= b for a, m, b in zip(self.target.low, marking, self.target.high, strict=True))


def _walk(
    problem: Problem, guide: _Guide, length: int, chance: random.Random
) -> Generator[None, None, FiringSequence | None]:
    net = problem.net
    marking = guide.start
    seen = {marking}
    steps: list[int] = []
    counts: dict[int, int] | None = {}
    while len(steps) < length:
        guide.budget.spend(work.FIRING * len(net.transitions))
        if guide.reached(marking):
            return _concrete(problem, steps, guide.target)
        choice = _choose(problem, marking, counts or {}, seen, chance)
        if choice is None:
            counts = guide.counts(marking)
            if counts is None:
                return None
            choice = _choose(problem, marking, counts, seen, chance) or _anything(
                problem, marking, counts, chance
            )
            if choice is None:
                return None
        if counts and counts.get(choice):
            counts[choice] -= 1
        steps.append(choice)
        delta = net.transitions[choice].delta
        marking = tuple(n + delta.get(p, 0) for p, n in enumerate(marking))
        seen.add(marking)
        yield
    return None


def _enabled(problem: Problem, marking: Limit, index: int) -> bool:
    return all(marking[p] >= i.low for p, i in problem.net.transitions[index].guard.items())


def _choose(
    problem: Problem, marking: Limit, counts: dict[int, int], seen: set[Limit], chance: random.Random
) -> int | None:
    """An enabled transition that the solution still wants and that leads to a new marking."""
    wanted = [t for t, n in counts.items() if n > 0 and _enabled(problem, marking, t)]
    chance.shuffle(wanted)
    for index in wanted:
        delta = problem.net.transitions[index].delta
        if tuple(n + delta.get(p, 0) for p, n in enumerate(marking)) not in seen:
            return index
    return None


def _anything(problem: Problem, marking: Limit, counts: dict[int, int], chance: random.Random) -> int | None:
    """An enabled transition, preferably one that gives tokens which a wanted transition lacks."""
    lacking = {
        p
        for t, n in counts.items()
        if n > 0
        for p, i in problem.net.transitions[t].guard.items()
        if marking[p] < i.low
    }
    enabled = [
        t
        for t, transition in enumerate(problem.net.transitions)
        if transition.delta and _enabled(problem, marking, t)
    ]
    helpful = [t for t in enabled if any(problem.net.transitions[t].delta.get(p, 0) > 0 for p in lacking)]
    if helpful and chance.random() < 0.8:
        return chance.choice(helpful)
    return chance.choice(enabled) if enabled else None


def _concrete(problem: Problem, steps: list[int], target: Box) -> FiringSequence:
    """The least initial marking from which the steps can be fired and end at the target or above."""
    demand = list(target.low)
    for index in reversed(steps):
        transition = problem.net.transitions[index]
        for place, change in transition.delta.items():
            demand[place] = max(0, demand[place] - change)
        for place, interval in transition.guard.items():
            demand[place] = max(demand[place], interval.low)
    return FiringSequence(tuple(map(max, problem.initial.low, demand)), tuple(steps))
