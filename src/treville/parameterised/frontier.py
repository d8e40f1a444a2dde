"""The global-happens-before relation of a backward run, reduced to what later steps can still meet.

Sections 2 and 4 of paper 002 keep every event and every ghb pair. Going backward, an edge from an old event
to a new one only ever starts at a read whose source is not found yet (the read comes before a write that it
does not read from). So a cycle can only close through such reads, and the events of a cube are exactly
those *open* reads. Everything else is a set of open reads that a new event has to precede:

    after[u]        the open events that come after event u
    reads[i]        what a new read of process i precedes        (ppo: read-read and read-write pairs)
    writes[i]       what a new write of process i precedes       (TSO: write-write pairs; fences)
    cells[c]        what a new access to cell c precedes         (co and fr)
    own[i, c]       PSO: what a new write of process i to cell c precedes

Sets are bit masks, closed under `after`. Reads (and writes) of one transition are one event, and so are the
read and the write of an atomic transition (ghb-equal); the events of an unsafe state are one as well.

Under TSO coherence can be taken to be the order in which writes are issued, because po, co and rf together
are acyclic there. PSO has no such order: a new write of another process is left unordered with later
writes, and an open read may be *passed* by a write that is older than its source. `passed` remembers by
whose writes, since the source must then be a write of somebody else. This forgets coherence between
writes of different processes, so under PSO the search visits more than can happen, never less.
"""

from __future__ import annotations

from typing import NamedTuple

# A weak variable or array cell: name and indices.
CellKey = tuple[str, tuple[int, ...]]
# An open read: event, reader, name and indices.
ReadKey = tuple[int, int, str, tuple[int, ...]]


class Frontier(NamedTuple):
    """See the module's description; masks have one bit per open event."""

    after: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    cells: tuple[tuple[CellKey, int], ...] = ()
    own: tuple[tuple[tuple[int, CellKey], int], ...] = ()
    passed: tuple[tuple[ReadKey, int], ...] = ()


EMPTY = Frontier()


class Growing:
    """A frontier while an event is added in front of it."""

    def __init__(self, frontier: Frontier, processes: int) -> None:
        self.after = list(frontier.after)
        self.reads = [*frontier.reads, *([0] * (processes - len(frontier.reads)))]
        self.writes = [*frontier.writes, *([0] * (processes - len(frontier.writes)))]
        self.cells = dict(frontier.cells)
        self.own = dict(frontier.own)
        self.passed = dict(frontier.passed)

    def closed(self, mask: int) -> int:
        """The mask with everything after its events."""
        result, event = mask, 0
        rest = mask
        while rest:
            if rest & 1:
                result |= self.after[event]
            rest >>= 1
            event += 1
        return result

    def put_before(self, events: int, successors: int) -> None:
        """Everything that precedes one of `events` (and they themselves) now precedes `successors`."""
        if not events or not successors:
            return
        for event, mask in enumerate(self.after):
            if mask & events or events >> event & 1:
                self.after[event] = mask | successors
        self.reads = [mask | successors if mask & events else mask for mask in self.reads]
        self.writes = [mask | successors if mask & events else mask for mask in self.writes]
        for table in (self.cells, self.own):
            for key, mask in table.items():
                if mask & events:
                    table[key] = mask | successors  # type: ignore[index]

    def new_event(self, successors: int) -> int:
        """Add an event before `successors`; its mask with everything after it."""
        self.after.append(successors)
        return successors | 1 << (len(self.after) - 1)

    def finished(self, kept: list[int], place: dict[int, int]) -> Frontier:
        """The frontier of the events `kept` (their new order) and the processes renamed by `place`."""
        if not kept:
            return EMPTY
        if kept == list(range(len(self.after))):

            def shrink(mask: int) -> int:
                return mask

        else:

            def shrink(mask: int) -> int:
                return sum(1 << new for new, old in enumerate(kept) if mask >> old & 1)

        count = len(place)
        reads, writes = [0] * count, [0] * count
        for old, new in place.items():
            reads[new], writes[new] = shrink(self.reads[old]), shrink(self.writes[old])
        cells = []
        for (name, indices), mask in self.cells.items():
            small = shrink(mask)
            if small and all(i in place for i in indices):
                cells.append(((name, tuple(place[i] for i in indices)), small))
        own = []
        for (owner, (name, indices)), mask in self.own.items():
            small = shrink(mask)
            if small and owner in place and all(i in place for i in indices):
                own.append(((place[owner], (name, tuple(place[i] for i in indices))), small))
        return Frontier(
            tuple(shrink(self.after[old]) for old in kept), tuple(reads), tuple(writes),
            tuple(sorted(cells)), tuple(sorted(own)), self._passed(kept, place),
        )  # fmt: skip

    def _passed(self, kept: list[int], place: dict[int, int]) -> tuple[tuple[ReadKey, int], ...]:
        position = {old: new for new, old in enumerate(kept)}
        made = []
        for (event, reader, name, indices), mask in self.passed.items():
            if event in position and reader in place and all(i in place for i in indices):
                key = (position[event], place[reader], name, tuple(place[i] for i in indices))
                small = sum(1 << new for old, new in place.items() if mask >> old & 1)
                # A bit above all processes: passed by somebody, whoever it was.
                made.append((key, small | 1 << len(place)))
        return tuple(sorted(made))


def renamed(frontier: Frontier, place: tuple[int, ...], events: tuple[int, ...], processes: int) -> Frontier:
    """The frontier with process i called place[i] among `processes`, event u called events[u]."""
    if not frontier.after:
        return frontier

    def moved(mask: int) -> int:
        return sum(1 << new for old, new in enumerate(events) if mask >> old & 1)

    count = max(events) + 1
    after = [0] * count
    for old, new in enumerate(events):
        after[new] = moved(frontier.after[old])
    reads, writes = [0] * processes, [0] * processes
    for old, new in enumerate(place):
        reads[new], writes[new] = moved(frontier.reads[old]), moved(frontier.writes[old])
    cells = tuple(((name, tuple(place[i] for i in at)), moved(mask)) for (name, at), mask in frontier.cells)
    own = tuple(
        ((place[owner], (name, tuple(place[i] for i in at))), moved(mask))
        for (owner, (name, at)), mask in frontier.own
    )
    passed = []
    for (event, reader, name, at), mask in frontier.passed:
        small = sum(1 << new for old, new in enumerate(place) if mask >> old & 1)
        key = (events[event], place[reader], name, tuple(place[i] for i in at))
        passed.append((key, small | 1 << processes))
    return Frontier(tuple(after), tuple(reads), tuple(writes), cells, own, tuple(passed))


def weaker(general: Frontier, special: Frontier) -> bool:
    """Does `special` have every constraint of `general` (same processes and events)?"""
    if not general.after:
        return True
    if any(mask & ~other for mask, other in zip(general.after, special.after, strict=False)):
        return False
    if any(mask & ~other for mask, other in zip(general.reads, special.reads, strict=False)):
        return False
    if any(mask & ~other for mask, other in zip(general.writes, special.writes, strict=False)):
        return False
    for table, others in (
        (general.cells, special.cells),
        (general.own, special.own),
        (general.passed, special.passed),
    ):
        if table:
            known = dict(others)
            if any(mask & ~known.get(key, 0) for key, mask in table):
                return False
    return True
