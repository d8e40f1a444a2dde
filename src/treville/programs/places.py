"""A whole program -> the places in its objects that each access may go to, wherever in the program.

An analysis without control flow, as L. O. Andersen's (paper 004, section 4.8), of the code as it is written:
no loop is unrolled. A value is a number, a pointer to places in objects, or both; places in one object are
arithmetic progressions of byte offsets, so that an index times the size of an element is known to reach the
same member of every element. What is computed from a pointer in other ways points anywhere into its object.
Who uses this must not depend on it for verdicts: addresses that are pieced together from bytes are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd
from typing import TypeAlias, assert_never

from treville.programs import ir
from treville.programs.flow import used_registers
from treville.programs.operators import unsigned, wrap
from treville.records import NamedTuple, dataclass

Number: TypeAlias = tuple[int, int]  # (rest, step): a number that is rest modulo step; step 0: rest itself
Spots: TypeAlias = frozenset[tuple[int, int]]  # {(start, step)}: offsets start, start + step, ...
Access: TypeAlias = ir.Load | ir.Store | ir.StoreExclusive | ir.ReadPrivate | ir.WritePrivate

MOST_SPOTS = 12
_ANY: Number = (0, 1)
_ANYWHERE: Spots = frozenset({(0, 1)})
_EVERY_CELL = -1
_POINTER_BITS = 64


class Value(NamedTuple):
    """What a value may be: a number (None: it is none), and places in objects by the objects' numbers."""

    number: Number | None
    targets: Mapping[int, Spots]


NOTHING = Value(None, {})


@dataclass(frozen=True, slots=True)
class Object:
    """A piece of memory: a global, what one instruction allocates, or (`body` >= 0) a private object of a
    thread's code. `cells` are (offset, bits) as it was declared; size 0: not known."""

    name: str
    size: int
    cells: tuple[tuple[int, int], ...]
    body: int = -1

    @property
    def is_private(self) -> bool:
        """Does one thread only know it? No engine notices accesses to it that overlap in parts."""
        return self.body >= 0


class Reached(NamedTuple):
    """An access in the code of a thread, and where it may go."""

    body: int
    position: int
    access: Access
    targets: Mapping[int, Spots]


