"""What the machine with views is made of: writes, what threads know, states."""

from __future__ import annotations

from treville.machines.memories import Memories
from treville.machines.threads import Threads
from treville.machines.views.future import Future
from treville.machines.views.lanes import Lanes
from treville.records import NamedTuple


class Message(NamedTuple):
    """A write that can still be read: its value (None: memory that nobody wrote), the view that it releases,
    whether it updates the one before it, whether it is seq_cst, and the seq_cst events before it in program
    order and reads-from."""

    value: int | None
    view: int = 0
    updates: bool = False
    ordered: bool = False
    past: int = 0


class Knows(NamedTuple):
    """What a thread knows beside its view: what an acquire fence would add, the view at its last release
    fence, the view at its last releasing write of each lane, and the seq_cst events before it in program
    order and reads-from."""

    pending: int = 0
    fenced: int = 0
    released: tuple[tuple[int, int], ...] = ()
    past: int = 0


NOTHING = Knows()
UNTOUCHED: tuple[Message, ...] = ()


class State(NamedTuple):
    """What each thread does next and knows, the writes of each lane in coherence order, the allocated
    objects, and what seq_cst writes and fences made known to such events."""

    threads: tuple[int, ...]
    views: tuple[int, ...]
    knows: tuple[Knows, ...]
    memory: tuple[tuple[Message, ...], ...]
    objects: int
    order: int


class Parts(NamedTuple):
    """What all steps of a search share."""

    threads: Threads
    memories: Memories
    lanes: Lanes
    future: Future
