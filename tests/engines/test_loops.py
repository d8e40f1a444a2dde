"""Threads that go round for ever, a few times, or until they read something: all engines say the same."""

from __future__ import annotations

import pytest
from tests.random_loops import RandomLoops
from tests.seeds import conclusive

from treville.engines.contract import Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.passes.program import Context, lower
from treville.questions.reachability import judge_again
from treville.results import Budget, Unsupported
from treville.results.properties import Property

WORK = 3_000


def verdicts(case: str, name: str, engines: tuple[str, ...]) -> dict[str, str]:
    """What the engines say about a program, but for those that gave up."""
    model, goal = load_model(name), Property.ASSERTION
    program = lower(RandomLoops(case, ordered=True, size=5).looping(), Context(model, goal, "C"))
    task, found = ready_task(program, model, goal, 2, Budget(20)), {}
    for engine in engines:
        try:
            answer = DECIDE[engine]().run(task, WORK)
        except Unsupported:
            continue
        if isinstance(answer, Refuted):
            judge_again(answer, model)
        if isinstance(answer, Proved | Refuted):
            found[engine] = "PASS" if isinstance(answer, Proved) else "FAIL"
    return found


@pytest.mark.parametrize(
    ("name", "engines"),
    [
        ("rc11", ("views", "robustness", "graphs", "formulas")),
        ("sc", ("buffers", "graphs", "formulas")),
        ("pso", ("buffers", "graphs", "formulas")),
    ],
)
def test_all_engines_agree_about_loops(name: str, engines: tuple[str, ...]) -> None:
    compared = []
    for number in range(30):
        found = verdicts(f"loops {number}", name, engines)
        assert len(set(found.values())) <= 1, (number, found)
        compared += [*found.values()] if len(found) > 1 else []
    assert conclusive(min(compared.count("PASS"), compared.count("FAIL")) > 5), compared
