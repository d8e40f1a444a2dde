"""The independent checker: does this evidence prove its verdict? Exact integers, no solver, no search code.

It knows only the meaning of nets (`net`) and decides initiation, inductiveness and separation anew:
half spaces through exact minima over guards and, where those do not settle it, through the least sums per
residue class (a different algorithm than the generator's); boxes by splitting the markings that would
enter them; firing sequences by replaying them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from math import prod

from treville.petri.answers import Combination, Cover, Evidence, FiringSequence, Invariant, Markings
from treville.petri.halfspace import HalfSpace
from treville.petri.net import UNBOUNDED, Bound, Box, Net, Problem, Transition
from treville.results.budget import Budget

Region = list[tuple[int, Bound]]
Form = dict[int, int]


def check(problem: Problem, evidence: Evidence, budget: Budget | None = None) -> str | None:
    """None when the evidence proves its verdict for `problem`, otherwise what is wrong with it."""
    budget = budget or Budget()
    if isinstance(evidence, FiringSequence):
        return _check_sequence(problem, evidence)
    if isinstance(evidence, Cover):
        return _check_cover(problem, evidence, budget)
    if isinstance(evidence, Markings):
        return _check_markings(problem, evidence, budget)
    return _InvariantChecker(problem, evidence, budget).verdict()


def replay(problem: Problem, sequence: FiringSequence) -> list[tuple[int, ...]]:
    """The markings along a firing sequence, the initial one first; raises ValueError where it cannot fire."""
    markings = [sequence.initial]
    for position, index in enumerate(sequence.steps):
        transition = problem.net.transitions[index]
        if not transition.enabled(markings[-1]):
            raise ValueError(f"step {position + 1}: {transition.name} is not enabled")
        markings.append(transition.fire(markings[-1]))
    return markings


def _check_sequence(problem: Problem, sequence: FiringSequence) -> str | None:
    if not problem.initial.contains(sequence.initial):
        return "the sequence does not start in an initial marking"
    try:
        last = replay(problem, sequence)[-1]
    except ValueError as error:
        return str(error)
    if not any(target.contains(last) for target in problem.targets):
        return "the sequence does not end in a target"
    return None


def _check_cover(problem: Problem, cover: Cover, budget: Budget) -> str | None:
    def covered(limit: tuple[Bound, ...]) -> bool:
        return any(all(a <= b for a, b in zip(limit, other, strict=True)) for other in cover.limits)

    if not covered(problem.initial.high):
        return "an initial marking is not covered"
    for limit in cover.limits:
        if any(all(t <= d for t, d in zip(target.low, limit, strict=True)) for target in problem.targets):
            return "a target is covered"
        for transition in problem.net.transitions:
            budget.check()
            if all(interval.low <= limit[p] for p, interval in transition.guard.items()):
                largest = [min(d, transition.high(p)) for p, d in enumerate(limit)]
                image = list(largest)
                for place, update in transition.updates.items():
                    image[place] = sum(largest[s] for s in update.sources) + update.constant
                if not covered(tuple(image)):
                    return f"firing {transition.name} leaves the cover"
    return None


def _check_markings(problem: Problem, evidence: Markings, budget: Budget) -> str | None:
    markings = evidence.markings
    if any(high == UNBOUNDED for high in problem.initial.high):
        return "finitely many markings cannot contain infinitely many initial ones"
    contained = sum(1 for marking in markings if problem.initial.contains(marking))
    if contained != prod(
        int(b) - a + 1 for a, b in zip(problem.initial.low, problem.initial.high, strict=True)
    ):
        return "an initial marking is missing"
    for marking in markings:
        budget.check()
        if any(target.contains(marking) for target in problem.targets):
            return "a target is among the markings"
        for transition in problem.net.transitions:
            if transition.enabled(marking) and transition.fire(marking) not in markings:
                return f"firing {transition.name} leaves the markings"
    return None


# --- half spaces


def _form_least(form: Mapping[int, int], lows: Mapping[int, int], highs: Mapping[int, Bound]) -> Bound:
    """The minimum of a linear form where place p ranges over lows[p] (default 0) to highs[p] (no end)."""
    total: Bound = 0
    for place, coefficient in form.items():
        if coefficient > 0:
            total += coefficient * lows.get(place, 0)
        elif coefficient < 0:
            high = highs.get(place, UNBOUNDED)
            if high == UNBOUNDED:
                return -UNBOUNDED
            total += coefficient * high
    return total


def _inductive(k: Form, c: int, transition: Transition, budget: Budget) -> bool:
    lows = {p: interval.low for p, interval in transition.guard.items()}
    highs = {p: interval.high for p, interval in transition.guard.items() if interval.high != UNBOUNDED}
    after: Form = {p: v for p, v in k.items() if p not in transition.updates}
    constant = 0
    for place, update in transition.updates.items():
        weight = k.get(place, 0)
        constant += weight * update.constant
        for source in update.sources if weight else ():
            after[source] = after.get(source, 0) + weight
    change = {p: after.get(p, 0) - k.get(p, 0) for p in after.keys() | k.keys()}
    never_decreases = _form_least(change, lows, highs) + constant >= 0
    never_enabled = _form_least({p: -v for p, v in k.items()}, lows, highs) > -c
    always_inside = _form_least(after, lows, highs) + constant >= c
    if never_decreases or never_enabled or always_inside:
        return True
    return transition.shifts_only and not highs and _gap_missed(k, c, transition, budget)


def _gap_missed(k: Form, c: int, transition: Transition, budget: Budget) -> bool:
    """No enabled marking m has k.m >= c and k.fire(m) < c, by least sums per residue (Petri transitions).

    With entries of one sign, k.m over enabled markings takes the values start + sums of entries. Modulo
    the smallest entry, each residue class is reached from its least value on, in steps of that entry.
    """
    signs = {value > 0 for value in k.values() if value}
    drop = -sum(k.get(p, 0) * d for p, d in transition.delta.items())
    if len(signs) != 1 or drop <= 0:
        return drop <= 0
    start = sum(k.get(p, 0) * i.low for p, i in transition.guard.items())
    first, last = (c, c + drop - 1) if signs == {True} else (-(c + drop - 1), -c)
    entries = sorted({abs(value) for value in k.values() if value})
    base, start = entries[0], abs(start) if signs == {True} else -start
    for value in _least_sums(start, base, entries, budget):
        at_least = max(first, value)
        if at_least + (value - at_least) % base <= last:
            return False
    return True


def _least_sums(start: int, base: int, entries: list[int], budget: Budget) -> Iterable[int]:
    """For each reachable residue modulo `base`, the least start + sum of entries (Dijkstra's algorithm)."""
    best = {start % base: start}
    queue = [start]
    while queue:
        budget.check()
        value = heapq.heappop(queue)
        if best[value % base] < value:
            continue
        for entry in entries[1:]:
            other = value + entry
            if other < best.get(other % base, other + 1):
                best[other % base] = other
                heapq.heappush(queue, other)
    return best.values()


# --- invariants: half spaces and boxes


class _Sparse:
    """A box by its constraining ends only, for inclusion tests."""

    __slots__ = ("highs", "lows")

    def __init__(self, box: Box) -> None:
        self.lows = [(p, n) for p, n in enumerate(box.low) if n]
        self.highs = [(p, n) for p, n in enumerate(box.high) if n != UNBOUNDED]

    def includes(self, region: Region) -> bool:
        return all(region[p][0] >= n for p, n in self.lows) and all(region[p][1] <= n for p, n in self.highs)


class _InvariantChecker:
    def __init__(self, problem: Problem, invariant: Invariant, budget: Budget) -> None:
        self.problem = problem
        self.invariant = invariant
        self.budget = budget
        self.forms = [({p: v for p, v in enumerate(h.k) if v}, h.c) for h in invariant.half_spaces]
        # A box that needs tokens somewhere is looked up through one such place only.
        self.homes: dict[int, list[_Sparse]] = {}
        for box in invariant.boxes:
            sparse = _Sparse(box)
            home = min((p for p, _ in sparse.lows), key=lambda p: len(self.homes.get(p, ())), default=-1)
            self.homes.setdefault(home, []).append(sparse)

    def verdict(self) -> str | None:
        return self._initiation() or self._half_spaces() or self._boxes() or self._separation()

    def _initiation(self) -> str | None:
        initial = self.problem.initial
        lows, highs = dict(enumerate(initial.low)), dict(enumerate(initial.high))
        for number, (form, c) in enumerate(self.forms):
            if _form_least(form, lows, highs) < c:
                return f"half space {number + 1} does not contain every initial marking"
        if any(box.meet(initial) for box in self.invariant.boxes):
            return "a box contains an initial marking"
        return None

    def _half_spaces(self) -> str | None:
        for number, (form, c) in enumerate(self.forms):
            for transition in self.problem.net.transitions:
                self.budget.check()
                if not _inductive(form, c, transition, self.budget):
                    return f"half space {number + 1} is not inductive for {transition.name}"
        return None

    def _boxes(self) -> str | None:
        for box in self.invariant.boxes:
            for transition in self.problem.net.transitions:
                if not self._entered_from_inside(box, transition):
                    return f"{transition.name} enters a box from outside"
        return None

    def _excluded(self, region: Region) -> bool:
        """The region lies in one box or outside one half space."""
        for place in (-1, *(p for p, (low, _) in enumerate(region) if low)):
            if any(sparse.includes(region) for sparse in self.homes.get(place, ())):
                return True
        lows = {p: low for p, (low, _) in enumerate(region)}
        highs = {p: high for p, (_, high) in enumerate(region)}
        return any(_form_least({p: -v for p, v in f.items()}, lows, highs) > -c for f, c in self.forms)

    def _entered_from_inside(self, box: Box, transition: Transition) -> bool:
        """Every marking that fires into the box is itself excluded."""
        region: Region = list(zip(box.low, box.high, strict=True))
        sums: list[tuple[tuple[int, ...], int, Bound]] = []
        inside = True
        for place in transition.guard.keys() | transition.updates.keys():
            low, high = region[place]
            update = transition.updates.get(place)
            first, last = transition.low(place), transition.high(place)
            if update is None or update.sources == (place,):
                shift = update.constant if update else 0
                first, last = max(first, low - shift), min(last, high - shift)
            else:
                sums.append((update.sources, low - update.constant, high - update.constant))
            if first > last:
                return True
            region[place] = (first, last)
            inside = inside and low <= first and last <= high
        # Often the markings before firing lie in the same box; nothing is left to check then.
        return inside or self._all_excluded(region, sums)

    def _all_excluded(self, region: Region, sums: list[tuple[tuple[int, ...], int, Bound]]) -> bool:
        """Split the region until each part is excluded or violates one of the sums that the box demands."""
        parts = [region]
        while parts:
            self.budget.check()
            part = parts.pop()
            undecided: tuple[int, ...] | None = None
            impossible = False
            for sources, low, high in sums:
                least = sum(part[s][0] for s in sources)
                most = sum(part[s][1] for s in sources)
                impossible = impossible or least > high or most < low
                if least < low or most > high:
                    undecided = undecided or sources
            if impossible or self._excluded(part):
                continue
            if undecided is None:
                return False
            place = min((s for s in undecided if part[s][0] < part[s][1]), key=lambda s: part[s][0])
            first, last = part[place]
            for piece in ((first, first), (first + 1, last)):
                split = list(part)
                split[place] = piece
                parts.append(split)
        return True

    def _separation(self) -> str | None:
        for number, target in enumerate(self.problem.targets):
            self.budget.check()
            combination = self.invariant.combinations.get(number)
            if combination is not None and self._combined(target, combination):
                continue
            if not self._excluded(list(zip(target.low, target.high, strict=True))):
                return f"target {number + 1} is not excluded"
        return None

    def _combined(self, target: Box, combination: Combination) -> bool:
        total: Form = {}
        bound = 0
        for index, multiplier in combination.multipliers:
            if multiplier < 0:
                return False
            form, c = self.forms[index]
            bound += multiplier * c
            for place, value in form.items():
                total[place] = total.get(place, 0) - multiplier * value
        return _form_least(total, dict(enumerate(target.low)), dict(enumerate(target.high))) > -bound


def inductive_half_space(half_space: HalfSpace, net: Net) -> bool:
    """True when no transition of `net` can leave the half space (never wrongly true)."""
    form = {p: v for p, v in enumerate(half_space.k) if v}
    return all(_inductive(form, half_space.c, t, Budget()) for t in net.transitions)
