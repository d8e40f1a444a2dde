"""Names for tests: those of the literature where a test has one, and what decorates it.

`MP+dmb.sy+addr` is the message-passing test with a fence in one thread and an address dependency in the
other. A test without a name of its own is called after its accesses: `WxRxRy+WyWx`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import TypeAlias

from treville.programs.litmus.writing.program import LOCATIONS, Access, Barrier, Branch, Item, Outcome, Role
from treville.records import NamedTuple

# A read with what it reads, a write with what it writes; of locations that are written twice the largest
# value is there in the end. (J. Alglave, L. Maranget, M. Tautschnig, Herding cats, TOPLAS 2014, Table III.)
_FAMILIES = {
    "SB": "Wx1 Ry0 | Wy1 Rx0",
    "MP": "Wx1 Wy1 | Ry1 Rx0",
    "LB": "Rx1 Wy1 | Ry1 Wx1",
    "S": "Wx2 Wy1 | Ry1 Wx1",
    "R": "Wx1 Wy1 | Wy2 Rx0",
    "2+2W": "Wx2 Wy1 | Wy2 Wx1",
    "WRC": "Wx1 | Rx1 Wy1 | Ry1 Rx0",
    "RWC": "Wx1 | Rx1 Ry0 | Wy1 Rx0",
    "WWC": "Wx2 | Rx2 Wy1 | Ry1 Wx1",
    "WRW+WR": "Wx1 | Rx1 Wy1 | Wy2 Rx0",
    "WRR+2W": "Wx2 | Rx2 Ry0 | Wy1 Wx1",
    "WRW+2W": "Wx2 | Rx2 Wy1 | Wy2 Wx1",
    "ISA2": "Wx1 Wy1 | Ry1 Wz1 | Rz1 Rx0",
    "W+RWC": "Wx1 Wy1 | Ry1 Rz0 | Wz1 Rx0",
    "Z6.3": "Wx1 Wy1 | Wy2 Wz1 | Rz1 Rx0",
    "3.SB": "Wx1 Ry0 | Wy1 Rz0 | Wz1 Rx0",
    "3.LB": "Rx1 Wy1 | Ry1 Wz1 | Rz1 Wx1",
    "3.2W": "Wx2 Wy1 | Wy2 Wz1 | Wz2 Wx1",
    "IRIW": "Wx1 | Wy1 | Rx1 Ry0 | Ry1 Rx0",
    "IRRWIW": "Wx2 | Wy1 | Rx2 Ry0 | Ry1 Wx1",
    "IRWIW": "Wx2 | Wy2 | Rx2 Wy1 | Ry2 Wx1",
    "CoRR": "Wx1 | Rx1 Rx0",
    "CoWW": "Wx2 Wx1",
    "CoWR": "Wx1 Rx0",
    "CoRW1": "Rx1 Wx1",
    "CoRW2": "Wx2 | Rx2 Wx1",
    "CoWR0": "Wx2 Rx1 | Wx1",
}


class _Step(NamedTuple):
    """An access as names see it; an exchange is a read and a write."""

    kind: str
    location: int
    value: int


_Threads: TypeAlias = tuple[tuple[_Step, ...], ...]


def name_of(threads: Sequence[Sequence[Item]], outcome: Outcome) -> str:
    """The name of a test."""
    steps = _steps(threads, outcome)
    for order in permutations(range(len(threads))):
        family = _families().get(_canonical(tuple(steps[thread] for thread in order)))
        if family is not None:
            return _decorated(family, [threads[thread] for thread in order])
    accesses = ["".join(f"{step.kind}{LOCATIONS[step.location]}" for step in thread) for thread in steps]
    return _decorated("+".join(accesses), threads)


def _steps(threads: Sequence[Sequence[Item]], outcome: Outcome) -> _Threads:
    read = {(thread, number): value for thread, number, value in outcome.registers}
    found = []
    for thread, items in enumerate(threads):
        steps: list[_Step] = []
        for access in [item for item in items if isinstance(item, Access)]:
            if access.spelling.reads:
                number = sum(step.kind == "R" for step in steps)
                steps.append(_Step("R", access.location, read.get((thread, number), 0)))
            if access.spelling.writes:
                steps.append(_Step("W", access.location, access.value))
        found.append(tuple(steps))
    return tuple(found)


def _canonical(threads: _Threads) -> _Threads:
    """With locations numbered in the order of their first use."""
    order: dict[int, int] = {}
    return tuple(
        tuple(_Step(kind, order.setdefault(place, len(order)), value) for kind, place, value in thread)
        for thread in threads
    )


@lru_cache(maxsize=1)
def _families() -> dict[_Threads, str]:
    return {_canonical(_read(text)): name for name, text in _FAMILIES.items()}


def _read(text: str) -> _Threads:
    step = re.compile(r"([RW])([a-z])(\d)")
    return tuple(
        tuple(_Step(kind, LOCATIONS.index(at), int(value)) for kind, at, value in step.findall(thread))
        for thread in text.split("|")
    )


# -- decorations -----------------------------------------------------------------------------------------


def _decorated(family: str, threads: Sequence[Sequence[Item]]) -> str:
    """The family and what stands in each thread that has an order to speak of."""
    found = ["-".join(_decorations(items)) for items in threads if len(items) > 1 or _special(items)]
    if not any(found):
        return family
    return "+".join([family, *(each or "po" for each in found)])


def _special(items: Sequence[Item]) -> bool:
    return any(isinstance(item, Access) and item.spelling.cost for item in items)


def _decorations(items: Sequence[Item]) -> Iterator[str]:
    control = False
    for item in items:
        if isinstance(item, Barrier):
            yield ("ctrl" if control else "") + item.spelling.name
            control = False
        elif isinstance(item, Branch):
            control = True
        else:
            if control:
                yield "ctrl"
            control = False
            yield from (word for word, there in (("addr", item.address), ("data", item.data)) if there)
            if item.spelling.cost or item.spelling.role is Role.EXCHANGE:
                yield item.spelling.name
