"""The consistency levels, as data: which views each asks for and which orders they respect.

Every level is a set of serial views (paper 004, section 2.5, after Steinke and Nutt): a view is a
total order of a set of events in which a read sees the last write before it. `scope` says for whom
there is a view and of which events, `orders` names the orders it respects (`orders.py` defines them,
`view_graphs.py` encodes them). Adding a level is adding one entry to `_ALL`.
"""

from __future__ import annotations

import difflib
from enum import Enum

from treville.records import dataclass
from treville.results import InputError


class Scope(Enum):
    """For whom there is a view, and which events it has."""

    EVERYTHING = "one view of all events"
    PROCESS = "for each process, its events and all writes"
    LOCATION = "for each location, the events on it"
    PROCESS_LOCATION = "for each process and location, the process's events on it and all writes to it"


@dataclass(frozen=True, slots=True)
class View:
    """A family of views. With `forwarding` a read may also see its own process's latest buffered write."""

    scope: Scope
    orders: tuple[str, ...]
    forwarding: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A consistency level. With `agree` all its views order the writes to a location alike."""

    name: str
    summary: str
    views: tuple[View, ...]
    reference: str
    agree: bool = False
    needs_times: bool = False
    aliases: tuple[str, ...] = ()


def _process(*orders: str) -> tuple[View, ...]:
    return (View(Scope.PROCESS, orders),)


_ALL = (
    Level(
        "linearizability",
        "one order of all operations that respects program order and real time",
        (View(Scope.EVERYTHING, ("program", "real-time")),),
        "Herlihy and Wing 1990",
        needs_times=True,
        aliases=("lin", "linearisability", "atomic"),
    ),
    Level(
        "SC",
        "one order of all operations that respects program order",
        (View(Scope.EVERYTHING, ("program",)),),
        "Lamport 1979; 004 Definition 3",
        aliases=("sequential",),
    ),
    Level(
        "TSO",
        "a first-in-first-out store buffer for each process",
        (View(Scope.EVERYTHING, ("program-tso",), forwarding=True),),
        "SPARC 1992; Owens, Sarkar, Sewell 2009",
    ),
    Level(
        "PSO",
        "a store buffer for each process and location",
        (View(Scope.EVERYTHING, ("program-pso",), forwarding=True),),
        "SPARC 1992; 004 section 3.3.5",
    ),
    Level(
        "PC-G",
        "PRAM with one order of the writes to each location",
        _process("program"),
        "Goodman 1989; Ahamad et al. 1993",
        agree=True,
    ),
    Level(
        "PC-D",
        "processor consistency of the DASH machine: semi-causality and coherence",
        _process("semi-causal"),
        "Gharachorloo et al. 1990; Ahamad et al. 1993",
        agree=True,
    ),
    Level(
        "GAO",
        "coherence, and agreement on writes that a process saw one before the other",
        (View(Scope.LOCATION, ("program",)), View(Scope.PROCESS, ("own-program", "anti"))),
        "Steinke and Nutt 2004",
        agree=True,
    ),
    Level(
        "GPO+GDO",
        "PRAM and cache consistency of the same reads-from",
        (View(Scope.PROCESS, ("program",)), View(Scope.LOCATION, ("program",))),
        "Steinke and Nutt 2004",
    ),
    Level(
        "causal",
        "every process sees the writes in causal order",
        _process("causal"),
        "Hutto and Ahamad 1990; Ahamad et al. 1995",
    ),
    Level(
        "PRAM-M",
        "the PRAM machine: a memory for each process, writes broadcast in order after they were made",
        _process("program", "issue"),
        "Lipton and Sandberg 1988; Mosberger 1993",
    ),
    Level(
        "GWO",
        "agreement on writes when one was made after reading the other",
        _process("own-program", "write-read-write"),
        "Steinke and Nutt 2004; 004 Definition 6",
    ),
    Level(
        "CC",
        "for each location one order of its operations that respects program order",
        (View(Scope.LOCATION, ("program",)),),
        "Goodman 1989; 004 Definition 7",
        aliases=("cache", "GDO", "coherence"),
    ),
    Level(
        "PRAM",
        "every process sees the writes of each other process in program order",
        _process("program"),
        "Lipton and Sandberg 1988; 004 Definition 10",
        aliases=("GPO", "FIFO"),
    ),
    Level(
        "SLOW",
        "every process sees each other's writes to a location in program order",
        (View(Scope.PROCESS_LOCATION, ("program",)),),
        "Hutto and Ahamad 1990; 004 Definition 4",
    ),
    Level(
        "LOCAL",
        "every process sees its own operations in program order",
        _process("own-program"),
        "Heddaya and Sinha 1992; 004 Definition 9",
    ),
)

LEVELS: dict[str, Level] = {level.name: level for level in _ALL}


def find_level(name: str) -> Level:
    """The level of this name or alias, case ignored; an `InputError` with the nearest name otherwise."""
    wanted = name.strip().lower()
    for level in LEVELS.values():
        if wanted in (level.name.lower(), *(alias.lower() for alias in level.aliases)):
            return level
    names = [level.name for level in LEVELS.values()]
    near = difflib.get_close_matches(wanted, [n.lower() for n in names], 1)
    guess = next((n for n in names if near and n.lower() == near[0]), None)
    hint = f"did you mean {guess}? " if guess else ""
    raise InputError(f"unknown level {name.strip()!r}", hint=f"{hint}levels: {', '.join(names)}")
