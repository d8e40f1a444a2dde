"""A view of a history -> its graph: nodes for its events, edges for the orders that the view must keep.

Orders that depend on the reads-from relation, or that pass through events outside the view, run through
*relay* nodes, so that every order costs a number of edges linear in the events (compare paper 004, section
3.5). Edges may carry conditions: `("present", w)` says that the uncertain write w happened. A new order is an
encoder here, and a line in `_ENCODERS`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from treville.histories.history import Events
from treville.histories.views import Instance
from treville.records import dataclass, field

Condition = tuple[str, int]


@dataclass
class ViewGraph:
    """The graph of one view: local nodes, unconditional edges, conditional edges."""

    instance: Instance
    node: dict[int, int]
    nodes: int
    fixed: list[tuple[int, int]] = field(default_factory=list)
    conditional: list[tuple[int, int, tuple[Condition, ...]]] = field(default_factory=list)
    source_enters: dict[int, int] = field(default_factory=dict)
    source_leaves: dict[int, int] = field(default_factory=dict)
    anti_node: dict[int, int] = field(default_factory=dict)
    receive_node: dict[int, int] = field(default_factory=dict)

    def relay(self) -> int:
        """A new node that stands for no event of the view."""
        self.nodes += 1
        return self.nodes - 1


Encoder = Callable[[ViewGraph, Events], None]


def view_graph(instance: Instance, events: Events) -> ViewGraph:
    """The graph of a view with the orders that its level asks for."""
    passing = {"causal", "semi-causal"} & set(instance.view.orders)
    members = range(events.count) if passing else instance.events
    view = ViewGraph(instance, {event: i for i, event in enumerate(members)}, len(members))
    for name in instance.view.orders:
        _ENCODERS[name](view, events)
    return view


def add_edge(view: ViewGraph, events: Events, before: int, after: int, origin: int | None) -> None:
    """An edge of the view; it holds only if the uncertain write it starts from happened."""
    if origin is not None and origin in events.optional:
        view.conditional.append((before, after, (("present", origin),)))
    else:
        view.fixed.append((before, after))


# -- program orders ------------------------------------------------------------------------------


def ordered(kind: str, events: Events, first: int, second: int) -> bool:
    """Whether a program order keeps two events of one thread, `first` being the earlier one."""
    write_then_read = events.is_write[first] and not events.is_write[second]
    same = events.location_of[first] == events.location_of[second]
    if kind == "program-tso":
        return not write_then_read
    if kind == "program-pso":
        return not events.is_write[first] or (events.is_write[second] and same)
    if kind == "program-dash":
        return not write_then_read or same
    return True


def _sparse(kind: str, events: Events, sequence: list[int]) -> Iterator[tuple[int, int]]:
    """Few pairs of a thread's events whose transitive closure is the program order of that kind."""
    if kind == "program":
        yield from itertools.pairwise(sequence)
        return
    last_read: int | None = None
    last_write: int | None = None
    last_on: dict[int, int] = {}
    last_write_on: dict[int, int] = {}
    for event in sequence:
        location, is_write = events.location_of[event], events.is_write[event]
        before: set[int | None] = {last_read}
        if is_write:
            before.add(last_write_on.get(location) if kind == "program-pso" else last_write)
        if kind == "program-dash":
            before.add(last_on.get(location))
        yield from ((b, event) for b in before if b is not None)
        last_on[location] = event
        if is_write:
            last_write = last_write_on[location] = event
        else:
            last_read = event


def _sequences(view: ViewGraph, events: Events) -> dict[int, list[int]]:
    """The events of the view's graph by thread, in program order."""
    found: dict[int, list[int]] = {}
    for event in view.node:
        found.setdefault(events.thread_of[event], []).append(event)
    for sequence in found.values():
        sequence.sort(key=events.index_in_thread.__getitem__)
    return found


def _thread_order(view: ViewGraph, events: Events, kind: str, sequence: list[int]) -> None:
    definite = [e for e in sequence if e not in events.optional]
    for first, second in _sparse(kind, events, definite):
        view.fixed.append((view.node[first], view.node[second]))
    if len(definite) == len(sequence):
        return
    for i, first in enumerate(sequence):
        for second in sequence[i + 1 :]:
            uncertain = first in events.optional or second in events.optional
            if uncertain and ordered(kind, events, first, second):
                add_edge(view, events, view.node[first], view.node[second], first)


def _program_order(kind: str) -> Encoder:
    def encode(view: ViewGraph, events: Events) -> None:
        for sequence in _sequences(view, events).values():
            _thread_order(view, events, kind, sequence)

    return encode


def _own_program(view: ViewGraph, events: Events) -> None:
    thread = view.instance.thread
    assert thread is not None
    _thread_order(view, events, "program", [e for e in events.threads[thread] if e in view.node])


# -- orders that depend on more than the program -------------------------------------------------


