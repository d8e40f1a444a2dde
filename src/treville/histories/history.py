"""A recorded run: operations as they were logged, and the same as numbered events.

`History` is what a reader makes of a log; `Events` is the test of paper 004, section 2.4, that every
algorithm works on: events are the ints `0 .. count-1` in log order, and the initial write of location
`l` is the int `count + l`. Operations that certainly did not happen are left out, reads without a
result constrain nothing and are left out too, and writes that may or may not have happened stay as
*optional* events only while the log does not decide about them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from treville.records import dataclass, field, replace
from treville.results import BudgetExceeded, InputError, Span

_MOST_CANDIDATES = 20_000_000
Value = int | float | str | None


class Status(Enum):
    """What is known of an operation: it happened, it did not, or nobody knows."""

    OK = "ok"
    FAIL = "fail"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Operation:
    """One read or write of a process. A read's value None means the initial value of its key."""

    process: str
    is_write: bool
    key: str
    value: Value
    start: float | None = None
    end: float | None = None
    status: Status = Status.OK
    span: Span | None = field(default=None, compare=False)
    other_function: str | None = None

    @property
    def function(self) -> str:
        """What was called: read, write, or a function of another object than a register."""
        return self.other_function or ("write" if self.is_write else "read")

    def __str__(self) -> str:
        name = self.other_function or ("w" if self.is_write else "r")
        return f"({name},{self.key},{show_value(self.value)})"


def show_value(value: Value) -> str:
    """A value as the compact notation writes it."""
    return "⊥" if value is None else str(value)


@dataclass(frozen=True)
class History:
    """Operations in log order, with the initial values of the keys."""

    name: str
    operations: tuple[Operation, ...]
    initial: dict[str, Value] = field(default_factory=dict)
    default_initial: Value = 0
    object_type: str = "register"

    def initial_value(self, key: str) -> Value:
        """What a read returns before any write to the key."""
        return self.initial.get(key, self.default_initial)

    def processes(self) -> list[str]:
        """The processes in order of their first operation."""
        return list(dict.fromkeys(operation.process for operation in self.operations))

    def restricted(self, kept: Iterable[int]) -> History:
        """The history of the operations with these positions, in their order."""
        chosen = tuple(self.operations[i] for i in sorted(kept))
        return replace(self, operations=chosen)

    @cached_property
    def has_times(self) -> bool:
        """Every operation that happened has a start and an end: real time means something."""
        return bool(self.operations) and all(
            operation.start is not None and (operation.end is not None or operation.status is not Status.OK)
            for operation in self.operations
            if operation.status is not Status.FAIL
        )

    @cached_property
    def events(self) -> Events:
        """The numbered events of this history."""
        return Events.of(self)

    def compact(self) -> str:
        """The compact notation of the thesis, one thread after the other.

        >>> History("h", (Operation("p", True, "x", 1), Operation("q", False, "x", 1))).compact()
        '(w,x,1) || (r,x,1)'
        """
        threads: dict[str, list[str]] = {}
        for operation in self.operations:
            threads.setdefault(operation.process, []).append(str(operation))
        return " || ".join(".".join(thread) for thread in threads.values())


