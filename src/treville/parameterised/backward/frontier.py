"""The global-happens-before relation of a backward run, reduced to what later steps can still meet.

Sections 2 and 4 of paper 002 keep every event and every ghb pair. Going backward, an edge from an old event
to a new one only ever starts at a read whose source is not found yet (the read comes before a write that it
does not read from). So a cycle can only close through such reads, and the events of a cube are exactly
those *open* reads. Everything else is a set of open reads that a new event has to precede:

    after[u]        the open events that come after event u
    reads[i]        what a new read of process i precedes        (ppo: read-read and read-write pairs)
    writes[i]       what a new write of process i precedes       (TSO: write-write pairs; fences)
    cells[c]        TSO: what a new access to cell c precedes    (co and fr)

Sets are bit masks, closed under `after`. Reads (and writes) of one transition are one event, and so are the
read and the write of an atomic transition (ghb-equal); the events of an unsafe state are one as well.

PSO needs more, because coherence need not follow the order of issue there: a write can reach memory before
another one that was issued earlier. `memory_order` says why the following is enough:

    sources         the writes, not met yet, that certain open reads take their value from: events as well,
                    with the bits from SOURCE on, and `source_after` for what comes after them
    passed          those sources that something is known to come before (so they are not the initial value)
    stores[c]       for every old write to cell c: what it precedes
    own[i, c]       what a new write of process i to cell c precedes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treville.records import NamedTuple
from treville.results import BudgetExceeded

# A weak variable or array cell: name and indices.
CellKey = tuple[str, tuple[int, ...]]
# An open read: event, reader, name and indices.
ReadKey = tuple[int, int, str, tuple[int, ...]]
# Masks have the events below this bit, the sources from it on.
SOURCE = 64
_EVENTS = (1 << SOURCE) - 1


class Frontier(NamedTuple):
    """See the module's description; masks have one bit per open event (and source)."""

    after: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    cells: tuple[tuple[CellKey, int], ...] = ()
    own: tuple[tuple[tuple[int, CellKey], int], ...] = ()
    stores: tuple[tuple[CellKey, tuple[int, ...]], ...] = ()
    sources: tuple[ReadKey, ...] = ()
    source_after: tuple[int, ...] = ()
    passed: int = 0


EMPTY = Frontier()