class Places:
    """Where accesses go; objects are numbered with the globals first, in their order."""

    def __init__(self, program: ir.Program) -> None:
        self.bodies = program.bodies
        self.objects: list[Object] = []
        self._named: dict[tuple[int, str], int] = {}  # private objects, by body
        self._allocated: dict[tuple[int, int], int] = {}  # by body and position
        self._registers: dict[tuple[int, str], Value] = {}
        self._memory: list[dict[int, Value]] = []
        self._parameters: dict[str, tuple[int, str]] = {}
        self._uses: dict[tuple[int, str] | int, list[tuple[int, int]]] = {}
        self._waiting: dict[tuple[int, int], None] = {}
        self.spawned: list[Value] = []  # what threads are given
        self.globals = len(program.locations)
        self._declare(program)
        self._solve(program)

    # -- objects -----------------------------------------------------------------------------------------

    def _declare(self, program: ir.Program) -> None:
        for location in program.locations.values():
            cells = [(offset, bits) for offset, bits, _ in location.parts] or [
                (number * location.cell_bytes, location.bits) for number in range(len(location.initial))
            ]
            self._add(location.name, cells)
        for number, body in enumerate(self.bodies):
            for name, private in body.private.items():
                self._named[number, name] = self._add(name, private, number)
            for position, instruction in enumerate(body.instructions):
                if isinstance(instruction, ir.Allocate):
                    size = instruction.size.value if isinstance(instruction.size, ir.Const) else 0
                    made = self._add(instruction.name, instruction.cells, size=size)
                    self._allocated[number, position] = made

    def _add(
        self,
        name: str,
        cells: list[tuple[int, int]] | tuple[tuple[int, int], ...],
        body: int = -1,
        size: int = 0,
    ) -> int:
        end = max((offset + bits // 8 for offset, bits in cells), default=0)
        self.objects.append(Object(name, size or end, tuple(cells), body))
        self._memory.append({})
        return len(self.objects) - 1

    def private(self, body: int, name: str) -> int:
        """The number of a private object."""
        found = self._named.get((body, name))
        if found is None:
            found = self._named[body, name] = self._add(name, (), body)
        return found

    # -- the least fixpoint --------------------------------------------------------------------------------

    def _solve(self, program: ir.Program) -> None:
        for slot, location in enumerate(program.locations.values()):
            for offset, _, number in location.parts:
                if self._slot(number) is not None:
                    self._hold(slot, frozenset({(offset, 0)}), self._constant(number))
        for number, body in enumerate(self.bodies):
            for register, value in body.registers.items():
                self._registers[number, register] = self._constant(value)
        for number, (name, body) in enumerate(program.functions.items(), len(program.threads)):
            self._parameters[name] = (number, body.parameter)
        for number, body in enumerate(self.bodies):
            for position, instruction in enumerate(body.instructions):
                self._waiting[number, position] = None
                for register in used_registers(instruction):
                    self._uses.setdefault((number, register), []).append((number, position))
        while self._waiting:
            body_number, position = next(iter(self._waiting))
            del self._waiting[body_number, position]
            self._apply(body_number, position)

    def _apply(self, body: int, position: int) -> None:
        """Let an instruction add to what registers and objects may hold."""
        instruction = self.bodies[body].instructions[position]
        match instruction:
            case ir.Local(register, value):
                self._set(body, register, self._evaluate(body, value))
            case ir.Havoc(register, values):
                for number in values:
                    self._set(body, register, self._constant(number))
            case ir.Nondet(register):
                self._set(body, register, Value(_ANY, {}))
            case ir.Allocate(register):
                made = self._allocated[body, position]
                self._set(body, register, Value(None, {made: frozenset({(0, 0)})}))
            case ir.Spawn(register, function, argument):
                given = self._evaluate(body, argument)
                self._set(body, register, Value(_ANY, {}))
                self._set(*self._parameters[function], given)
                self.spawned.append(given)
            case ir.Load(register, address) as load:
                if register is not None:
                    self._read(body, position, register, self._evaluate(body, address).targets, load.bits)
            case ir.ReadPrivate(register, name, offset) as read:
                self._read(body, position, register, self._private_spots(body, name, offset), read.bits)
            case ir.StoreExclusive(register, address, value):
                self._set(body, register, Value(_ANY, {}))
                self._store(body, address, value)
            case ir.Store(address, value):
                self._store(body, address, value)
            case ir.WritePrivate(name, offset, value):
                stored = self._evaluate(body, value)
                for target, place in self._private_spots(body, name, offset).items():
                    self._hold(target, place, stored)
            case ir.Fence() | ir.Free() | ir.AtomicBegin() | ir.AtomicEnd() | ir.Join():
                pass
            case ir.Branch() | ir.IndirectBranch() | ir.Assume() | ir.Assert() | ir.Stop():
                pass
            case _:
                assert_never(instruction)

    def _store(self, body: int, address: ir.Expr, value: ir.Expr) -> None:
        stored = self._evaluate(body, value)
        for target, spots in self._evaluate(body, address).targets.items():
            self._hold(target, spots, stored)

    def _set(self, body: int, register: str, value: Value) -> None:
        before = self._registers.get((body, register), NOTHING)
        after = join(before, value)
        if after != before:
            self._registers[body, register] = after
            self._wake((body, register))

    def _wake(self, key: tuple[int, str] | int) -> None:
        self._waiting.update(dict.fromkeys(self._uses.get(key, ())))

    def _hold(self, target: int, spots: Spots, stored: Value) -> None:
        """An object may hold a value there."""
        memory, changed = self._memory[target], False
        for start, step in spots:
            key = _EVERY_CELL if step else start
            before = memory.get(key, NOTHING)
            after = join(before, stored)
            if after != before:
                memory[key], changed = after, True
        if changed:
            self._wake(target)

    def _read(self, body: int, position: int, register: str, targets: Mapping[int, Spots], bits: int) -> None:
        found = Value(_ANY, {}) if bits < _POINTER_BITS or not targets else NOTHING
        for target, spots in targets.items():
            uses = self._uses.setdefault(target, [])
            if (body, position) not in uses:
                uses.append((body, position))
            memory = self._memory[target]
            exact = all(not step for _, step in spots)
            keys = [start for start, _ in spots] + [_EVERY_CELL] if exact else list(memory)
            for key in keys:
                found = join(found, memory.get(key, Value(_ANY, {})))
        self._set(body, register, found)

    # -- expressions ---------------------------------------------------------------------------------------

    def _slot(self, address: int) -> int | None:
        slot = (address - ir.LOCATION_BASE) // ir.LOCATION_STRIDE
        return slot if 0 <= slot < self.globals else None

    def _constant(self, number: int) -> Value:
        slot = self._slot(number)
        if slot is None:
            return Value((number, 0), {})
        offset = number - ir.LOCATION_BASE - slot * ir.LOCATION_STRIDE
        return Value(None, {slot: frozenset({(offset, 0)})})

    def _private_spots(self, body: int, name: str, offset: ir.Expr) -> dict[int, Spots]:
        number = self._evaluate(body, offset).number or _ANY
        return {self.private(body, name): frozenset({number})}

    def _evaluate(self, body: int, expression: ir.Expr) -> Value:
        if isinstance(expression, ir.Const):
            return self._constant(expression.value)
        if isinstance(expression, ir.Reg):
            return self._registers.get((body, expression.name), NOTHING)
        if isinstance(expression, ir.Select):
            return join(self._evaluate(body, expression.then), self._evaluate(body, expression.otherwise))
        return computed(expression, [self._evaluate(body, argument) for argument in expression.args])

    # -- answers -------------------------------------------------------------------------------------------

    def accesses(self) -> Iterator[Reached]:
        """All accesses, with where they may go."""
        for number, body in enumerate(self.bodies):
            for position, instruction in enumerate(body.instructions):
                if isinstance(instruction, ir.ReadPrivate | ir.WritePrivate):
                    spots = self._private_spots(number, instruction.object, instruction.offset)
                    yield Reached(number, position, instruction, spots)
                elif isinstance(instruction, ir.Load | ir.Store | ir.StoreExclusive):
                    targets = self._evaluate(number, instruction.address).targets
                    yield Reached(number, position, instruction, targets)

    def fresh(self) -> set[int]:
        """The objects whose contents are not known at first."""
        found: set[int] = set()
        for (body, position), made in self._allocated.items():
            allocation = self.bodies[body].instructions[position]
            if isinstance(allocation, ir.Allocate) and not allocation.zeroed:
                found.add(made)
        return found

    def shared(self) -> set[int]:
        """The objects that several threads may reach: globals, what threads are given, and what can be found
        through these."""
        found = set(range(self.globals))
        pending = [*found, *(target for value in self.spawned for target in value.targets)]
        while pending:
            target = pending.pop()
            found.add(target)
            held = {other for value in self._memory[target].values() for other in value.targets}
            pending += held - found
        return found


# -- arithmetic on what values may be ---------------------------------------------------------------------


def join(one: Value, other: Value) -> Value:
    """A value that is one of two."""
    if other == NOTHING or one == other:
        return one
    if one == NOTHING:
        return other
    number = one.number
    if number is None:
        number = other.number
    elif other.number is not None:
        number = _normal(number[0], gcd(number[1], other.number[1], number[0] - other.number[0]))
    targets = dict(one.targets)
    for target, spots in other.targets.items():
        targets[target] = few(targets.get(target, frozenset()) | spots)
    return Value(number, targets)


def few(spots: Spots) -> Spots:
    """The spots without those that others contain; too many become one progression."""
    if len(spots) == 1:
        return spots
    kept = frozenset(spot for spot in spots if not any(_contains(other, spot) for other in spots))
    if len(kept) <= MOST_SPOTS:
        return kept
    first = min(start for start, _ in kept)
    step = gcd(*(step for _, step in kept), *(start - first for start, _ in kept))
    return frozenset({_forward(first, step)})


def _forward(start: int, step: int) -> tuple[int, int]:
    """A progression that begins inside its object."""
    return (start % step, step) if step and start < 0 else (start, step)


def _contains(one: tuple[int, int], other: tuple[int, int]) -> bool:
    start, step = one
    return bool(
        one != other
        and step
        and other[0] >= start
        and (other[0] - start) % step == 0
        and other[1] % step == 0
    )


def _normal(rest: int, step: int) -> Number:
    return (rest % step, step) if step else (rest, 0)


def computed(term: ir.Op, parts: list[Value]) -> Value:
    """What an operator makes of values."""
    pointers = [part for part in parts if part.targets]
    number = _number(term, [part.number or _ANY for part in parts])
    if not pointers or term.name in _TESTS:
        return Value(number, {})
    if term.name in ("zext", "sext") and term.bits == _POINTER_BITS:
        return parts[0]
    if term.bits < _POINTER_BITS:
        return Value(_ANY, {})
    if term.name == "add":
        return _moved(parts[0], parts[1].number, 1, _moved(parts[1], parts[0].number, 1, Value(number, {})))
    if term.name == "sub":
        return _moved(parts[0], parts[1].number, -1, Value(_ANY, {}))
    mask = parts[1].number if term.name in ("and", "or") else None
    if mask is not None and mask[1] == 0 and not parts[1].targets:
        return _masked(term.name, parts[0], mask[0])
    anywhere = {target: _ANYWHERE for part in pointers for target in part.targets}
    return Value(_ANY, anywhere)


_TESTS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "lnot"))


