"""What engines tell of their work: their name, and how much of what they count they have seen."""

from __future__ import annotations

import pytest

from treville.engines.registry import DECIDE
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget
from treville.results.progress import Progress
from treville.results.properties import Property


def two_sums(rounds: int) -> ir.Program:
    """Two threads write to one location each and add up what the other holds: never so much."""
    program = ProgramDraft()
    own, other = (ir.Const(program.location(name).address) for name in ("x", "y"))
    atomic, index = frozenset({"A"}), iter(range(1, 10 * rounds))
    for name, (mine, yours) in {"P0": (own, other), "P1": (other, own)}.items():
        body: list[ir.Instruction] = [ir.Local("sum", ir.Const(0))]
        for value in range(1, rounds + 1):
            body.append(ir.Store(mine, ir.Const(value), atomic, index=next(index)))
            body.append(ir.Load("read", yours, atomic, index=next(index)))
            body.append(ir.Local("sum", ir.Op("add", (ir.Reg("sum"), ir.Reg("read")), 32)))
        body.append(ir.Assert(ir.Op("ne", (ir.Reg("sum"), ir.Const(1_000_000)))))
        program.functions[name] = ThreadDraft(name, body)
    spawns: list[ir.Instruction] = [ir.Spawn(name, name, ir.Const(0)) for name in program.functions]
    program.threads.append(ThreadDraft("main", spawns))
    return program.finished()


@pytest.mark.parametrize(
    ("engine", "model", "unit"),
    [
        ("buffers", "tso", "states"),
        ("views", "rc11", "states"),
        ("graphs", "rc11", "executions"),
    ],
)
def test_counts_are_told(engine: str, model: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treville.results.budget._SECONDS_BETWEEN_WORDS", -1.0)
    told: list[Progress] = []
    budget = Budget(listener=told.append)
    task = ready_task(two_sums(3), load_model(model), Property.ASSERTION, 2, budget)
    DECIDE[engine]().run(task)
    counts = [progress.counted for progress in told if progress.unit == unit]
    assert counts
    assert max(counts) > 0
    assert {progress.engine for progress in told if progress.counted} == {engine}
    assert f"{max(counts):,} {unit}" in {str(progress).rsplit(", ", 1)[-1] for progress in told}
