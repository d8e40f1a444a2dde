"""The judge of large histories: real time, orders through other events, events that stand for others."""

from __future__ import annotations

from dataclasses import replace

from tests.seeds import conclusive, generator

from treville.histories import History, check, find_level, read_history
from treville.histories.audit import audit
from treville.histories.generate import generate, mutate
from treville.histories.hierarchy import WITNESSES
from treville.histories.validate import complaints
from treville.histories.views import Execution, instances
from treville.results import Budget

LEVEL = find_level("linearizability")


def test_both_judges_accept_the_same_orders_in_real_time() -> None:
    choose, accepted, rejected = generator("orders in real time"), 0, 0
    for _ in range(60):
        history = generate(LEVEL, choose.randint(2, 8), 3, 2, choose.randrange(1 << 30), 2, True)
        if choose.random() < 0.3:
            history = mutate(history, choose.randrange(1 << 30))
        found = check(history, LEVEL, Budget(60)).execution
        if found is None:
            continue
        ((instance, order),) = found.views
        orders = [order, tuple(choose.sample(order, len(order)))]
        for _ in range(8):
            at = choose.randrange(len(order))
            orders.append((*order[:at], *reversed(order[at : at + 2]), *order[at + 2 :]))
        for other in orders:
            evidence = replace(found, views=((instance, other),))
            expected = complaints(LEVEL, history.events, evidence) == []
            assert (audit(LEVEL, history.events, evidence) == []) == expected, (history, other)
            accepted, rejected = accepted + expected, rejected + (not expected)
    assert conclusive(accepted > 50 and rejected > 50)


def as_evidence_of(name: str, history: History, found: Execution) -> Execution:
    """The views of a level as those of another one; views of a key are made from the order of its writes."""
    events = history.events
    orders = {(instance.thread, instance.location): order for instance, order in found.views}
    chosen = []
    for instance in instances(find_level(name), events):
        order = orders.get((instance.thread, instance.location))
        if order is None:
            some = next(iter(orders.values()))
            reads = [e for e in instance.events if not events.is_write[e]]
            writes = [e for e in some if events.is_write[e] and events.location_of[e] == instance.location]
            sources = [events.initial(instance.location or 0), *writes]
            order = tuple(
                event
                for write in sources
                for event in (write, *(r for r in reads if found.sources[r] == write))
                if not events.is_initial(event)
            )
        chosen.append((instance, order))
    return Execution(found.sources, tuple(chosen))


def test_both_judges_refuse_what_only_one_order_forbids() -> None:
    """Views of a weaker level, of histories that a stronger one forbids."""
    refused: dict[str, int] = {}
    choose = generator("one order forbids")
    histories = [read_history(text, text) for text, _ in WITNESSES]
    for made in ("PRAM", "TSO", "LOCAL", "causal", "PSO") * 12:
        size = (choose.randint(5, 10), 3, 2, choose.randrange(1 << 30))
        histories.append(generate(find_level(made), *size))
    for history in histories:
        for stronger, weaker in (("causal", "PRAM"), ("GWO", "LOCAL"), ("PC-D", "PC-G"), ("GAO", "PC-G")):
            level, found = find_level(stronger), check(history, find_level(weaker), Budget(60)).execution
            if found is None:
                continue
            evidence = as_evidence_of(stronger, history, found)
            expected = complaints(level, history.events, evidence) == []
            assert (audit(level, history.events, evidence) == []) == expected, (stronger, history.compact())
            refused[stronger] = refused.get(stronger, 0) + (not expected)
    assert conclusive(min(refused.values()) > 1), refused


REFUSED = {
    "causal": "(w,x,1) || (r,x,1).(w,y,1) || (r,y,1).(r,x,0)",
    "GWO": "(w,x,1) || (r,x,1).(w,y,1) || (r,y,1).(r,x,0)",
    "PC-D": "(r,x,1).(w,y,1).(w,y,2) || (r,y,2).(w,x,1)",
    "GAO": "(w,x,1).(r,x,1).(r,y,0) || (w,y,1).(r,x,0)",
}


def test_each_order_that_passes_through_others_is_asked_for() -> None:
    for name, text in REFUSED.items():
        history = read_history(text, name)
        weaker = {"causal": "PRAM", "GWO": "LOCAL"}.get(name, "PC-G")
        found = check(history, find_level(weaker)).execution
        assert found is not None
        wrong = audit(find_level(name), history.events, as_evidence_of(name, history, found))
        order = find_level(name).views[-1].orders[-1]
        assert f"order {order} is violated" in wrong[0], wrong


def test_an_event_that_stands_for_another_is_noticed() -> None:
    history = read_history("(w,x,1).(w,x,2) || (w,y,1)", "h")
    found = check(history, find_level("SC")).execution
    assert found is not None
    ((instance, _),) = found.views
    for order in ((0, 1, 1), (0, 0, 2), (0, 1, 2, 2), (0, 1)):
        assert audit(find_level("SC"), history.events, replace(found, views=((instance, order),)))
