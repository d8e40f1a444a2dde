"""What the cells of memory are that a pointer means, as far as its use tells."""

from __future__ import annotations

from treville.programs.c.library.calls import Call
from treville.programs.c.llvm import IntType, LocalName, StructType, Type, Value, size_of


def repeated(here: Call, kind: Type, length: int) -> list[tuple[int, int]]:
    """(offset, bits) of the cells of as many elements as fit."""
    step = size_of(kind)
    cells = here.body.memory.layout(kind)
    return [(start + offset, bits) for start in range(0, length, step) for offset, bits in cells]


def used_as(here: Call, value: Value) -> Type | None:
    """The type whose elements the function reaches through a pointer, if it is one."""
    if not isinstance(value, LocalName):
        return None
    found = set()
    for instruction in (i for block in here.frame.function.blocks for i in block.instructions):
        if instruction.opcode == "getelementptr" and instruction.operands[0][1] == value:
            if instruction.source_type not in (None, IntType(8)):
                found.add(instruction.source_type)
        elif instruction.opcode == "load" and instruction.operands[0][1] == value:
            found.add(instruction.type)
        elif instruction.opcode == "store" and instruction.operands[1][1] == value:
            found.add(instruction.operands[0][0])
    structs = {kind for kind in found if isinstance(kind, StructType)}
    chosen = structs or found
    return chosen.pop() if len(chosen) == 1 else None
