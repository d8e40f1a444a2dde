"""The judge of large histories where the tests of both judges do not reach: real time, views that are missing."""

from __future__ import annotations

from dataclasses import replace

from tests.seeds import conclusive, generator

from treville.histories import check, find_level
from treville.histories.audit import audit
from treville.histories.generate import generate, mutate
from treville.histories.validate import complaints
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
