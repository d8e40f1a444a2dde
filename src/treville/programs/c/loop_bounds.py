"""Bounds that a program gives to its loops: `__VERIFIER_loop_bound(K)`, for the next loop of its function.

What such a call bounds is found in the text of the function: the first block behind it that a later one jumps
back to, unless another such call stands between (compilers that unroll a loop leave its bound behind).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treville.programs.c.llvm import Function, GlobalName, LlvmInstruction, Module, Number
from treville.programs.ir import Place
from treville.results import Notice, Span

ANNOTATION = "__VERIFIER_loop_bound"


def annotated_bounds(
    module: Module, place: Callable[[LlvmInstruction], Span | None]
) -> tuple[dict[Place, int], list[Notice]]:
    """The bounds by the places of the jumps back, and the annotations that bound nothing."""
    bounds: dict[Place, int] = {}
    unused = []
    for function in module.functions.values():
        for annotation, jumps in _annotations(function):
            value = annotation.operands[1][1]
            spans = [span for jump in jumps if (span := place(jump)) is not None]
            if not spans or not isinstance(value, Number) or (value.value or 0) < 1:
                unused.append(Notice(_why(jumps, spans), place(annotation)))
                continue
            for span in spans:
                key = (span.file, span.line)
                bounds[key] = max(value.value or 0, bounds.get(key, 0))
    return bounds, unused


def _why(jumps: list[LlvmInstruction], spans: list[Span]) -> str:
    if not jumps:
        return "this bound is not used: the compiler left no loop behind it"
    if not spans:
        return "this bound is not used: the line of its loop is not known"
    return "this bound is not used: it is no positive constant"


def _annotations(function: Function) -> Iterator[tuple[LlvmInstruction, list[LlvmInstruction]]]:
    """The annotations of a function, each with the jumps back of the loop that it means."""
    backward = _backward_jumps(function)
    pending: LlvmInstruction | None = None
    for number, block in enumerate(function.blocks):
        if pending is not None and number in backward:
            yield pending, backward[number]
            pending = None
        for instruction in block.instructions:
            if _is_annotation(instruction):
                if pending is not None:
                    yield pending, []
                pending = instruction
    if pending is not None:
        yield pending, []


def _is_annotation(instruction: LlvmInstruction) -> bool:
    return instruction.opcode == "call" and instruction.operands[0][1] == GlobalName(ANNOTATION)


def _backward_jumps(function: Function) -> dict[int, list[LlvmInstruction]]:
    """By the number of a loop's first block: the jumps that lead back to it."""
    numbers = {block.name: number for number, block in enumerate(function.blocks)}
    found: dict[int, list[LlvmInstruction]] = {}
    for number, block in enumerate(function.blocks):
        last = block.instructions[-1] if block.instructions else None
        for target in {*last.labels, *(label for _, label in last.cases)} if last is not None else ():
            if numbers.get(target, number + 1) <= number and last is not None and last.opcode != "phi":
                found.setdefault(numbers[target], []).append(last)
    return found
