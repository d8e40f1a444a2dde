"""Accesses to memory in one thread's code: private variables as cells like registers, the rest as events.

Accesses are as wide as the program has them; `programs.cells` makes them accesses to whole cells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from treville.programs import ir
from treville.programs.c.aggregates import registers_of
from treville.programs.c.bit_fields import is_copied, is_filled_up, is_only_copied
from treville.programs.c.escaping import marked_locals
from treville.programs.c.keywords import SIGNAL_FENCE
from treville.programs.c.llvm import (
    ArrayType,
    GlobalName,
    LlvmInstruction,
    LocalName,
    PointerType,
    Type,
    Value,
    scalars,
    size_of,
)
from treville.programs.c.private import thread_handles
from treville.programs.c.set_cells import NONE, SetCells, is_looked_at
from treville.programs.c.unset_values import NO_VALUE, UNSET_FLAG
from treville.programs.c.weak import is_only_repeated
from treville.programs.grids import COPY, Cell, padded
from treville.programs.ir import plus
from treville.programs.padding import PADDING
from treville.records import replace

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

ORDERS = {
    "unordered": "RLX", "monotonic": "RLX", "acquire": "ACQ", "release": "REL", "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}  # fmt: skip
PLAIN = frozenset({"NA", "DATA"})
COPYING = PLAIN | {COPY}
VOLATILE = PLAIN | {"VOLATILE"}  # C lets them race like other data
FULL_FENCE = frozenset({"SC", "MFENCE"})
THREAD_LOCAL = "thread-local "
LIFE = "#life"  # of a local that ends: its address while it lives, else 0
NOWHERE_ELSE = ir.Const(0)
_OF_COMPUTED_LENGTH = re.compile(r"vla\d*(?:\.|$)")
Moved: TypeAlias = tuple[ir.Expr, ir.Expr]  # a value, and its bits that nobody set


def order_tags(words: tuple[str, ...], rmw: bool = False) -> frozenset[str]:
    """The tags of an access: its C11 memory order, or that it is not atomic; ordinary data may race."""
    orders = [ORDERS[word] for word in words if word in ORDERS]
    if not orders:
        return VOLATILE if "volatile" in words else PLAIN
    return frozenset((orders[0], "A", "RMW") if rmw else (orders[0], "A"))


class Memory:
    """The accesses of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.set_cells = SetCells(body)

    def access(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """Translate an instruction that accesses memory, a fence, or the declaration of a variable."""
        opcode, operands = instruction.opcode, instruction.operands
        if instruction.scope and (opcode, instruction.scope) != ("fence", SIGNAL_FENCE):
            raise self.body.unsupported(f"{opcode} for the scope '{instruction.scope}'")
        if instruction.scope:
            return  # orders what a thread and its signal handlers see, and no other thread
        if opcode == "fence":
            order = next(ORDERS[word] for word in instruction.words if word in ORDERS)
            self.body.emit(ir.Fence(FULL_FENCE if order == "SC" else frozenset({order})))
        elif opcode == "alloca":
            self._declare(frame, instruction)
        elif opcode == "load":
            self._load(frame, instruction)
        elif opcode == "store":
            self._store(frame, operands[0], operands[1], order_tags(instruction.words))
        elif opcode == "atomicrmw":
            self._update(frame, instruction)
        else:
            self._compare_exchange(frame, instruction)

    # -- variables -------------------------------------------------------------------------------------

    def _declare(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A local variable; if it is shared it is an object of its own."""
        kind = instruction.source_type or PointerType()
        size: ir.Expr = ir.Const(size_of(kind))
        cells: tuple[tuple[int, int], ...] = ()
        count = self.body.value(frame, *instruction.operands[0]) if instruction.operands else ir.Const(1)
        if _OF_COMPUTED_LENGTH.match(instruction.result or ""):
            told = "an array of no length, or a negative one, is reached"
            self.body.emit(ir.Assert(ir.Op("gt", (count, ir.Const(0)), 32), told, undefined=True))
        if (instruction.result or "") in frame.private:
            self._declare_private(frame, instruction.result or "", kind, count)
            return
        if isinstance(count, ir.Const):
            parts = scalars(ArrayType(count.value, kind))
            cells = tuple((offset, self.body.bits(part)) for offset, part in parts)
            size = ir.Const(count.value * size_of(kind))
        else:
            size = ir.Op("mul", (count, size), 64)
        name = instruction.result or ""
        register = self.body.name(frame, instruction)
        allocation = ir.Allocate(register, size, name, cells=cells)
        if name not in self.body.translation.outliving[frame.function.name]:
            self.body.emit(allocation)
        elif name in marked_locals(frame.function):
            frame.marked[name] = allocation
        else:
            frame.ending.append(self._begin(allocation))

    def _begin(self, allocation: ir.Allocate) -> str:
        """A new object; the register that says until its end that it is there. The address stays known."""
        self.body.emit(allocation)
        life = allocation.register + LIFE
        self.body.set(life, ir.Reg(allocation.register))
        return life

    def begin_life(self, frame: Frame, value: Value) -> None:
        """A mark that the life of a local begins: a new object, if the end of the last one was noted."""
        if isinstance(value, LocalName) and value.name in frame.marked:
            self.body.ending.append(self._begin(replace(frame.marked[value.name])))

    def end_life(self, frame: Frame, value: Value) -> None:
        """A mark that the life of a local ends."""
        if isinstance(value, LocalName) and value.name in frame.marked:
            self.body.end_locals([frame.marked[value.name].register + LIFE])

    def _declare_private(self, frame: Frame, name: str, kind: Type, count: ir.Expr) -> None:
        place = frame.prefix + name
        if name not in thread_handles(frame.function, frame.private):
            self.body.thread.unset.add(place)
        frame.sizes[place] = ir.Op("mul", (count, ir.Const(size_of(kind))), 64)
        if isinstance(count, ir.Const):
            frame.sizes[place] = ir.Const(count.value * size_of(kind))
            self.body.thread.private[place] = tuple(self.layout(ArrayType(count.value, kind)))
        if place in self.body.thread.unset:
            whole = count.value * size_of(kind) if isinstance(count, ir.Const) else None
            self.set_cells.watch(frame, name, whole)

    def _check(self, frame: Frame, place: tuple[str, ir.Expr], bits: int) -> None:
        """An access must be inside the variable."""
        offset, size, more = place[1], self._private_size(frame, place[0]), (bits + 7) // 8 - 1
        if size is None:
            return
        if isinstance(offset, ir.Const) and isinstance(size, ir.Const):
            inside: ir.Expr = ir.Const(int(offset.value >= 0 and offset.value + more < size.value))
        elif isinstance(size, ir.Const):
            inside = ir.Op("ult", (offset, ir.Const(max(size.value - more, 0))), 64)
        else:
            last = ir.Op("ult", (plus(offset, more), size), 64)
            inside = ir.Select(ir.Op("ult", (offset, size), 64), last, ir.Const(0)) if more else last
        if inside != ir.Const(1):
            self.body.emit(ir.Assert(inside, "an access outside the array is reached", memory=True))

    def _private_size(self, frame: Frame, name: str) -> ir.Expr | None:
        """How many bytes a private object has."""
        if not name.startswith(THREAD_LOCAL):
            return frame.sizes.get(name)
        variable = self.body.translation.module.globals[name.removeprefix(THREAD_LOCAL)]
        return ir.Const(size_of(variable.type))

    def place_of(self, frame: Frame, value: Value) -> tuple[str, ir.Expr] | None:
        """The private object and offset that an address operand means, or None for shared memory."""
        if isinstance(value, LocalName) and value.name in frame.private:
            variable = frame.private[value.name].variable
            return f"{frame.prefix}{variable}", self.offset(frame, value.name)
        return self.thread_local(frame, value)

    def offset(self, frame: Frame, name: str) -> ir.Expr:
        """How far into its private variable a pointer points."""
        if frame.private[name].base is None:
            return ir.Const(0)
        return frame.offsets.get(name, ir.Reg(f"{frame.prefix}{name}#offset"))

    def thread_local(self, frame: Frame, value: Value) -> tuple[str, ir.Expr] | None:
        """The private object and offset of a thread-local variable."""
        if isinstance(value, LocalName):
            return frame.thread_local.get(value.name)
        return self.body.translation.thread_local_place(value)

    def point_to_thread_local(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """The result of `llvm.threadlocal.address` means the thread's own copy of a variable."""
        variable = instruction.operands[1][1]
        if isinstance(variable, GlobalName) and variable.name in self.body.translation.own_objects:
            self.body.set(self.body.name(frame, instruction), ir.Reg(THREAD_LOCAL + variable.name))
            return
        place = self.body.translation.thread_local_place(instruction.operands[1][1])
        if place is None:
            raise self.body.unsupported("the address of a thread-local variable that is not known")
        frame.thread_local[instruction.result or ""] = place

    def cells_of(self, frame: Frame, value: Value) -> list[tuple[int, int]] | None:
        """(offset, bits) of the cells behind a pointer, if the type of the variable is known."""
        if isinstance(value, GlobalName) and value.name in self.body.translation.module.globals:
            return self.layout(self.body.translation.module.globals[value.name].type)
        if isinstance(value, LocalName):
            for instruction in (i for block in frame.function.blocks for i in block.instructions):
                if instruction.result == value.name and instruction.opcode == "alloca":
                    kind = instruction.source_type
                    return None if kind is None else self.layout(kind)
                if instruction.result == value.name and instruction.opcode == "getelementptr":
                    return self._cells_from(frame, instruction)
        return None

    def _cells_from(self, frame: Frame, pointer: LlvmInstruction) -> list[tuple[int, int]] | None:
        """The cells behind a computed pointer; at an unknown place all cells must be of one width."""
        cells = self.cells_of(frame, pointer.operands[0][1])
        if cells is None:
            return None
        offset = self.body.offset_of(frame, pointer, ir.Const(0))
        if isinstance(offset, ir.Const):
            return [(at - offset.value, bits) for at, bits in cells if at >= offset.value]
        return cells if len({bits for _, bits in cells}) == 1 else None

    def layout(self, kind: Type) -> list[tuple[int, int]]:
        """(offset, bits) of the scalars of a type."""
        return [(offset, max(8, self.body.bits(part))) for offset, part in scalars(kind)]

    # -- cells -----------------------------------------------------------------------------------------

    def whole_layout(self, kind: Type) -> list[Cell]:
        """The scalars of a type and the bytes between them."""
        return padded(self.layout(kind), size_of(kind))

    def copy_of(self, address: ir.Expr, kind: Type, name: str) -> ir.Expr:
        """The address of a new object with what is at another."""
        cells = self.whole_layout(kind)
        new, values = ir.Reg(self.body.fresh(name)), []
        self.body.emit(ir.Allocate(new.name, ir.Const(size_of(kind)), name, cells=tuple(self.layout(kind))))
        for cell in cells:
            values.append(ir.Reg(self.copied(cell)))
            self.read_to_copy(values[-1].name, plus(address, cell.offset), cell.bits)
        for cell, value in zip(cells, values, strict=True):
            unset = self.set_cells.of_copied(value)
            self.body.emit(ir.Store(plus(new, cell.offset), value, COPYING, cell.bits, unset=unset))
        return new

    def read_to_copy(
        self, register: str, address: ir.Expr, bits: int, tags: frozenset[str] = COPYING
    ) -> ir.Expr:
        """Read shared memory to copy it; the bits that nobody set."""
        unset = self.body.set(register + UNSET_FLAG, NONE)
        self.body.emit(ir.Load(register, address, tags, bits, blind=COPY not in tags, unset=unset.name))
        self.set_cells.take(register, unset)
        return unset

    def copied(self, cell: Cell) -> str:
        """A new register for what a copy finds in a cell."""
        return self.body.fresh(PADDING if cell.padding else "copied")

    def read_cell(
        self, frame: Frame, target: tuple[Type, Value], cell: Cell, at: ir.Expr = NOWHERE_ELSE
    ) -> ir.Expr:
        """The value of a cell (`at` bytes more) from a pointer, for a copy."""
        register = self.copied(cell)
        self._read(frame, register, target, cell[:2], COPYING, at)
        return ir.Reg(register)

    def write_cell(
        self, frame: Frame, target: tuple[Type, Value], cell: Cell, value: ir.Expr, at: ir.Expr = NOWHERE_ELSE
    ) -> None:
        """Write a cell (`at` bytes more) from a pointer, for a copy."""
        self._write(frame, target, cell[:2], (value, self.set_cells.of_copied(value)), COPYING, at)

    def _read(
        self, frame: Frame, register: str, target: tuple[Type, Value], cell: tuple[int, int],
        tags: frozenset[str], at: ir.Expr = NOWHERE_ELSE, blind: bool = False, moves: bool = False,
    ) -> None:  # fmt: skip
        """Read the cell (offset, bits) behind a pointer, which may be private. `moves`: what is read is only
        handed on, and it is noted which bits nobody set."""
        place = self.place_of(frame, target[1])
        if place is not None:
            place = (place[0], _moved(place[1], cell[0], at))
            self._read_private(frame, register, place, cell[1])
            if COPY in tags:
                self.set_cells.take_along(frame, place, cell[1], register)
            elif moves and (blind or self._is_whole(frame, target[1], cell[1])):
                self.body.set(register + UNSET_FLAG, self.set_cells.missing(frame, place, cell[1]))
            elif not blind and is_looked_at(frame.function, register.removeprefix(frame.prefix)):
                self.set_cells.require(frame, place, cell[1])
            return
        address = _moved(self.body.value(frame, *target), cell[0], at)
        if COPY in tags:
            self.read_to_copy(register, address, cell[1])
            return
        unset = register + UNSET_FLAG if moves else ""
        self.body.emit(ir.Load(register, address, tags, cell[1], blind=blind, unset=unset))

    def _is_whole(self, frame: Frame, pointer: Value, bits: int) -> bool:
        """Is what lies at a pointer several members of a struct, read as one number to be handed on?"""
        cells = self.cells_of(frame, pointer) or []
        return sum(0 <= offset < bits // 8 for offset, _ in cells) > 1

    def _write(
        self, frame: Frame, target: tuple[Type, Value], cell: tuple[int, int], value: Moved,
        tags: frozenset[str], at: ir.Expr = NOWHERE_ELSE,
    ) -> None:  # fmt: skip
        """Write the cell (offset, bits) behind a pointer, which may be private."""
        place = self.place_of(frame, target[1])
        if place is not None:
            self._write_private(frame, (place[0], _moved(place[1], cell[0], at)), value, cell[1])
        else:
            address = _moved(self.body.value(frame, *target), cell[0], at)
            self._check_constants(frame, target[1], address)
            unset = None if value[1] == NONE else value[1]
            self.body.emit(ir.Store(address, value[0], tags, cell[1], unset=unset))

    def _check_constants(self, frame: Frame, pointer: Value, address: ir.Expr) -> None:
        """What is written is no constant."""
        may_write = self.body.translation.writes_no_constant(frame.function, pointer, address)
        if may_write != ir.Const(1):
            self.body.emit(ir.Assert(may_write, "a write to a constant is reached", memory=True))

    def _read_private(self, frame: Frame, register: str, place: tuple[str, ir.Expr], bits: int) -> None:
        self._check(frame, place, bits)
        self.body.emit(ir.ReadPrivate(register, place[0], place[1], bits))

    def _write_private(self, frame: Frame, place: tuple[str, ir.Expr], value: Moved, bits: int) -> None:
        self._check(frame, place, bits)
        self.body.emit(ir.WritePrivate(place[0], place[1], value[0], bits))
        self.set_cells.note(frame, place, bits, value[1])

    # -- loads and stores ------------------------------------------------------------------------------

    def _load(self, frame: Frame, instruction: LlvmInstruction) -> None:
        kind, tags = instruction.type, order_tags(instruction.words)
        registers = registers_of(self.body.name(frame, instruction), kind)
        moves = (instruction.result or "") in frame.unset
        filled = is_filled_up(frame.function, instruction) or is_only_copied(frame.function, instruction)
        blind = len(registers) > 1 or filled or (moves and is_copied(instruction))
        for register, (offset, part) in zip(registers, scalars(kind), strict=True):
            cell = (offset, self.body.bits(part))
            if moves:
                self.body.set(register.name + UNSET_FLAG, NONE)
            self._read(frame, register.name, instruction.operands[0], cell, tags, blind=blind, moves=moves)

    def _store(
        self, frame: Frame, stored: tuple[Type, Value], target: tuple[Type, Value], tags: frozenset[str]
    ) -> None:
        if stored[1] == NO_VALUE and (place := self.place_of(frame, target[1])) is not None:
            self.set_cells.forget(frame, place, self.body.bits(stored[0]))
            return
        values = zip(self.body.scalars(frame, *stored), self.body.unset_bits(frame, *stored), strict=True)
        for value, (offset, part) in zip(values, scalars(stored[0]), strict=True):
            self._write(frame, target, (offset, self.body.bits(part)), value, tags)

    def _update(self, frame: Frame, instruction: LlvmInstruction) -> None:
        (address_type, pointer), (kind, operand) = instruction.operands
        bits, register = self.body.bits(kind), self.body.name(frame, instruction)
        address = self.body.value(frame, address_type, pointer)
        tags = order_tags(instruction.words, rmw=True)
        self.body.emit(ir.Load(register, address, tags, bits, link=True))
        old, value = ir.Reg(register), self.body.value(frame, kind, operand)
        operation = next(word for word in instruction.words if word not in ORDERS and word != "volatile")
        new = self._updated(operation, old, value, bits)
        self.body.emit(ir.Store(address, new, tags, bits, link=True))

    def _updated(self, operation: str, old: ir.Expr, value: ir.Expr, bits: int) -> ir.Expr:
        if operation == "xchg":
            return value
        if operation in ("add", "sub", "and", "or", "xor"):
            return ir.Op(operation, (old, value), bits)
        if operation == "nand":
            return ir.Op("not", (ir.Op("and", (old, value), bits),), bits)
        orders = {"max": "gt", "min": "lt", "umax": "ugt", "umin": "ult"}
        if operation in orders:
            return ir.Select(ir.Op(orders[operation], (old, value), bits), old, value)
        raise self.body.unsupported(f"atomicrmw {operation}")

    def _compare_exchange(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A failed exchange reads with its own order; where the orders differ in that, the outcome is
        chosen first so that the read event has the right one. So it is where a weak exchange may fail
        although it finds what it expects. Whether it was done depends on what was read all the same."""
        body = self.body
        pointer, (kind, expected), (_, desired) = instruction.operands
        bits, register = body.bits(kind), body.name(frame, instruction)
        address = body.value(frame, *pointer)
        wanted, new = body.value(frame, kind, expected), body.value(frame, kind, desired)
        success, failure = [ORDERS[word] for word in instruction.words if word in ORDERS]
        tags = frozenset((success, "A", "RMW"))
        old, equal = ir.Reg(f"{register}.0"), ir.Reg(f"{register}.1")
        test = ir.Op("eq", (old, wanted), bits)
        reading = {"ACQ_REL": "ACQ", "REL": "RLX"}.get(success, success)
        weak = "weak" in instruction.words and not is_only_repeated(frame.function, instruction)
        if reading == failure and not weak:
            body.emit(ir.Load(old.name, address, tags, bits, link=True))
            body.set(equal.name, test)
            body.emit(ir.Store(address, new, tags, bits, link=True, when=equal))
            self._compare(test)
            return
        done, failed = body.fresh(f"{register}.done"), body.fresh(f"{register}.failed")
        chosen, depending = ir.Reg(body.fresh(f"{register}.chosen")), ir.Op("and", (old, ir.Const(0)), bits)
        body.emit(ir.Havoc(chosen.name, (0, 1)))
        body.emit(ir.Branch(failed, ir.Op("lnot", (chosen,))))
        body.emit(ir.Load(old.name, address, tags, bits, link=True))
        body.emit(ir.Assume(test))
        body.emit(ir.Store(address, new, tags, bits, link=True))
        body.set(equal.name, ir.Op("or", (depending, ir.Const(1)), bits))
        body.emit(ir.Branch(done))
        body.label(failed)
        body.emit(ir.Load(old.name, address, frozenset((failure, "A")), bits))
        if not weak:
            body.emit(ir.Assume(ir.Op("lnot", (test,))))
        body.set(equal.name, depending)
        body.label(done)
        self._compare(test)

    def _compare(self, test: ir.Expr) -> None:
        """The branch in a loop of load-reserve and store-conditional, which controls what follows."""
        compared = self.body.fresh("compared")
        self.body.emit(ir.Branch(compared, test, compared, reserved=True))
        self.body.label(compared)


def _moved(base: ir.Expr, offset: int, at: ir.Expr) -> ir.Expr:
    """base + offset + at."""
    if isinstance(at, ir.Const):
        return plus(base, offset + at.value)
    return ir.Op("add", (plus(base, offset), at), 64)
