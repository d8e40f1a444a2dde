"""Which local variables of a function are private: their address is only used to access them there.

Such a variable needs no events: nobody else can read or write it. Pointers derived from it by
getelementptr are tracked, so that arrays and structs are private too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from treville.programs.c.llvm import (
    POINTER_BITS,
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

# Calls that may be given the address of a private variable, and which arguments.
HARMLESS_ARGUMENTS = {
    "pthread_create": {0}, "thrd_create": {0}, "pthread_join": {1}, "thrd_join": {1},
    "pthread_attr_init": {0}, "pthread_attr_destroy": {0}, "pthread_attr_setdetachstate": {0},
    "pthread_mutex_init": {1}, "pthread_mutexattr_init": {0}, "pthread_mutexattr_settype": {0},
    "pthread_mutexattr_destroy": {0},
    **{name: set(range(20)) for name in ("puts", "printf", "fprintf", "fputs", "sprintf", "snprintf")},
}  # fmt: skip
_STARTING = (GlobalName("pthread_create"), GlobalName("thrd_create"))


@dataclass(frozen=True, slots=True)
class Private:
    """A name that points into the private `variable`: derived from the name `base`, or (without `base`) the
    variable itself."""

    variable: str
    base: str | None = None


def private_variables(function: Function) -> dict[str, Private]:
    """All names of the function that point into private variables."""
    instructions = [i for block in function.blocks for i in block.instructions]
    pointers: dict[str, Private] = {}
    for instruction in instructions:
        if instruction.opcode == "alloca" and instruction.result:
            pointers[instruction.result] = Private(instruction.result)
    changed = True
    while changed:
        changed = False
        for instruction in instructions:
            if instruction.opcode == "getelementptr" and instruction.result not in pointers:
                base = _local(instruction.operands[0][1])
                if base in pointers and instruction.result:
                    pointers[instruction.result] = Private(pointers[base].variable, base)
                    changed = True
    escaped = {pointers[name].variable for i in instructions for name in _escaping(i, pointers)}
    return {name: private for name, private in pointers.items() if private.variable not in escaped}


def thread_handles(function: Function, private: dict[str, Private]) -> set[str]:
    """The private variables that hold numbers of threads."""
    calls = (i for block in function.blocks for i in block.instructions if i.opcode == "call")
    started = (_local(i.operands[1][1]) for i in calls if i.operands[0][1] in _STARTING)
    return {private[name].variable for name in started if name in private}


def is_read(function: Function, private: dict[str, Private], variable: str) -> bool:
    """Does the function ever look at what is in a private variable?"""
    names = {name for name, pointer in private.items() if pointer.variable == variable}
    for instruction in (i for block in function.blocks for i in block.instructions):
        callee = instruction.operands[0][1] if instruction.opcode == "call" else None
        copies = isinstance(callee, GlobalName) and callee.name.startswith("llvm.mem")
        used = names.intersection(_local(value) for _, value in instruction.operands)
        if used and (copies or instruction.opcode == "load"):
            return True
    return False


def _local(value: Value) -> str:
    return value.name if isinstance(value, LocalName) else ""


def _escaping(instruction: LlvmInstruction, pointers: dict[str, Private]) -> list[str]:
    """The tracked pointers whose address this instruction lets out."""
    used = [(n, _local(value)) for n, (_, value) in enumerate(instruction.operands)]
    used += [(-1, _local(value)) for value, _ in instruction.cases]
    tracked = [(n, name) for n, name in used if name in pointers]
    opcode = instruction.opcode
    if opcode == "getelementptr":
        return [name for n, name in tracked if n != 0]
    if opcode == "load":
        return [name for _, name in tracked if "atomic" in instruction.words]
    if opcode == "store":
        return [name for n, name in tracked if n == 0 or "atomic" in instruction.words]
    if opcode == "call":
        callee = instruction.operands[0][1]
        called = callee.name if isinstance(callee, GlobalName) else ""
        if called.startswith(("llvm.lifetime", "llvm.dbg", "llvm.memset", "llvm.memcpy")):
            return []
        harmless = HARMLESS_ARGUMENTS.get(called, set())
        return [name for n, name in tracked if n - 1 not in harmless]
    return [name for _, name in tracked]


# -- accesses of different widths ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Somewhere in a private variable: a fixed offset plus any multiple of `step` bytes."""

    variable: str
    offset: int
    step: int


