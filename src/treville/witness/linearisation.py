"""An execution -> its events in an order in which they can be thought to happen, or that there is none.

Under sequential consistency program order and communication (reads-from, coherence, from-reads) have no
cycle, and any order that extends them is an interleaving of the threads. Where they have one, no interleaving
explains the execution: some accesses happened out of program order, and the cycle says which.
"""

from __future__ import annotations

from collections import deque

from treville.events.execution import INIT_THREAD, Execution
from treville.relations import Relation, elements
from treville.relations.graphs import reduced, topological


def linearise(execution: Execution) -> list[int] | None:
    """The events (without initial writes) as an interleaving that stays in a thread as long as it can, or
    None if there is no interleaving."""
    before = _happens_before(execution)
    if not before.is_acyclic():
        return None
    followers = [list(elements(row)) for row in reduced(before.rows)]
    order = topological(followers, _Taker(execution).take)
    return [event for event in order if execution.events[event].thread != INIT_THREAD]


class _Taker:
    """Takes events of the same thread as long as there are some."""

    def __init__(self, execution: Execution) -> None:
        self.threads = [event.thread for event in execution.events]
        self.current = INIT_THREAD

    def take(self, ready: deque[int]) -> int:
        """Remove the event that comes next."""
        same = [event for event in ready if self.threads[event] in (self.current, INIT_THREAD)]
        event = min(same or ready)
        ready.remove(event)
        if self.threads[event] != INIT_THREAD:
            self.current = self.threads[event]
        return event


def _happens_before(execution: Execution) -> Relation:
    """Program order, communication, and initial writes before everything."""
    count = len(execution.events)
    empty = Relation.empty(count)
    relations = execution.relations
    reads, coherence = relations.get("rf", empty), relations.get("co", empty)
    from_reads = (reads.inverse() @ coherence) - Relation.identity(count)
    return relations.get("po", empty) | relations.get("rmw", empty) | reads | coherence | from_reads
