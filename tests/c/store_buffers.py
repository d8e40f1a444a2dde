"""The machine with store buffers as an oracle: the verdict of a program of the C front end."""

from __future__ import annotations

from treville.machines.buffers.machine import Machine
from treville.machines.states import MOST_STATES, Answer, TooManyStates
from treville.programs import ir
from treville.programs.compile_to import compile_program

__all__ = ["Answer", "TooManyStates", "check"]


def check(program: ir.Program, model: str, bound: int | None = None, limit: int = MOST_STATES) -> Answer:
    """The verdict under `sc`, `tso` or `pso`."""
    return Machine(compile_program(program, model), model, bound, limit).explore()
