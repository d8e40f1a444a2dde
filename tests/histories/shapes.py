"""All small histories, up to renaming, and random samples of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from random import Random

from treville.histories import History, Operation

Event = tuple[str, str, int]
Threads = tuple[tuple[Event, ...], ...]


def events(locations: int, values: int) -> list[Event]:
    """Writes of 1 .. values and reads of 0 .. values on the first locations."""
    names = "xyz"[:locations]
    return [("w", x, v) for x in names for v in range(1, values + 1)] + [
        ("r", x, v) for x in names for v in range(values + 1)
    ]


def all_histories(most_events: int, threads: int, locations: int, values: int) -> Iterator[Threads]:
    """Every history with that many threads and events at most, threads in any order counted once."""
    alphabet = events(locations, values)
    for lengths in _lengths(most_events, threads):
        groups = [list(product(alphabet, repeat=length)) for length in lengths]
        for combination in product(*groups):
            if list(combination) == sorted(combination, key=lambda t: (-len(t), t)):
                yield combination


def _lengths(most: int, threads: int) -> Iterator[tuple[int, ...]]:
    for lengths in combinations_with_replacement(range(most, 0, -1), threads):
        if sum(lengths) <= most:
            yield lengths


def sensible(threads: Threads) -> bool:
    """Every value read is written or initial: the other histories fail everywhere at once."""
    written = {(x, v) for thread in threads for kind, x, v in thread if kind == "w"}
    return all(kind == "w" or v == 0 or (x, v) in written for thread in threads for kind, x, v in thread)


def random_history(random: Random, most_events: int, threads: int, locations: int, values: int) -> Threads:
    """A random sensible history."""
    alphabet = events(locations, values)
    while True:
        chosen = tuple(
            tuple(random.choice(alphabet) for _ in range(length))
            for length in _random_lengths(random, most_events, threads)
        )
        if sensible(chosen):
            return chosen


def _random_lengths(random: Random, most: int, threads: int) -> list[int]:
    count = random.randint(min(threads, 2), threads)
    lengths = [1] * count
    for _ in range(random.randint(0, most - count)):
        lengths[random.randrange(count)] += 1
    return lengths


def history_of(threads: Threads) -> History:
    """The package's form of a history."""
    operations = [
        Operation(f"P{t}", kind == "w", location, value)
        for t, thread in enumerate(threads)
        for kind, location, value in thread
    ]
    return History("test", tuple(operations))