@dataclass(frozen=True)
class Events:
    """The events of a history: who, where, what, and which writes may be the source of which read.

    Invariants: `threads[t]` lists the events of thread `t` in program order; `candidates[r]` holds the
    writes (initial ones included) that a read `r` may take its value from, without those that no level
    allows: later writes of its own thread, and writes that its own thread has overwritten before `r`.
    """

    history: History
    position: tuple[int, ...]
    thread_of: tuple[int, ...]
    location_of: tuple[int, ...]
    is_write: tuple[bool, ...]
    values: tuple[Value, ...]
    threads: tuple[tuple[int, ...], ...]
    process_names: tuple[str, ...]
    locations: tuple[str, ...]
    optional: frozenset[int]
    candidates: dict[int, tuple[int, ...]]
    index_in_thread: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many events there are, initial writes not counted."""
        return len(self.position)

    def initial(self, location: int) -> int:
        """The initial write of a location."""
        return self.count + location

    def is_initial(self, event: int) -> bool:
        """Whether this is an initial write."""
        return event >= self.count

    @cached_property
    def reads(self) -> tuple[int, ...]:
        """All reads."""
        return tuple(e for e in range(self.count) if not self.is_write[e])

    @cached_property
    def writes(self) -> tuple[int, ...]:
        """All writes but the initial ones."""
        return tuple(e for e in range(self.count) if self.is_write[e])

    @cached_property
    def writes_to(self) -> tuple[tuple[int, ...], ...]:
        """The writes to each location."""
        found: list[list[int]] = [[] for _ in self.locations]
        for write in self.writes:
            found[self.location_of[write]].append(write)
        return tuple(tuple(writes) for writes in found)

    def operation(self, event: int) -> Operation:
        """The logged operation behind an event."""
        if self.is_initial(event):
            key = self.locations[event - self.count]
            return Operation("initially", True, key, self.history.initial_value(key))
        return self.history.operations[self.position[event]]

    def label(self, event: int) -> str:
        """An event for people: its process and operation."""
        operation = self.operation(event)
        value = self.history.initial_value(operation.key) if operation.value is None else operation.value
        text = f"({'w' if operation.is_write else 'r'},{operation.key},{show_value(value)})"
        return f"initial {text}" if self.is_initial(event) else f"{operation.process}:{text}"

    @staticmethod
    def of(history: History) -> Events:
        """Number the operations that matter."""
        if history.object_type != "register":
            first = next(o for o in history.operations if o.other_function)
            raise InputError(
                f"{first.function} is no read or write: this log is about a {history.object_type}",
                first.span,
                "only --level linearizability makes sense for it",
            )
        return _Numbering(history).events()


class _Numbering:
    """Builds `Events`: drops what did not happen, orders threads, finds the candidates of each read."""

    def __init__(self, history: History) -> None:
        self.history = history
        read_values = {
            (o.key, history.initial_value(o.key) if o.value is None else o.value)
            for o in history.operations
            if not o.is_write and o.status is Status.OK
        }
        self.position = [i for i, o in enumerate(history.operations) if self._matters(o, read_values)]
        self.operations = [history.operations[i] for i in self.position]

    @staticmethod
    def _matters(operation: Operation, read_values: set[tuple[str, Value]]) -> bool:
        if operation.status is Status.OK:
            return True
        # An uncertain write that nobody read can always be taken as not having happened.
        return (
            operation.status is Status.INFO
            and operation.is_write
            and (operation.key, operation.value) in read_values
        )

    def events(self) -> Events:
        processes = {p: t for t, p in enumerate(dict.fromkeys(o.process for o in self.operations))}
        locations = {k: x for x, k in enumerate(dict.fromkeys(o.key for o in self.operations))}
        thread_of = tuple(processes[o.process] for o in self.operations)
        location_of = tuple(locations[o.key] for o in self.operations)
        threads = self._threads(thread_of, len(processes))
        index = [0] * len(self.operations)
        for thread in threads:
            for i, event in enumerate(thread):
                index[event] = i
        values = tuple(
            self.history.initial_value(o.key) if o.value is None else o.value for o in self.operations
        )
        certain = {e for e, o in enumerate(self.operations) if o.status is Status.OK}
        while True:
            candidates = self._candidates(threads, location_of, values, list(locations), index, certain)
            # An uncertain write that some read must have seen did happen, which may rule out more.
            found = {c[0] for c in candidates.values() if len(c) == 1 and c[0] < len(self.operations)}
            if found <= certain:
                break
            certain |= found
        return Events(
            self.history,
            tuple(self.position),
            thread_of,
            location_of,
            tuple(o.is_write for o in self.operations),
            values,
            threads,
            tuple(processes),
            tuple(locations),
            self._optional(certain, threads),
            candidates,
            tuple(index),
        )

    def _threads(self, thread_of: tuple[int, ...], count: int) -> tuple[tuple[int, ...], ...]:
        threads: list[list[int]] = [[] for _ in range(count)]
        for event, thread in enumerate(thread_of):
            threads[thread].append(event)
        for thread_events in threads:
            # Logs are often written at completion; where every start is known, it gives the order.
            if all(self.operations[e].start is not None for e in thread_events):
                thread_events.sort(key=lambda e: self.operations[e].start or 0.0)
        return tuple(map(tuple, threads))

    def _candidates(
        self,
        threads: tuple[tuple[int, ...], ...],
        location_of: tuple[int, ...],
        values: tuple[Value, ...],
        keys: list[str],
        index: list[int],
        certain: set[int],
    ) -> dict[int, tuple[int, ...]]:
        operations = self.operations
        writers: dict[tuple[int, Value], list[int]] = {}
        for event, operation in enumerate(operations):
            if operation.is_write:
                writers.setdefault((location_of[event], values[event]), []).append(event)
        self._refuse_too_many(writers, location_of, values)
        candidates: dict[int, tuple[int, ...]] = {}
        for thread in threads:
            own: dict[int, int] = {}
            for event in thread:
                location = location_of[event]
                if operations[event].is_write:
                    if event in certain:
                        own[location] = event
                    continue
                latest = own.get(location)
                found = [
                    write
                    for write in writers.get((location, values[event]), ())
                    if operations[write].process != operations[event].process
                    or (index[write] < index[event] and (latest is None or index[write] >= index[latest]))
                ]
                if latest is None and self.history.initial_value(keys[location]) == values[event]:
                    found.append(len(operations) + location)
                candidates[event] = tuple(found)
        return candidates

    def _refuse_too_many(
        self,
        writers: dict[tuple[int, Value], list[int]],
        location_of: tuple[int, ...],
        values: tuple[Value, ...],
    ) -> None:
        sizes = {key: len(found) for key, found in writers.items()}
        pairs = sum(
            sizes.get((location_of[e], values[e]), 0) for e, o in enumerate(self.operations) if not o.is_write
        )
        if pairs > _MOST_CANDIDATES:
            raise BudgetExceeded(f"{pairs} possible sources of reads are too many", "check keys one by one")

    def _optional(self, certain: set[int], threads: tuple[tuple[int, ...], ...]) -> frozenset[int]:
        last = {thread[-1] for thread in threads if thread}
        # The last operation of a thread can stand at the end of every view when nobody reads it.
        return frozenset(e for e in range(len(self.operations)) if e not in certain and e not in last)
