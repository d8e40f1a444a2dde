"""What evidence has to be, once more and by other means: pairs and searches over the oracle's definitions."""

from __future__ import annotations

from itertools import product

from treville.histories import History
from treville.histories.views import Execution

from . import oracle

Key = tuple[int | None, str | None]  # whose view, and of which location
PROCESS_LEVELS = ("PRAM", "PC-G", "PC-D", "causal", "PRAM-M", "GWO", "LOCAL")
EVERYTHING_LEVELS = ("SC", "TSO", "PSO")
AGREEING = ("PC-G", "PC-D", "GAO")


def accepts(level: str, threads: oracle.Threads, history: History, execution: Execution) -> bool:
    """Is the execution evidence that the level allows the history of these threads?"""
    nodes = [(t, i) for t, thread in enumerate(threads) for i in range(len(thread))]
    event = {(t, i): threads[t][i] for t, i in nodes}
    names = history.events.locations
    sources: oracle.Sources = {}
    for number, node in enumerate(nodes):
        if event[node][0] == "r":
            source = execution.sources.get(number)
            if source is None or not _gives(source, event[node], nodes, event, names):
                return False
            sources[node] = nodes[source] if source < len(nodes) else None
    views: dict[Key, list[oracle.Node]] = {}
    for instance, order in execution.views:
        where = None if instance.location is None else names[instance.location]
        views[instance.thread, where] = [nodes[number] for number in order]
    coherence = {
        (a, b)
        for order in views.values()
        for i, a in enumerate(order)
        for b in order[i + 1 :]
        if event[a][0] == event[b][0] == "w" and event[a][1] == event[b][1]
    }
    if level in AGREEING and any((b, a) in coherence for a, b in coherence):
        return False
    for key, (members, wanted) in _wanted(level, threads, nodes, event, sources, coherence).items():
        if key not in views:
            return False
        buffers = level in EVERYTHING_LEVELS and level != "SC"
        if not _is_serial(views[key], members, wanted, event, sources, buffers):
            return False
    return level != "PRAM-M" or _were_made_before(views)


def _gives(
    source: int, read: oracle.Event, nodes: list[oracle.Node], event: oracle.Events, names: tuple[str, ...]
) -> bool:
    if source >= len(nodes):
        return names[source - len(nodes)] == read[1] and read[2] == 0
    return event[nodes[source]] == ("w", *read[1:])


def _wanted(
    level: str,
    threads: oracle.Threads,
    nodes: list[oracle.Node],
    event: oracle.Events,
    sources: oracle.Sources,
    coherence: oracle.Pairs,
) -> dict[Key, oracle.View]:
    """The views that a level asks for: members, and the order that they respect."""
    if level in ("TSO", "PSO"):
        program = {(a, b) for a in nodes for b in nodes if a[0] == b[0] and a[1] < b[1]}
        kept = {
            (a, b)
            for a, b in program
            if event[a][0] == "r" or (event[b][0] == "w" and (level == "TSO" or event[a][1] == event[b][1]))
        }
        return {(None, None): (set(nodes), kept)}
    processes: list[Key] = [(p, None) for p in range(len(threads))]
    locations = sorted({event[node][1] for node in nodes})
    cache: list[Key] = [(None, x) for x in locations]
    all_keys: dict[str, list[Key]] = {
        "SC": [(None, None)],
        "CC": cache,
        "GPO+GDO": processes + cache,
        "GAO": cache + processes,
        "SLOW": list(product(range(len(threads)), locations)),
    }
    keys = all_keys.get(level, processes)
    name = "PRAM" if level == "PRAM-M" else level
    found = oracle.required(name, threads, nodes, event, sources, coherence)
    wanted = dict(zip(keys, found, strict=True))
    if level == "SLOW":  # where a process does nothing, any order will do, and nobody writes one down
        accessed = {(node[0], event[node][1]) for node in nodes}
        wanted = {key: view for key, view in wanted.items() if key in accessed}
    return wanted


def _is_serial(
    view: list[oracle.Node],
    members: set[oracle.Node],
    order: oracle.Pairs,
    event: oracle.Events,
    sources: oracle.Sources,
    buffers: bool,
) -> bool:
    """All members once, in order; each read sees the last write before it, or what its process buffers."""
    if len(view) != len(members) or set(view) != members:
        return False
    place = {node: number for number, node in enumerate(view)}
    if any(a in members and b in members and place[a] >= place[b] for a, b in order):
        return False
    for read in view:
        if event[read][0] == "w":
            continue
        writes = [w for w in view if event[w][0] == "w" and event[w][1] == event[read][1]]
        seen = [w for w in writes if place[w] < place[read]]
        own = [w for w in writes if w[0] == read[0] and w[1] < read[1]]
        if buffers and own and place[max(own)] > place[read]:
            seen = [max(own)]
        if (max(seen, key=place.__getitem__) if seen else None) != sources[read]:
            return False
    return True


def _were_made_before(views: dict[Key, list[oracle.Node]]) -> bool:
    """Can all processes go through their views at once, each write first in the view of who made it?"""
    queues = {process: list(view) for (process, _), view in views.items()}
    made: set[oracle.Node] = set()
    moved = True
    while moved:
        moved = False
        for process, queue in queues.items():
            while queue and (queue[0][0] == process or queue[0] in made):
                made.add(queue.pop(0))
                moved = True
    return not any(queues.values())
