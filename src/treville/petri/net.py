"""Counter nets and the question asked of them: places, guarded transitions, boxes of markings.

A marking is a tuple of natural numbers, one per place. A transition has an interval guard per place and
updates that happen at once from the old values: `x' = y + z + n` (a transfer, a reset or a shift).
A Petri net (paper 004, section 7.2) is the case where every update is `x' = x + n` and no guard has an
upper bound. Sets of markings are boxes: one interval per place, possibly without upper end.
"""

from __future__ import annotations

import math
from functools import cached_property

from treville.records import dataclass, field
from treville.results.source import Span

# Upper ends of intervals: a natural number, or UNBOUNDED. Finite ends stay exact integers.
Bound = int | float
UNBOUNDED: float = math.inf

Marking = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """The natural numbers from `low` to `high`."""

    low: int = 0
    high: Bound = UNBOUNDED


@dataclass(frozen=True, slots=True)
class Update:
    """The new value of a place: the sum of old values of `sources` (with repetition) plus `constant`."""

    sources: tuple[int, ...]
    constant: int


@dataclass(frozen=True)
class Transition:
    """A guarded simultaneous assignment; places without update keep their tokens."""

    name: str
    guard: dict[int, Interval]
    updates: dict[int, Update]
    span: Span | None = field(default=None, compare=False)
    # One of several readings of a rule that assigns a place twice: good for proofs, not for counterexamples.
    alternative: bool = field(default=False, compare=False)

    @cached_property
    def shifts_only(self) -> bool:
        """True when every update adds a constant to its own place, as in a Petri net."""
        return all(update.sources == (place,) for place, update in self.updates.items())

    @cached_property
    def monotone(self) -> bool:
        """True when more tokens never disable it: no guard has an upper end."""
        return all(interval.high == UNBOUNDED for interval in self.guard.values())

    @cached_property
    def delta(self) -> dict[int, int]:
        """The non-zero effects of a transition that only shifts (the vector t-delta)."""
        return {place: update.constant for place, update in self.updates.items() if update.constant}

    def low(self, place: int) -> int:
        """The least number of tokens of `place` that enables it (the vector t-minus)."""
        interval = self.guard.get(place)
        return interval.low if interval else 0

    def high(self, place: int) -> Bound:
        """The greatest number of tokens of `place` that enables it."""
        interval = self.guard.get(place)
        return interval.high if interval else UNBOUNDED

    def enabled(self, marking: Marking) -> bool:
        """True when every guard holds in `marking`."""
        return all(i.low <= marking[place] <= i.high for place, i in self.guard.items())

    def fire(self, marking: Marking) -> Marking:
        """The marking after firing; the transition must be enabled."""
        result = list(marking)
        for place, update in self.updates.items():
            result[place] = sum(marking[source] for source in update.sources) + update.constant
        return tuple(result)


@dataclass(frozen=True)
class Net:
    """Places and transitions; places are numbered in the order of their declaration."""

    places: tuple[str, ...]
    transitions: tuple[Transition, ...]

    @cached_property
    def plain(self) -> bool:
        """True for a Petri net, possibly with read arcs: shifts only, no upper guards."""
        return all(t.shifts_only and t.monotone for t in self.transitions)

    @cached_property
    def monotone(self) -> bool:
        """True when more tokens never hurt (Petri nets, transfers, resets), false with zero tests."""
        return all(t.monotone for t in self.transitions)


@dataclass(frozen=True, slots=True)
class Box:
    """All markings with `low[p] <= m[p] <= high[p]` for every place p."""

    low: Marking
    high: tuple[Bound, ...]

    def contains(self, marking: Marking) -> bool:
        """True when `marking` lies in the box."""
        return all(a <= m <= b for a, m, b in zip(self.low, marking, self.high, strict=True))

    def meet(self, other: Box) -> Box | None:
        """The common markings, or None when there are none."""
        low = tuple(map(max, self.low, other.low))
        high = tuple(map(min, self.high, other.high))
        return Box(low, high) if all(a <= b for a, b in zip(low, high, strict=True)) else None

    @property
    def upward_closed(self) -> bool:
        """True when no place has an upper end."""
        return all(high == UNBOUNDED for high in self.high)


@dataclass(frozen=True)
class Problem:
    """Can a marking of `initial` reach one of `targets`? `weights` are unverified hints of the file."""

    name: str
    net: Net
    initial: Box
    targets: tuple[Box, ...]
    weights: tuple[dict[int, int], ...] = ()

    @cached_property
    def coverability(self) -> bool:
        """True when every target is upward closed and the net is monotone."""
        return self.net.monotone and all(target.upward_closed for target in self.targets)


def as_coverability(problem: Problem) -> Problem:
    """The same net, with the targets' lower bounds alone: is one of them covered?"""
    unbounded = (UNBOUNDED,) * len(problem.net.places)
    targets = tuple(Box(target.low, unbounded) for target in problem.targets)
    return Problem(problem.name, problem.net, problem.initial, targets, problem.weights)


def as_reachability(problem: Problem) -> Problem:
    """The same net, with each target's lower bounds read as one exact marking."""
    targets = tuple(Box(target.low, target.low) for target in problem.targets)
    return Problem(problem.name, problem.net, problem.initial, targets, problem.weights)


def describe_marking(net: Net, marking: Marking) -> str:
    """`p1=2, p3=1`: the marked places, or `empty`."""
    parts = [f"{net.places[p]}={n}" for p, n in enumerate(marking) if n]
    return ", ".join(parts) or "empty"


def describe_box(net: Net, box: Box) -> str:
    """The constraints of a box in the notation of `.spec` files; `true` when there are none."""
    parts = []
    for place, low, high in zip(net.places, box.low, box.high, strict=True):
        if low == high:
            parts.append(f"{place}={low}")
        elif high != UNBOUNDED:
            parts.append(f"{place} in [{low},{high}]")
        elif low:
            parts.append(f"{place}>={low}")
    return ", ".join(parts) or "true"
