"""Half spaces that every transition moves into: one linear query decides them all (section 7.3).

If k . m never decreases, then k . m >= c holds for ever once it holds, whatever c. By Farkas's lemma such
half spaces separate exactly what the state equation (over the rationals) separates. `Separator` asks for
one per box of bad markings, remembers those found, and answers repeated questions from memory first.
"""

from __future__ import annotations

from treville.petri.halfspace import HalfSpace, greatest, least
from treville.petri.linear import Cone
from treville.petri.net import UNBOUNDED, Box, Net, Problem, Transition
from treville.records import dataclass, field
from treville.results.budget import Budget


def orientation_rows(transition: Transition) -> list[dict[int, int]]:
    """Linear forms over k that must be >= 0 for firing never to decrease k . m, exact for Petri nets.

    For transfers: the coefficient of every old value must not be negative (it may be arbitrary where the
    guard pins the value), and neither may the change at the least enabled marking.
    """
    if transition.shifts_only:
        return [dict(transition.delta)] if transition.delta else []
    change: dict[int, dict[int, int]] = {}
    for place, update in transition.updates.items():
        own = change.setdefault(place, {})
        own[place] = own.get(place, 0) - 1
        for source in update.sources:
            form = change.setdefault(source, {})
            form[place] = form.get(place, 0) + 1
    rows = []
    at_least = {p: u.constant for p, u in transition.updates.items()}
    for place, form in change.items():
        form = {p: v for p, v in form.items() if v}
        low = transition.low(place)
        if form and transition.high(place) != low:
            rows.append(form)
        for p, value in form.items():
            at_least[p] = at_least.get(p, 0) + value * low
    rows.append({p: v for p, v in at_least.items() if v})
    return [row for row in rows if row]


@dataclass
class Separator:
    """Finds oriented half spaces that contain the initial markings and exclude a box."""

    problem: Problem
    budget: Budget
    found: list[HalfSpace] = field(default_factory=list)
    _cones: dict[tuple[int, ...], Cone] = field(default_factory=dict)
    _rows: list[dict[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = {tuple(sorted(r.items())) for t in self.problem.net.transitions for r in orientation_rows(t)}
        self._rows = [dict(row) for row in sorted(rows)]

    def known(self, box: Box) -> HalfSpace | None:
        """A half space found earlier that excludes the box; the lucky one moves to the front."""
        for index, half_space in enumerate(self.found):
            if greatest(half_space.k, box) < half_space.c:
                if index:
                    self.found.insert(0, self.found.pop(index))
                return half_space
        return None

    def separate(self, box: Box) -> HalfSpace | None:
        """A half space, known or new, that excludes the box; None when no oriented one does."""
        return self.known(box) or self.search(box)

    def search(self, box: Box) -> HalfSpace | None:
        """A new half space that excludes the box, by one linear query; None when no oriented one does."""
        net, initial = self.problem.net, self.problem.initial
        count = len(net.places)
        # Column p is the negative part of k[p], column count + p its positive part. A negative entry
        # needs an upper end of the initial value, a positive one an upper end in the box.
        positive = tuple(p for p in range(count) if box.high[p] != UNBOUNDED)
        cone = self._cones.get(positive)
        if cone is None:
            cone = self._cones[positive] = self._cone(positive)
        objective = {
            p: box.low[p] - int(initial.high[p]) for p in range(count) if initial.high[p] != UNBOUNDED
        }
        for p in positive:
            objective[count + p] = initial.low[p] - int(box.high[p])
        point = cone.ray(objective)
        if point is None:
            return None
        k = tuple(point.get(count + p, 0) - point.get(p, 0) for p in range(count))
        half_space = HalfSpace(k, int(least(k, initial)))
        self.found.insert(0, half_space)
        return half_space

    def _cone(self, positive: tuple[int, ...]) -> Cone:
        count = len(self.problem.net.places)
        usable = {p for p in range(count) if self.problem.initial.high[p] != UNBOUNDED}
        allowed = set(positive)
        rows = []
        for row in self._rows:
            entries = {p: v for p, v in row.items() if p in usable}
            entries.update({count + p: -v for p, v in row.items() if p in allowed})
            rows.append(entries)
        return Cone(2 * count, rows, self.budget)


def from_weights(problem: Problem) -> list[HalfSpace]:
    """The file's hints that really are oriented half spaces, in both directions; others are dropped."""
    result = []
    for weights in problem.weights:
        for sign in (-1, 1):
            k = tuple(sign * weights.get(p, 0) for p in range(len(problem.net.places)))
            bound = least(k, problem.initial)
            if bound != -UNBOUNDED and any(k) and never_decreases(k, problem.net):
                result.append(HalfSpace(k, int(bound)))
    return result


def never_decreases(k: tuple[int, ...], net: Net) -> bool:
    """True when every transition is oriented towards k."""
    return all(
        sum(k[p] * v for p, v in row.items()) >= 0 for t in net.transitions for row in orientation_rows(t)
    )
