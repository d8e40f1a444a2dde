"""Runs of one thread of a litmus test: which accesses are cells."""

from typing import get_args

import pytest

from treville.events.running import _STEPS, ThreadRunner
from treville.events.trace import Effort, Memory
from treville.programs.ir import (
    Const,
    Instruction,
    Load,
    Location,
    OnlyInPrograms,
    Program,
    Store,
    Thread,
)
from treville.results import Budget, Unsupported

ARRAY = Location("a", 0x4000_0000, 32, (5, 6))


def traces(instruction: Instruction) -> int:
    """How many runs a thread of one instruction has."""
    program = Program((Thread("P0", (instruction,)),), {"a": ARRAY})
    memory = Memory.of(program)
    runner = ThreadRunner(program.threads[0], 0, memory, 2, Budget(), coherent=True, effort=Effort())
    return len(runner.traces())


def test_there_is_a_step_for_every_instruction_of_litmus_tests() -> None:
    assert set(_STEPS) == set(get_args(Instruction)) - set(get_args(OnlyInPrograms))


@pytest.mark.parametrize("bits", [8, 32])
def test_a_cell_and_its_lower_part_can_be_accessed(bits: int) -> None:
    assert traces(Load("r", Const(ARRAY.address + 4), bits=bits)) == 1
    assert traces(Store(Const(ARRAY.address), Const(1), bits=bits)) == 1


@pytest.mark.parametrize(
    "instruction",
    [
        Load("r", Const(ARRAY.address), bits=64),
        Store(Const(ARRAY.address), Const(1), bits=64),
        Load("r", Const(ARRAY.address + 2)),
        Load("r", Const(ARRAY.address + 1), bits=8),
    ],
)
def test_several_cells_and_their_upper_parts_are_refused(instruction: Instruction) -> None:
    with pytest.raises(Unsupported, match="mixed-size"):
        traces(instruction)


def test_a_run_that_leaves_all_cells_does_not_count() -> None:
    assert traces(Load("r", Const(ARRAY.address + 8))) == 0
    assert traces(Load("r", Const(0))) == 0
