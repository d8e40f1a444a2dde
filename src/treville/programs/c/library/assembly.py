"""Inline assembly in a thread's code: operands get registers, instructions become IR with their orders.

An access of assembly is an atomic one of C's, as strong as its instruction says; under the model of its own
architecture it is what that architecture's litmus tests have (`programs.compile_to.assembly`). What is not
understood, down to a single operand, is refused.
"""

from __future__ import annotations

import re

from treville.programs import ir
from treville.programs.c.assembly.code import Code, assemble, unset_registers
from treville.programs.c.assembly.constraints import BadConstraint, Operand, Operands, read_constraints
from treville.programs.c.assembly.dialects import Dialect, NotWritten, x86_family
from treville.programs.c.assembly.template import Line, instructions, lines
from treville.programs.c.library.calls import ZERO, Call
from treville.programs.c.llvm import InlineAsm, PointerType, StructType, Type
from treville.programs.compile_to.assembly import in_c, update_orders
from treville.programs.grids import Cell
from treville.records import fields, replace
from treville.results import InputError, Unsupported

_FENCES = {
    "mfence": "MFENCE", "sfence": "SFENCE", "lfence": "LFENCE", "sync": "SYNC", "hwsync": "SYNC",
    "msync": "SYNC", "sync 0": "SYNC", "lwsync": "LWSYNC", "sync 1": "LWSYNC", "isync": "ISYNC",
    "eieio": "EIEIO", "isb": "ISB", "isb sy": "ISB", "fence": "Fence.rw.rw", "fence.tso": "Fence.tso",
    **{
        f"{kind} {domain}".rstrip(): f"{kind}.{domain}".rstrip(".").upper()
        for kind in ("dmb", "dsb")
        for domain in ("", "sy", "st", "ld", "ish", "ishst", "ishld", "osh", "oshst", "oshld")
    },
    **{
        f"fence {before},{after}": f"Fence.{before}.{after}"
        for before in ("r", "w", "rw")
        for after in ("r", "w", "rw")
    },
}  # fmt: skip
_LEAVING = re.compile(
    r"(?:ret\w*|blr|bl|bx|blx|br|call\w*|jmp\s*\*.*|syscall|int|svc|sc|ecall|hlt|ud2)(?:\s.*)?", re.IGNORECASE
)
_WHOLE = PointerType()


def assembly(here: Call, code: InlineAsm) -> None:
    """Translate a piece of inline assembly."""
    dialect = here.body.translation.assembly_dialect
    if dialect is None:
        raise here.body.unsupported("inline assembly of this architecture")
    try:
        _Assembly(here, code, dialect).translate()
    except (BadConstraint, NotWritten) as problem:
        raise here.body.unsupported(f"inline assembly with {problem}") from None
    except (InputError, Unsupported) as problem:
        text = " ".join(code.template.replace("\\0A", "; ").replace("\\09", " ").split())
        raise here.body.unsupported(f'inline assembly "{text}": {problem.message}') from None


def _plain(text: str) -> str:
    """A barrier as the table writes it; a RISC-V fence says nothing of devices there."""
    lowered = text.lower().replace(", ", ",")
    fence = re.fullmatch(r"fence ([iorw]+),([iorw]+)", lowered)
    if fence is None:
        return lowered
    before, after = ("".join(letter for letter in "rw" if letter in side) for side in fence.groups())
    return f"fence {before},{after}"


