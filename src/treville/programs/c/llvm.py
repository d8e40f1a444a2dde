"""LLVM IR as data: types, constants, instructions, functions, modules. `reader` makes it from text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from treville.records import NamedTuple, dataclass, field

# -- types -------------------------------------------------------------------------------------------


class IntType(NamedTuple):
    """iN."""

    bits: int


class PointerType(NamedTuple):
    """ptr."""


class VoidType(NamedTuple):
    """void, and what has no value (label, metadata)."""


class ArrayType(NamedTuple):
    """[length x element]."""

    length: int
    element: Type


class StructType(NamedTuple):
    """{ fields }, packed or not."""

    fields: tuple[Type, ...]
    packed: bool = False


class OtherType(NamedTuple):
    """A type that Treville does not handle (float, vector); named where it is used."""

    text: str


Type: TypeAlias = IntType | PointerType | VoidType | ArrayType | StructType | OtherType

POINTER_BITS = 64


def align_of(kind: Type) -> int:
    """Alignment in bytes on a 64-bit machine."""
    if isinstance(kind, ArrayType):
        return align_of(kind.element)
    if isinstance(kind, StructType):
        return 1 if kind.packed else max(map(align_of, kind.fields), default=1)
    return min(max(1, size_of(kind)), 16)


def size_of(kind: Type) -> int:
    """Size in bytes on a 64-bit machine."""
    if isinstance(kind, IntType):
        size = 1
        while size * 8 < kind.bits:
            size *= 2
        return size
    if isinstance(kind, PointerType):
        return POINTER_BITS // 8
    if isinstance(kind, ArrayType):
        return kind.length * size_of(kind.element)
    if isinstance(kind, StructType):
        return struct_offsets(kind)[-1]
    return {"float": 4, "double": 8, "x86_fp80": 16}.get(getattr(kind, "text", ""), 0)


def struct_offsets(kind: StructType) -> list[int]:
    """The offset of each field, and last the size of the whole."""
    offsets, at = [], 0
    for member in kind.fields:
        if not kind.packed:
            step = align_of(member)
            at = (at + step - 1) // step * step
        offsets.append(at)
        at += size_of(member)
    if not kind.packed:
        step = align_of(kind)
        at = (at + step - 1) // step * step
    return [*offsets, at]


def scalars(kind: Type, offset: int = 0) -> list[tuple[int, Type]]:
    """The scalar parts of a type with their byte offsets."""
    if isinstance(kind, ArrayType):
        step = size_of(kind.element)
        return [part for i in range(kind.length) for part in scalars(kind.element, offset + i * step)]
    if isinstance(kind, StructType):
        places = struct_offsets(kind)
        return [
            p for member, at in zip(kind.fields, places, strict=False) for p in scalars(member, offset + at)
        ]
    return [(offset, kind)]


# -- values ------------------------------------------------------------------------------------------


class LocalName(NamedTuple):
    """%name."""

    name: str


class GlobalName(NamedTuple):
    """@name."""

    name: str


class Number(NamedTuple):
    """An integer constant; null and false are 0, undef and poison are None."""

    value: int | None


class Aggregate(NamedTuple):
    """A constant struct or array."""

    items: tuple[tuple[Type, Value], ...]


class Zero(NamedTuple):
    """zeroinitializer."""


class ConstantExpression(NamedTuple):
    """A constant built by an operation: getelementptr, ptrtoint, inttoptr, bitcast, add, sub, ..."""

    op: str
    source_type: Type | None
    args: tuple[tuple[Type, Value], ...]


class InlineAsm(NamedTuple):
    """asm "template", "constraints"."""

    template: str
    constraints: str


class Opaque(NamedTuple):
    """A value that Treville cannot look into (a floating-point number, a block address)."""

    text: str


Value: TypeAlias = (
    LocalName | GlobalName | Number | Aggregate | Zero | ConstantExpression | InlineAsm | Opaque
)


# -- code --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class LlvmInstruction:
    """One instruction. `words` are flags and keywords in order (`acquire`, `weak`, `slt`, ...); `operands`
    are typed; `type` is the result's; `labels` the targets of branches; `cases` of a switch or phi. `scope`
    names the threads that an atomic instruction is about (none: all). `elements` are the types behind
    pointers where the instruction tells. `refused` says what of it is not known."""

    opcode: str
    result: str | None
    type: Type
    operands: list[tuple[Type, Value]]
    words: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    cases: tuple[tuple[Value, str], ...] = ()
    source_type: Type | None = None
    indices: tuple[int, ...] = ()
    copied: Mapping[int, Type] = field(default_factory=dict)  # operands of a call that it copies
    scope: str = ""
    elements: dict[tuple[Type, Value], Type] = field(default_factory=dict)
    refused: str = ""
    text: str = ""
    line: int = 0
    column: int = 0
    file: str = ""


@dataclass(slots=True)
class Block:
    """A basic block."""

    name: str
    instructions: list[LlvmInstruction] = field(default_factory=list)


@dataclass(slots=True)
class Function:
    """A defined function."""

    name: str
    parameters: list[tuple[Type, str]]
    result: Type
    blocks: list[Block] = field(default_factory=list)
    copied: dict[str, Type] = field(default_factory=dict)  # parameters that point to a copy of their own
    line: int = 0


class Declaration(NamedTuple):
    """A function that is declared only: how many parameters it has, whether there may be more, and whether
    a program without it has a null pointer in its place."""

    parameters: int
    variadic: bool = False
    weak: bool = False


@dataclass(slots=True)
class GlobalVariable:
    """A global: its type, initial value (None: external) and whether every thread has its own. `weak`: a
    program without it has a null pointer in its place."""

    name: str
    type: Type
    initial: Value | None
    thread_local: bool = False
    constant: bool = False
    weak: bool = False


@dataclass(slots=True)
class Module:
    """A whole program. `file` is the source file that was compiled, for the machine `target`, by
    `compiler`; `types` are those with names. `unset` and `unset_results`: see `unset_values.maybe_unset`.
    `has_types_of_c`: indexed arrays are what C's text says (see `inner_arrays`)."""

    functions: dict[str, Function] = field(default_factory=dict)
    globals: dict[str, GlobalVariable] = field(default_factory=dict)
    declared: dict[str, Declaration] = field(default_factory=dict)
    types: list[Type] = field(default_factory=list)
    file: str = ""
    target: str = ""
    compiler: str = ""
    unset: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unset_results: frozenset[str] = frozenset()
    has_types_of_c: bool = False


def taken_functions(module: Module) -> set[str]:
    """The functions whose address is used for anything but a call, defined or declared."""
    found: set[str] = set()
    values = [variable.initial for variable in module.globals.values()]
    for function in module.functions.values():
        for instruction in (i for block in function.blocks for i in block.instructions):
            operands = instruction.operands[1:] if instruction.opcode == "call" else instruction.operands
            values += [value for _, value in operands]
            values += [value for value, _ in instruction.cases]
    while values:
        value = values.pop()
        if isinstance(value, GlobalName):
            found.add(value.name)
        elif isinstance(value, Aggregate):
            values += [item for _, item in value.items]
        elif isinstance(value, ConstantExpression):
            values += [item for _, item in value.args]
    return found & (module.functions.keys() | module.declared.keys())


def templates(module: Module) -> list[str]:
    """The inline assembly of a module."""
    instructions = (i for f in module.functions.values() for block in f.blocks for i in block.instructions)
    callees = (i.operands[0][1] for i in instructions if i.opcode == "call")
    return [callee.template for callee in callees if isinstance(callee, InlineAsm)]
