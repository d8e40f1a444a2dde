"""Where a program looks at the numbers that addresses are.

Objects lie at fixed addresses here, each at the start of a page. On a machine it is open which of two comes
first, and how an address is aligned beyond what its type needs. Flags in the lowest bits of pointers, and
tests whether two are the same, do not depend on that. Where it is plain that what is looked at otherwise is
the address of an object (and no number that was made a pointer), users are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.programs.c.llvm import (
    ConstantExpression,
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Number,
    PointerType,
    Value,
)

TOLD = "addresses are fixed numbers here, and what follows may differ for others"
_FLAGS = 7  # bits that no address of a word has
_MOVING = ("add", "sub", "or", "xor", "and")
_ORDERS = frozenset(("ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"))
_ALLOCATING = ("malloc", "calloc", "realloc")


def looks_at_numbers(function: Function) -> Iterator[LlvmInstruction]:
    """The instructions whose results depend on which numbers the addresses of objects are."""
    objects: dict[str, Value] = {}  # the object that a pointer, or a number made of one, belongs to
    for instruction in (each for block in function.blocks for each in block.instructions):
        there = [_object(value, objects) for _, value in instruction.operands]
        if _looks(instruction, there):
            yield instruction
        if instruction.result is not None and (found := _kept(instruction, there)) is not None:
            objects[instruction.result] = found


def _object(value: Value, objects: dict[str, Value]) -> Value | None:
    if isinstance(value, LocalName):
        return objects.get(value.name)
    while isinstance(value, ConstantExpression) and value.op in ("ptrtoint", "getelementptr", "bitcast"):
        value = value.args[0][1]
    return value if isinstance(value, GlobalName) else None


def _kept(instruction: LlvmInstruction, there: list[Value | None]) -> Value | None:
    """The object that the result still belongs to."""
    match instruction.opcode:
        case "alloca":
            return LocalName(instruction.result or "")
        case "call":
            callee = instruction.operands[0][1]
            allocates = isinstance(callee, GlobalName) and callee.name in _ALLOCATING
            return LocalName(instruction.result or "") if allocates else None
        case "getelementptr" | "ptrtoint" | "inttoptr" | "bitcast" | "freeze":
            return there[0]
    if instruction.opcode in _MOVING:
        found = [each for each in there if each is not None]
        return found[0] if len(found) == 1 and not _is_flags(instruction) else None
    return None


def _is_flags(instruction: LlvmInstruction) -> bool:
    masks = [value.value for _, value in instruction.operands if isinstance(value, Number)]
    return instruction.opcode == "and" and any(mask is not None and 0 <= mask <= _FLAGS for mask in masks)


def _looks(instruction: LlvmInstruction, there: list[Value | None]) -> bool:
    """Is a number that is the address of an object used as no pointer is?"""
    if all(each is None for each in there):
        return False
    match instruction.opcode:
        case "icmp":
            one, other = there
            known = one is not None and other is not None and one != other
            return known and not _ORDERS.isdisjoint(instruction.words)
        case "and":
            masks = [value.value for _, value in instruction.operands if isinstance(value, Number)]
            clears = any(mask is not None and -_FLAGS - 1 <= mask <= _FLAGS for mask in masks)
            return not clears
        case "lshr" | "ashr" | "urem" | "srem" | "udiv" | "sdiv" | "mul" | "trunc":
            return there[0] is not None and not isinstance(instruction.operands[0][0], PointerType)
        case "sub":
            return None not in there and there[0] != there[1]
    return False
