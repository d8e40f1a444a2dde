"""One thread's flat code: LLVM instructions, inlined functions and private variables -> IR instructions.

Calls are in `library`; what all threads share is the `Translation`, in `translate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.llvm import (
    ArrayType,
    Function,
    GlobalName,
    IntType,
    LlvmInstruction,
    LocalName,
    Number,
    PointerType,
    StructType,
    Type,
    Value,
    scalars,
    size_of,
    struct_offsets,
)
from treville.programs.c.private import Private, private_variables
from treville.results import Unsupported

if TYPE_CHECKING:
    from treville.programs.c.translate import Translation

MAX_INSTRUCTIONS = 100_000

_BINARY = {
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem",
}  # fmt: skip
_PREDICATES = {"slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge"}
_ORDERS = {
    "unordered": "RLX", "monotonic": "RLX", "acquire": "ACQ", "release": "REL", "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}  # fmt: skip
PLAIN = frozenset({"NA", "DATA"})
VOLATILE = frozenset({"NA"})
FULL_FENCE = frozenset({"SC", "MFENCE"})


def order_tags(words: tuple[str, ...], rmw: bool = False) -> frozenset[str]:
    """The tags of an access: its C11 memory order, or that it is not atomic; ordinary data may race."""
    orders = [_ORDERS[word] for word in words if word in _ORDERS]
    if not orders:
        return VOLATILE if "volatile" in words else PLAIN
    return frozenset((orders[0], "A", "RMW") if rmw else (orders[0], "A"))


def bits_of(kind: Type) -> int:
    """The width of a scalar type; raises for what is no scalar that Treville handles."""
    if isinstance(kind, IntType) and kind.bits <= 64:
        return kind.bits
    if isinstance(kind, PointerType):
        return 64
    raise Unsupported(f"values of type {_type_name(kind)}")


def _type_name(kind: Type) -> str:
    if isinstance(kind, IntType):
        return f"i{kind.bits}"
    return {StructType: "struct", ArrayType: "array"}.get(type(kind), getattr(kind, "text", "void"))


@dataclass
class Frame:
    """One inlined copy of a function: names get its prefix, `ret` writes `result` and goes to `exit`."""

    function: Function
    prefix: str
    exit: str
    result: str
    private: dict[str, Private]
    depth: dict[str, int] = field(default_factory=dict)
    thread_local: dict[str, tuple[str, ir.Expr]] = field(default_factory=dict)  # pointers: object and offset


class Body:
    """Builds the flat code of one thread."""

    def __init__(self, translation: Translation, name: str) -> None:
        self.translation = translation
        self.thread = ir.Thread(name)
        self.copies = 0
        self.index = 0
        self.here: LlvmInstruction | None = None

    # -- emitting --------------------------------------------------------------------------------------

    def emit(self, instruction: ir.Instruction) -> None:
        """Append an instruction with the current place in the source."""
        instruction.index = self.index
        if self.here is not None:
            instruction.span, instruction.text = self.translation.place(self.here)
        self.thread.instructions.append(instruction)
        if len(self.thread.instructions) > MAX_INSTRUCTIONS:
            raise Unsupported("a thread of more than 100,000 instructions after inlining")

    def label(self, name: str) -> None:
        """The next instruction has this label."""
        self.thread.labels[name] = len(self.thread.instructions)

    def fresh(self, stem: str) -> str:
        """A name that is used nowhere else in the thread."""
        self.copies += 1
        return f"{stem}~{self.copies}"

    def set(self, register: str, value: ir.Expr) -> ir.Reg:
        """`register := value`; the register as an expression."""
        self.emit(ir.Local(register, value))
        return ir.Reg(register)

    def unsupported(self, what: str) -> Unsupported:
        """An error at the current place."""
        return Unsupported(what, self.translation.place(self.here)[0] if self.here else None)

    # -- values ----------------------------------------------------------------------------------------

    def value(self, frame: Frame, kind: Type, value: Value) -> ir.Expr:
        """A scalar operand as an expression."""
        if isinstance(value, LocalName):
            if value.name in frame.private:
                raise self.unsupported(f"the address of %{value.name} used as a value")
            if value.name in frame.thread_local:
                raise self.unsupported("the address of a thread-local variable used as a value")
            return ir.Reg(frame.prefix + value.name)
        try:
            return ir.Const(self.translation.constant(kind, value))
        except Unsupported as error:
            raise self.unsupported(error.message) from None

    def name(self, frame: Frame, instruction: LlvmInstruction) -> str:
        """The register of an instruction's result."""
        return frame.prefix + (instruction.result or "_")

    # -- functions -------------------------------------------------------------------------------------

    def inline(self, function: Function, arguments: list[ir.Expr], depth: dict[str, int]) -> ir.Expr:
        """Copy a function's code here; the expression of its result."""
        level = depth.get(function.name, 0)
        if level > self.translation.recursion:
            self.emit(ir.Stop(cut=True, reason=f"recursion of {function.name}"))
            return ir.Const(0)
        prefix = f"{self.fresh(function.name)}."
        frame = Frame(
            function, prefix, f"{prefix}exit", f"{prefix}result", private_variables(function),
            {**depth, function.name: level + 1},
        )  # fmt: skip
        for (_, parameter), argument in zip(function.parameters, arguments, strict=False):
            self.set(prefix + parameter, argument)
        for block in function.blocks:
            self.label(f"{prefix}{block.name}")
            for instruction in block.instructions:
                self.here = instruction
                self.index += 1
                self._instruction(frame, block.name, instruction)
        self.label(frame.exit)
        return ir.Reg(frame.result)

    def _instruction(self, frame: Frame, block: str, instruction: LlvmInstruction) -> None:
        opcode = instruction.opcode
        if opcode in _BINARY or opcode == "icmp":
            self._binary(frame, instruction)
        elif opcode in ("br", "switch", "ret", "unreachable"):
            self._terminator(frame, block, instruction)
        elif opcode == "phi":
            return  # written by the branches that come here
        elif opcode in ("load", "store", "atomicrmw", "cmpxchg", "fence", "alloca"):
            self._memory(frame, instruction)
        elif opcode in (
            "trunc",
            "zext",
            "sext",
            "ptrtoint",
            "inttoptr",
            "bitcast",
            "freeze",
            "addrspacecast",
        ):
            self._cast(frame, instruction)
        elif opcode == "getelementptr":
            self._address(frame, instruction)
        elif opcode == "select":
            condition, then, other = (self.value(frame, *operand) for operand in instruction.operands)
            self.set(self.name(frame, instruction), ir.Select(condition, then, other))
        elif opcode in ("extractvalue", "insertvalue"):
            self._aggregate(frame, instruction)
        elif opcode == "call":
            self.translation.call(self, frame, instruction)
        else:
            raise self.unsupported(f"the LLVM instruction '{opcode}'")

    def _binary(self, frame: Frame, instruction: LlvmInstruction) -> None:
        kind = instruction.operands[0][0]
        args = tuple(self.value(frame, *operand) for operand in instruction.operands)
        operator = instruction.opcode
        if operator == "icmp":
            predicate = instruction.words[-1]
            operator = _PREDICATES.get(predicate, predicate)
        bits = self._bits(kind)
        if operator in ("shl", "lshr", "ashr"):
            args = (args[0], ir.Op("zext", (args[1],), bits))
        self.set(self.name(frame, instruction), ir.Op(operator, args, bits))

    def _bits(self, kind: Type) -> int:
        try:
            return bits_of(kind)
        except Unsupported as error:
            raise self.unsupported(error.message) from None

    def _cast(self, frame: Frame, instruction: LlvmInstruction) -> None:
        (source, value), target = instruction.operands[0], instruction.type
        operand = self.value(frame, source, value)
        before, after = self._bits(source), self._bits(target)
        if instruction.opcode in ("zext", "inttoptr", "ptrtoint") and after > before:
            operand = ir.Op("zext", (operand,), before)
        elif after != before:
            operand = ir.Op("sext", (operand,), min(before, after))
        self.set(self.name(frame, instruction), operand)

    def _address(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A getelementptr: an address, or for a private variable an offset into it."""
        private = frame.private.get(instruction.result or "")
        own = self._thread_local(frame, instruction.operands[0][1]) if private is None else None
        if own is not None:
            offset = self.set(
                f"{self.name(frame, instruction)}#offset", self._offset(frame, instruction, own[1])
            )
            frame.thread_local[instruction.result or ""] = (own[0], offset)
            return
        if private is None:
            base = self.value(frame, *instruction.operands[0])
            self.set(self.name(frame, instruction), self._offset(frame, instruction, base))
            return
        start: ir.Expr = ir.Const(0)
        if private.base is not None and private.base != private.variable:
            start = ir.Reg(f"{frame.prefix}{private.base}#offset")
        self.set(f"{self.name(frame, instruction)}#offset", self._offset(frame, instruction, start))

    def _offset(self, frame: Frame, instruction: LlvmInstruction, base: ir.Expr) -> ir.Expr:
        """base + the byte offset of a getelementptr."""
        kind: Type = instruction.source_type or PointerType()
        total, fixed = base, 0
        for number, (index_type, index) in enumerate(instruction.operands[1:]):
            if number and isinstance(kind, StructType):
                field_number = self.translation.constant(index_type, index)
                fixed += struct_offsets(kind)[field_number]
                kind = kind.fields[field_number]
                continue
            if number and isinstance(kind, ArrayType):
                kind = kind.element
            step = size_of(kind)
            if isinstance(index, Number):
                fixed += step * (index.value or 0)
            else:
                place = self.value(frame, index_type, index)
                total = ir.Op("add", (total, ir.Op("mul", (place, ir.Const(step)), 64)), 64)
        if fixed == 0:
            return total
        if isinstance(total, ir.Const):
            return ir.Const(total.value + fixed)
        return ir.Op("add", (total, ir.Const(fixed)), 64)

    def _aggregate(self, frame: Frame, instruction: LlvmInstruction) -> None:
        _, value = instruction.operands[0]
        place = ".".join(map(str, instruction.indices))
        if instruction.opcode == "extractvalue" and isinstance(value, LocalName):
            self.set(self.name(frame, instruction), ir.Reg(f"{frame.prefix}{value.name}.{place}"))
        elif instruction.opcode == "insertvalue" and isinstance(instruction.type, StructType):
            for number in range(len(instruction.type.fields)):
                if isinstance(value, LocalName):
                    old = ir.Reg(f"{frame.prefix}{value.name}.{number}")
                    self.set(f"{self.name(frame, instruction)}.{number}", old)
            self.set(f"{self.name(frame, instruction)}.{place}", self.value(frame, *instruction.operands[1]))
        else:
            raise self.unsupported("this use of a struct value")

    # -- control ---------------------------------------------------------------------------------------

    def _terminator(self, frame: Frame, block: str, instruction: LlvmInstruction) -> None:
        if instruction.opcode == "ret":
            if instruction.operands and not isinstance(instruction.operands[0][0], (StructType, ArrayType)):
                self.set(frame.result, self.value(frame, *instruction.operands[0]))
            self.emit(ir.Branch(frame.exit))
        elif instruction.opcode == "unreachable":
            self.emit(ir.Stop(reason="unreachable"))
        elif instruction.opcode == "switch":
            kind, value = instruction.operands[0]
            tested = self.value(frame, kind, value)
            bits = self._bits(kind)
            cases: list[tuple[ir.Expr, str]] = [
                (ir.Op("eq", (tested, ir.Const(self.translation.constant(kind, case))), bits), target)
                for case, target in instruction.cases
            ]
            self._goto(frame, block, cases, instruction.labels[0])
        elif len(instruction.labels) == 2:
            condition = self.value(frame, *instruction.operands[0])
            self._goto(frame, block, [(condition, instruction.labels[0])], instruction.labels[1])
        else:
            self._goto(frame, block, [], instruction.labels[0])

    def _goto(self, frame: Frame, block: str, cases: list[tuple[ir.Expr, str]], otherwise: str) -> None:
        """Branch, writing the phis of the block that is entered on each edge."""
        edges = []
        for condition, target in cases:
            edge = self.fresh(f"{frame.prefix}edge")
            self.emit(ir.Branch(edge, condition))
            edges.append((edge, target))
        self._enter(frame, block, otherwise)
        for edge, target in edges:
            self.label(edge)
            self._enter(frame, block, target)

    def _enter(self, frame: Frame, block: str, target: str) -> None:
        entered = next(b for b in frame.function.blocks if b.name == target)
        copies = []
        for phi in entered.instructions:
            if phi.opcode != "phi":
                break
            incoming = next(value for value, origin in phi.cases if origin == block)
            copies.append((self.name(frame, phi), self.value(frame, phi.type, incoming)))
        written = {register for register, _ in copies}
        if any(isinstance(value, ir.Reg) and value.name in written for _, value in copies):
            copies = [(register, self.set(f"{register}'", value)) for register, value in copies]
        for register, value in copies:
            self.set(register, value)
        self.emit(ir.Branch(f"{frame.prefix}{target}"))

    # -- memory ----------------------------------------------------------------------------------------

    def _memory(self, frame: Frame, instruction: LlvmInstruction) -> None:
        opcode, operands = instruction.opcode, instruction.operands
        if opcode == "fence":
            order = next(_ORDERS[word] for word in instruction.words if word in _ORDERS)
            self.emit(ir.Fence(FULL_FENCE if order == "SC" else frozenset({order})))
        elif opcode == "alloca":
            self._alloca(frame, instruction)
        elif opcode == "load":
            self._load(frame, instruction)
        elif opcode == "store":
            self._store(frame, operands[0], operands[1], order_tags(instruction.words))
        elif opcode == "atomicrmw":
            self._atomicrmw(frame, instruction)
        else:
            self._cmpxchg(frame, instruction)

    def _alloca(self, frame: Frame, instruction: LlvmInstruction) -> None:
        kind = instruction.source_type or PointerType()
        count = 1
        if instruction.operands:
            count = self.translation.constant(*instruction.operands[0])
        if (instruction.result or "") in frame.private:
            return
        parts = scalars(ArrayType(count, kind))
        cells = tuple((offset, self._bits(part)) for offset, part in parts)
        size = ir.Const(count * size_of(kind))
        self.emit(ir.Allocate(self.name(frame, instruction), size, instruction.result or "", cells=cells))

    def place_of(self, frame: Frame, _kind: Type, value: Value) -> tuple[str, ir.Expr] | None:
        """The private object and offset that an address operand means, or None for shared memory."""
        if isinstance(value, LocalName) and value.name in frame.private:
            private = frame.private[value.name]
            offset: ir.Expr = ir.Const(0)
            if private.base is not None:
                offset = ir.Reg(f"{frame.prefix}{value.name}#offset")
            return f"{frame.prefix}{private.variable}", offset
        return self._thread_local(frame, value)

    def _thread_local(self, frame: Frame, value: Value) -> tuple[str, ir.Expr] | None:
        if isinstance(value, LocalName):
            return frame.thread_local.get(value.name)
        return self.translation.thread_local_place(value)

    def point_to_thread_local(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """The result of `llvm.threadlocal.address` means the thread's own copy of a variable."""
        place = self.translation.thread_local_place(instruction.operands[1][1])
        if place is None:
            raise self.unsupported("the address of a thread-local variable that is not known")
        frame.thread_local[instruction.result or ""] = place

    def _load(self, frame: Frame, instruction: LlvmInstruction) -> None:
        register, bits = self.name(frame, instruction), self._bits(instruction.type)
        place = self.place_of(frame, *instruction.operands[0])
        if place is not None:
            self.emit(ir.ReadPrivate(register, *place, bits))
            return
        address = self.value(frame, *instruction.operands[0])
        self.emit(ir.Load(register, address, order_tags(instruction.words), bits))

    def _store(
        self, frame: Frame, stored: tuple[Type, Value], target: tuple[Type, Value], tags: frozenset[str]
    ) -> None:
        value, bits = self.value(frame, *stored), self._bits(stored[0])
        place = self.place_of(frame, *target)
        if place is not None:
            self.emit(ir.WritePrivate(*place, value, bits))
        else:
            self.emit(ir.Store(self.value(frame, *target), value, tags, bits))

    def cells_of(self, frame: Frame, value: Value) -> list[tuple[int, int]] | None:
        """(offset, bits) of the cells of the variable that a pointer means, if its type is known."""
        kind: Type | None = None
        if isinstance(value, GlobalName) and value.name in self.translation.module.globals:
            kind = self.translation.module.globals[value.name].type
        elif isinstance(value, LocalName):
            for instruction in (i for block in frame.function.blocks for i in block.instructions):
                if instruction.opcode == "alloca" and instruction.result == value.name:
                    kind = instruction.source_type
        if kind is None:
            return None
        return [(offset, self._bits(part)) for offset, part in scalars(kind)]

    def load_cell(self, frame: Frame, target: tuple[Type, Value], offset: int, bits: int) -> ir.Expr:
        """The value of a cell at an offset from a pointer."""
        register = self.fresh("copied")
        place = self.place_of(frame, *target)
        if place is not None:
            self.emit(ir.ReadPrivate(register, place[0], _plus(place[1], offset), bits))
        else:
            self.emit(ir.Load(register, _plus(self.value(frame, *target), offset), PLAIN, bits))
        return ir.Reg(register)

    def store_cell(
        self, frame: Frame, target: tuple[Type, Value], offset: int, value: ir.Expr, bits: int
    ) -> None:
        """Write a cell at an offset from a pointer."""
        place = self.place_of(frame, *target)
        if place is not None:
            self.emit(ir.WritePrivate(place[0], _plus(place[1], offset), value, bits))
        else:
            self.emit(ir.Store(_plus(self.value(frame, *target), offset), value, PLAIN, bits))

    def _atomicrmw(self, frame: Frame, instruction: LlvmInstruction) -> None:
        (address_type, pointer), (kind, operand) = instruction.operands
        bits, register = self._bits(kind), self.name(frame, instruction)
        address = self.value(frame, address_type, pointer)
        tags = order_tags(instruction.words, rmw=True)
        self.emit(ir.Load(register, address, tags, bits, link=True))
        old, value = ir.Reg(register), self.value(frame, kind, operand)
        operation = next(word for word in instruction.words if word not in _ORDERS and word != "volatile")
        self.emit(ir.Store(address, self._updated(operation, old, value, bits), tags, bits, link=True))

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
        raise self.unsupported(f"atomicrmw {operation}")

    def _cmpxchg(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A failed exchange reads with its own order; where the orders differ in that, the outcome is
        chosen first so that the read event has the right one."""
        pointer, (kind, expected), (_, desired) = instruction.operands
        bits, register = self._bits(kind), self.name(frame, instruction)
        address = self.value(frame, *pointer)
        wanted, new = self.value(frame, kind, expected), self.value(frame, kind, desired)
        success, failure = [_ORDERS[word] for word in instruction.words if word in _ORDERS]
        tags = frozenset((success, "A", "RMW"))
        old, equal = ir.Reg(f"{register}.0"), ir.Reg(f"{register}.1")
        test = ir.Op("eq", (old, wanted), bits)
        reading = {"ACQ_REL": "ACQ", "REL": "RLX"}.get(success, success)
        if reading == failure:
            self.emit(ir.Load(old.name, address, tags, bits, link=True))
            self.set(equal.name, test)
            self.emit(ir.Store(address, new, tags, bits, link=True, when=equal))
            return
        done, failed = self.fresh(f"{register}.done"), self.fresh(f"{register}.failed")
        self.emit(ir.Havoc(equal.name, (0, 1)))
        self.emit(ir.Branch(failed, ir.Op("lnot", (equal,))))
        self.emit(ir.Load(old.name, address, tags, bits, link=True))
        self.emit(ir.Assume(test))
        self.emit(ir.Store(address, new, tags, bits, link=True))
        self.emit(ir.Branch(done))
        self.label(failed)
        self.emit(ir.Load(old.name, address, frozenset((failure, "A")), bits))
        self.emit(ir.Assume(ir.Op("lnot", (test,))))
        self.label(done)


def _plus(base: ir.Expr, offset: int) -> ir.Expr:
    if isinstance(base, ir.Const):
        return ir.Const(base.value + offset)
    return ir.Op("add", (base, ir.Const(offset)), 64) if offset else base