class Growing:
    """A frontier while an event is added in front of it."""

    def __init__(self, frontier: Frontier, processes: int) -> None:
        self.after = list(frontier.after)
        self.reads = [*frontier.reads, *([0] * (processes - len(frontier.reads)))]
        self.writes = [*frontier.writes, *([0] * (processes - len(frontier.writes)))]
        self.cells = dict(frontier.cells)
        self.own = dict(frontier.own)
        self.stores = {cell: set(masks) for cell, masks in frontier.stores}
        self.sources = list(frontier.sources)
        self.source_after = list(frontier.source_after)
        self.passed = frontier.passed

    def closed(self, mask: int) -> int:
        """The mask with everything after its events."""
        result, rest = mask, mask
        while rest:
            low = rest & -rest
            result |= self._following(low.bit_length() - 1)
            rest ^= low
        return result

    def _following(self, bit: int) -> int:
        return self.after[bit] if bit < SOURCE else self.source_after[bit - SOURCE]

    def put_before(self, events: int, successors: int) -> None:
        """Everything that precedes one of `events` (and they themselves) now precedes `successors`."""
        if not events or not successors:
            return

        def grown(mask: int) -> int:
            return mask | successors if mask & events else mask

        for event, mask in enumerate(self.after):
            self.after[event] = mask | successors if events >> event & 1 else grown(mask)
        for number, mask in enumerate(self.source_after):
            self.source_after[number] = mask | successors if events >> SOURCE + number & 1 else grown(mask)
        self.reads = list(map(grown, self.reads))
        self.writes = list(map(grown, self.writes))
        self.cells = {cell: grown(mask) for cell, mask in self.cells.items()}
        self.own = {key: grown(mask) for key, mask in self.own.items()}
        self.stores = {cell: set(map(grown, masks)) for cell, masks in self.stores.items()}

    def put_in_order(self, first: int, second: int) -> bool:
        """Add an edge between two events (given by their bits); False when that closes a cycle."""
        successors = self.closed(second)
        if successors & first:
            return False
        self.put_before(first, successors)
        return True

    def new_event(self, successors: int) -> int:
        """Add an event before `successors`; its mask with everything after it."""
        if len(self.after) >= SOURCE:
            raise BudgetExceeded(f"a run needs more than {SOURCE} open events", "look for a loop of reads")
        self.after.append(successors)
        return successors | 1 << (len(self.after) - 1)

    def source(self, key: ReadKey) -> int:
        """The bit of an open read's source, which becomes an event on first use."""
        if key not in self.sources:
            self.sources.append(key)
            self.source_after.append(0)
        return 1 << SOURCE + self.sources.index(key)

    def finished(self, kept: list[int], place: dict[int, int], reads: set[ReadKey]) -> Frontier:
        """The frontier of the events `kept` (their new order) and the processes renamed by `place`.

        `reads` are the reads that are still open, with events and processes as before.
        """
        if not kept:
            return EMPTY
        sources = self._kept_sources(kept, place, reads)
        shrink = self._shrinking(kept, [old for _, old in sources])
        count = len(place)
        before, writes = [0] * count, [0] * count
        for old, new in place.items():
            before[new], writes[new] = shrink(self.reads[old]), shrink(self.writes[old])
        cells = {_placed(cell, place): shrink(mask) for cell, mask in self.cells.items()}
        own = {
            (place[owner], _placed(cell, place)): shrink(mask)
            for (owner, cell), mask in self.own.items()
            if owner in place
        }
        stores = {_placed(cell, place): set(map(shrink, masks)) - {0} for cell, masks in self.stores.items()}
        return Frontier(
            tuple(shrink(self.after[old]) for old in kept), tuple(before), tuple(writes),
            tuple(sorted((cell, mask) for cell, mask in cells.items() if cell and mask)),
            tuple(sorted(((who, cell), mask) for (who, cell), mask in own.items() if cell and mask)),
            tuple(sorted((cell, tuple(sorted(masks))) for cell, masks in stores.items() if cell and masks)),
            tuple(key for key, _ in sources),
            tuple(shrink(self.source_after[old]) for _, old in sources),
            shrink(self.passed),
        )  # fmt: skip

    def _kept_sources(
        self, kept: list[int], place: dict[int, int], reads: set[ReadKey]
    ) -> list[tuple[ReadKey, int]]:
        """Sources of reads that are still open, renamed and in order, with their old numbers."""
        event_place = {old: new for new, old in enumerate(kept)}
        found = []
        for number, key in enumerate(self.sources):
            if key in reads:
                event, reader, name, indices = key
                new = (event_place[event], place[reader], name, tuple(place[i] for i in indices))
                found.append((new, number))
        return sorted(found)

    def _shrinking(self, kept: list[int], sources: list[int]) -> Callable[[int], int]:
        if kept == list(range(len(self.after))) and sources == list(range(len(self.sources))):
            return lambda mask: mask
        moves = [(1 << old, 1 << new) for new, old in enumerate(kept)]
        moves += [(1 << SOURCE + old, 1 << SOURCE + new) for new, old in enumerate(sources)]
        return lambda mask: sum(new for old, new in moves if mask & old)


def _placed(cell: CellKey, place: dict[int, int]) -> CellKey | None:
    """The cell with its processes renamed; None when one of them is gone."""
    name, indices = cell
    return (name, tuple(place[i] for i in indices)) if all(i in place for i in indices) else None