def _causal(view: ViewGraph, events: Events) -> None:
    _program_order("program")(view, events)


def _write_read_write(view: ViewGraph, events: Events) -> None:
    """Relay c_i before write i of another thread and before c_(i+1): a source of a read enters there."""
    for thread, sequence in enumerate(events.threads):
        if thread == view.instance.thread:
            continue
        following: int | None = None
        for event in reversed(sequence):
            if events.is_write[event]:
                relay = view.relay()
                view.fixed.append((relay, view.node[event]))
                if following is not None:
                    view.fixed.append((relay, following))
                following = relay
            elif following is not None:
                view.source_enters[event] = following


def _anti(view: ViewGraph, events: Events) -> None:
    """A relay for each read of another thread, in program order: its source enters, overwriters leave."""
    for thread, sequence in enumerate(events.threads):
        if thread == view.instance.thread:
            continue
        previous: int | None = None
        for event in sequence:
            if events.is_write[event]:
                continue
            relay = view.relay()
            view.anti_node[event] = relay
            view.source_enters[event] = relay
            if previous is not None:
                view.fixed.append((previous, relay))
            previous = relay


def _semi_causal(view: ViewGraph, events: Events) -> None:
    """DASH's program order of all threads, with relays for remote-writes-before and remote-reads-before."""
    _program_order("program-dash")(view, events)
    for sequence in events.threads:
        writes = [e for e in sequence if events.is_write[e]]
        for i, write in enumerate(writes):
            receive = view.relay()
            view.receive_node[write] = receive
            for later in _up_to_definite(events, writes[i + 1 :]):
                add_edge(view, events, receive, view.node[later], write)
            send = view.relay()
            for earlier in _up_to_definite(events, writes[:i][::-1]):
                add_edge(view, events, view.node[earlier], send, earlier)
            view.source_leaves[write] = send


def _up_to_definite(events: Events, writes: list[int]) -> Iterator[int]:
    """The writes up to the first that certainly happened; program order covers the rest."""
    for write in writes:
        yield write
        if write not in events.optional:
            return


def _real_time(view: ViewGraph, events: Events) -> None:
    """Relays in order of start: an operation that ended earlier enters, the starting one leaves."""
    operations = {e: events.operation(e) for e in view.instance.events}
    by_start = sorted(operations, key=lambda e: operations[e].start or 0.0)
    relays = [view.relay() for _ in by_start]
    for i, event in enumerate(by_start):
        view.fixed.append((relays[i], view.node[event]))
        if i + 1 < len(relays):
            view.fixed.append((relays[i], relays[i + 1]))
    by_end = sorted((operations[e].end or 0.0, e) for e in operations if operations[e].end is not None)
    at = 0
    for end, event in by_end:
        while at < len(by_start) and (operations[by_start[at]].start or 0.0) <= end:
            at += 1
        if at < len(by_start):
            add_edge(view, events, view.node[event], relays[at], event)


def _issue(view: ViewGraph, events: Events) -> None:
    """Nothing inside a view: `_issue_edges` links the views."""


_ENCODERS: dict[str, Encoder] = {
    "program": _program_order("program"),
    "own-program": _own_program,
    "program-tso": _program_order("program-tso"),
    "program-pso": _program_order("program-pso"),
    "causal": _causal,
    "write-read-write": _write_read_write,
    "anti": _anti,
    "semi-causal": _semi_causal,
    "real-time": _real_time,
    "issue": _issue,
}


def source_edges_in(
    view: ViewGraph, events: Events, write: int, read: int
) -> Iterator[tuple[int, int, tuple[Condition, ...]]]:
    """The edges that "read takes its value from write" gives in one view, with further conditions."""
    orders, node = view.instance.view.orders, view.node
    own = view.instance.thread is None or view.instance.thread == events.thread_of[read]
    here = view.instance.location is None or view.instance.location == events.location_of[read]
    if view.instance.view.forwarding:
        if events.thread_of[write] != events.thread_of[read]:
            yield node[write], node[read], ()
            yield from _buffered_before(view, events, write, read)
        return
    if (own and here) or "causal" in orders:
        yield node[write], node[read], ()
    if read in view.source_enters:
        yield node[write], view.source_enters[read], ()
    if write in view.source_leaves:
        yield view.source_leaves[write], node[read], ()


def _buffered_before(
    view: ViewGraph, events: Events, write: int, read: int
) -> Iterator[tuple[int, int, tuple[Condition, ...]]]:
    """A read from memory: the own writes before it have left the buffer before the source was written."""
    thread = events.threads[events.thread_of[read]]
    for event in reversed(thread[: events.index_in_thread[read]]):
        if events.is_write[event] and events.location_of[event] == events.location_of[read]:
            optional = event in events.optional
            yield view.node[event], view.node[write], ((("present", event),) if optional else ())
            if not optional:
                return
