"""What `events.symbolic` makes of a program: static events, what registers hold, what runs must satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from treville.events.kinds import FENCE, WRITE, EventKind
from treville.events.symbolic_terms import Condition, Terms, Value
from treville.programs.ir import Free, Instruction, Program
from treville.records import NamedTuple, dataclass, field
from treville.relations import EventId

# Reads that something depends on, each with the condition under which it does (given both events).
Sources: TypeAlias = dict[EventId, Condition]
NOTHING: Sources = {}
NO_BLOCK = -1


class Binding(NamedTuple):
    """What a register holds: a value, its data and its pick dependencies."""

    value: Value
    data: Sources = NOTHING
    pick: Sources = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StaticEvent:
    """An event that is executed exactly when `guard` holds: a fence, or a `StaticAccess`. Most fences have no
    address."""

    number: EventId
    thread: int
    kind: EventKind
    tags: frozenset[str]
    guard: Condition
    instruction: Instruction
    position: int
    order: int
    address: Value | None = None
    addr: Sources = field(default_factory=dict)
    data: Sources = field(default_factory=dict)
    ctrl: Sources = field(default_factory=dict)
    pick_addr: Sources = field(default_factory=dict)
    pick_data: Sources = field(default_factory=dict)
    pick_ctrl: Sources = field(default_factory=dict)
    behind: Sources = field(default_factory=dict)
    pair: Sources = field(default_factory=dict)
    exclusive: bool = False
    block: int = NO_BLOCK


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StaticAccess(StaticEvent):
    """A read or a write. Its value is what it finds or leaves at the address."""

    address: Value
    value: Value


class Happening(NamedTuple):
    """What an event has whatever it does: when, where in the program, and after which decisions."""

    number: EventId
    thread: int
    guard: Condition
    instruction: Instruction
    position: int
    order: int
    ctrl: Sources
    pick_ctrl: Sources
    behind: Sources
    block: int

    def fence(self, tags: frozenset[str], where: Binding | None) -> StaticEvent:
        """A fence, of a location or of none."""
        address, addr, pick_addr = where or (None, NOTHING, NOTHING)
        return StaticEvent(
            number=self.number, thread=self.thread, kind=FENCE, tags=tags, guard=self.guard,
            instruction=self.instruction, position=self.position, order=self.order,
            address=address, addr=addr, pick_addr=pick_addr, ctrl=self.ctrl, pick_ctrl=self.pick_ctrl,
            behind=self.behind, block=self.block,
        )  # fmt: skip

    def access(
        self, kind: EventKind, tags: frozenset[str], where: Binding, what: Binding, exclusive: bool = False,
        pair: Sources = NOTHING,
    ) -> StaticAccess:  # fmt: skip
        """A read or a write, of what it finds or leaves there."""
        return StaticAccess(
            number=self.number, thread=self.thread, kind=kind, tags=tags, guard=self.guard,
            instruction=self.instruction, position=self.position, order=self.order,
            address=where.value, addr=where.data, pick_addr=where.pick,
            value=what.value, data=what.data, pick_data=what.pick,
            ctrl=self.ctrl, pick_ctrl=self.pick_ctrl, behind=self.behind, pair=pair, exclusive=exclusive,
            block=self.block,
        )  # fmt: skip


class Wait(NamedTuple):
    """Where a thread may wait: `condition` says that it is there and does not pass. It reads `reads` again
    and again, as far as they are executed, and `writes` only write back what was there."""

    thread: int
    instruction: Instruction
    condition: Condition
    reads: tuple[EventId, ...] = ()
    writes: tuple[EventId, ...] = ()


class MarkKind(Enum):
    """What happens between the events of a thread."""

    ALLOCATE = "allocate"
    ASSERT = "assert"
    CHOICE = "choice"
    CUT = "cut"
    FREE = "free"
    JOIN = "join"
    SPAWN = "spawn"


class Mark(NamedTuple):
    """What a thread does between its events, for who runs them one after the other: after so many events of
    the program (`at`), where `condition` holds. `value` is what is chosen, freed or joined, or the thread
    that is started."""

    kind: MarkKind
    thread: int
    at: int
    condition: Condition
    instruction: Instruction
    value: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicProgram:
    """All threads: their events, which of them can follow which (`po` rows), and what runs must satisfy.

    `required` lists (guard, condition): where the guard holds the condition must. `cuts` are the conditions
    under which a thread stops at the loop bound, `unfinished` those where a thread of a litmus test stops and
    might end otherwise in a later round. `havocs` lists (guard, value) of free choices of a value,
    `jumps` (value, code addresses, instruction) of indirect branches. `final[t]` binds the registers of
    thread t at its end.

    `asserts` lists the conditions under which assertions fail, `joins` (value, mask): the threads of that
    number end before the events in the mask; `objects` are allocated objects (name and size), which lie
    behind the program's globals. `waits` lists where threads may wait, `threads` the conditions under which
    each thread is started and has ended. `heap` are the starts of objects that may be freed, `frees` lists
    (guard, address, instruction) of where objects are; `unset` are the starts of those whose contents are not
    known, and what made them, `begun` of those whose beginnings matter, with the thread that made them.
    `unset_reads` has reads, `unset_writes` writes that move such contents, with the condition for each byte
    that nobody set it; those of reads are choices, to be tied to what is read.
    """

    program: Program
    terms: Terms
    events: tuple[StaticEvent, ...]
    po: tuple[int, ...]
    required: tuple[tuple[Condition, Condition], ...]
    cuts: tuple[Condition, ...]
    cut_at: tuple[Instruction, ...]  # for each of `cuts` what was not done again
    unfinished: tuple[Condition, ...]
    havocs: tuple[tuple[Condition, Value], ...]
    jumps: tuple[tuple[Value, frozenset[int], Instruction], ...]
    final: tuple[Mapping[str, Binding], ...]
    thread_names: tuple[str, ...]
    # What only whole programs have; see `events.symbolic_whole`.
    asserts: tuple[tuple[Condition, Instruction], ...]
    joins: tuple[tuple[Value, int], ...]
    objects: tuple[tuple[str, int], ...]
    heap: tuple[int, ...]
    frees: tuple[tuple[Condition, Value, Free], ...]
    unset: Mapping[int, Instruction]
    begun: Mapping[int, tuple[int, Instruction]]
    waits: tuple[Wait, ...]
    threads: Mapping[int, tuple[Condition, Condition]]
    marks: tuple[Mark, ...] = ()
    unset_reads: Mapping[EventId, tuple[Condition, ...]] = field(default_factory=dict)
    unset_writes: Mapping[EventId, tuple[Condition, ...]] = field(default_factory=dict)

    def access(self, event: EventId) -> StaticAccess:
        """The event, which must be a read or a write."""
        found = self.events[event]
        assert isinstance(found, StaticAccess)
        return found

    def writes(self) -> list[StaticAccess]:
        """All writes."""
        return [e for e in self.events if e.kind is WRITE and isinstance(e, StaticAccess)]


@dataclass(slots=True)
class SymbolicDraft:
    """A symbolic program in the making; see there."""

    program: Program
    terms: Terms = field(default_factory=Terms)
    events: list[StaticEvent] = field(default_factory=list)
    po: list[int] = field(default_factory=list)
    required: list[tuple[Condition, Condition]] = field(default_factory=list)
    cuts: list[Condition] = field(default_factory=list)
    cut_at: list[Instruction] = field(default_factory=list)
    unfinished: list[Condition] = field(default_factory=list)
    havocs: list[tuple[Condition, Value]] = field(default_factory=list)
    jumps: list[tuple[Value, frozenset[int], Instruction]] = field(default_factory=list)
    final: list[dict[str, Binding]] = field(default_factory=list)
    thread_names: list[str] = field(default_factory=list)
    asserts: list[tuple[Condition, Instruction]] = field(default_factory=list)
    joins: list[tuple[Value, int]] = field(default_factory=list)
    objects: list[tuple[str, int]] = field(default_factory=list)
    heap: list[int] = field(default_factory=list)
    frees: list[tuple[Condition, Value, Free]] = field(default_factory=list)
    unset: dict[int, Instruction] = field(default_factory=dict)
    begun: dict[int, tuple[int, Instruction]] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list)
    threads: dict[int, tuple[Condition, Condition]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    unset_reads: dict[EventId, tuple[Condition, ...]] = field(default_factory=dict)
    unset_writes: dict[EventId, tuple[Condition, ...]] = field(default_factory=dict)

    def mark(
        self,
        kind: MarkKind,
        thread: int,
        condition: Condition,
        instruction: Instruction,
        value: Value | None = None,
    ) -> None:
        """Note what a thread does after the events that there are by now."""
        self.marks.append(Mark(kind, thread, len(self.events), condition, instruction, value))

    def finished(self) -> SymbolicProgram:
        """The program as it is now."""
        return SymbolicProgram(
            self.program, self.terms, tuple(self.events), tuple(self.po), tuple(self.required),
            tuple(self.cuts), tuple(self.cut_at), tuple(self.unfinished), tuple(self.havocs),
            tuple(self.jumps), tuple(self.final),
            tuple(self.thread_names), tuple(self.asserts), tuple(self.joins), tuple(self.objects),
            tuple(self.heap), tuple(self.frees), self.unset, self.begun, tuple(self.waits),
            self.threads, tuple(self.marks), self.unset_reads, self.unset_writes,
        )  # fmt: skip
