"""One run of a thread: its events, its final registers, and the memory that it reads from and writes to."""

from __future__ import annotations

from treville.events.kinds import EventKind
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Program
from treville.records import NamedTuple, dataclass, field
from treville.results import TooLarge

NO_PAIR = -1


class Value(NamedTuple):
    """A register's content: the number, and masks of the thread's reads that it depends on.

    `data` and `pick` are syntactic, as the architectures define them; `origin` leaves out what cancels
    (`r1 xor r1`), so it tells whether a value could justify itself out of thin air.
    """

    number: int
    data: int = 0
    pick: int = 0
    origin: int = 0


class Shape(NamedTuple):
    """All of an event but its value; dependencies are masks of earlier events of the same thread (`behind`:
    see `ir.Branch`).

    `instruction` counts executed source instructions, so two events of one instruction share it. `pair` is
    the read half of the read-modify-write that this write completes."""

    kind: EventKind
    tags: frozenset[str]
    address: int | None
    instruction: int
    addr: int = 0
    data: int = 0
    ctrl: int = 0
    pick_addr: int = 0
    pick_data: int = 0
    pick_ctrl: int = 0
    pair: int = NO_PAIR
    exclusive: bool = False
    parallel: bool = False
    behind: int = 0


class Trace(NamedTuple):
    """One run of a thread: the shapes of its events, their values, and the final registers.

    `origins[i]` masks the reads that the i-th event's value or address came from; `positions[i]` is
    the index of its IR instruction in the thread.
    """

    shapes: tuple[Shape, ...]
    values: tuple[int | None, ...]
    registers: dict[str, Value]
    origins: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(slots=True)
class Memory:
    """Which values may be found at each address: the initial one, and those that each thread writes.

    `widths` gives the bits of every cell that has a neighbour, which a larger access would touch too."""

    initial: dict[int, int] = field(default_factory=dict)
    written: dict[int, dict[int, set[int]]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    widths: dict[int, int] = field(default_factory=dict)

    @staticmethod
    def of(program: Program) -> Memory:
        """The memory before the program starts."""
        sizes = [len(location.initial) * location.cell_bytes for location in program.locations.values()]
        widths = {
            location.address + cell * location.cell_bytes: location.bits
            for location in program.locations.values()
            if len(location.initial) > 1
            for cell in range(len(location.initial))
        }
        return Memory(initial=initial_memory(program), sizes=sizes, widths=widths)

    @property
    def end(self) -> int:
        """The first address above all globals."""
        return LOCATION_BASE + LOCATION_STRIDE * len(self.sizes)

    def size_at(self, address: int) -> int:
        """The size in bytes of the global in whose range the address lies."""
        return self.sizes[(address - LOCATION_BASE) // LOCATION_STRIDE]

    def add(self, thread: int, address: int, value: int) -> bool:
        """Record a write; True if it is new."""
        values = self.written.setdefault(address, {}).setdefault(thread, set())
        if value in values:
            return False
        values.add(value)
        return True

    def readable(self, address: int) -> list[int]:
        """Every value that may be read at the address."""
        values = {self.initial.get(address, 0)}
        for by_thread in self.written.get(address, {}).values():
            values |= by_thread
        return sorted(values)

    def readable_coherently(self, thread: int, address: int, own: int | None) -> list[int]:
        """As `readable` for a thread whose last write there was `own` (None: it wrote nothing yet)."""
        values = {self.initial.get(address, 0) if own is None else own}
        for writer, by_thread in self.written.get(address, {}).items():
            if writer != thread:
                values |= by_thread
        return sorted(values)


class Effort:
    """How much may be listed before another engine should take over; unlimited with None."""

    __slots__ = ("left",)

    def __init__(self, limit: int | None = None) -> None:
        self.left = limit

    def spend(self) -> None:
        """Count one trace, selection or candidate; raises `TooLarge` when all is spent."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise TooLarge("too many candidate executions to list", "use --engine eager")


def initial_memory(program: Program) -> dict[int, int]:
    """The initial value of every declared cell, by address."""
    return {
        location.address + cell * location.cell_bytes: value
        for location in program.locations.values()
        for cell, value in enumerate(location.initial)
    }
