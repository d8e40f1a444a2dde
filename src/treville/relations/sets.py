"""Sets of events as bit masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def elements(mask: int) -> Iterator[int]:
    """The members of a set, smallest first.

    >>> list(elements(0b1011))
    [0, 1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(members: Iterable[int]) -> int:
    """The set of the given events.

    >>> bin(mask_of([0, 1, 3]))
    '0b1011'
    """
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def size(mask: int) -> int:
    """How many events a set has."""
    return mask.bit_count()
