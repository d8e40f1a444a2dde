"""Unique values: linear algorithms against search, their contradictions, and sizes beyond closures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.seeds import conclusive, generator, number

from treville.histories import History, Status, check, find_level, read_history, saturation
from treville.histories.audit import audit
from treville.histories.certain import POLYNOMIAL_WITH_CERTAIN_SOURCES, algorithm_of, decide
from treville.histories.explain import explain
from treville.histories.generate import generate, mutate
from treville.histories.graph import short_cycle
from treville.histories.saturation import Conflict
from treville.histories.validate import complaints
from treville.results import Budget, Verdict

MACHINES = ("SC", "TSO", "PSO", "causal", "PRAM", "SLOW", "LOCAL", "CC", "linearizability")
LEVELS = POLYNOMIAL_WITH_CERTAIN_SOURCES


def random_history(choose: Random) -> History:
    """A history with unique values and times: some with coarse ones, unfinished operations, or shuffled."""
    made = find_level(choose.choice(MACHINES))
    size = (choose.randint(2, 22), choose.randint(2, 4), choose.randint(1, 3))
    history = generate(made, *size, choose.randrange(1 << 30), None, True)
    if choose.random() < 0.8:
        history = mutate(history, choose.randrange(1 << 30), choose.randint(1, 2))
    operations = list(history.operations)
    if choose.random() < 0.4:
        operations = [
            replace(o, start=round((o.start or 0) / 1.5), end=round((o.end or 0) / 1.5)) for o in operations
        ]
    if choose.random() < 0.3:
        operations = [
            replace(o, status=Status.INFO, end=None) if choose.random() < 0.15 else o for o in operations
        ]
    if choose.random() < 0.5:
        choose.shuffle(operations)
    return History("h", tuple(operations))


def test_the_levels_that_unique_values_make_polynomial() -> None:
    assert set(LEVELS) == {"linearizability", "causal", "GPO+GDO", "CC", "PRAM", "SLOW"}


def test_linear_algorithms_equal_search_and_their_contradictions_stand_alone() -> None:
    choose, found = generator("certain"), Counter[tuple[str, str]]()
    for _ in range(300):
        history = random_history(choose)
        events = history.events
        if not all(events.candidates.values()):
            continue
        for name in LEVELS:
            level = find_level(name)
            answer = decide(level, events, Budget())
            if answer is None:
                continue
            expected = check(history, level, Budget(60), "sat").verdict
            found[name, expected.value] += 1
            if isinstance(answer, Conflict):
                assert expected is Verdict.FAIL, (name, history)
                part = history.restricted(with_sources(history, answer))
                assert check(part, level, Budget(60), "sat").verdict is Verdict.FAIL, (name, history)
            else:
                assert expected is Verdict.PASS, (name, history)
                assert complaints(level, events, answer) == [] == audit(level, events, answer), (
                    name,
                    history,
                )
    assert conclusive(len(found) == 2 * len(LEVELS)), found


def test_a_cycle_is_found_behind_any_number_of_events_that_only_follow_it() -> None:
    """They are left over as well when all that precedes no cycle is taken away."""
    following = [list[int]() for _ in range(300)]
    assert set(short_cycle([*following, [301, *range(300)], [300]], 20)) == {300, 301}
    readers = ".".join("(r,x,1)" for _ in range(60))
    history = read_history(f"{readers} || (r,y,1).(w,x,1) || (r,x,1).(w,y,1)", "h")
    answer = check(history, find_level("causal"), Budget(60))
    assert answer.verdict is Verdict.FAIL
    assert len(explain(history, answer, Budget(60)).positions) == 4


def with_sources(history: History, conflict: Conflict) -> set[int]:
    events = history.events
    reads = [e for e in conflict.events if not events.is_write[e]]
    sources = {w for read in reads for w in events.candidates[read] if not events.is_initial(w)}
    return {events.position[event] for event in conflict.events | sources}


@pytest.mark.parametrize("name", LEVELS)
def test_large_histories_pass_and_fail_with_a_small_part(name: str) -> None:
    level = find_level(name)
    made = generate(level, 6000, 6, 60, number(3), None, level.needs_times)
    history = History("h", tuple(sorted(made.operations, key=lambda o: o.process)))
    answer = check(history, level, Budget(60))
    assert (answer.verdict, answer.algorithm) == (Verdict.PASS, algorithm_of(level))
    failing = 0
    for seed in range(6):
        changed = mutate(history, number(seed), 2)
        answer = check(changed, level, Budget(60))
        if answer.verdict is Verdict.FAIL:
            failing += 1
            explanation = explain(changed, answer, Budget(60))
            assert explanation.minimal
            assert len(explanation.positions) <= 80
    assert conclusive(failing > 0)


def fails(history: History, level: str) -> bool:
    return check(history, find_level(level), Budget(60)).verdict is Verdict.FAIL


def test_large_histories_of_other_levels_are_left_to_the_levels_around_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(saturation, "_BYTES_FOR_CLOSURES", 1_000_000)
    made = generate(find_level("linearizability"), 3000, 4, 30, 1, None, True)
    history = History("h", tuple(sorted(made.operations, key=lambda o: o.process)))
    untimed = History("h", tuple(replace(o, start=None, end=None) for o in history.operations))
    many = (mutate(untimed, seed, 8) for seed in range(100))
    stale = next(h for h in many if check(h, find_level("SLOW")).algorithm == "clusters" and fails(h, "SLOW"))
    for name in ("SC", "TSO", "PSO", "PC-G", "PC-D", "GAO", "PRAM-M", "GWO"):
        answer = check(history, find_level(name), Budget(60))
        assert answer.verdict is Verdict.PASS
        assert answer.algorithm.startswith("implied by linearizability")
        unsure = check(untimed, find_level(name), Budget(60))
        assert unsure.verdict is (Verdict.PASS if name == "GWO" else Verdict.UNKNOWN)
        assert name == "GWO" or f"unique values do not make {name} polynomial" in unsure.reason
        if name != "GWO":
            wrong = check(stale, find_level(name), Budget(60))
            assert wrong.verdict is Verdict.FAIL
            assert explain(stale, wrong, Budget(60)).minimal
