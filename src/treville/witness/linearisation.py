"""An execution -> its events in an order in which they can be thought to happen, or that there is none.

Under sequential consistency program order and communication (reads-from, coherence, from-reads) have no
cycle, and any order that extends them is an interleaving of the threads. Where they have one, no interleaving
explains the execution: some accesses happened out of program order, and the cycle says which.
"""

from __future__ import annotations

from treville.events.execution import INIT_THREAD, Execution
from treville.relations import Relation


def linearise(execution: Execution) -> list[int] | None:
    """The events (without initial writes) as an interleaving that stays in a thread as long as it can, or
    None if there is no interleaving; quadratic in the number of events."""
    before = _happens_before(execution)
    count = len(execution.events)
    waiting = [0] * count
    followers: list[list[int]] = [[] for _ in range(count)]
    for source, target in before.pairs():
        waiting[target] += 1
        followers[source].append(target)
    current = INIT_THREAD
    ready = [event for event in range(count) if not waiting[event]]
    order = []
    while ready:
        same = [event for event in ready if execution.events[event].thread in (current, INIT_THREAD)]
        event = min(same or ready)
        ready.remove(event)
        order.append(event)
        if execution.events[event].thread != INIT_THREAD:
            current = execution.events[event].thread
        for follower in followers[event]:
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
    if len(order) < count:
        return None
    return [event for event in order if execution.events[event].thread != INIT_THREAD]


def _happens_before(execution: Execution) -> Relation:
    """Program order, communication, and initial writes before everything."""
    count = len(execution.events)
    empty = Relation.empty(count)
    relations = execution.relations
    reads, coherence = relations.get("rf", empty), relations.get("co", empty)
    from_reads = (reads.inverse() @ coherence) - Relation.identity(count)
    return relations.get("po", empty) | relations.get("rmw", empty) | reads | coherence | from_reads
