"""One thread's flat code: LLVM instructions, inlined functions and private variables -> IR instructions.

Calls are in `library`; what all threads share is the `Translation`, in `translate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.accesses import Memory
from treville.programs.c.aggregates import leaves, member_type, registers_of
from treville.programs.c.arithmetic import BINARY, CASTS, Arithmetic
from treville.programs.c.control import meeting_points
from treville.programs.c.exchanges import failing_way
from treville.programs.c.inner_arrays import OUTSIDE_ITS_ARRAY
from treville.programs.c.llvm import (
    POINTER_BITS,
    Aggregate,
    ArrayType,
    Function,
    GlobalName,
    IntType,
    LlvmInstruction,
    LocalName,
    Number,
    OtherType,
    PointerType,
    StructType,
    Type,
    Value,
    size_of,
    struct_offsets,
)
from treville.programs.c.private import Private, private_variables
from treville.programs.c.unset_values import UNSET_FLAG
from treville.programs.draft import ThreadDraft
from treville.records import NamedTuple, dataclass, field
from treville.results import Unsupported

if TYPE_CHECKING:
    from treville.programs.c.translate import Translation

MAX_INSTRUCTIONS = 100_000


def bits_of(kind: Type) -> int:
    """The width of a scalar type; raises for what is no scalar that Treville handles."""
    if isinstance(kind, IntType) and kind.bits <= 64:
        return kind.bits
    if isinstance(kind, PointerType):
        return 64
    if isinstance(kind, OtherType) and kind.text in ("float", "double"):
        return 32 if kind.text == "float" else 64  # moved about, never computed with
    raise Unsupported(f"values of type {_type_name(kind)}")


def _type_name(kind: Type) -> str:
    if isinstance(kind, IntType):
        return f"i{kind.bits}"
    return {StructType: "struct", ArrayType: "array"}.get(type(kind), getattr(kind, "text", "void"))


class Argument(NamedTuple):
    """What a call gives for `...`: a value, or (with `copied`) the address of a struct of that type."""

    kind: Type
    value: ir.Expr
    copied: Type | None = None


@dataclass
class Frame:
    """One inlined copy of a function: names get its prefix, `ret` writes `result` and goes to `exit`."""

    function: Function
    prefix: str
    exit: str
    result: str
    private: dict[str, Private]
    depth: dict[str, int] = field(default_factory=dict)
    meetings: dict[str, str | None] = field(default_factory=dict)  # of blocks: where their branches meet
    offsets: dict[str, ir.Expr] = field(default_factory=dict)  # of pointers into private variables
    sizes: dict[str, ir.Expr] = field(default_factory=dict)  # of private variables
    watched: set[str] = field(default_factory=set)  # private variables of which it is known what has a value
    thread_local: dict[str, tuple[str, ir.Expr]] = field(default_factory=dict)  # pointers: object and offset
    more: Sequence[Argument] = ()  # what the function was given for `...`
    unset: frozenset[str] = frozenset()  # see `unset_values.maybe_unset`
    ending: list[str] = field(default_factory=list)  # registers of locals whose address may be known later
    marked: dict[str, ir.Allocate] = field(default_factory=dict)  # such locals that live between marks
    hoisted: dict[str, tuple[str, int]] = field(default_factory=dict)  # addresses in them, computed before


class Body:
    """Builds the flat code of one thread."""

    def __init__(self, translation: Translation, name: str) -> None:
        self.translation = translation
        self.thread = ThreadDraft(name)
        self.copies = 0
        self.index = 0
        self.here: LlvmInstruction | None = None
        self.memory = Memory(self)
        self.arithmetic = Arithmetic(self)
        self.ending: list[str] = []  # registers of locals that end with their functions
        self.cleanups: list[tuple[ir.Expr, ir.Expr]] = []  # functions and arguments, while they are to be run

    # -- emitting --------------------------------------------------------------------------------------

    def emit(self, instruction: ir.Instruction) -> None:
        """Append an instruction with the current place in the source."""
        span, text = (None, "") if self.here is None else self.translation.place(self.here)
        ir.place(instruction, text, span, self.index)
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
            if value.name in frame.hoisted:
                base, offset = frame.hoisted[value.name]
                return ir.plus(ir.Reg(frame.prefix + base), offset)
            return ir.Reg(frame.prefix + value.name)
        if value == Number(None) and isinstance(kind, IntType):
            return self._anything(kind)
        if (own := self.translation.own_object(value)) is not None and self.bits(kind) == POINTER_BITS:
            return own
        try:
            return ir.Const(self.translation.constant(kind, value))
        except Unsupported as error:
            raise self.unsupported(error.message) from None

    def _anything(self, kind: IntType) -> ir.Expr:
        """A variable that was never given a value."""
        register = ir.Reg(self.fresh("undefined"))
        self.choose(register.name, kind.bits)
        return register

    def choose(self, register: str, bits: int) -> None:
        """Set a register to any number of so many bits. One bit is 0 or 1, as tests make it."""
        self.emit(ir.Havoc(register, (0, 1)) if bits == 1 else ir.Nondet(register, bits))

    def name(self, frame: Frame, instruction: LlvmInstruction) -> str:
        """The register of an instruction's result."""
        return frame.prefix + (instruction.result or "_")

    # -- functions -------------------------------------------------------------------------------------

    def inline(
        self,
        function: Function,
        arguments: Sequence[ir.Expr | list[ir.Expr]],
        depth: dict[str, int],
        more: Sequence[Argument] = (),
        unset: Sequence[Sequence[ir.Expr]] = (),
    ) -> ir.Reg:
        """Copy a function's code here; the expression of its result. An argument that is a struct is given as
        the list of its scalars; `more` are those that `...` stands for. Of arguments nobody set the bits in
        `unset`."""
        level = depth.get(function.name, 0)
        if level > self.translation.recursion:
            self.emit(ir.Stop(cut=True, reason=f"recursion of {function.name}"))
            return ir.Reg(self.fresh("no result"))
        prefix = f"{self.fresh(function.name)}."
        private = private_variables(function)
        frame = Frame(
            function, prefix, f"{prefix}exit", f"{prefix}result", private,
            {**depth, function.name: level + 1}, meeting_points(function), more=more,
            unset=self.translation.unset[function.name],
        )  # fmt: skip
        for number, ((kind, parameter), argument) in enumerate(
            zip(function.parameters, arguments, strict=False)
        ):
            values = argument if isinstance(argument, list) else [argument]
            if parameter in function.copied:
                values = [self.memory.copy_of(values[0], function.copied[parameter], parameter)]
            self.assign(prefix + parameter, kind, values)
            if parameter in frame.unset:
                self.note_unset(prefix + parameter, kind, unset[number] if number < len(unset) else ())
        for block in function.blocks:
            self.label(f"{prefix}{block.name}")
            for instruction in block.instructions:
                self.here = instruction
                self.index += 1
                self._instruction(frame, block.name, instruction)
        self.label(frame.exit)
        if function.name != "main":  # whose end is that of the program
            self.end_locals(frame.ending)
        self.ending += frame.ending
        return ir.Reg(frame.result)

    def end_locals(self, registers: Sequence[str]) -> None:
        """The ends of local variables, of those that there are: each ends once."""
        for register in registers:
            self.emit(ir.Free(ir.Reg(register), local=True))
            self.set(register, ir.Const(0))

    def _instruction(self, frame: Frame, block: str, instruction: LlvmInstruction) -> None:
        opcode = instruction.opcode
        if instruction.refused:
            raise self.unsupported(instruction.refused)
        if opcode in BINARY:
            self.arithmetic.binary(frame, instruction)
        elif opcode in ("br", "switch", "ret", "unreachable"):
            self._terminator(frame, block, instruction)
        elif opcode == "phi":
            return  # written by the branches that come here
        elif opcode in ("load", "store", "atomicrmw", "cmpxchg", "fence", "alloca"):
            self.memory.access(frame, instruction)
        elif opcode in CASTS:
            self.arithmetic.cast(frame, instruction)
        elif opcode == "getelementptr":
            self._address(frame, instruction)
        elif opcode == "select":
            condition = self.value(frame, *instruction.operands[0])
            then, other = (self.scalars(frame, *operand) for operand in instruction.operands[1:])
            chosen = [ir.Select(condition, *pair) for pair in zip(then, other, strict=True)]
            self.assign(self.name(frame, instruction), instruction.type, chosen)
            if instruction.result in frame.unset:
                then, other = (self.unset_bits(frame, *operand) for operand in instruction.operands[1:])
                bits = [ir.Select(condition, *pair) for pair in zip(then, other, strict=True)]
                self.note_unset(self.name(frame, instruction), instruction.type, bits)
        elif opcode in ("extractvalue", "insertvalue"):
            self._aggregate(frame, instruction)
        elif opcode == "call":
            self.translation.call(self, frame, instruction)
        else:
            what = "floating-point arithmetic" if opcode[0] == "f" else "the LLVM instruction"
            raise self.unsupported(f"{what} '{opcode}'")

    def bits(self, kind: Type) -> int:
        """The width of a scalar type; an error at the current place if it is none."""
        try:
            return bits_of(kind)
        except Unsupported as error:
            raise self.unsupported(error.message) from None

    def _address(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A getelementptr: an address, or for a private variable an offset into it."""
        for kind, index, limit in self.translation.inner_arrays.limits(frame.function, instruction):
            if not isinstance(index, Number) or not 0 <= (index.value or 0) < limit:
                within = ir.Op("ult", (self.value(frame, kind, index), ir.Const(limit)), 64)
                self.emit(ir.Assert(within, OUTSIDE_ITS_ARRAY, undefined=True, fatal=False))
        private = frame.private.get(instruction.result or "")
        own = self.memory.thread_local(frame, instruction.operands[0][1]) if private is None else None
        if own is not None:
            offset = self.set(
                f"{self.name(frame, instruction)}#offset", self.offset_of(frame, instruction, own[1])
            )
            frame.thread_local[instruction.result or ""] = (own[0], offset)
            return
        if private is None:
            base = self.value(frame, *instruction.operands[0])
            self.set(self.name(frame, instruction), self.offset_of(frame, instruction, base))
            self._note_hoisted(frame, instruction)
            return
        start = self.memory.offset(frame, private.base or private.variable)
        inside = self.offset_of(frame, instruction, start)
        register = self.set(f"{self.name(frame, instruction)}#offset", inside)
        frame.offsets[instruction.result or ""] = inside if isinstance(inside, ir.Const) else register

    def _note_hoisted(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """SROA computes addresses in a local before its life begins: they are those of whichever life."""
        origin, offset = instruction.operands[0][1], self.offset_of(frame, instruction, ir.Const(0))
        result = instruction.result or ""
        name = origin.name if isinstance(origin, LocalName) and ".sroa.gep" in result else ""
        if name in frame.marked and isinstance(offset, ir.Const):
            frame.hoisted[result] = (name, offset.value)

    def offset_of(self, frame: Frame, instruction: LlvmInstruction, base: ir.Expr) -> ir.Expr:
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
        """A struct with another member, or a member of a struct."""
        kind, value = instruction.operands[0]
        places = [path for path, _ in leaves(kind)]
        there = [path[: len(instruction.indices)] == instruction.indices for path in places]
        ways = [(self.scalars, self.assign)]
        if instruction.result in frame.unset:
            ways.append((self.unset_bits, self.note_unset))
        for parts_of, give in ways:
            values = parts_of(frame, kind, value)
            if instruction.opcode == "extractvalue":
                inner = member_type(kind, instruction.indices)
                found = [old for old, inside in zip(values, there, strict=True) if inside]
                give(self.name(frame, instruction), inner, found)
                continue
            new = iter(parts_of(frame, *instruction.operands[1]))
            both = [next(new) if inside else old for old, inside in zip(values, there, strict=True)]
            give(self.name(frame, instruction), kind, both)

    # -- control ---------------------------------------------------------------------------------------

    def _terminator(self, frame: Frame, block: str, instruction: LlvmInstruction) -> None:
        if instruction.opcode == "ret":
            if instruction.operands:
                self._return(frame, *instruction.operands[0])
            self.emit(ir.Branch(frame.exit))
        elif instruction.opcode == "unreachable":
            self._unreachable(frame, block)
        elif instruction.opcode == "switch":
            kind, value = instruction.operands[0]
            tested = self.value(frame, kind, value)
            bits = self.bits(kind)
            cases: list[tuple[ir.Expr, str]] = [
                (ir.Op("eq", (tested, ir.Const(self.translation.constant(kind, case))), bits), target)
                for case, target in instruction.cases
            ]
            self._goto(frame, block, cases, instruction.labels[0])
        elif (failed := self._failing_way(frame, block, instruction)) is not None:
            self._goto(frame, block, [], failed)
        elif len(instruction.labels) == 2:
            condition = self.value(frame, *instruction.operands[0])
            first, second = instruction.labels
            if self._is_promised(frame, first):
                self._never_unless(ir.Op("lnot", (condition,)))
                self._goto(frame, block, [], second)
            elif self._is_promised(frame, second):
                self._never_unless(condition)
                self._goto(frame, block, [], first)
            else:
                self._goto(frame, block, [(condition, first)], second)
        else:
            self._goto(frame, block, [], instruction.labels[0])

    def _failing_way(self, frame: Frame, block: str, branch: LlvmInstruction) -> str | None:
        """Where a compare-exchange goes in any case: see `exchanges`."""
        if len(branch.labels) != 2:
            return None
        home = next(b for b in frame.function.blocks if b.name == block)
        return failing_way(frame.function, home, frame.private)

    def _is_promised(self, frame: Frame, label: str) -> bool:
        """Does the program only promise never to go there? That is no branch once it is compiled, so nothing
        that comes behind depends on it."""
        block = next(b for b in frame.function.blocks if b.name == label)
        return [each.opcode for each in block.instructions] == ["unreachable"]

    def _never_unless(self, holds: ir.Expr) -> None:
        self.emit(ir.Assert(holds, "code that must not be reached is reached", undefined=True))

    def _unreachable(self, frame: Frame, block: str) -> None:
        """What the program promises never to reach. Behind a call of a function that is defined nowhere it
        means that the function does not return."""
        *before, _ = next(b for b in frame.function.blocks if b.name == block).instructions
        callee = before[-1].operands[0][1] if before and before[-1].opcode == "call" else None
        returns_never = isinstance(callee, GlobalName) and callee.name in self.translation.undefined
        if not returns_never and not self._has_ended():
            self._never_unless(ir.Const(0))
        self.emit(ir.Stop(reason="unreachable"))

    def _has_ended(self) -> bool:
        """Does the code end here anyway?"""
        here = len(self.thread.instructions)
        match self.thread.instructions[-1:]:
            case [ir.Stop() | ir.Branch(condition=None) | ir.Assert(condition=ir.Const(value=0))]:
                return here not in self.thread.labels.values()
        return False

    def _return(self, frame: Frame, kind: Type, value: Value) -> None:
        self.assign(frame.result, kind, self.scalars(frame, kind, value))
        if frame.function.name in self.translation.unset_results:
            self.note_unset(frame.result, kind, self.unset_bits(frame, kind, value))

    # -- structs and arrays as values ------------------------------------------------------------------

    def scalars(self, frame: Frame, kind: Type, value: Value) -> list[ir.Expr]:
        """The scalars of a value: its own if it is one, else those of a struct or an array in their order."""
        if not isinstance(kind, (StructType, ArrayType)):
            return [self.value(frame, kind, value)]
        if isinstance(value, LocalName):
            return [*registers_of(frame.prefix + value.name, kind)]
        if isinstance(value, Aggregate):
            return [scalar for item in value.items for scalar in self.scalars(frame, *item)]
        return [self.value(frame, part, value) for _, part in leaves(kind)]

    def assign(self, name: str, kind: Type, values: Sequence[ir.Expr]) -> None:
        """Give a name all scalars of a value."""
        for register, value in zip(registers_of(name, kind), values, strict=False):
            self.set(register.name, value)

    def unset_bits(self, frame: Frame, kind: Type, value: Value) -> list[ir.Expr]:
        """The bits of each scalar of a value that nobody set."""
        parts = leaves(kind)
        if isinstance(value, LocalName) and value.name in frame.unset:
            return [ir.Reg(each.name + UNSET_FLAG) for each in registers_of(frame.prefix + value.name, kind)]
        if isinstance(value, Aggregate):
            return [bits for item in value.items for bits in self.unset_bits(frame, *item)]
        return [ir.Const(-1 if value == Number(None) else 0)] * len(parts)

    def note_unset(self, name: str, kind: Type, values: Sequence[ir.Expr]) -> None:
        """These are the bits of the scalars of a name that nobody set; without any all are set."""
        registers = registers_of(name, kind)
        for register, unset in zip(registers, values or [ir.Const(0)] * len(registers), strict=False):
            self.set(register.name + UNSET_FLAG, unset)

    def _goto(self, frame: Frame, block: str, cases: list[tuple[ir.Expr, str]], otherwise: str) -> None:
        """Branch, writing the phis of the block that is entered on each edge."""
        edges = []
        meeting = frame.meetings.get(block)
        until = frame.exit if meeting is None else f"{frame.prefix}{meeting}"
        for condition, target in cases:
            edge = self.fresh(f"{frame.prefix}edge")
            self.emit(ir.Branch(edge, condition, until))
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
            registers = registers_of(self.name(frame, phi), phi.type)
            values = self.scalars(frame, phi.type, incoming)
            copies += [(register.name, value) for register, value in zip(registers, values, strict=True)]
            if phi.result in frame.unset:
                unset = self.unset_bits(frame, phi.type, incoming)
                copies += [(r.name + UNSET_FLAG, bits) for r, bits in zip(registers, unset, strict=True)]
        written = {register for register, _ in copies}
        if any(isinstance(value, ir.Reg) and value.name in written for _, value in copies):
            copies = [(register, self.set(f"{register}'", value)) for register, value in copies]
        for register, value in copies:
            self.set(register, value)
        self.emit(ir.Branch(f"{frame.prefix}{target}"))
