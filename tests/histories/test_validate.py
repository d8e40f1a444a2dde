"""The independent judge: it accepts what solvers find and rejects every kind of wrong evidence."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from treville.histories import LEVELS, check, find_level, read_history
from treville.histories.evidence import from_one_order
from treville.histories.validate import complaints
from treville.results import Verdict

from . import oracle, shapes

HISTORY = read_history("(w,x,1).(r,y,0).(w,y,2) || (w,y,1).(r,x,0) || (r,x,1).(r,y,1)", "h")


@pytest.mark.parametrize("level", [name for name, level in LEVELS.items() if not level.needs_times])
def test_swapping_events_of_a_view_is_noticed(level: str) -> None:
    """A swapped view is accepted only if brute force over that view would accept it as well."""
    answer = check(HISTORY, find_level(level))
    if answer.verdict is not Verdict.PASS:
        pytest.skip("the level forbids this history")
    execution = answer.execution
    assert execution is not None
    assert complaints(answer.level, HISTORY.events, execution) == []
    rejected = 0
    for number, (instance, order) in enumerate(execution.views):
        swapped = tuple(reversed(order))
        views = list(execution.views)
        views[number] = (instance, swapped)
        wrong = replace(execution, views=tuple(views))
        rejected += bool(complaints(answer.level, HISTORY.events, wrong))
    assert rejected


def test_missing_events_views_and_sources_are_noticed() -> None:
    history = read_history("(w,x,1).(r,x,1) || (r,x,0)", "h")
    answer = check(history, find_level("SC"))
    execution, level, events = answer.execution, answer.level, history.events
    assert execution is not None
    (instance, order), *_ = execution.views
    assert complaints(level, events, replace(execution, views=()))
    assert complaints(level, events, replace(execution, views=((instance, order[:-1]),)))
    assert complaints(level, events, replace(execution, sources={}))
    assert complaints(level, events, replace(execution, sources={**execution.sources, 1: events.initial(0)}))


def test_views_that_disagree_on_coherence_are_noticed() -> None:
    history = read_history("(w,x,1) || (w,x,2) || (r,x,1) || (r,x,2)", "h")
    answer = check(history, find_level("PRAM"))
    assert answer.execution is not None
    orders = {}
    for instance, order in answer.execution.views:
        orders[instance.thread] = [e for e in order if history.events.is_write[e]]
    disagreeing = []
    for number, (instance, order) in enumerate(answer.execution.views):
        writes = [0, 1] if number % 2 else [1, 0]
        reads = [e for e in order if not history.events.is_write[e]]
        sequence = [e for w in writes for e in (w, *(r for r in reads if answer.execution.sources[r] == w))]
        disagreeing.append((instance, tuple(sequence)))
    wrong = replace(answer.execution, views=tuple(disagreeing))
    assert complaints(find_level("PRAM"), history.events, wrong) == []
    assert complaints(find_level("PC-G"), history.events, wrong)


def test_no_random_order_is_accepted_for_a_forbidden_history() -> None:
    """A judge that accepts too much would accept some shuffled order of a history that SC forbids."""
    random = Random(3)
    tried = 0
    while tried < 30:
        threads = shapes.random_history(random, 5, 2, 2, 1)
        if oracle.allows("SC", threads):
            continue
        history = shapes.history_of(threads)
        weak = check(history, find_level("LOCAL"))
        if weak.execution is None:
            continue
        tried += 1
        level = find_level("SC")
        order = list(range(history.events.count))
        random.shuffle(order)
        shuffled = from_one_order(level, history.events, order, weak.execution.sources)
        assert complaints(level, history.events, shuffled)
