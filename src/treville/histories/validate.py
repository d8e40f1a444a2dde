"""Checks evidence against the definitions: the independent judge of every PASS.

It knows nothing of how the execution was found. Every view must list exactly its events, respect the
level's orders (computed anew by `orders.py`), and give every read the value of the last write before it.
"""

from __future__ import annotations

import itertools

from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.orders import OrderContext
from treville.histories.views import Execution, Instance, instances
from treville.relations import mask_of


def complaints(level: Level, events: Events, execution: Execution) -> list[str]:
    """What is wrong with the execution as evidence that the level allows the history; empty when fine."""
    problems = _source_complaints(events, execution)
    if problems:
        return problems
    present = mask_of(
        e for e in range(events.count) if e not in events.optional or e in set(execution.sources.values())
    )
    context = OrderContext(events, present, execution.sources)
    if level.agree:
        problems += _agreement(events, execution, context)
    wanted = list(instances(level, events))
    given = dict(execution.views)
    for instance in wanted:
        if instance not in given:
            problems.append(f"no view of {instance.title(events)}")
            continue
        problems += _view_complaints(instance, given[instance], context)
    if not problems and any("issue" in instance.view.orders for instance in wanted):
        problems += issue_complaints(events, execution)
    return problems


def _source_complaints(events: Events, execution: Execution) -> list[str]:
    problems = []
    for read in events.reads:
        source = execution.sources.get(read)
        if source is None:
            problems.append(f"{events.label(read)} has no source")
            continue
        operation, origin = events.operation(read), events.operation(source)
        wanted = events.values[read]
        if not origin.is_write or origin.key != operation.key or origin.value != wanted:
            problems.append(f"{events.label(read)} cannot read from {events.label(source)}")
    return problems


def _agreement(events: Events, execution: Execution, context: OrderContext) -> list[str]:
    """One order of the writes of each location in all views; remembered as coherence."""
    for instance, order in execution.views:
        found: dict[int, list[int]] = {}
        for event in order:
            if events.is_write[event]:
                found.setdefault(events.location_of[event], []).append(event)
        for location, writes in found.items():
            known = context.coherence.setdefault(location, writes)
            if known != writes:
                return [
                    f"view of {instance.title(events)} orders writes to {events.locations[location]} anew"
                ]
    return []


def _view_complaints(instance: Instance, order: tuple[int, ...], context: OrderContext) -> list[str]:
    events, title = context.events, instance.title(context.events)
    expected = [e for e in instance.events if context.present >> e & 1]
    if sorted(order) != expected:
        return [f"view of {title} has other events than it should"]
    members = mask_of(order)
    for name in instance.view.orders:
        if name == "issue":
            continue
        relation = context.order(name, instance.thread)
        if relation is None:
            return [f"order {name} is cyclic"]
        seen = 0
        for event in order:
            if relation.rows[event] & seen & members:
                return [f"view of {title} violates order {name} at {events.label(event)}"]
            seen |= 1 << event
    return _value_complaints(instance, order, context)


def _value_complaints(instance: Instance, order: tuple[int, ...], context: OrderContext) -> list[str]:
    events = context.events
    position = {event: i for i, event in enumerate(order)}
    last: dict[int, int] = {}
    for i, event in enumerate(order):
        location = events.location_of[event]
        if events.is_write[event]:
            last[location] = event
            continue
        seen = last.get(location, events.initial(location))
        if instance.view.forwarding:
            own = _latest_own_write(events, event, context.present)
            if own is not None and position[own] > i:
                seen = own
        if seen != context.sources[event]:
            return [
                f"{events.label(event)} sees {events.label(seen)} in the view of {instance.title(events)}"
            ]
    return []


def _latest_own_write(events: Events, read: int, present: int) -> int | None:
    thread = events.threads[events.thread_of[read]]
    for event in reversed(thread[: events.index_in_thread[read]]):
        if (
            events.is_write[event]
            and present >> event & 1
            and events.location_of[event] == events.location_of[read]
        ):
            return event
    return None


def issue_complaints(events: Events, execution: Execution) -> list[str]:
    """A write enters another process's view only after its own: no cycle through all views at once."""
    number: dict[tuple[int, int], int] = {}
    chains: list[list[int]] = []
    for instance, order in execution.views:
        assert instance.thread is not None
        chain = []
        for event in order:
            number[instance.thread, event] = len(number)
            chain.append(number[instance.thread, event])
        chains.append(chain)
    successors: list[list[int]] = [[] for _ in number]
    for chain in chains:
        for before, after in itertools.pairwise(chain):
            successors[before].append(after)
    for (thread, event), node in number.items():
        owner = events.thread_of[event]
        if owner != thread:
            successors[number[owner, event]].append(node)
    return ["a write is seen by others before it was made"] if _has_cycle(successors) else []


def _has_cycle(successors: list[list[int]]) -> bool:
    indegree = [0] * len(successors)
    for targets in successors:
        for target in targets:
            indegree[target] += 1
    ready = [node for node, degree in enumerate(indegree) if not degree]
    for node in ready:
        for target in successors[node]:
            indegree[target] -= 1
            if not indegree[target]:
                ready.append(target)
    return len(ready) < len(successors)