class _Assembly:
    """One piece of assembly being translated."""

    def __init__(self, here: Call, code: InlineAsm, dialect: Dialect) -> None:
        self.here, self.body, self.dialect = here, here.body, dialect
        self.parts = instructions(code.template, dialect.comment)
        self.found: Operands = read_constraints(code.constraints, here.operands)
        self.types = self._output_types()
        self.given: dict[str, ir.Expr] = {}  # registers and what they hold at first

    def translate(self) -> None:
        """Set registers, run the instructions, take the outputs."""
        if self._only_fences():
            return
        self._choose_registers()
        text = self._lines()
        prefix = f"{self.body.fresh('assembly')}."
        self._refuse_unwritten(text)
        code = assemble(self.dialect.name, text) if any(line.text for line in text) else Code((), {})
        unset, written = unset_registers(code, set(self.given))
        outputs = {o.register: o for o in self.found.operands if o.written and not o.in_memory}
        for register in sorted(unset - outputs.keys()):
            raise Unsupported(f"the register {register}, which the assembly does not set, is read")
        for register, value in self.given.items():
            self.body.set(prefix + register, value)
        for register in outputs.keys() - self.given.keys():
            if register in unset or register not in written:
                self.body.emit(ir.Nondet(prefix + register, 64))
        _Splice(self.here, self.dialect.name, prefix).add(code)
        self._take_outputs(prefix)

    def _only_fences(self) -> bool:
        """Barriers of any architecture that have no operands."""
        if self.found.operands:
            return False
        tags = [_FENCES.get(_plain(part)) for part in self.parts]
        if not self.parts or None in tags:
            return False
        for tag in tags:
            self.body.emit(ir.Fence(frozenset({tag or ""})))
        return True

    # -- operands --------------------------------------------------------------------------------------

    def _output_types(self) -> list[Type]:
        kind = self.here.instruction.type
        return list(kind.fields) if isinstance(kind, StructType) else [kind]

    def _choose_registers(self) -> None:
        """Every operand gets a register of its own; one in memory its address."""
        taken = self._mentioned()
        operands = list({id(operand): operand for operand in self.found.operands}.values())
        for operand in operands:
            operand.kind = self._type_of(operand)
            if operand.fixed:
                operand.register = self._named(operand.fixed)
                taken.add(operand.register)
        free = (name for name in self.dialect.registers if name not in taken)
        for operand in operands:
            if not operand.register and not self._is_number(operand):
                operand.register = next(free, "")
                if not operand.register:
                    raise BadConstraint("more operands than registers")
            self._give(operand)

    def _mentioned(self) -> set[str]:
        named = " ".join(f"%{name} {name}" for name in self.found.clobbered)
        return self.dialect.mentions(" ".join(self.parts)) | self.dialect.mentions(named)

    def _named(self, name: str) -> str:
        """The register that a constraint asks for."""
        meant = x86_family(name) if self.dialect.name == "X86_64" else ""
        if not meant:
            meant = next(iter(self.dialect.mentions(name)), "")
        if not meant:
            raise BadConstraint(f"the register {name}")
        return meant

    def _type_of(self, operand: Operand) -> Type:
        if operand.output is not None:
            return self.types[operand.output]
        if operand.value is not None:
            return operand.value[0]
        element = self.here.instruction.elements.get(operand.pointer) if operand.pointer else None
        return element or _WHOLE

    def _is_number(self, operand: Operand) -> bool:
        if operand.may_be_register or operand.in_memory or operand.flag:
            return False
        if not operand.may_be_number or operand.value is None:
            raise BadConstraint(f"the constraint '{operand.constraint}'")
        return True

    def _give(self, operand: Operand) -> None:
        """What an operand's register holds at first."""
        if operand.flag:
            self.given[operand.register] = ZERO  # of which the flag is the lowest bit
            return
        if self._is_number(operand):
            return
        if operand.in_memory and operand.pointer is not None:
            self.given[operand.register] = self.body.value(self.here.frame, *operand.pointer)
        elif operand.value is not None:
            self.given[operand.register] = self._scalar(
                self.body.value(self.here.frame, *operand.value), operand
            )
        elif operand.pointer is not None:
            bits = self._bits(operand)
            if not operand.written or self._also_read(operand):
                self.given[operand.register] = self.body.memory.read_cell(
                    self.here.frame, operand.pointer, Cell(0, bits)
                )

    def _also_read(self, operand: Operand) -> bool:
        """Is the same memory an input?"""
        return any(o is not operand and o.pointer == operand.pointer for o in self.found.operands)

    def _scalar(self, value: ir.Expr, operand: Operand) -> ir.Expr:
        self._bits(operand)
        return value

    def _bits(self, operand: Operand) -> int:
        bits = self.body.bits(operand.kind or _WHOLE)
        if bits not in (8, 16, 32, 64):
            raise BadConstraint(f"an operand of {bits} bits")
        return bits

    # -- text ------------------------------------------------------------------------------------------

    def _lines(self) -> list[Line]:
        code = lines(self.parts, self._written)
        if self.dialect.name == "PPC":
            code = [
                Line(line.labels, re.sub(r"^(\w+x\.?\s+[^,]+,\s*)0(?=\s*,)", r"\1r0", line.text))
                for line in code
            ]
        for line in code:
            if _LEAVING.fullmatch(line.text):
                raise Unsupported(f"'{line.text}'")
        for operand in {o.flag: o for o in self.found.operands if o.flag}.values():
            code.append(Line((), self._flag(operand)))
        return code

    def _flag(self, operand: Operand) -> str:
        if not self.dialect.flag:
            raise BadConstraint(f"the flag '{operand.flag}'")
        modifier = "b" if self.dialect.name == "X86_64" else "w"
        low = self.dialect.write_register(operand.register, _WHOLE, modifier)
        return self.dialect.flag.format(condition=operand.flag, low=low)

    def _written(self, number: int, modifier: str) -> str:
        if number >= len(self.found.operands):
            raise BadConstraint(f"operand {number}")
        operand = self.found.operands[number]
        if operand.in_memory:
            return self.dialect.write_memory(operand.register, modifier)
        if operand.register:
            return self.dialect.write_register(operand.register, operand.kind or _WHOLE, modifier)
        value = self.body.value(self.here.frame, *operand.value) if operand.value else None
        if not isinstance(value, ir.Const):
            raise BadConstraint(f"the constraint '{operand.constraint}' for what is not constant")
        return self.dialect.write_number(value.value, modifier)

    # -- results ---------------------------------------------------------------------------------------

    def _refuse_unwritten(self, code: list[Line]) -> None:
        """Memory that only the constraints say is written would hold anything."""
        for operand in self.found.operands:
            blind = operand.in_memory and operand.written and not self._also_read(operand)
            if blind and not any(line.text for line in code):
                raise Unsupported("memory as an output that no instruction writes")

    def _take_outputs(self, prefix: str) -> None:
        name = self.body.name(self.here.frame, self.here.instruction)
        for operand in {id(operand): operand for operand in self.found.operands}.values():
            if not operand.written or operand.in_memory:
                continue
            bits = self._bits(operand)
            value = ir.Op("sext", (ir.Reg(prefix + operand.register),), bits)
            if operand.output is None:
                pointer = operand.pointer
                assert pointer is not None
                self.body.memory.write_cell(self.here.frame, pointer, Cell(0, bits), value)
            elif len(self.types) > 1:
                self.body.set(f"{name}.{operand.output}", value)
            else:
                self.body.set(name, value)


