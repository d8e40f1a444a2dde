"""Which local variables of a function are private: their address is only used to access them there.

Such a variable needs no events: nobody else can read or write it. Pointers derived from it by
getelementptr are tracked, so that arrays and structs are private too.
"""

from __future__ import annotations

from treville.programs.c.llvm import (
    ConstantExpression,
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Module,
    Value,
)
from treville.programs.c.marks import BEGIN, KEEP
from treville.records import dataclass

# Calls that may be given the address of a private variable, and which arguments.
HARMLESS_ARGUMENTS = {
    "pthread_create": {0}, "thrd_create": {0}, "pthread_join": {1}, "thrd_join": {1},
    "pthread_attr_init": {0}, "pthread_attr_destroy": {0}, "pthread_attr_setdetachstate": {0},
    "pthread_mutex_init": {1}, "pthread_mutexattr_init": {0}, "pthread_mutexattr_settype": {0},
    "pthread_mutexattr_destroy": {0}, "memcmp": {0, 1}, "bcmp": {0, 1},
    **{name: set(range(20)) for name in ("puts", "printf", "fprintf", "fputs", "sprintf", "snprintf")},
}  # fmt: skip
_HARMLESS_INTRINSICS = (
    "llvm.lifetime", "llvm.dbg", "llvm.memset", "llvm.memcpy", "llvm.memmove", "llvm.va_", KEEP, BEGIN,
)  # fmt: skip
_STARTING = (GlobalName("pthread_create"), GlobalName("thrd_create"))
_OWN_ADDRESS = (GlobalName("llvm.threadlocal.address.p0"), GlobalName("llvm.threadlocal.address"))


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
    _follow(instructions, pointers)
    escaped = {pointers[name].variable for i in instructions for name in _escaping(i, pointers)}
    return {name: private for name, private in pointers.items() if private.variable not in escaped}


def _follow(instructions: list[LlvmInstruction], pointers: dict[str, Private]) -> None:
    """Add the pointers that are derived from others."""
    changed = True
    while changed:
        changed = False
        for instruction in instructions:
            if instruction.opcode == "getelementptr" and instruction.result not in pointers:
                base = _local(instruction.operands[0][1])
                if base in pointers and instruction.result:
                    pointers[instruction.result] = Private(pointers[base].variable, base)
                    changed = True


def shared_thread_locals(module: Module) -> set[str]:
    """The thread-local variables whose address is used for more than to access them."""
    own = {name for name, variable in module.globals.items() if variable.thread_local}
    found: set[str] = set()
    for function in module.functions.values() if own else ():
        instructions = [i for block in function.blocks for i in block.instructions]
        pointers: dict[str, Private] = {}
        for instruction in instructions:
            if instruction.opcode == "call" and instruction.operands[0][1] in _OWN_ADDRESS:
                if isinstance(variable := instruction.operands[1][1], GlobalName) and instruction.result:
                    pointers[instruction.result] = Private(variable.name)
                continue
            found |= own.intersection(_global(value) for value in _used_as_values(instruction))
        _follow(instructions, pointers)
        found |= {pointers[name].variable for i in instructions for name in _escaping(i, pointers)}
    return found


def _used_as_values(instruction: LlvmInstruction) -> list[Value]:
    """The operands of an instruction that are not only the address of what it loads or stores."""
    values = [value for _, value in instruction.operands] + [value for value, _ in instruction.cases]
    plain = "atomic" not in instruction.words
    if plain and instruction.opcode in ("load", "getelementptr"):
        return values[1:]
    return values[:1] if plain and instruction.opcode == "store" else values


def _global(value: Value) -> str:
    """The global that a constant address is in."""
    while isinstance(value, ConstantExpression) and value.args:
        value = value.args[0][1]
    return value.name if isinstance(value, GlobalName) else ""


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
        copies = isinstance(callee, GlobalName) and callee.name.startswith(("llvm.mem", "memcmp", "bcmp"))
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
        if called.startswith(_HARMLESS_INTRINSICS):
            return []
        harmless = HARMLESS_ARGUMENTS.get(called, set())
        return [name for n, name in tracked if n - 1 not in harmless]
    return [name for _, name in tracked]