def renamed(frontier: Frontier, place: tuple[int, ...], events: tuple[int, ...], processes: int) -> Frontier:
    """The frontier with process i called place[i] among `processes`, event u called events[u].

    Sources keep their numbers.
    """
    if not frontier.after:
        return frontier

    def moved(mask: int) -> int:
        low = sum(1 << new for old, new in enumerate(events) if mask >> old & 1)
        return low | (mask & ~_EVENTS)

    def at(cell: CellKey) -> CellKey:
        return cell[0], tuple(place[i] for i in cell[1])

    count = max(events) + 1
    after = [0] * count
    for old, new in enumerate(events):
        after[new] = moved(frontier.after[old])
    reads, writes = [0] * processes, [0] * processes
    for old, new in enumerate(place):
        reads[new], writes[new] = moved(frontier.reads[old]), moved(frontier.writes[old])
    return Frontier(
        tuple(after), tuple(reads), tuple(writes),
        tuple((at(cell), moved(mask)) for cell, mask in frontier.cells),
        tuple(((place[owner], at(cell)), moved(mask)) for (owner, cell), mask in frontier.own),
        tuple((at(cell), tuple(map(moved, masks))) for cell, masks in frontier.stores),
        tuple((events[event], place[reader], *at((name, here)))
              for event, reader, name, here in frontier.sources),
        tuple(map(moved, frontier.source_after)), frontier.passed,
    )  # fmt: skip


def weaker(general: Frontier, special: Frontier) -> bool:
    """Does `special` have every constraint of `general` (same processes and events)?"""
    if not general.after:
        return True
    if general.sources:
        matched = _with_sources_of(general, special)
        if matched is None:
            return False
        general = matched
    return (
        _within(general.after, special.after)
        and _within(general.reads, special.reads)
        and _within(general.writes, special.writes)
        and not general.passed & ~special.passed
        and _within(general.source_after, special.source_after)
        and _table_within(general.cells, special.cells)
        and _table_within(general.own, special.own)
        and (not general.stores or _stores_within(general, special))
    )


def _within(masks: Iterable[int], others: Iterable[int]) -> bool:
    return not any(mask & ~other for mask, other in zip(masks, others, strict=False))


def _table_within(table: tuple[tuple[object, int], ...], others: tuple[tuple[object, int], ...]) -> bool:
    if not table:
        return True
    known = dict(others)
    return not any(mask & ~known.get(key, 0) for key, mask in table)


def _with_sources_of(general: Frontier, special: Frontier) -> Frontier | None:
    """The frontier with its sources numbered like those of another; None when that lacks some."""
    if general.sources == special.sources:
        return general
    numbers = {key: number for number, key in enumerate(special.sources)}
    if any(key not in numbers for key in general.sources):
        return None
    moves = [(1 << SOURCE + old, 1 << SOURCE + numbers[key]) for old, key in enumerate(general.sources)]

    def moved(mask: int) -> int:
        return mask & _EVENTS | sum(new for old, new in moves if mask & old)

    source_after = [0] * len(special.sources)
    for old, key in enumerate(general.sources):
        source_after[numbers[key]] = moved(general.source_after[old])
    return Frontier(
        tuple(map(moved, general.after)), tuple(map(moved, general.reads)), tuple(map(moved, general.writes)),
        tuple((cell, moved(mask)) for cell, mask in general.cells),
        tuple((key, moved(mask)) for key, mask in general.own),
        tuple((cell, tuple(map(moved, masks))) for cell, masks in general.stores),
        special.sources, tuple(source_after), moved(general.passed),
    )  # fmt: skip


def _stores_within(general: Frontier, special: Frontier) -> bool:
    """Every old write of `general` has one in `special` that precedes as much and passed the same reads.

    A new write comes before an old one unless it is known to come after a source that the old one passed, so
    more passed reads would not be more constraints.
    """
    known = dict(special.stores)
    for cell, masks in general.stores:
        here = sum(1 << SOURCE + number for number, key in enumerate(special.sources) if key[2:] == cell)
        others = known.get(cell, ())
        for mask in masks:
            if not any(not mask & ~other and mask & here == other & here for other in others):
                return False
    return True
