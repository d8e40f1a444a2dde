"""Which local variables of a function are private: their address is only used to access them there.

Such a variable needs no events: nobody else can read or write it. Pointers derived from it by
getelementptr are tracked, so that arrays and structs are private too.
"""

from __future__ import annotations

from dataclasses import dataclass

from treville.programs.c.llvm import Function, GlobalName, LlvmInstruction, LocalName, Value

# Calls that may be given the address of a private variable, and which arguments.
HARMLESS_ARGUMENTS = {
    "pthread_create": {0}, "thrd_create": {0}, "pthread_join": {1}, "thrd_join": {1},
    "pthread_attr_init": {0}, "pthread_attr_destroy": {0}, "pthread_attr_setdetachstate": {0},
    "pthread_mutexattr_init": {0}, "pthread_mutexattr_settype": {0}, "pthread_mutexattr_destroy": {0},
}  # fmt: skip


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
