"""Small random nets for hypothesis, the nets of the literature, and explicit exploration as ground truth."""

from __future__ import annotations

from collections import deque
from itertools import product

from hypothesis import strategies as st

from treville.petri.answers import Finding
from treville.petri.decide import Method
from treville.petri.net import UNBOUNDED, Box, Interval, Marking, Net, Problem, Transition, Update


@st.composite
def petri_transitions(draw: st.DrawFn, places: int, name: str = "t") -> Transition:
    take = draw(st.lists(st.integers(0, 2), min_size=places, max_size=places))
    give = draw(st.lists(st.integers(0, 2), min_size=places, max_size=places))
    guard = {p: Interval(n) for p, n in enumerate(take) if n}
    updates = {p: Update((p,), g - t) for p, (g, t) in enumerate(zip(give, take, strict=True)) if g != t}
    return Transition(name, guard, updates)


@st.composite
def any_transitions(draw: st.DrawFn, places: int, *, upper: bool) -> Transition:
    """Shifts, transfers, resets, constants; upper guards when asked for."""
    guard = {}
    for place in range(places):
        kind = draw(
            st.sampled_from(
                ["free", "free", "low", "pinned" if upper else "low", "range" if upper else "free"]
            )
        )
        low = draw(st.integers(0, 2))
        if kind == "low" and low:
            guard[place] = Interval(low)
        elif kind == "pinned":
            guard[place] = Interval(low, low)
        elif kind == "range":
            guard[place] = Interval(low, low + draw(st.integers(0, 2)))
    updates = {}
    for place in range(places):
        if draw(st.booleans()):
            sources = tuple(sorted(draw(st.lists(st.integers(0, places - 1), max_size=3))))
            least = sum(guard[s].low for s in sources if s in guard)
            updates[place] = Update(sources, draw(st.integers(-min(2, least), 2)))
    return Transition("t", guard, {p: u for p, u in updates.items() if u != Update((p,), 0)})


@st.composite
def boxes(draw: st.DrawFn, places: int, *, closed: bool | None = None) -> Box:
    """`closed`: True for upward closed, False for one marking, None for anything."""
    low = tuple(draw(st.lists(st.integers(0, 3), min_size=places, max_size=places)))
    if closed is False:
        return Box(low, low)
    if closed:
        return Box(low, (UNBOUNDED,) * places)
    high = tuple(draw(st.sampled_from([n, n + 1, UNBOUNDED])) for n in low)
    return Box(low, high)


@st.composite
def petri_problems(draw: st.DrawFn, *, closed: bool | None = True, parametric: bool = False) -> Problem:
    places = draw(st.integers(1, 4))
    transitions = draw(st.lists(petri_transitions(places), min_size=1, max_size=4))
    start = tuple(draw(st.lists(st.integers(0, 2), min_size=places, max_size=places)))
    high = tuple(UNBOUNDED if parametric and draw(st.booleans()) else n for n in start)
    targets = draw(st.lists(boxes(places, closed=closed), min_size=1, max_size=2))
    named = tuple(Transition(f"t{i + 1}", t.guard, t.updates) for i, t in enumerate(transitions))
    net = Net(tuple(f"p{i + 1}" for i in range(places)), named)
    return Problem("random", net, Box(start, high), tuple(targets))


@st.composite
def any_problems(draw: st.DrawFn, *, upper: bool) -> Problem:
    places = draw(st.integers(1, 3))
    transitions = draw(st.lists(any_transitions(places, upper=upper), min_size=1, max_size=3))
    start = tuple(draw(st.lists(st.integers(0, 2), min_size=places, max_size=places)))
    targets = draw(st.lists(boxes(places, closed=None if upper else True), min_size=1, max_size=2))
    named = tuple(Transition(f"t{i + 1}", t.guard, t.updates) for i, t in enumerate(transitions))
    net = Net(tuple(f"p{i + 1}" for i in range(places)), named)
    return Problem("random", net, Box(start, start), tuple(targets))


def reachable(net: Net, start: Marking, most: int) -> set[Marking] | None:
    """Every reachable marking, or None when there are more than `most`."""
    seen, queue = {start}, deque([start])
    while queue:
        marking = queue.popleft()
        for transition in net.transitions:
            if transition.enabled(marking):
                successor = transition.fire(marking)
                if successor not in seen:
                    if len(seen) >= most:
                        return None
                    seen.add(successor)
                    queue.append(successor)
    return seen


def finding(method: Method, steps: int) -> Finding | None:
    """What a method finds within so many steps."""
    for _ in range(steps):
        try:
            next(method)
        except StopIteration as stop:
            found: Finding = stop.value
            return found
    return None


def box_of_markings(places: int, size: int) -> list[Marking]:
    """All markings with at most `size` tokens per place."""
    return list(product(range(size + 1), repeat=places))


def hard_net(size: int, special: int = 0, *, cover: bool = False) -> Problem:
    """The net N_n of paper 004, Figure 7.5: only a non-trivial half space separates it."""
    transitions = []
    for index in range(size):
        gain = size if index == special else size - 1
        updates = {p: Update((p,), gain if p == index else -1) for p in range(size)}
        transitions.append(Transition(f"t{index + 1}", {p: Interval(1) for p in range(size)}, updates))
    net = Net(tuple(f"p{i + 1}" for i in range(size)), tuple(transitions))
    one, two = (1,) * size, (2,) * size
    target = Box(two, (UNBOUNDED,) * size if cover else two)
    return Problem(f"N{size}", net, Box(one, one), (target,))
