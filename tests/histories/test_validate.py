"""The independent judge: it accepts what solvers find and rejects every kind of wrong evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.histories import LEVELS, Status, check, find_level, read_history
from treville.histories.audit import audit
from treville.histories.evidence import from_one_order
from treville.histories.history import Events
from treville.histories.validate import complaints
from treville.histories.views import Execution, instances
from treville.results import Verdict

from . import judge, oracle, shapes

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
    random = generator(3)
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


UNTIMED = [name for name, level in LEVELS.items() if not level.needs_times]


def of_level(name: str, threads: shapes.Threads, found: Execution) -> Execution | None:
    """The evidence of another level as evidence of this one, if they ask for views of the same events."""
    events = shapes.history_of(threads).events
    orders = {(instance.thread, instance.location): order for instance, order in found.views}
    views = []
    for instance in instances(find_level(name), events):
        order = orders.get((instance.thread, instance.location))
        if order is None or sorted(order) != list(instance.events):
            return None
        views.append((instance, order))
    return Execution(found.sources, tuple(views))


def altered(choose: Random, threads: shapes.Threads, found: Execution) -> Iterator[Execution]:
    """Evidence that is nearly the same: other orders, sources, events, fewer views."""
    views = list(found.views)
    number = choose.randrange(len(views))
    instance, order = views[number]

    def with_order(changed: tuple[int, ...]) -> Execution:
        return replace(found, views=(*views[:number], (instance, changed), *views[number + 1 :]))

    at = choose.randrange(len(order)) if order else 0
    yield with_order((*order[:at], *reversed(order[at : at + 2]), *order[at + 2 :]))
    yield with_order(tuple(choose.sample(order, len(order))))
    yield with_order(order[:at] + order[at + 1 :])
    yield with_order((*order, *order[at : at + 1]))
    yield replace(found, views=tuple(views[:number] + views[number + 1 :]))
    events = shapes.history_of(threads).events
    if found.sources:
        read = choose.choice(sorted(found.sources))
        other = choose.randrange(events.count + len(events.locations))
        yield replace(found, sources={**found.sources, read: other})
        yield replace(found, sources={r: w for r, w in found.sources.items() if r != read})


def other_history(choose: Random, threads: shapes.Threads) -> shapes.Threads:
    """The same threads with one event of another value or location."""
    thread = choose.randrange(len(threads))
    at = choose.randrange(len(threads[thread]))
    kind, location, value = threads[thread][at]
    changed = choose.choice([(kind, location, 3 - value), (kind, "y" if location == "x" else "x", value)])
    code = (*threads[thread][:at], changed, *threads[thread][at + 1 :])
    return (*threads[:thread], code, *threads[thread + 1 :])


def accepts(name: str, events: Events, evidence: Execution) -> bool:
    """Does the package's judge accept the evidence? The one for large histories must say the same."""
    try:
        accepted = complaints(find_level(name), events, evidence) == []
    except ValueError:
        accepted = False  # a read takes from a write that is in no view: its place among others is unknown
    assert (audit(find_level(name), events, evidence) == []) == accepted, (name, events.history, evidence)
    return accepted


@pytest.mark.parametrize("name", UNTIMED)
def test_the_judge_accepts_exactly_the_evidence_that_the_definitions_accept(name: str) -> None:
    """Evidence of all levels, changed a little or of a history that was, against a judge of the tests."""
    choose, accepted, rejected = generator(f"evidence of {name}"), 0, 0
    for _ in range(14):
        threads = shapes.random_history(choose, 6, 3, 2, 2)
        history = shapes.history_of(threads)
        for other in {name, *choose.sample(UNTIMED, 4)}:
            answer = check(history, find_level(other))
            found = None if answer.execution is None else of_level(name, threads, answer.execution)
            if found is None:
                continue
            for evidence in (found, *altered(choose, threads, found)):
                for judged in (threads, other_history(choose, threads)):
                    events = shapes.history_of(judged).events
                    if events.locations != history.events.locations:
                        continue
                    expected = judge.accepts(name, judged, shapes.history_of(judged), evidence)
                    assert accepts(name, events, evidence) == expected, (judged, evidence)
                    accepted, rejected = accepted + expected, rejected + (not expected)
    assert conclusive(accepted > 5)
    assert conclusive(rejected > 50)


@pytest.mark.parametrize("name", UNTIMED)
def test_an_uncertain_write_that_is_not_read_is_no_part_of_the_history(name: str) -> None:
    """Evidence of what happened, in the history that says of other writes that they may have happened."""
    choose, level, accepted, rejected = generator(f"uncertain {name}"), find_level(name), 0, 0
    for _ in range(100):
        threads = shapes.random_history(choose, 7, 3, 2, 1)
        history = shapes.history_of(threads)
        writes = [i for i, o in enumerate(history.operations) if o.is_write]
        absent = set(choose.sample(writes, min(2, len(writes))))
        happened = [i for i in range(len(history.operations)) if i not in absent]
        fewer = history.restricted(happened)
        marked = tuple(
            replace(o, status=Status.INFO) if i in absent else o for i, o in enumerate(history.operations)
        )
        events = replace(history, operations=marked).events
        # Writes of values that nobody reads, and last ones, are not uncertain in a way that matters.
        same = events.locations == fewer.events.locations and fewer.processes() == history.processes()
        if events.optional != absent or not same or (found := check(fewer, level).execution) is None:
            continue
        initial = [events.initial(number) for number in range(len(events.locations))]
        of_marked = {(i.thread, i.location): i for i in instances(level, events)}
        for evidence in (found, *altered(choose, threads, found)):
            if not set(evidence.sources.values()) < set(range(len(happened) + len(initial))):
                continue
            renamed = [*happened, *initial]
            views = tuple(
                (of_marked[i.thread, i.location], tuple(renamed[event] for event in order))
                for i, order in evidence.views
            )
            sources = {renamed[read]: renamed[write] for read, write in evidence.sources.items()}
            expected = accepts(name, fewer.events, evidence)
            assert accepts(name, events, Execution(sources, views)) == expected, (marked, evidence)
            accepted, rejected = accepted + expected, rejected + (not expected)
    assert conclusive(accepted > 2 and rejected > 5), (accepted, rejected)
