"""Brute force over the definitions, written apart from the package: the oracle of the tests.

A history is a tuple of threads, a thread a tuple of (kind, location, value) with kind "r" or "w"; every
location starts with 0. View-based levels are decided by enumerating reads-from relations, write orders
and serial views as sets of pairs; TSO, PSO and PRAM-M by running their machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

Event = tuple[str, str, int]
Threads = tuple[tuple[Event, ...], ...]
Node = tuple[int, int]  # thread, index
Pairs = set[tuple[Node, Node]]
Events = dict[Node, Event]
Sources = dict[Node, Node | None]  # None: the initial value
View = tuple[set[Node], Pairs]  # members, and the order that they respect
Memory = tuple[tuple[str, int], ...]
Buffering = tuple[tuple[int, ...], Memory, tuple[Memory, ...]]  # pointers, memory, queues
Replicated = tuple[tuple[int, ...], tuple[Memory, ...], tuple[tuple[Memory, ...], ...]]


def allows(level: str, threads: Threads) -> bool:
    if level in ("TSO", "PSO"):
        return buffers_allow(threads, by_location=level == "PSO")
    if level == "PRAM-M":
        return replicas_allow(threads)
    return views_allow(level, threads)


# -- views ---------------------------------------------------------------------------------------


def views_allow(level: str, threads: Threads) -> bool:
    nodes = [(t, i) for t, thread in enumerate(threads) for i in range(len(thread))]
    event = {(t, i): threads[t][i] for t, i in nodes}
    writes = [n for n in nodes if event[n][0] == "w"]
    reads = [n for n in nodes if event[n][0] == "r"]
    choices: list[list[Node | None]] = [
        [w for w in writes if event[w][1:] == event[r][1:]] + ([None] if event[r][2] == 0 else [])
        for r in reads
    ]
    agree = level in ("PC-G", "PC-D", "GAO")
    for choice in product(*choices):
        sources: Sources = dict(zip(reads, choice, strict=True))
        for coherence in coherences(writes, event) if agree else [None]:
            if all(
                view_exists(members, order, event, sources, coherence)
                for members, order in required(level, threads, nodes, event, sources, coherence)
            ):
                return True
    return False


def coherences(writes: list[Node], event: Events) -> Iterator[Pairs]:
    locations = sorted({event[w][1] for w in writes})
    for orders in product(*(permutations([w for w in writes if event[w][1] == x]) for x in locations)):
        yield {(a, b) for order in orders for i, a in enumerate(order) for b in order[i + 1 :]}


def required(
    level: str, threads: Threads, nodes: list[Node], event: Events, sources: Sources, coherence: Pairs | None
) -> list[View]:
    program = {(a, b) for a in nodes for b in nodes if a[0] == b[0] and a[1] < b[1]}
    writes = {n for n in nodes if event[n][0] == "w"}
    reads = set(nodes) - writes
    reads_from = {(w, r) for r, w in sources.items() if w is not None}
    locations = sorted({event[n][1] for n in nodes})
    everyone = range(len(threads))

    def of(p: int) -> set[Node]:
        return {n for n in nodes if n[0] == p} | writes

    def own(p: int) -> Pairs:
        return {(a, b) for a, b in program if a[0] == p}

    if level == "SC":
        return [(set(nodes), program)]
    if level in ("PRAM", "PC-G"):
        return [(of(p), program) for p in everyone]
    cache = [({n for n in nodes if event[n][1] == x}, program) for x in locations]
    if level == "CC":
        return cache
    if level == "GPO+GDO":
        return [(of(p), program) for p in everyone] + cache
    if level == "LOCAL":
        return [(of(p), own(p)) for p in everyone]
    if level == "SLOW":
        return [({n for n in of(p) if event[n][1] == x}, program) for p in everyone for x in locations]
    if level == "causal":
        order = closure(program | reads_from)
        return [(of(p), order) for p in everyone]
    if level == "GWO":
        order = {(w, v) for w, r in reads_from for s, v in program if r == s and v in writes}
        return [(of(p), own(p) | order) for p in everyone]
    assert coherence is not None
    from_read = {
        (r, v)
        for r, w in sources.items()
        for v in writes
        if event[v][1] == event[r][1] and (w is None or (w, v) in coherence)
    }
    if level == "GAO":
        anti = {(w, v) for w, r in reads_from for s, v in from_read if (r == s or (r, s) in program)}
        return cache + [(of(p), own(p) | anti) for p in everyone]
    assert level == "PC-D"
    dash = {(a, b) for a, b in program if a in reads or b in writes or event[a][1] == event[b][1]}
    dash_writes = {(a, b) for a, b in dash if a in writes and b in writes}
    remote_writes = {(a, r) for a, b in dash_writes for w, r in reads_from if b == w}
    remote_reads = {(r, b) for r, v in from_read for a, b in dash_writes if v == a}
    order = closure(dash | remote_writes | remote_reads)
    return [(of(p), order) for p in everyone]


def closure(pairs: Pairs) -> Pairs:
    pairs = set(pairs)
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


def view_exists(
    members: set[Node], order: Pairs, event: Events, sources: Sources, coherence: Pairs | None
) -> bool:
    """Whether some permutation of the members respects the order and gives each read its source."""
    order = {(a, b) for a, b in order if a in members and b in members}
    if any(a == b for a, b in order):
        return False

    def place(left: frozenset[Node], last: dict[str, Node]) -> bool:
        if not left:
            return True
        for n in left:
            if any((m, n) in order for m in left if m != n):
                continue
            if coherence is not None and any((m, n) in coherence for m in left):
                continue
            kind, location, _ = event[n]
            if kind == "r" and last.get(location) != sources[n]:
                continue
            if place(left - {n}, {**last, location: n} if kind == "w" else last):
                return True
        return False

    return place(frozenset(members), {})


# -- machines ------------------------------------------------------------------------------------


def buffers_allow(threads: Threads, by_location: bool) -> bool:
    """Store buffers: one queue for each thread, or one for each thread and location."""
    start: Buffering = (tuple(0 for _ in threads), (), tuple(() for _ in threads))
    stack, seen = [start], {start}
    while stack:
        pointers, memory, buffers = stack.pop()
        if all(at == len(thread) for at, thread in zip(pointers, threads, strict=True)):
            return True
        following: list[Buffering] = []
        for t, thread in enumerate(threads):
            for i, (location, value) in enumerate(buffers[t]):
                earlier = buffers[t][:i]
                if (by_location and all(x != location for x, _ in earlier)) or not earlier:
                    rest = buffers[t][:i] + buffers[t][i + 1 :]
                    written = tuple(sorted({**dict(memory), location: value}.items()))
                    following.append((pointers, written, (*buffers[:t], rest, *buffers[t + 1 :])))
            if pointers[t] == len(thread):
                continue
            kind, location, value = thread[pointers[t]]
            moved = (*pointers[:t], pointers[t] + 1, *pointers[t + 1 :])
            if kind == "w":
                queue = (*buffers[t], (location, value))
                following.append((moved, memory, (*buffers[:t], queue, *buffers[t + 1 :])))
            else:
                own = [v for x, v in buffers[t] if x == location]
                if (own[-1] if own else dict(memory).get(location, 0)) == value:
                    following.append((moved, memory, buffers))
        for state in following:
            if state not in seen:
                seen.add(state)
                stack.append(state)
    return False


def replicas_allow(threads: Threads) -> bool:
    """The PRAM machine: a memory for each thread, writes sent to the others in order."""
    count = len(threads)
    nothing: tuple[Memory, ...] = ((),) * count
    start: Replicated = (tuple(0 for _ in threads), nothing, tuple(nothing for _ in threads))
    stack, seen = [start], {start}
    while stack:
        pointers, memories, channels = stack.pop()
        if all(at == len(thread) for at, thread in zip(pointers, threads, strict=True)):
            return True
        following: list[Replicated] = []
        for t, thread in enumerate(threads):
            for s in range(count):
                if channels[t][s]:
                    (location, value), rest = channels[t][s][0], channels[t][s][1:]
                    row = (*channels[t][:s], rest, *channels[t][s + 1 :])
                    memory = tuple(sorted({**dict(memories[t]), location: value}.items()))
                    following.append(
                        (
                            pointers,
                            (*memories[:t], memory, *memories[t + 1 :]),
                            (*channels[:t], row, *channels[t + 1 :]),
                        )
                    )
            if pointers[t] == len(thread):
                continue
            kind, location, value = thread[pointers[t]]
            moved = (*pointers[:t], pointers[t] + 1, *pointers[t + 1 :])
            if kind == "r":
                if dict(memories[t]).get(location, 0) == value:
                    following.append((moved, memories, channels))
                continue
            memory = tuple(sorted({**dict(memories[t]), location: value}.items()))
            sent: tuple[tuple[Memory, ...], ...] = tuple(
                row
                if u == t
                else tuple((*queue, (location, value)) if s == t else queue for s, queue in enumerate(row))
                for u, row in enumerate(channels)
            )
            following.append((moved, (*memories[:t], memory, *memories[t + 1 :]), sent))
        for state in following:
            if state not in seen:
                seen.add(state)
                stack.append(state)
    return False
