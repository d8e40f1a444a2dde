"""A tiny sequential interpreter of the IR, independent of the engines: it runs threads one after another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from treville.programs import ir
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_fields
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, RegisterOf
from treville.programs.operators import OPERATORS, wrap

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "litmus"


def value(expression: ir.Expr, registers: dict[str, int]) -> int:
    """The value of an expression."""
    if isinstance(expression, ir.Const):
        return expression.value
    if isinstance(expression, ir.Reg):
        return registers.get(expression.name, 0)
    if isinstance(expression, ir.Select):
        chosen = expression.then if value(expression.condition, registers) else expression.otherwise
        return value(chosen, registers)
    arguments = tuple(value(argument, registers) for argument in expression.args)
    return OPERATORS[expression.name](arguments, expression.bits)


def run_thread(thread: ir.Thread, memory: dict[int, int]) -> dict[str, int]:
    """Run a thread alone; store conditionals succeed when they may."""
    registers = dict(thread.registers)
    position = steps = 0
    reservation: int | None = None
    while position < len(thread.instructions) and (steps := steps + 1) < 1000:
        step = thread.instructions[position]
        position += 1
        if isinstance(step, ir.Local):
            registers[step.register] = value(step.value, registers)
        elif isinstance(step, ir.Load):
            address = value(step.address, registers)
            reservation = address if step.exclusive else reservation
            if step.register is not None:
                registers[step.register] = memory[address]
        elif isinstance(step, ir.Store):
            if step.when is None or value(step.when, registers):
                memory[value(step.address, registers)] = wrap(value(step.value, registers), step.bits)
        elif isinstance(step, ir.StoreExclusive):
            address = value(step.address, registers)
            if reservation == address:
                memory[address] = wrap(value(step.value, registers), step.bits)
            registers[step.status] = step.success if reservation == address else step.failure
            reservation = None
        elif isinstance(step, ir.Branch):
            if step.condition is None or value(step.condition, registers):
                position = thread.labels[step.target]
        elif isinstance(step, ir.IndirectBranch):
            position = thread.labels[thread.code_addresses[value(step.target, registers)]]
    return registers


def final_state(test: LitmusTest) -> dict[str, str]:
    """What a sequential run of the test ends in, as states show it."""
    memory = {
        location.address + cell * location.cell_bytes: initial
        for location in test.program.locations.values()
        for cell, initial in enumerate(location.initial)
    }
    registers = [run_thread(thread, memory) for thread in test.program.threads]
    state: list[int | tuple[int, ...]] = []
    for seen in test.observed:
        if isinstance(seen, RegisterOf):
            state.append(registers[seen.thread].get(seen.register, 0))
        elif isinstance(seen, CellOf):
            state.append(memory[seen.address])
        else:
            assert isinstance(seen, ArrayOf)
            state.append(tuple(memory[address] for address in seen.addresses))
    return dict(state_fields(test, tuple(state)))


@pytest.fixture
def final() -> Callable[..., dict[str, str]]:
    """`final(dialect, initial, code, observed)`: the sequential final state of a one-column test."""

    def run(dialect: str, initial: str, code: str, observed: str) -> dict[str, str]:
        rows = "".join(f"{line.strip()} ;\n" for line in code.split("\n") if line.strip())
        return final_state(
            parse(f"{dialect} t\n{{ {initial} }}\nP0 ;\n{rows}locations [{observed}]", "t.litmus")
        )

    return run


@pytest.fixture
def sequential() -> Callable[[LitmusTest], dict[str, str]]:
    """The final state of a test whose threads run one after another."""
    return final_state


@pytest.fixture
def corpus() -> Path:
    """The folder of shared litmus tests; tests that need it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("no shared corpora beside the repository")
    return CORPUS
