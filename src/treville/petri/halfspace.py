"""Half spaces k . m >= c over markings, and when a transition cannot leave them (paper 004, ch. 7).

Exact extremes over boxes, the trivial cases of section 7.3 generalised to transfers and upper guards,
Algorithm 7 (sums of entries of k, by dynamic programming), and the constants c of section 7.6.1 for all
transitions at once. Theorem 17 makes Algorithm 7 complete: an inductive half space that is not oriented
towards a transition has entries of one sign only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from treville.petri.net import UNBOUNDED, Bound, Box, Net, Transition
from treville.records import dataclass

# Bits of the reachable-sum sets when constants are generated; larger ranges are not searched.
MAX_RANGE = 4_000_000
# Values that the search for a marking that leaves a half space looks at.
_MAX_VALUES = 100_000


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """All markings m with k . m >= c."""

    k: tuple[int, ...]
    c: int

    def contains(self, marking: Sequence[int]) -> bool:
        """True when `marking` satisfies the inequality."""
        return dot(self.k, marking) >= self.c


def dot(k: Sequence[int], marking: Sequence[int]) -> int:
    """The scalar product of two integer vectors."""
    return sum(a * b for a, b in zip(k, marking, strict=True) if a)


def _extreme(coefficient: int, low: int, high: Bound, greatest: bool) -> Bound:
    """The least or greatest value of coefficient * x for low <= x <= high."""
    if coefficient == 0:
        return 0
    end = high if (coefficient > 0) == greatest else low
    if end == UNBOUNDED:
        return UNBOUNDED if greatest else -UNBOUNDED
    return coefficient * end


def least(k: Sequence[int], box: Box) -> Bound:
    """The minimum of k . m over a box (minus infinity when there is none)."""
    return sum(_extreme(a, lo, hi, False) for a, lo, hi in zip(k, box.low, box.high, strict=True) if a)


def greatest(k: Sequence[int], box: Box) -> Bound:
    """The maximum of k . m over a box (infinity when there is none)."""
    return sum(_extreme(a, lo, hi, True) for a, lo, hi in zip(k, box.low, box.high, strict=True) if a)


def pulled_back(k: Sequence[int], transition: Transition) -> tuple[dict[int, int], int]:
    """The form (a, b) with k . fire(m) = a . m + b; `a` is sparse."""
    form = {place: value for place, value in enumerate(k) if value and place not in transition.updates}
    constant = 0
    for place, update in transition.updates.items():
        if k[place]:
            constant += k[place] * update.constant
            for source in update.sources:
                form[source] = form.get(source, 0) + k[place]
    return form, constant


def _least_in_guard(form: dict[int, int], transition: Transition) -> Bound:
    return sum(_extreme(a, transition.low(p), transition.high(p), False) for p, a in form.items() if a)


def triviality(half_space: HalfSpace, transition: Transition) -> str | None:
    """Which of section 7.3's criteria makes the half space inductive: oriented, antitone or monotone.

    In words: firing never decreases k . m; or no marking of the half space enables the transition; or
    firing always ends in the half space. With guards that have upper ends, all are still exact minima.
    """
    k, c = half_space.k, half_space.c
    after, constant = pulled_back(k, transition)
    change = dict(after)
    for place, value in enumerate(k):
        if value:
            change[place] = change.get(place, 0) - value
    if _least_in_guard(change, transition) + constant >= 0:
        return "oriented"
    if -_least_in_guard({p: -a for p, a in enumerate(k) if a}, transition) < c:
        return "antitone"
    if _least_in_guard(after, transition) + constant >= c:
        return "monotone"
    return None


def inductive(half_space: HalfSpace, transition: Transition) -> bool:
    """True when firing `transition` cannot leave the half space.

    Exact for transitions of Petri nets (trivial, or Algorithm 7); for others only the trivial criteria
    are tried, so False means "not shown".
    """
    if triviality(half_space, transition):
        return True
    if not (transition.shifts_only and transition.monotone):
        return False
    return not sums_hit(half_space, transition)


def sums_hit(half_space: HalfSpace, transition: Transition) -> bool:
    """Algorithm 7: can k . m, starting at t-minus and adding entries of k, enter the target interval?

    Entries of both signs reach every interval that matters (Theorem 17), so they answer True. The queue
    holds each value once: O(values between start and target times distinct entries).
    """
    k, c = half_space.k, half_space.c
    start = sum(k[place] * interval.low for place, interval in transition.guard.items())
    end = c - sum(k[place] * change for place, change in transition.delta.items())
    entries = {value for value in k if value}
    if end <= c:
        return False
    if any(v > 0 for v in entries) and any(v < 0 for v in entries):
        return True
    queue, reached = deque([start]), {start}
    while queue:
        current = queue.popleft()
        if c <= current < end:
            return True
        for entry in entries:
            value = current + entry
            if (value < end if entry > 0 else value >= c) and value not in reached:
                reached.add(value)
                queue.append(value)
    return False


def violating_marking(half_space: HalfSpace, transition: Transition) -> tuple[int, ...] | None:
    """A marking of the half space whose successor leaves it, found along Algorithm 7's sums.

    None when there is none, or none within the first values looked at (huge entries or constants).
    """
    k, c = half_space.k, half_space.c
    low = [transition.low(place) for place in range(len(k))]
    start, end = dot(k, low), c - sum(k[p] * d for p, d in transition.delta.items())
    entries = {value: place for place, value in enumerate(k) if value}
    if end <= c:
        return None
    parent: dict[int, tuple[int, int] | None] = {start: None}
    queue = deque([start])
    while queue and len(parent) < _MAX_VALUES:
        current = queue.popleft()
        if c <= current < end:
            return _rebuild(low, parent, current)
        for entry, place in entries.items():
            value = current + entry
            if (value < end if entry > 0 else value >= c) and value not in parent:
                parent[value] = (current, place)
                queue.append(value)
    return None


def _rebuild(low: list[int], parent: dict[int, tuple[int, int] | None], value: int) -> tuple[int, ...]:
    marking = list(low)
    step = parent[value]
    while step is not None:
        marking[step[1]] += 1
        step = parent[step[0]]
    return tuple(marking)


def constants(k: Sequence[int], net: Net, smallest: int, largest: int) -> int | None:
    """A c in [smallest, largest] with (k, c) inductive for every transition of a Petri net, or None.

    All transitions share one range of candidates, kept as the bits of an integer; each transition strikes
    out the constants that one of its reachable sums violates (section 7.6.1). The greatest c is returned:
    the smallest half space. Ranges beyond a few million values are given up.
    """
    if smallest > largest:
        return None
    if any(value > 0 for value in k) and any(value < 0 for value in k):
        oriented = all(sum(k[p] * d for p, d in t.delta.items()) >= 0 for t in net.transitions)
        return largest if oriented else None
    smallest, largest = _clipped(k, net, smallest, largest)
    if smallest > largest:
        return None
    if largest - smallest > MAX_RANGE:
        smallest = largest - MAX_RANGE
    good = (1 << (largest - smallest + 1)) - 1
    for transition in net.transitions:
        good &= ~_struck_out(k, transition, smallest, largest)
        if not good:
            return None
    return smallest + good.bit_length() - 1


def _clipped(k: Sequence[int], net: Net, smallest: int, largest: int) -> tuple[int, int]:
    """The constants that Theorem 22 leaves: beyond them, sums of entries reach every interval."""
    sizes = [abs(value) for value in k if value]
    if not sizes:
        return smallest, largest
    reach = max(sizes) * min(sizes)
    for transition in net.transitions:
        if sum(k[place] * change for place, change in transition.delta.items()) < 0:
            start = sum(k[place] * interval.low for place, interval in transition.guard.items())
            if any(value > 0 for value in k):
                largest = min(largest, start + reach - 1)
            else:
                smallest = max(smallest, start - reach)
    return smallest, largest


def _struck_out(k: Sequence[int], transition: Transition, smallest: int, largest: int) -> int:
    """The constants (bit i is smallest + i) for which a reachable sum s has c <= s < c + gap."""
    gap = -sum(k[place] * change for place, change in transition.delta.items())
    if gap <= 0:
        return 0
    start = sum(k[place] * interval.low for place, interval in transition.guard.items())
    width = largest - smallest + 1
    # Sums from smallest to largest + gap - 1 matter; a sum s strikes out s - gap + 1 .. s.
    span = width + gap - 1
    if any(value < 0 for value in k):
        offsets = _sums([-v for v in k if v], start - smallest, span, down=True)
    else:
        offsets = _sums([v for v in k if v], start - smallest, span, down=False)
    struck, covered = offsets, 1
    while covered < gap:
        step = min(covered, gap - covered)
        struck |= struck >> step
        covered += step
    return struck & ((1 << width) - 1)


def _sums(entries: Iterable[int], start: int, span: int, *, down: bool) -> int:
    """Bits i in [0, span) with i reachable from `start` by adding (or, `down`, subtracting) entries."""
    if down:
        mirrored = _sums(entries, span - 1 - start, span, down=False)
        return int(f"{mirrored:0{span}b}"[::-1], 2)
    # A start below the range is kept by widening the range downwards, then cutting.
    shift = max(0, -start)
    if start >= span or shift > MAX_RANGE:
        return 0 if start >= span else (1 << span) - 1
    total = span + shift
    reached = 1 << (start + shift)
    for entry in set(entries):
        step = entry
        while step < total:
            reached |= reached << step
            step *= 2
        reached &= (1 << total) - 1
    return (reached >> shift) & ((1 << span) - 1)
