"""The verifier of the IR notices what passes may break."""

from __future__ import annotations

import pytest

from treville.programs.ir import (
    AtomicEnd,
    Branch,
    Const,
    Fence,
    Instruction,
    Load,
    Nondet,
    Program,
    Spawn,
    Store,
    Thread,
)
from treville.programs.verify import MalformedProgram, verify

X = Const(0x4000_0000)


def program(*code: Instruction, labels: dict[str, int] | None = None) -> Program:
    return Program((Thread("P0", code, labels or {}),))


WRONG: dict[str, Program] = {
    "a jump to nowhere": program(Branch("lost")),
    "dependencies that end nowhere": program(Branch("here", until="lost"), labels={"here": 0}),
    "a label outside the code": program(Load("r", X), labels={"far": 3}),
    "half an update": program(Load("r", X, link=True, index=1), Store(X, X, link=True, index=2)),
    "a write half alone": program(Store(X, X, link=True, index=1)),
    "a thread that runs nothing": program(Spawn("h", "nobody", Const(0))),
    "an access of no bits": program(Load("r", X, bits=0)),
    "any of the numbers of one bit": program(Nondet("r", 1)),
    "a fence of no kind": program(Fence(frozenset())),
    "a block that only ends": program(AtomicEnd()),
    "code at no label": Program((Thread("P0", (), code_addresses={1: "lost"}),)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_malformed_program_is_noticed(what: str) -> None:
    with pytest.raises(MalformedProgram):
        verify(WRONG[what])


def test_a_program_that_is_well_formed_passes() -> None:
    verify(
        program(
            Load("r", X, link=True, index=1),
            Store(X, X, link=True, index=1),
            Branch("again", until="end"),
            labels={"again": 0, "end": 3},
        )
    )
