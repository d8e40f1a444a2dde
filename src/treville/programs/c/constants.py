"""Constants of a module: string literals and `const` variables, and which pointers may lead to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from treville.programs.c.llvm import (
    Aggregate,
    ConstantExpression,
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Module,
    Value,
)


def names_in(value: Value | None) -> Iterator[str]:
    """The globals that a constant mentions."""
    if isinstance(value, GlobalName):
        yield value.name
    elif isinstance(value, Aggregate):
        for _, item in value.items:
            yield from names_in(item)
    elif isinstance(value, ConstantExpression):
        for _, item in value.args:
            yield from names_in(item)


def kept_constants(module: Module) -> list[str]:
    """The constants whose addresses the program keeps: in variables, or as arguments of its own functions."""
    values: list[Value | None] = [variable.initial for variable in module.globals.values()]
    for function in module.functions.values():
        for instruction in (i for block in function.blocks for i in block.instructions):
            values += _kept(module, instruction)
    found = {name for value in values for name in names_in(value)}
    return [
        name
        for name, variable in module.globals.items()
        if name in found and variable.constant and not variable.weak and not variable.thread_local
    ]


def _kept(module: Module, instruction: LlvmInstruction) -> list[Value]:
    match instruction.opcode:
        case "store":
            return [instruction.operands[0][1]]
        case "call":
            callee = instruction.operands[0][1]
            own = not isinstance(callee, GlobalName) or callee.name in module.functions
            return [value for _, value in instruction.operands[1:]] if own else []
        case "phi" | "select" | "ret":
            return [value for _, value in instruction.operands] + [value for value, _ in instruction.cases]
        case _:
            return []


class Pointers:
    """What the pointers of functions point into, as far as the code shows it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.kept = kept_constants(module)
        self._definitions: dict[str, Mapping[str, LlvmInstruction]] = {}

    def constant_behind(self, function: Function, pointer: Value) -> str | None:
        """The constant that a pointer points into; None if that is not certain, "" if there is none."""
        definitions = self._defined_in(function)
        found = definitions.get(pointer.name) if isinstance(pointer, LocalName) else None
        while found is not None and found.opcode == "getelementptr":
            pointer = found.operands[0][1]
            found = definitions.get(pointer.name) if isinstance(pointer, LocalName) else None
        if isinstance(pointer, LocalName):
            known = found is not None and found.opcode in ("alloca", "call")
            return "" if known else None
        names = [name for name in names_in(pointer) if name in self.module.globals]
        return next((name for name in names if self.module.globals[name].constant), "")

    def _defined_in(self, function: Function) -> Mapping[str, LlvmInstruction]:
        if function.name not in self._definitions:
            code = (each for block in function.blocks for each in block.instructions)
            self._definitions[function.name] = {each.result: each for each in code if each.result}
        return self._definitions[function.name]