def _moved(pointer: Value, by: Number | None, sign: int, otherwise: Value) -> Value:
    """A pointer plus (or minus) a number, or what it is otherwise."""
    rest, step = by or _ANY
    targets = {
        target: few(frozenset(_forward(start + sign * rest, gcd(own, step)) for start, own in spots))
        for target, spots in pointer.targets.items()
    }
    return join(otherwise, Value(None, targets)) if targets else otherwise


def _masked(name: str, pointer: Value, mask: int) -> Value:
    """Bits of a pointer set, cleared or read: objects begin at addresses of many zeros."""
    if name == "and" and mask >= 0:
        return Value(_ANY, {})
    targets = {}
    for target, spots in pointer.targets.items():
        if any(step for _, step in spots):
            targets[target] = _ANYWHERE
        else:
            targets[target] = frozenset(
                (start & mask if name == "and" else start | mask, 0) for start, _ in spots
            )
    return Value(_ANY if pointer.number else None, targets)


def _number(term: ir.Op, parts: list[Number]) -> Number:
    """What an operator makes of numbers; those of 64 bits are offsets, which do not wrap."""
    if term.name in ("zext", "sext"):
        return _wrapped(parts[0], term)
    if len(parts) != 2:
        return _ANY
    (rest, step), (more, other) = parts
    if term.name in ("add", "sub"):
        return _wrapped(_normal(rest + more if term.name == "add" else rest - more, gcd(step, other)), term)
    if term.name == "shl" and other == 0 and 0 <= more < term.bits:
        more, other = 1 << more, 0
    elif term.name != "mul":
        return _ANY
    return _wrapped(_normal(rest * more, gcd(step * other, step * more, other * rest)), term)


def _wrapped(number: Number, term: ir.Op) -> Number:
    """What is left of a number in so many bits."""
    rest, step = number
    if step:
        return number if term.bits >= _POINTER_BITS else _normal(rest, gcd(step, 1 << term.bits))
    return (unsigned(rest, term.bits) if term.name == "zext" else wrap(rest, term.bits)), 0
