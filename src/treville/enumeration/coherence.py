"""The choices at one location: coherence orders of its writes and sources of its reads.

For coherent models (see `implied`) only choices without one of the five forbidden patterns are made, and for
models with atomic read-modify-writes only those where no other thread's write comes between; otherwise every
order and every source of the right value. Accesses are given thread by thread in program order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from treville.records import NamedTuple

NO_READ = -1


class Access(NamedTuple):
    """A read or write of the location: the event's number, what it is, its value, its thread, and for the
    write of a read-modify-write of this location its read."""

    event: int
    is_write: bool
    value: int
    thread: int = -1
    read: int = NO_READ


class Choice(NamedTuple):
    """One reads-from and coherence order of a location, as packed relations, and the final value."""

    rf: int
    co: int
    fr: int
    final: int


def choices(
    initial: Access, threads: list[list[Access]], n: int, coherent: bool, atomic: bool = False
) -> list[Choice]:
    """All choices for a location whose initial write is given, over `n` events in all."""
    reads = [[a for a in accesses if not a.is_write] for accesses in threads]
    values = {a.event: a.value for group in reads for a in group}
    pairs = {a.read: a for accesses in threads for a in accesses if a.read != NO_READ} if atomic else {}
    if coherent:
        orders = _interleavings(initial, threads, values if atomic else None)
    else:
        orders = _all_orders(initial, threads)
    out: list[Choice] = []
    for ranked in orders:
        by_value: dict[int, list[int]] = {}
        rank = {}
        for i, access in enumerate(ranked):
            rank[access.event] = i
            by_value.setdefault(access.value, []).append(i)
        co, later = _order_relation(ranked, n)
        packed = []
        for accesses, group in zip(threads, reads, strict=True):
            if not group:
                continue
            if coherent:
                options = _coherent_sources(accesses, rank, by_value, ranked, pairs)
            else:
                options = list(product(*[by_value.get(r.value, ()) for r in group]))
            packed.append([_sources(group, chosen, ranked, later, n) for chosen in options])
            if not packed[-1]:
                break
        else:
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
    accesses: list[Access],
    rank: dict[int, int],
    by_value: dict[int, list[int]],
    ranked: list[Access],
    pairs: dict[int, Access],
) -> list[tuple[int, ...]]:
    """Ranks of sources for a thread's reads: never before what the thread has already seen or written,
    strictly before its next own write, and for atomic pairs with no foreign write between."""
    bounds = []
    following = len(ranked)
    for access in reversed(accesses):
        if access.is_write:
            following = rank[access.event]
        else:
            bounds.append(following)
    found: list[tuple[int, ...]] = [()]
    floor = 0
    for access in accesses:
        if access.is_write:
            floor = rank[access.event]
            continue
        bound = bounds.pop()
        options = [source for source in by_value.get(access.value, ()) if floor <= source < bound]
        if access.event in pairs:
            lowest = _first_undisturbed(ranked, rank[pairs[access.event].event], access.thread)
            options = [source for source in options if source >= lowest]
        found = [(*chosen, s) for chosen in found for s in options if not chosen or chosen[-1] <= s]
        if not found:
            break
    return found


def _first_undisturbed(ranked: list[Access], write: int, thread: int) -> int:
    """The lowest rank from which no other thread writes before the given write."""
    lowest = write - 1
    while lowest > 0 and ranked[lowest].thread == thread:
        lowest -= 1
    return lowest


def _interleavings(
    initial: Access, threads: list[list[Access]], values: dict[int, int] | None
) -> Iterator[list[Access]]:
    """The orders of all writes that keep each thread's own order. With `values` (of reads), the write of a
    read-modify-write only follows a write that its read can have taken."""
    queues = [[a for a in accesses if a.is_write] for accesses in threads]
    queues = [queue for queue in queues if queue]
    total = 1 + sum(map(len, queues))

    def extend(positions: list[int], ranked: list[Access]) -> Iterator[list[Access]]:
        if len(ranked) == total:
            yield list(ranked)
            return
        for i, queue in enumerate(queues):
            at = positions[i]
            if at == len(queue):
                continue
            write = queue[at]
            if values is not None and write.read != NO_READ and not _can_follow(ranked, write, values):
                continue
            positions[i] += 1
            ranked.append(write)
            yield from extend(positions, ranked)
            ranked.pop()
            positions[i] -= 1

    return extend([0] * len(queues), [initial])


def _can_follow(ranked: list[Access], write: Access, values: dict[int, int]) -> bool:
    """Is there a source for the write's read with no foreign write after it?"""
    wanted = values[write.read]
    for access in reversed(ranked):
        if access.value == wanted:
            return True
        if access.thread != write.thread:
            return False
    return False


def _all_orders(initial: Access, threads: list[list[Access]]) -> Iterator[list[Access]]:
    writes = [a for accesses in threads for a in accesses if a.is_write]
    return ([initial, *order] for order in permutations(writes))
