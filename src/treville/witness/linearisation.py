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
    None if there is no interleaving."""
    count = len(execution.events)
    followers = _followers(_happens_before(execution))
    waiting = [0] * count
    for follower in (event for events in followers for event in events):
        waiting[follower] += 1
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


def _followers(before: Relation) -> list[list[int]]:
    """The events that follow each one, without those that follow one of these: long threads have few. Where
    there is a cycle there is one of those that are left, too, since any pair that is left out goes by way of
    one that is kept."""
    followers = []
    for row in before.rows:
        kept = []
        left = row
        while left:
            low = left & -left
            kept.append(low.bit_length() - 1)
            left &= ~(low | before.rows[kept[-1]])
        followers.append(kept)
    return followers


def _happens_before(execution: Execution) -> Relation:
    """Program order, communication, and initial writes before everything."""
    count = len(execution.events)
    empty = Relation.empty(count)
    relations = execution.relations
    reads, coherence = relations.get("rf", empty), relations.get("co", empty)
    from_reads = (reads.inverse() @ coherence) - Relation.identity(count)
    return relations.get("po", empty) | relations.get("rmw", empty) | reads | coherence | from_reads
