"""Locks and queues of bench/locks by execution graphs: they hold, and with too weak orders they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.asking import spread

from treville.engines.contract import Decision, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import program_task
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import read_unit
from treville.questions.reachability import judge_again
from treville.results import Budget
from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAMS = Path(__file__).resolve().parents[2] / "bench" / "locks"
QUICK = ("cna", "hclh", "mcs", "michael_scott", "mpmc", "rwlock", "seqlock", "twa")
WEAKENED = ("clh", "mcs", "rwlock", "ticket")


def answer(file: Path, model: str, goal: Property = Property.ASSERTION) -> Decision:
    """What graphs say; a failing execution is judged again."""
    task = program_task(read_unit(file), Context(load_model(model), goal), None, Budget(60))
    decision = DECIDE["graphs"]().run(task)
    spread(decision)
    if isinstance(decision, Refuted):
        judge_again(decision, task.model)
    return decision


@pytest.mark.parametrize("name", QUICK)
def test_locks_and_queues_hold(name: str) -> None:
    assert isinstance(answer(PROGRAMS / f"{name}.c", "rc11"), Proved)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["rc11", "imm", "aarch64", "power"])
@pytest.mark.parametrize("file", sorted(PROGRAMS.glob("*.c")), ids=lambda file: str(file.stem))
def test_all_locks_and_queues_hold(file: Path, model: str) -> None:
    if (file.stem, model) != ("treiber", "power"):
        assert isinstance(answer(file, model), Proved)


@pytest.mark.parametrize("name", WEAKENED)
def test_weaker_orders_are_too_weak(name: str, tmp_path: Path) -> None:
    for file in (*PROGRAMS.glob("*.h"), PROGRAMS / f"{name}.c"):
        text = file.read_text()
        for order in ("acquire", "acq_rel", "release"):
            text = text.replace(f"memory_order_{order}", "memory_order_relaxed")
        (tmp_path / file.name).write_text(text)
    weak = tmp_path / f"{name}.c"
    assert isinstance(answer(weak, "rc11", Property.RACE), Refuted)
    assert isinstance(answer(weak, "rc11"), Refuted)
    assert isinstance(answer(weak, "aarch64"), Refuted)
