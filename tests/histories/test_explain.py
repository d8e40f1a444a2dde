"""Failing parts: they fail, they are minimal, they keep the sources of their reads, and they say why."""

from __future__ import annotations

from tests.seeds import conclusive, generator, number

from treville.histories import LEVELS, check, find_level, read_history
from treville.histories.explain import Explanation, explain
from treville.histories.generate import generate, mutate
from treville.histories.history import History, Value
from treville.histories.levels import Level
from treville.results import Budget, Verdict

from . import shapes


def failing_part(history: History, level: Level) -> Explanation:
    answer = check(history, level)
    assert answer.verdict is Verdict.FAIL
    return explain(history, answer, Budget(60))


def test_dekker_is_explained_by_its_cycle() -> None:
    history = read_history("(w,z,9).(w,x,1).(r,y,0).(r,z,9) || (w,y,1).(r,x,0) || (r,x,0)", "h")
    explanation = failing_part(history, find_level("SC"))
    assert explanation.minimal
    assert explanation.part.compact() == "(w,x,1).(r,y,0) || (w,y,1).(r,x,0)"
    assert len(explanation.cycle) == 4
    assert any("overwrites" in line for line in explanation.words)


def test_a_value_nobody_wrote_is_explained() -> None:
    explanation = failing_part(read_history("(w,x,1).(w,y,2) || (r,x,3).(r,y,2)", "h"), find_level("LOCAL"))
    assert explanation.part.compact() == "(r,x,3)"
    assert explanation.words == ("P1:(r,x,3) has no source: nobody writes 3 to x, which starts as 0.",)


def test_parts_of_random_failures_fail_and_are_minimal() -> None:
    random = generator(8)
    explained = 0
    while explained < 40:
        history = shapes.history_of(shapes.random_history(random, 8, 3, 2, 2))
        level = random.choice([level for level in LEVELS.values() if not level.needs_times])
        if check(history, level).verdict is not Verdict.FAIL:
            continue
        explained += 1
        explanation = failing_part(history, level)
        assert explanation.minimal
        assert explanation.words
        assert check(explanation.part, level).verdict is Verdict.FAIL
        for position in explanation.positions:
            smaller = history.restricted(p for p in explanation.positions if p != position)
            if sources_kept(history, smaller) and smaller.operations:
                assert check(smaller, level).verdict is Verdict.PASS, (level.name, history.compact())


def test_a_cycle_names_all_that_it_rests_on() -> None:
    """Every value is written once, so what is left out cannot have kept a read from another source. Of orders
    that views agree on only the writes are named."""
    conflicts = 0
    for case in range(40):
        made = generate(find_level(("SLOW", "PRAM")[case % 2]), 24, 3, 2, number(case))
        history = mutate(made, number(case), 1)
        for level in LEVELS.values():
            answer = None if level.needs_times or level.agree else check(history, level)
            if answer is not None and answer.conflict is not None and answer.conflict.steps:
                part = history.restricted(answer.conflict.events)
                assert check(part, level).verdict is Verdict.FAIL, (level.name, history.compact())
                conflicts += 1
    assert conclusive(conflicts > 50)


def sources_kept(history: History, part: History) -> bool:
    """Every read of the part still has all writes that may be its source."""

    def writers(of: History, key: str, value: Value) -> int:
        return sum(o.is_write and o.key == key and o.value == value for o in of.operations)

    return all(
        o.is_write or writers(history, o.key, o.value) == writers(part, o.key, o.value)
        for o in part.operations
    )


def test_a_large_failure_has_a_small_part() -> None:
    history = mutate(generate(find_level("SC"), 1500, 5, 20, 4), 9, 3)
    answer = check(history, find_level("SC"))
    assert answer.verdict is Verdict.FAIL
    explanation = explain(history, answer, Budget(60))
    assert explanation.minimal
    assert len(explanation.positions) <= 12


def test_out_of_time_gives_the_part_found_so_far() -> None:
    history = mutate(generate(find_level("SC"), 400, 4, 5, 4, values=3), 3, 60)
    answer = check(history, find_level("LOCAL"))
    assert answer.verdict is Verdict.FAIL
    explanation = explain(history, answer, Budget(0.0))
    assert not explanation.minimal
    assert explanation.part.operations
