"""Inputs and answers -> notices: where an answer says little, because nothing was asked or can happen."""

from __future__ import annotations

from collections.abc import Iterator

from treville.models.model import Model
from treville.programs.flow import registers_of
from treville.programs.ir import Assert, Fence, Instruction, Load, Program, Store, StoreExclusive, Thread
from treville.programs.litmus.test import LitmusTest
from treville.results import Notice, Span


def about_model(model: Model) -> Iterator[Notice]:
    """A model that forbids nothing."""
    if not model.constraints():
        place = Span(model.file, 1, 1) if model.file else None
        yield Notice(f"the model {model.name} has no axioms: it allows every execution", place)


def about_program(program: Program, file: str) -> Iterator[Notice]:
    """A program that is asked for failing assertions and has none."""
    if not any(isinstance(i, Assert) and not i.memory and not i.undefined for i in program.instructions()):
        yield Notice("the program has no assertion that could fail", Span(file, 1, 1))


def about_test(test: LitmusTest) -> Iterator[Notice]:
    """Accesses through registers that never get a value: they lead nowhere, and no execution has them."""
    for thread in test.program.threads:
        given = {*thread.registers, *_assigned(thread)}
        for instruction in thread.instructions:
            for name in sorted(_address_registers(instruction) - given):
                yield Notice(
                    f"the register {name} of {thread.name} is used as an address and never set:"
                    " no execution gets past this instruction",
                    instruction.span,
                )


def about_states(test: LitmusTest, states: int) -> Iterator[Notice]:
    """A condition that was judged on nothing."""
    if not states:
        place = Span(test.file, 1, 1) if test.file else None
        yield Notice("no execution ends: the condition was judged on no state at all", place)


def _assigned(thread: Thread) -> set[str]:
    found = (getattr(i, "register", None) or getattr(i, "status", None) for i in thread.instructions)
    return {name for name in found if isinstance(name, str)}


def _address_registers(instruction: Instruction) -> set[str]:
    if isinstance(instruction, Load | Store | StoreExclusive | Fence) and instruction.address is not None:
        return registers_of(instruction.address)
    return set()
