"""What the greedy schedule finds is evidence, and where it gets stuck it says so."""

from __future__ import annotations

from itertools import product

import pytest
from tests.seeds import conclusive, generator, number

from treville.histories import LEVELS, find_level
from treville.histories.evidence import schedule
from treville.histories.generate import generate, mutate
from treville.histories.problem import build_problem
from treville.histories.saturation import Facts, saturate
from treville.histories.validate import complaints
from treville.results import Budget

from . import shapes

SCHEDULED = [name for name, level in LEVELS.items() if not level.needs_times and not level.agree]


@pytest.mark.parametrize("name", SCHEDULED)
def test_a_schedule_is_evidence_or_nothing(name: str) -> None:
    level, choose, found, stuck = find_level(name), generator(f"schedule {name}"), 0, 0
    histories = [shapes.history_of(shapes.random_history(choose, 9, 4, 2, 4)) for _ in range(20)]
    # In long ones a write is often placed too early, and the schedule has to begin again.
    for case, made_by in product(range(12), ("TSO", "causal")):
        made = generate(find_level(made_by), 90, 6, 5, number(case))
        histories += [made, mutate(made, number(case), 1)]
    # With few locations many writes wait for the readers of others, and some were placed in the wrong order.
    histories += [generate(find_level("TSO"), 30, 4, 2, number(case)) for case in range(25)]
    for history in histories:
        problem = build_problem(level, history.events)
        facts = saturate(problem, Budget())
        if not isinstance(facts, Facts) or any(len(writes) != 1 for writes in facts.candidates.values()):
            continue
        execution = schedule(problem, facts, Budget())
        if execution is None:
            stuck += 1
        else:
            assert complaints(level, history.events, execution) == [], history.compact()
            found += 1
    assert conclusive(found > 5 and stuck <= 1), (found, stuck)
