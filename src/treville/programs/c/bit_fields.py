"""Bit-fields: a write to one is a read of the whole unit that it is in, and a write of that unit.

Such a read looks at nothing that the program did not write; it only takes the other fields along. So does a
copy of a struct that takes along what is between its members.
"""

from __future__ import annotations

from treville.programs.c.llvm import Function, LlvmInstruction, LocalName, Value


def is_filled_up(function: Function, load: LlvmInstruction) -> bool:
    """Is what was read only masked, joined with other bits, and written back to where it was?"""
    if load.result is None or "atomic" in load.words:
        return False
    source = load.operands[0][1]
    cleared = _only_user(function, load.result)
    while cleared is not None and cleared.opcode in ("and", "or") and cleared.result:
        cleared = _only_user(function, cleared.result)
    return cleared is not None and cleared.opcode == "store" and cleared.operands[1][1] == source


def is_only_copied(function: Function, load: LlvmInstruction) -> bool:
    """Is it a part of a struct that is copied, which LLVM reads by itself and nobody looks at?"""
    value: Value = LocalName(load.result or "")
    if not is_copied(load):
        return False
    others = (i for block in function.blocks for i in block.instructions if i.opcode != "store")
    used = (each for i in others for each in (*(o for _, o in i.operands), *(c for c, _ in i.cases)))
    return value not in used


def is_copied(load: LlvmInstruction) -> bool:
    """Is it a part of a struct that is copied? Who looks at the copy says so."""
    return ".copyload" in (load.result or "")


def _only_user(function: Function, name: str) -> LlvmInstruction | None:
    """The only instruction that has the name among its operands."""
    value: Value = LocalName(name)
    users = [
        instruction
        for block in function.blocks
        for instruction in block.instructions
        if any(operand == value for _, operand in instruction.operands)
        or any(case == value for case, _ in instruction.cases)
    ]
    return users[0] if len(users) == 1 else None
