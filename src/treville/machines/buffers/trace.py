"""A failing run of the machine -> the execution that it is: events, reads-from, coherence, program order.

The order in which stores reach memory is coherence; a read's source is the youngest entry of its own buffer
or else what memory holds. The result can be judged by any model, like the executions of the other engines.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.events.execution import INIT_THREAD, Access, Event, Execution
from treville.events.kinds import FENCE, READ, WRITE
from treville.machines.dependencies import DEPENDENCIES, Along, Needs
from treville.machines.memories import initial_memory, with_objects_in_order
from treville.machines.states import Answer, Log
from treville.programs.ir import Load, Program, Store
from treville.relations import EventId, Relation, all_events


class Trace:
    """Builds the execution from what happened. `orders` and the like are kept as masks: programs that run for
    long have thousands of events."""

    def __init__(self, program: Program, answer: Answer) -> None:
        self.log = with_threads_in_order(with_objects_in_order(answer.log, len(program.locations)))
        self.as_run = answer.log
        self.along = Along(program)
        self.initial = dict(initial_memory(program))
        self.events: list[Event] = []
        self.numbers: list[EventId | None] = []  # of the log's entries
        self.needs: dict[EventId, Needs] = {}
        self.rf: list[tuple[EventId, EventId]] = []
        self.rmw: list[tuple[EventId, EventId]] = []
        self.coherence: dict[int, list[EventId]] = {}
        self.buffers: dict[int, list[EventId]] = {}
        self.linked: dict[int, EventId] = {}
        self.blocks: list[list[EventId]] = []
        self.open_block = -1

    def execution(self) -> Execution:
        """The execution of the whole log; what is still in buffers gets to memory last."""
        for entry, run in zip(self.log, self.as_run, strict=True):
            self.numbers.append(None)
            if entry.kind == "C":
                self._commit(self.buffers[entry.thread].pop(entry.address))
            elif entry.kind in "SJAH":
                self.along.other(run)
            else:
                self.numbers[-1] = self._event(entry, run)
        for waiting in self.buffers.values():
            for event in waiting:
                self._commit(event)
        return Execution(tuple(self.events), self._sets(), self._relations())

    def _event(self, entry: Log, run: Log) -> EventId:
        instruction = entry.instruction
        tags = frozenset(getattr(instruction, "tags", ()))
        link = isinstance(instruction, Load | Store) and instruction.link
        source = self._source(entry) if entry.kind == "R" else None
        number = EventId(len(self.events))
        needs = self.needs[number] = self.along.event(run, number)
        place = ("", None) if instruction is None else (instruction.text, instruction.span)
        if entry.kind == "F":
            self.events.append(Event(number, entry.thread, FENCE, tags, None, None, *place, needs.order))
        else:
            kind = READ if entry.kind == "R" else WRITE
            where = (entry.address, entry.value)
            self.events.append(Access(number, entry.thread, kind, tags, *where, *place, needs.order))
        if source is not None:
            self.rf.append((source, number))
            if link:
                self.linked[entry.thread] = number
        elif entry.kind == "W":
            self.buffers.setdefault(entry.thread, []).append(number)
        elif entry.kind == "D":
            self._commit(number)
            if link and entry.thread in self.linked:
                self.rmw.append((self.linked.pop(entry.thread), number))
        self._note_block(entry, number)
        return number

    def _note_block(self, entry: Log, number: EventId) -> None:
        if not entry.block:
            self.open_block = -1
            return
        if self.open_block != entry.thread:
            self.blocks.append([])
            self.open_block = entry.thread
        self.blocks[-1].append(number)

    def _source(self, entry: Log) -> EventId:
        own = [e for e in self.buffers.get(entry.thread, []) if self.events[e].address == entry.address]
        return own[-1] if own else self._written(entry.address)[-1]

    def _written(self, address: int) -> list[EventId]:
        """The writes of a location that reached memory, the initial one first."""
        if address not in self.coherence:
            number, value = EventId(len(self.events)), self.initial.get(address, 0)
            self.events.append(Access(number, INIT_THREAD, WRITE, frozenset({"IW"}), address, value))
            self.coherence[address] = [number]
        return self.coherence[address]

    def _commit(self, event: EventId) -> None:
        self._written(self._access(event).address).append(event)

    def _access(self, event: EventId) -> Access:
        found = self.events[event]
        assert isinstance(found, Access)
        return found

    # -- relations ---------------------------------------------------------------------------------------

    def _relations(self) -> dict[str, Relation]:
        n = len(self.events)
        inside = self._same([_thread_of(event) for event in self.events])
        relations = {
            "po": self._program_order(),
            "rf": Relation.of(n, self.rf),
            "co": self._coherence_order(),
            "rmw": Relation.of(n, self.rmw),
            "amo": Relation.of(n, self.rmw),
            "loc": self._same([event.address for event in self.events]),
            "int": inside,
            "ext": inside.complement(),
            "si": self._same([(_thread_of(event), event.order) for event in self.events]),
            "atomicblock": Relation.of(n, ((a, b) for block in self.blocks for a in block for b in block)),
        }
        relations["fr"] = relations["rf"].inverse() @ relations["co"]
        for place, name in enumerate(DEPENDENCIES):
            sources = [self.needs[event][place] if event in self.needs else 0 for event in all_events(n)]
            relations[name] = Relation(sources).inverse()
        return relations

    def _program_order(self) -> Relation:
        """From the end of the log to its start: what each thread does from there on, what the threads that it
        starts do, and what happens after it is joined."""
        rows = [0] * len(self.events)
        later: dict[int, int] = {}
        for entry, number in zip(reversed(self.log), reversed(self.numbers), strict=True):
            mine = later.get(entry.thread, 0)
            if entry.kind == "S":
                later[entry.thread] = mine | later.get(entry.address, 0)
            elif entry.kind == "J":
                later[entry.address] = later.get(entry.address, 0) | mine
            elif number is not None:
                rows[number] = mine
                later[entry.thread] = mine | 1 << number
        return Relation(rows)

    def _coherence_order(self) -> Relation:
        rows = [0] * len(self.events)
        for order in self.coherence.values():
            later = 0
            for event in reversed(order):
                rows[event] = later
                later |= 1 << event
        return Relation(rows)

    def _same(self, keys: Sequence[object]) -> Relation:
        """The pairs of events with the same key, which is not None."""
        groups: dict[object, int] = {}
        for number, key in enumerate(keys):
            groups[key] = groups.get(key, 0) | 1 << number
        return Relation([0 if key is None else groups[key] for key in keys])

    def _sets(self) -> dict[str, int]:
        sets = {"R": 0, "W": 0, "F": 0, "IW": 0}
        for event in self.events:
            for name in {event.kind, *event.tags}:
                sets[name] = sets.get(name, 0) | 1 << event.number
        sets["M"] = sets["R"] | sets["W"]
        return sets


def threads_in_order(log: list[Log]) -> dict[int, int]:
    """The numbers of the threads that a run has, as they are started: one after the other."""
    return {thread: place for place, thread in enumerate((0, *(e.address for e in log if e.kind == "S")))}


def with_threads_in_order(log: list[Log]) -> list[Log]:
    """The same log with these numbers."""
    place = threads_in_order(log)
    if all(number == at for number, at in place.items()):
        return log
    moved = (entry._replace(thread=place[entry.thread]) for entry in log)
    return [e._replace(address=place[e.address]) if e.kind in "SJ" else e for e in moved]


def _thread_of(event: Event) -> int:
    """The event's thread; initial writes belong to none, so each is alone."""
    return event.thread if event.thread != INIT_THREAD else -2 - event.number