def access_units(function: Function, private: dict[str, Private]) -> dict[str, int]:
    """The smallest width of an access, for the private variables whose accesses overlap in parts."""
    places = {name: _Place(name, 0, 0) for name, pointer in private.items() if pointer.base is None}
    accesses: dict[str, set[tuple[int, int, int]]] = {}
    for instruction in _in_order(function, private):
        if instruction.opcode == "getelementptr":
            places[instruction.result or ""] = _moved(places[_local(instruction.operands[0][1])], instruction)
        for name, offset, bits in _widths(function, instruction):
            if name in places:
                place = places[name]
                accesses.setdefault(place.variable, set()).add((place.offset + offset, place.step, bits))
    return {name: min(b for _, _, b in found) for name, found in accesses.items() if _overlap(found)}


def _in_order(function: Function, private: dict[str, Private]) -> list[LlvmInstruction]:
    """Pointers first, each after the one that it is derived from."""
    instructions = [i for block in function.blocks for i in block.instructions]
    derived = [i for i in instructions if i.opcode == "getelementptr" and i.result in private]

    def depth(name: str) -> int:
        base = private[name].base
        return 0 if base is None else 1 + depth(base)

    derived.sort(key=lambda instruction: depth(instruction.result or ""))
    return derived + [i for i in instructions if i.opcode != "getelementptr"]


def _moved(base: _Place, instruction: LlvmInstruction) -> _Place:
    kind: Type = instruction.source_type or PointerType()
    offset, step = base.offset, base.step
    for number, (_, index) in enumerate(instruction.operands[1:]):
        if number and isinstance(kind, StructType):
            at = (index.value or 0) if isinstance(index, Number) else 0
            offset, kind = offset + struct_offsets(kind)[at], kind.fields[at]
            continue
        if number and isinstance(kind, ArrayType):
            kind = kind.element
        if isinstance(index, Number):
            offset += (index.value or 0) * size_of(kind)
        else:
            step = gcd(step, size_of(kind))
    return _Place(base.variable, offset, step)


def _widths(function: Function, instruction: LlvmInstruction) -> list[tuple[str, int, int]]:
    """(pointer, offset, bits) of what an instruction accesses through its pointers."""
    if instruction.opcode == "load":
        return [(_local(instruction.operands[0][1]), 0, _bits(instruction.type))]
    if instruction.opcode == "store":
        return [(_local(instruction.operands[1][1]), 0, _bits(instruction.operands[0][0]))]
    callee = instruction.operands[0][1] if instruction.opcode == "call" else None
    if isinstance(callee, GlobalName) and callee.name.startswith(
        ("llvm.memset", "llvm.memcpy", "llvm.memmove")
    ):
        pointers = [_local(value) for _, value in instruction.operands[1:3]]
        return [
            (pointer, offset, _bits(part))
            for pointer in pointers
            for offset, part in scalars(_declared(function, pointer))
        ]
    return []


def _declared(function: Function, name: str) -> Type:
    for instruction in (i for block in function.blocks for i in block.instructions):
        if instruction.opcode == "alloca" and instruction.result == name:
            return instruction.source_type or PointerType()
    return StructType(())


def _bits(kind: Type) -> int:
    return max(8, kind.bits) if isinstance(kind, IntType) else size_of(kind) * 8 or POINTER_BITS


def _overlap(accesses: set[tuple[int, int, int]]) -> bool:
    """Do two accesses overlap without being the same? Steps make offsets count modulo their divisor."""
    if len({bits for _, _, bits in accesses}) == 1:
        return False
    cycle = gcd(*(step for _, step, _ in accesses))
    spans = sorted({(offset % cycle if cycle else offset, bits // 8) for offset, _, bits in accesses})
    if cycle and any(start + size > cycle for start, size in spans):
        return True
    return any(before[0] + before[1] > after[0] for before, after in pairwise(spans))
