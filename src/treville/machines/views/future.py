"""What threads may still do: which cells each may read or write from where it is, and how.

What an instruction accesses is learned while the search runs, not computed before: when it accesses
something for the first time, the search starts again (`Surprise`). So what the last search relied on is
true of all that it saw; and of all else, because a run that does something new would have been seen up to
there: what is left out for relying on it changes nothing in that thread, and disables no write (an update
may write, whether it did so before or not)."""

from __future__ import annotations

from collections.abc import Callable

from treville.machines.memories import Memories, slot_of
from treville.machines.threads import Threads
from treville.machines.views.lanes import Lanes
from treville.programs import ir
from treville.records import NamedTuple

ACQUIRING = frozenset(("ACQ", "ACQ_REL", "SC"))
RELEASING = frozenset(("REL", "ACQ_REL", "SC"))
ATOMIC = frozenset(("RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"))
_OWNERS = 64  # `Memories.fresh` names objects by their thread, modulo this
_FEW = 3
_BEFORE = -(1 << 200)  # keys of lanes: no other is as small
_OF_ALLOCATED = ("allocated", "own")  # descriptions of cells of allocated objects


class Surprise(Exception):
    """Something happened that never happened before."""


class Ahead(NamedTuple):
    """What a thread may still do: lanes of the cells that it may access, write, write relaxed, or access as
    seq_cst (all, if it may pass a seq_cst fence); whether it has any seq_cst events, joins or acquire
    fences."""

    cells: int
    writes: int
    relaxed: int
    ordered: int
    has_ordered: bool
    joins: bool
    acquires: bool


