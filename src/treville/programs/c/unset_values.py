"""Marks of variables without a value (`unset`) after LLVM's passes: which of them say something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from treville.programs.c.bit_fields import is_copied, is_filled_up
from treville.programs.c.llvm import (
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Module,
    Number,
    Opaque,
    Value,
    taken_functions,
)
from treville.programs.c.marks import READ, UNSET
from treville.programs.c.private import Private, private_variables

_MARKED_PART = re.compile(r" unset \d+")


NO_VALUE: Value = Opaque("unset")  # what is stored where the life of a private variable begins
UNSET_FLAG = "#unset"  # of values that may have some: their bits that nobody set

_MOVING = frozenset(
    (
        "phi", "select", "zext", "sext", "trunc", "bitcast", "freeze", "ptrtoint", "inttoptr", "insertvalue",
        "extractvalue", "and", "or", "xor",
    )
)  # fmt: skip
_SHIFTS = frozenset(("shl", "lshr", "ashr"))
# What a value that is handed on may be used by, beside those.
_HANDING_ON = frozenset(("store", "call", "ret", "cmpxchg", "atomicrmw"))


def without_idle_marks(module: Module) -> None:
    """Drop the marks that say nothing: of shared variables that stayed in memory, of those that have a value.
    Private ones get `NO_VALUE`."""
    unset, _ = module.unset, module.unset_results = maybe_unset(module)
    for function in module.functions.values():
        instructions = [i for block in function.blocks for i in block.instructions]
        given = {i.result for i in instructions if i.result and is_mark(i, UNSET)}
        if given or any(is_mark(i, READ) for i in instructions):
            _forget(instructions, given, private_variables(function))
            idle = _Idle(given, unset[function.name], _addresses_of_locals(instructions))
            _drop(function, idle)


def _forget(instructions: list[LlvmInstruction], given: set[str], private: Mapping[str, Private]) -> None:
    for each in instructions:
        names = [_local(value) for _, value in each.operands]
        if each.opcode == "store" and names[0] in given and names[1] in private:
            each.operands[0] = (each.operands[0][0], NO_VALUE)


class _Idle:
    """Tells which instructions say nothing."""

    def __init__(self, given: set[str], unset: frozenset[str], in_memory: set[str]) -> None:
        self.given, self.unset, self.in_memory = given, unset, in_memory

    def __call__(self, each: LlvmInstruction) -> bool:
        values = [local for _, value in each.operands if (local := _local(value))]
        if each.opcode == "store":
            return len(values) == 2 and values[0] in self.given and values[1] in self.in_memory
        return is_mark(each, READ) and not self.unset.intersection(values) and not _has_undefined(each)


def _drop(function: Function, idle: _Idle) -> None:
    for block in function.blocks:
        block.instructions = [each for each in block.instructions if not idle(each)]
    used = {name for block in function.blocks for i in block.instructions for name in _used(i)}

    def is_needed(each: LlvmInstruction) -> bool:
        is_ours = is_mark(each, UNSET) or _MARKED_PART.search(each.result or "") is not None
        return each.result in used or not is_ours

    for block in function.blocks:
        block.instructions = [each for each in block.instructions if is_needed(each)]


def is_mark(instruction: LlvmInstruction, *kinds: str) -> bool:
    """Is it a call of one of the functions that only marks have?"""
    callee = instruction.operands[0][1] if instruction.opcode == "call" else None
    return isinstance(callee, GlobalName) and callee.name.startswith(kinds)


def maybe_unset(module: Module) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """By function, the values of which some bits may be those of a variable that has none: the marks', what
    is read to be handed on (a struct as a number), and what is put together of them; and the functions that
    return such values."""
    flow = _Flow(module)
    while flow.step():
        pass
    return {name: frozenset(found) for name, found in flow.found.items()}, frozenset(flow.results)


class _Flow:
    """Where such values go: to other names, to parameters, and back as results."""

    def __init__(self, module: Module) -> None:
        self.module, self.taken = module, taken_functions(module)
        self.results: set[str] = set()
        self.found: dict[str, set[str]] = {}
        self.moving: dict[str, list[LlvmInstruction]] = {}
        for name, function in module.functions.items():
            instructions = [i for block in function.blocks for i in block.instructions]
            self.found[name] = {i.result for i in instructions if i.result and is_mark(i, UNSET)}
            self.found[name] |= set(_handed_on(function, instructions))
            self.moving[name] = [i for i in instructions if _moves(i) or i.opcode in ("call", "ret")]

    def step(self) -> bool:
        """Follow all values once; is there anything new?"""
        before = self._size()
        for name, instructions in self.moving.items():
            for each in instructions:
                self._follow(name, each)
        return self._size() > before

    def _size(self) -> int:
        return len(self.results) + sum(map(len, self.found.values()))

    def _is_unset(self, name: str, value: Value) -> bool:
        return value == Number(None) or _local(value) in self.found[name]

    def _follow(self, name: str, each: LlvmInstruction) -> None:
        values = [value for _, value in each.operands] + [value for value, _ in each.cases]
        if each.opcode == "ret":
            if any(self._is_unset(name, value) for value in values):
                self.results.add(name)
        elif each.opcode == "call":
            callee = values[0]
            called = [callee.name] if isinstance(callee, GlobalName) else sorted(self.taken)
            for target in called:
                self._call(name, target, each, values[1:])
        elif each.result and any(self._is_unset(name, value) for value in values):
            self.found[name].add(each.result)

    def _call(self, name: str, target: str, call: LlvmInstruction, arguments: list[Value]) -> None:
        function = self.module.functions.get(target)
        if function is None:
            return
        for (_, parameter), value in zip(function.parameters, arguments, strict=False):
            if self._is_unset(name, value):
                self.found[target].add(parameter)
        if call.result and target in self.results:
            self.found[name].add(call.result)


def _moves(each: LlvmInstruction) -> bool:
    """Is a result of the same bits as the operands, in other places?"""
    if each.opcode in _SHIFTS:
        return isinstance(each.operands[1][1], Number)
    return each.opcode in _MOVING


def _handed_on(function: Function, instructions: list[LlvmInstruction]) -> Iterator[str]:
    """What is read and only handed on; nobody marked that it is looked at there."""
    loads = {i.result: i for i in instructions if i.opcode == "load" and i.result}
    looked_at: set[str] = set()
    for each in instructions if loads else ():
        if (not _moves(each) and each.opcode not in _HANDING_ON) or is_mark(each, READ):
            looked_at |= set(_used(each))
        elif each.opcode in ("store", "select", "cmpxchg", "atomicrmw"):
            place = {"store": 1}.get(each.opcode, 0)
            looked_at.add(_local(each.operands[place][1]))
        elif each.opcode == "call":
            looked_at.add(_local(each.operands[0][1]))
    for name, load in loads.items():
        if name and (name not in looked_at or is_copied(load)) and not is_filled_up(function, load):
            yield name


def _has_undefined(each: LlvmInstruction) -> bool:
    return any(value == Number(None) for _, value in each.operands)


def _addresses_of_locals(instructions: list[LlvmInstruction]) -> set[str]:
    found: set[str] = set()
    for each in instructions:
        derived = each.opcode == "getelementptr" and _local(each.operands[0][1]) in found
        if each.result and (each.opcode == "alloca" or derived):
            found.add(each.result)
    return found


def _used(instruction: LlvmInstruction) -> list[str]:
    values = [value for _, value in instruction.operands] + [value for value, _ in instruction.cases]
    return [name for value in values if (name := _local(value))]


def _local(value: Value) -> str:
    return value.name if isinstance(value, LocalName) else ""
