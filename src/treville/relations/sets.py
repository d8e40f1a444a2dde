"""Sets of events as bit masks, and the numbers that events go by.

An event is a number from 0 on: in the facts about a program, and again in each of its executions. To the type
checker it is an `EventId`, so that it is not taken for a literal, a condition or a value; when the program
runs it is a plain int. Event numbers come from here: out of masks and out of tables by event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    T = TypeVar("T")

    class EventId(int):
        """The number of an event."""

    def all_events(count: int) -> Sequence[EventId]:
        """So many events."""

    def by_event(table: Iterable[T]) -> Iterator[tuple[EventId, T]]:
        """The entries of a table by event, each with its event."""

    def bits(mask: int) -> Iterator[int]:
        """The members of a set of anything but events."""

else:
    EventId = int
    all_events = range
    by_event = enumerate


def elements(mask: int) -> Iterator[EventId]:
    """The members of a set, smallest first.

    >>> list(elements(0b1011))
    [0, 1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1  # type: ignore[misc]  # an int is an event from here on
        mask ^= low


if not TYPE_CHECKING:
    bits = elements


def last_of(mask: int) -> EventId:
    """The largest member of a set that is not empty.

    >>> last_of(0b1011)
    3
    """
    return EventId(mask.bit_length() - 1)


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