class Future:
    """What is known of the instructions of a program."""

    def __init__(self, threads: Threads, memories: Memories, lanes: Lanes) -> None:
        self.threads, self.memories, self.lanes = threads, memories, lanes
        self.code = [i for thread in threads.bodies.values() for i in thread.instructions]
        self.ordered: set[int] = set()  # cells with seq_cst accesses
        self.fences = self.loose = self.strict = 0  # lanes that count seq_cst events: see `seq_cst`
        self.begun = 0  # lanes of the beginnings of objects
        self.before = 0  # lanes of what happens before, each next to the lane of its cell: see `seq_cst`
        self.relaxes = any(_is_relaxed(instruction) for instruction in self.code)
        self._reach = _reachable(threads.bodies)
        self._ids = {id(instruction): number for number, instruction in enumerate(self.code)}
        self._places: list[set[tuple[str, int]]] = [set() for _ in self.code]
        self._known: set[tuple[int, int, int]] = set()
        self._ahead: dict[tuple[int, int], Ahead] = {}
        self._behind: dict[tuple[int, int], Ahead] = {}  # of instructions that may come
        self._lanes = 0
        self._writes = self._mask(lambda i: isinstance(i, ir.Store) or (isinstance(i, ir.Load) and i.link))
        self._relaxed = self._mask(_is_relaxed)
        self._ordered = self._mask(lambda i: isinstance(i, ir.Load | ir.Store) and "SC" in i.tags)
        self._fences = self._mask(lambda i: isinstance(i, ir.Fence) and "SC" in i.tags)
        self._joins = self._mask(lambda i: isinstance(i, ir.Join))
        self._spawns = self._mask(lambda i: isinstance(i, ir.Spawn))
        self.mixes = bool(self._fences and self._ordered)
        self._acquires = self._mask(lambda i: isinstance(i, ir.Fence) and bool(i.tags & ACQUIRING))

    def _mask(self, wanted: Callable[[ir.Instruction], bool]) -> int:
        return sum(1 << number for number, instruction in enumerate(self.code) if wanted(instruction))

    # -- learning ------------------------------------------------------------------------------------

    def note(self, number: int, instruction: ir.Load | ir.Store, address: int) -> None:
        """Thread `number` accesses the address now."""
        key = (number, id(instruction), address)
        if key in self._known:
            return
        self.memories.width(address, instruction.bits)
        self._known.add(key)
        places = self._places[self._ids[id(instruction)]]
        known = not places.isdisjoint(self._descriptions(number, address))
        if not known:
            places.add(self._description(number, address, places))
        if "SC" in instruction.tags and address not in self.ordered:
            self.ordered.add(address)
            known = False
        if not known:
            self._forget()
            raise Surprise

    def cell(self, address: int) -> int:
        """The lane of a cell, which may be a new one."""
        lanes = self.lanes
        lane = lanes.number(address)
        if self.mixes and lane == len(lanes.keys) - 1:
            self.before |= lanes.lane(lanes.number(_BEFORE - address))
        return lane

    def binding(self, lane: int) -> int:
        """The lane that tells which writes of a cell bind seq_cst accesses that come after a fence."""
        return lane + 1 if self.mixes else lane

    def beginning(self, start: int) -> int:
        """The lane of the beginning of an object, which may be a new one."""
        lane = self.lanes.number(-start)
        self.begun |= self.lanes.lane(lane)
        return lane

    def count_of(self, number: int) -> int:
        """The first of the three lanes that count the seq_cst events of a thread."""
        key = ~(3 * number)
        lane = self.lanes.number(key)
        bits = self.lanes.lane(lane)
        if not bits & self.fences:
            self.lanes.number(key - 1)
            self.lanes.number(key - 2)
            width = self.lanes.width
            self.fences, self.loose = self.fences | bits, self.loose | bits << width
            self.strict |= bits << 2 * width
            self._forget()
            raise Surprise
        return lane

    def _description(self, number: int, address: int, places: set[tuple[str, int]]) -> tuple[str, int]:
        """A cell as the first of its kind that an instruction accesses: others like it may follow."""
        slot = slot_of(address)
        if slot >= self.memories.globals:
            return self._descriptions(number, address)[-1]
        same = sum(kind == "cell" and slot_of(place) == slot for kind, place in places)
        return ("object", slot) if same >= _FEW else ("cell", address)

    def _descriptions(self, number: int, address: int) -> list[tuple[str, int]]:
        """What covers a cell, from a thread's point of view."""
        slot = slot_of(address)
        if slot < self.memories.globals:
            return [("cell", address), ("object", slot)]
        offset = (address - ir.LOCATION_BASE) % ir.LOCATION_STRIDE
        own = (slot - self.memories.globals) % _OWNERS == number
        return [("allocated", offset), ("own", offset)] if own else [("allocated", offset)]

    # -- asking --------------------------------------------------------------------------------------

    def of(self, thread: int, number: int) -> Ahead:
        """What a thread may still do, or those that it starts."""
        if self._lanes != len(self.lanes.keys):
            self._forget()
            self._lanes = len(self.lanes.keys)
        found = self._ahead.get((thread, number))
        if found is None:
            frame = self.threads.frames[thread]
            code = 0 if frame.end is not None else self._reach[frame.body][frame.position]
            found = self._behind.get((code, number))
            if found is None:
                found = self._behind[code, number] = self._look(code, number)
            self._ahead[thread, number] = found
        return found

    def _forget(self) -> None:
        """What was told is out of date."""
        self._ahead.clear()
        self._behind.clear()

    def _look(self, code: int, number: int) -> Ahead:
        has_ordered = bool(code & (self._ordered | self._fences))
        counted = self.fences | self.loose | self.strict if has_ordered else 0
        return Ahead(
            self._cells(code, code, number) | counted,
            self._cells(code, code & self._writes, number),
            self._cells(code, code & self._relaxed, number),
            -1 if code & self._fences else self._cells(code, code & self._ordered, number),
            has_ordered,
            bool(code & self._joins),
            bool(code & self._acquires),
        )

    def _cells(self, code: int, some: int, number: int) -> int:
        """The lanes of the cells that some of the instructions ahead may access."""
        places: set[tuple[str, int]] = set()
        for at, known in enumerate(self._places):
            if some >> at & 1:
                places |= known
        found = self.begun if any(kind in _OF_ALLOCATED for kind, _ in places) else 0
        for lane, address in enumerate(self.lanes.keys):
            if address >= 0 and not places.isdisjoint(self._from(code, number, address)):
                found |= self.lanes.lane(lane)
        return found

    def _from(self, code: int, number: int, address: int) -> list[tuple[str, int]]:
        """What covers a cell; a thread that starts others does not know which objects will be theirs."""
        found = self._descriptions(number, address)
        if code & self._spawns and found[0][0] == "allocated":
            return [found[0], ("own", found[0][1])]
        return found


def _is_relaxed(instruction: ir.Instruction) -> bool:
    """Is it an atomic store that does not release?"""
    if not isinstance(instruction, ir.Store):
        return False
    return bool(instruction.tags & ATOMIC) and not instruction.tags & RELEASING


def _reachable(bodies: dict[str, ir.Thread]) -> dict[str, list[int]]:
    """For each position of each body, a mask of the instructions that may come, also those of threads that
    are started on the way."""
    first, count = {}, 0
    for name, thread in bodies.items():
        first[name] = count
        count += len(thread.instructions)
    reach = {name: [0] * (len(thread.instructions) + 1) for name, thread in bodies.items()}
    changed = True
    while changed:
        changed = False
        for name, thread in bodies.items():
            at = reach[name]
            for position in reversed(range(len(thread.instructions))):
                found = 1 << first[name] + position
                for body, place in _following(name, thread, position):
                    found |= reach[body][place]
                changed = changed or found != at[position]
                at[position] = found
    return reach


def _following(name: str, thread: ir.Thread, position: int) -> list[tuple[str, int]]:
    """Where it may go on."""
    instruction = thread.instructions[position]
    if isinstance(instruction, ir.Branch):
        target = (name, thread.labels[instruction.target])
        return [target] if instruction.condition is None else [target, (name, position + 1)]
    if isinstance(instruction, ir.Spawn):
        return [(instruction.function, 0), (name, position + 1)]
    return [(name, position + 1)]
