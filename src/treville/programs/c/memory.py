"""Accesses to memory in one thread's code: private variables as cells like registers, the rest as events.

A private variable that is accessed at different widths (a union, a struct as one word) is kept in units of
the smallest of them; an access to several units puts its value together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.llvm import (
    ArrayType,
    GlobalName,
    LlvmInstruction,
    LocalName,
    PointerType,
    StructType,
    Type,
    Value,
    scalars,
    size_of,
)
from treville.programs.c.private import thread_handles
from treville.programs.c.weak import is_only_repeated

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

ORDERS = {
    "unordered": "RLX", "monotonic": "RLX", "acquire": "ACQ", "release": "REL", "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}  # fmt: skip
PLAIN = frozenset({"NA", "DATA"})
VOLATILE = PLAIN | {"VOLATILE"}  # C lets them race like other data
FULL_FENCE = frozenset({"SC", "MFENCE"})
_WIDTHS = (8, 16, 32, 64)


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

    def access(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """Translate an instruction that accesses memory, a fence, or the declaration of a variable."""
        opcode, operands = instruction.opcode, instruction.operands
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
        self.body.emit(ir.Allocate(self.body.name(frame, instruction), size, name, cells=cells))

    def _declare_private(self, frame: Frame, name: str, kind: Type, count: ir.Expr) -> None:
        place, unit = frame.prefix + name, frame.units.get(name, 0) // 8
        if name not in thread_handles(frame.function, frame.private):
            self.body.thread.unset.add(place)
        frame.sizes[place] = ir.Op("mul", (count, ir.Const(size_of(kind))), 64)
        if isinstance(count, ir.Const):
            frame.sizes[place] = size = ir.Const(count.value * size_of(kind))
            offsets = [offset for offset, _ in scalars(ArrayType(count.value, kind))]
            self.body.thread.private[place] = tuple(range(0, size.value, unit) if unit else offsets)

    def _check(self, frame: Frame, place: tuple[str, ir.Expr]) -> None:
        """An access at a computed offset must be inside the variable."""
        size = frame.sizes.get(place[0])
        if size is not None and not isinstance(place[1], ir.Const):
            inside = ir.Op("ult", (place[1], size), 64)
            self.body.emit(ir.Assert(inside, "an access outside the array is reached", memory=True))

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

    def read_cell(self, frame: Frame, target: tuple[Type, Value], offset: int, bits: int) -> ir.Expr:
        """The value of a cell at an offset from a pointer."""
        register = self.body.fresh("copied")
        place = self.place_of(frame, target[1])
        if place is not None:
            self._read_private(frame, register, (place[0], plus(place[1], offset)), bits)
        else:
            self.body.emit(ir.Load(register, plus(self.body.value(frame, *target), offset), PLAIN, bits))
        return ir.Reg(register)

    def write_cell(
        self, frame: Frame, target: tuple[Type, Value], offset: int, value: ir.Expr, bits: int
    ) -> None:
        """Write a cell at an offset from a pointer."""
        place = self.place_of(frame, target[1])
        if place is not None:
            self._write_private(frame, (place[0], plus(place[1], offset)), value, bits)
        else:
            self.body.emit(ir.Store(plus(self.body.value(frame, *target), offset), value, PLAIN, bits))

    def _read_private(self, frame: Frame, register: str, place: tuple[str, ir.Expr], bits: int) -> None:
        self._check(frame, place)
        unit = frame.units.get(place[0].removeprefix(frame.prefix), bits)
        if unit >= bits:
            self.body.emit(ir.ReadPrivate(register, *place, bits))
            return
        whole: ir.Expr = ir.Const(0)
        for at in range(0, bits, unit):
            part = self.body.fresh("part")
            self.body.emit(ir.ReadPrivate(part, place[0], plus(place[1], at // 8), unit))
            shifted = ir.Op("shl", (ir.Op("zext", (ir.Reg(part),), unit), ir.Const(at)), bits)
            whole = ir.Op("or", (whole, shifted), bits) if at else shifted
        self.body.set(register, whole)

    def _write_private(self, frame: Frame, place: tuple[str, ir.Expr], value: ir.Expr, bits: int) -> None:
        self._check(frame, place)
        unit = min(bits, frame.units.get(place[0].removeprefix(frame.prefix), bits))
        for at in range(0, bits, unit):
            part = ir.Op("lshr", (value, ir.Const(at)), bits) if at else value
            self.body.emit(ir.WritePrivate(place[0], plus(place[1], at // 8), part, unit))

    # -- loads and stores ------------------------------------------------------------------------------

    def _load(self, frame: Frame, instruction: LlvmInstruction) -> None:
        register, bits = self.body.name(frame, instruction), self.body.bits(instruction.type)
        place = self.place_of(frame, instruction.operands[0][1])
        if place is not None:
            self._read_private(frame, register, place, bits)
            return
        if bits not in _WIDTHS and ".copyload" in (instruction.result or ""):
            self.body.set(register, ir.Const(0))  # padding that a copy of a struct takes along
            return
        address = self.body.value(frame, *instruction.operands[0])
        self.body.emit(ir.Load(register, address, order_tags(instruction.words), bits))

    def _store(
        self, frame: Frame, stored: tuple[Type, Value], target: tuple[Type, Value], tags: frozenset[str]
    ) -> None:
        if isinstance(stored[0], (StructType, ArrayType)):
            raise self.body.unsupported("a store of a whole struct")
        value, bits = self.body.value(frame, *stored), self.body.bits(stored[0])
        place = self.place_of(frame, target[1])
        if place is not None:
            self._write_private(frame, place, value, bits)
        else:
            self.body.emit(ir.Store(self.body.value(frame, *target), value, tags, bits))

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
        although it finds what it expects."""
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
            return
        done, failed = body.fresh(f"{register}.done"), body.fresh(f"{register}.failed")
        body.emit(ir.Havoc(equal.name, (0, 1)))
        body.emit(ir.Branch(failed, ir.Op("lnot", (equal,))))
        body.emit(ir.Load(old.name, address, tags, bits, link=True))
        body.emit(ir.Assume(test))
        body.emit(ir.Store(address, new, tags, bits, link=True))
        body.emit(ir.Branch(done))
        body.label(failed)
        body.emit(ir.Load(old.name, address, frozenset((failure, "A")), bits))
        if not weak:
            body.emit(ir.Assume(ir.Op("lnot", (test,))))
        body.label(done)


def plus(base: ir.Expr, offset: int) -> ir.Expr:
    """base + offset."""
    if isinstance(base, ir.Const):
        return ir.Const(base.value + offset)
    return ir.Op("add", (base, ir.Const(offset)), 64) if offset else base
