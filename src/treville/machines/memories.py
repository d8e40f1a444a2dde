"""Memories as numbers: what each holds, and which one a write leads to.

A memory maps addresses of cells to values. An allocated object is noted at the negated address of its start,
with its size, whether it can be freed and whether its cells hold 0 until they are written. Few different
memories occur in a search that sees many states, so each is built once, and writes that were done before are
looked up.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from treville.machines.states import Log, TooManyStates
from treville.programs import ir

_MOST_THREADS = 64
FREED, ENDED = -1, -2  # the notes of objects of the heap that were freed, and of locals that ended


class Memories:
    """The memories that occur, for one program."""

    def __init__(self, program: ir.Program) -> None:
        self.globals = len(program.locations)
        self.cells: list[dict[int, int]] = []
        self.pointed: list[frozenset[int]] = []  # slots of the allocated objects that cells point to
        self._numbers: dict[frozenset[tuple[int, int]], int] = {}
        self._written: dict[tuple[int, int, int], int] = {}
        self._widths = declared_widths(program)
        self._accesses: set[tuple[int, int]] = set()
        self._ends = [_size(location) for location in program.locations.values()]
        self.frees = program.has(ir.Free)
        self.initial = self._number(dict(initial_memory(program)))

    def _number(self, cells: dict[int, int]) -> int:
        key = frozenset(cells.items())
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.cells)
            self.cells.append(cells)
            self.pointed.append(self.allocated(v for address, v in cells.items() if address >= 0))
        return found

    def write(self, memory: int, address: int, value: int) -> int:
        """The memory after a write."""
        key = (memory, address, value)
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = self._number({**self.cells[memory], address: value})
        return found

    def read(self, memory: int, address: int) -> int:
        """What the cell holds; memory that nobody wrote is too much for the machine."""
        cells = self.cells[memory]
        found = cells.get(address)
        if found is None:
            start = start_of(address)
            size = cells.get(-start, 0)
            if not size & 1 or address - start >= size >> 2:
                raise TooManyStates("a read of memory that was not written")
            return 0
        return found

    def is_unset(self, memory: int, address: int) -> bool:
        """Is the cell in an object that was allocated, where nobody wrote yet?"""
        if address in self.cells[memory]:
            return False
        start = start_of(address)
        size = self.cells[memory].get(-start, 0)
        return size > 0 and not size & 1 and address - start < size >> 2

    def allocate(self, memory: int, address: int, size: int, zeroed: bool, heap: bool = False) -> int:
        """The memory after an allocation."""
        if not 0 <= size < ir.LOCATION_STRIDE:
            raise TooManyStates("an allocation that is too large")
        return self.write(memory, -address, size << 2 | heap << 1 | zeroed)

    def can_be_freed(self, memory: int, address: int) -> bool:
        """Does an object of the heap start at the address?"""
        return bool(self.cells[memory].get(-address, 0) & 2)

    def is_freed(self, memory: int, address: int) -> bool:
        """Is the address inside an object that was freed?"""
        return self.frees and self.cells[memory].get(-start_of(address), 0) < 0

    def has_ended(self, memory: int, address: int) -> bool:
        """Is the address inside a local variable that ended?"""
        return self.cells[memory].get(-start_of(address)) == ENDED

    def free(self, memory: int, address: int, note: int = FREED) -> int:
        """The memory without what the object held."""
        key = (memory, -address, note)
        found = self._written.get(key)
        if found is None:
            slot = slot_of(address)
            kept = {at: value for at, value in self.cells[memory].items() if at < 0 or slot_of(at) != slot}
            found = self._written[key] = self._number({**kept, -address: note})
        return found

    def fresh(self, thread: int, earlier: int) -> int:
        """Where the object lies that a thread allocates after `earlier` others. Threads need not agree on who
        allocates first, so states that differ in that only are the same."""
        if thread >= _MOST_THREADS:
            raise TooManyStates("too many threads")
        slot = self.globals + earlier * _MOST_THREADS + thread
        return ir.LOCATION_BASE + slot * ir.LOCATION_STRIDE

    def allocated(self, values: Iterable[int]) -> frozenset[int]:
        """The slots of allocated objects that numbers point to."""
        first = ir.LOCATION_BASE + self.globals * ir.LOCATION_STRIDE
        return frozenset(slot_of(value) for value in values if value >= first)

    def inside_an_object(self, memory: int, address: int) -> bool:
        """Is there a cell of a global, or an allocated object around the address?"""
        cells = self.cells[memory]
        if address in cells:
            return True
        start = start_of(address)
        return address - start < cells.get(-start, 0) >> 2

    def is_outside(self, memory: int, address: int) -> bool:
        """Is the address outside of all objects?"""
        slot, offset = divmod(address - ir.LOCATION_BASE, ir.LOCATION_STRIDE)
        if 0 <= slot < self.globals:
            return offset >= self._ends[slot]
        return offset >= self.cells[memory].get(offset - address, 0) >> 2

    def width(self, address: int, bits: int) -> None:
        """Note how wide an access is; different widths at one place are too much for the machine."""
        if (address, bits) in self._accesses:
            return
        self._accesses.add((address, bits))
        widths, known = self._widths, self._widths.get(address)
        into = any(
            near in widths and near + widths[near] // 8 > address for near in range(address - 7, address)
        )
        over = any(near in widths for near in range(address + 1, address + bits // 8))
        if into or over or known not in (None, bits):
            raise TooManyStates("accesses of mixed sizes")
        widths[address] = bits


def slot_of(address: int) -> int:
    """The number of the object that an address belongs to."""
    return (address - ir.LOCATION_BASE) // ir.LOCATION_STRIDE


def start_of(address: int) -> int:
    """The address of the object that an address belongs to."""
    return address - (address - ir.LOCATION_BASE) % ir.LOCATION_STRIDE


def _size(location: ir.Location) -> int:
    """Where the last cell of a global ends."""
    whole = len(location.initial) * location.cell_bytes
    return max([whole, *(offset + bits // 8 for offset, bits, _ in location.parts)])


def with_objects_in_order(log: list[Log], first: int) -> list[Log]:
    """The same log with the allocated objects that are accessed in slots one after the other, as they are
    first accessed. Other numbers stay what they are, however large."""
    accesses = [entry for entry in log if entry.kind in "RWD"]
    accessed = dict.fromkeys(slot for entry in accesses if (slot := slot_of(entry.address)) >= first)
    others = {slot_of(entry.value) for entry in accesses} - accessed.keys()
    free = (slot for slot in count(first) if slot not in others)
    slots = dict(zip(accessed, free, strict=False))

    def moved(number: int) -> int:
        slot, offset = divmod(number - ir.LOCATION_BASE, ir.LOCATION_STRIDE)
        return ir.LOCATION_BASE + slots.get(slot, slot) * ir.LOCATION_STRIDE + offset

    return [
        entry._replace(address=moved(entry.address), value=moved(entry.value))
        if entry.kind in "RWD"
        else entry
        for entry in log
    ]


def declared_widths(program: ir.Program) -> dict[int, int]:
    """The bits of the cells of globals, by their addresses."""
    return {
        location.address + offset: bits
        for location in program.locations.values()
        for offset, bits, _ in location.parts
    }


def initial_memory(program: ir.Program) -> tuple[tuple[int, int], ...]:
    """Address and value of every cell of every global."""
    memory: dict[int, int] = {}
    for location in program.locations.values():
        for number, value in enumerate(location.initial):
            memory[location.address + number * location.cell_bytes] = value
        for offset, _, value in location.parts:
            memory[location.address + offset] = value
    return tuple(sorted(memory.items()))
