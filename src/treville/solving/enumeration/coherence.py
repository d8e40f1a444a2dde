"""The choices at one location: coherence orders of its writes and sources of its reads.

For coherent models (see `implied`) only choices without one of the five forbidden patterns are made; for
others every order and every source of the right value. Accesses are given thread by thread in program order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple


class Access(NamedTuple):
    """A read or write of the location: the event's number, what it is, and its value."""

    event: int
    is_write: bool
    value: int


class Choice(NamedTuple):
    """One reads-from and coherence order of a location, as packed relations, and the final value."""

    rf: int
    co: int
    fr: int
    final: int


def choices(initial: Access, threads: list[list[Access]], n: int, coherent: bool) -> list[Choice]:
    """All choices for a location whose initial write is given, over `n` events in all."""
    orders = _interleavings(threads) if coherent else _all_orders(threads)
    reads = [[a for a in accesses if not a.is_write] for accesses in threads]
    out: list[Choice] = []
    for order in orders:
        ranked = [initial, *order]
        rank = {access.event: i for i, access in enumerate(ranked)}
        by_value: dict[int, list[int]] = {}
        for i, access in enumerate(ranked):
            by_value.setdefault(access.value, []).append(i)
        if coherent:
            per_thread = [list(_coherent_sources(accesses, rank, by_value)) for accesses in threads]
        else:
            per_thread = [list(product(*(by_value.get(r.value, ()) for r in group))) for group in reads]
        if not all(per_thread):
            continue
        co, later = _order_relation(ranked, n)
        packed = [
            [_sources(group, chosen, ranked, later, n) for chosen in options]
            for group, options in zip(reads, per_thread, strict=True)
            if group
        ]
        final = ranked[-1].value
        for combination in product(*packed):
            rf = fr = 0
            for part_rf, part_fr in combination:
                rf |= part_rf
                fr |= part_fr
            out.append(Choice(rf, co, fr, final))
    return out


def _order_relation(ranked: list[Access], n: int) -> tuple[int, list[int]]:
    """The packed coherence order, and for each rank the set of later writes."""
    co = later = 0
    after = [0] * len(ranked)
    for i in range(len(ranked) - 1, -1, -1):
        after[i] = later
        co |= later << (ranked[i].event * n)
        later |= 1 << ranked[i].event
    return co, after


def _sources(
    reads: list[Access], chosen: tuple[int, ...], ranked: list[Access], later: list[int], n: int
) -> tuple[int, int]:
    """rf and fr of some reads with their sources' ranks."""
    rf = fr = 0
    for read, rank in zip(reads, chosen, strict=True):
        rf |= 1 << (ranked[rank].event * n + read.event)
        fr |= later[rank] << (read.event * n)
    return rf, fr


def _coherent_sources(
    accesses: list[Access], rank: dict[int, int], by_value: dict[int, list[int]]
) -> Iterator[tuple[int, ...]]:
    """Ranks of sources for a thread's reads: never before what the thread has already seen or written,
    and strictly before its next own write."""
    limits: list[tuple[Access, int, int]] = []
    following = len(rank) + 1
    bounds = []
    for access in reversed(accesses):
        bounds.append(following)
        if access.is_write:
            following = rank[access.event]
    bounds.reverse()
    floor = 0
    for access, bound in zip(accesses, bounds, strict=True):
        if access.is_write:
            floor = rank[access.event]
        else:
            limits.append((access, floor, bound))

    def extend(position: int, seen: int) -> Iterator[tuple[int, ...]]:
        if position == len(limits):
            yield ()
            return
        read, lowest, bound = limits[position]
        lowest = max(lowest, seen)
        for source in by_value.get(read.value, ()):
            if lowest <= source < bound:
                for rest in extend(position + 1, source):
                    yield (source, *rest)

    return extend(0, 0)


def _interleavings(threads: list[list[Access]]) -> Iterator[list[Access]]:
    """The orders of all writes that keep each thread's own order."""
    queues = [[a for a in accesses if a.is_write] for accesses in threads]
    queues = [queue for queue in queues if queue]

    def extend(positions: tuple[int, ...], so_far: list[Access]) -> Iterator[list[Access]]:
        finished = True
        for i, queue in enumerate(queues):
            if positions[i] < len(queue):
                finished = False
                moved = (*positions[:i], positions[i] + 1, *positions[i + 1 :])
                yield from extend(moved, [*so_far, queue[positions[i]]])
        if finished:
            yield so_far

    return extend((0,) * len(queues), [])


def _all_orders(threads: list[list[Access]]) -> Iterator[list[Access]]:
    writes = [a for accesses in threads for a in accesses if a.is_write]
    return (list(order) for order in permutations(writes))
