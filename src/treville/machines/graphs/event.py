"""Events of an execution graph. They never change, and what precedes one never does either.

An event that is kept when a read is revisited keeps all that it depends on (program order and reads-from), so
the sets of events before it are computed once, as masks, and shared by all graphs that it is in. Each pair of
a thread and an index has one bit, whatever happens there in one graph or another.
"""

from __future__ import annotations

from enum import IntEnum

from treville.programs import ir

INITIAL = 1  # the bit of all initial writes


class Kind(IntEnum):
    """What an event is. The last six are in program order, and in no other relation; `WAIT` stands where a
    thread waited for a read to find something else."""

    READ = 0
    WRITE = 1
    FENCE = 2
    CHOOSE = 3
    SPAWN = 4
    JOIN = 5
    ALLOCATE = 6
    WAIT = 7
    FREE = 8


class Event:
    """`state` is the thread in front of it, `after` the one behind; `source` what a read reads. `prefix` are
    the events that it needs, itself included; `before` those that happen before it, itself included, and
    `seen` the writes among them and those that they read. Others that read a write after a release get
    `releases` and `released_seen`; `pending` is what an acquire fence would get, `fenced` what the last
    release fence had. `po` are those before it in program order, itself included. `linked`: half of a
    read-modify-write. `idle`: its thread only goes round, and waits. `known`: the writes that a thread
    was offered in vain when it waits, `because`: the write that made it wait although it had read something
    else. `marks` are those of the states that the thread had so far. `preserved` and `behind_fence` are those
    of its thread that a model orders before it, -1 if that is not known yet."""

    __slots__ = (
        "after", "because", "before", "behind_fence", "bit", "fenced", "fenced_seen", "idle", "index",
        "instruction", "kind", "known", "linked", "marks", "pending", "pending_seen", "place", "po", "prefix",
        "preserved", "released_seen", "releases", "seen", "source", "state", "thread", "value",
    )  # fmt: skip

    def __init__(self, kind: Kind, thread: int, index: int, bit: int, state: int) -> None:
        self.kind, self.thread, self.index, self.bit, self.state = kind, thread, index, bit, state
        self.after = state
        self.place = self.value = 0
        self.source: Event | None = None
        self.instruction: ir.Instruction | None = None
        self.linked = self.idle = False
        self.preserved = self.behind_fence = -1
        self.prefix = self.po = self.before = self.seen = 0
        self.releases = self.released_seen = self.known = self.because = self.marks = 0
        self.pending = self.pending_seen = self.fenced = self.fenced_seen = 0


def initial_write(place: int, value: int) -> Event:
    """What a cell holds at first."""
    event = Event(Kind.WRITE, -1, 0, INITIAL, -1)
    event.place, event.value = place, value
    event.prefix = event.po = event.before = event.seen = INITIAL
    return event