class _Splice:
    """Puts the code of a piece of assembly into a thread, with names of its own."""

    def __init__(self, here: Call, dialect: str, prefix: str) -> None:
        self.body, self.dialect, self.prefix = here.body, dialect, prefix

    def add(self, code: Code) -> None:
        """Append the instructions; what orders more in C than here gets its fences."""
        labels: dict[int, list[str]] = {}
        for label, at in code.labels.items():
            labels.setdefault(at, []).append(label)
        source, orders = None, update_orders(code.instructions)
        for at, instruction in enumerate(code.instructions):
            self._land(labels.get(at, []))
            if instruction.index != source:
                source = instruction.index
                self.body.index += 1
            for each in in_c(self._renamed(instruction), self.dialect, orders.get(instruction.index, "")):
                self.body.emit(each)
        self._land(labels.get(len(code.instructions), []))
        self.body.index += 1

    def _land(self, labels: list[str]) -> None:
        for label in labels:
            self.body.label(self.prefix + label)

    def _renamed(self, instruction: ir.Instruction) -> ir.Instruction:
        changes: dict[str, object] = {}
        for field in fields(instruction):
            value = getattr(instruction, field.name)
            if isinstance(value, ir.Const | ir.Reg | ir.Op | ir.Select):
                changes[field.name] = self._expression(value)
            elif field.name in ("register", "status", "target", "until") and isinstance(value, str):
                changes[field.name] = self.prefix + value
        return replace(instruction, **changes)  # type: ignore[arg-type]

    def _expression(self, expression: ir.Expr) -> ir.Expr:
        match expression:
            case ir.Const():
                return expression
            case ir.Reg():
                return ir.Reg(self.prefix + expression.name)
            case ir.Op():
                return expression._replace(args=tuple(self._expression(arg) for arg in expression.args))
            case ir.Select():
                return ir.Select(*(self._expression(part) for part in expression))
