"""A graph in which no thread goes on -> who waits there for ever, if the run can go on in no other way.

A thread waits for ever if each round that it could still go would find the same again: what the last one
reads is never overwritten, but by the last rounds of others that wait, which put back what is there (O. Lahav
et al., Making weak memory models fair, OOPSLA 2021). A thread that waits although something newer was written
is none: it would read that in the end, and the graph where it does is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.states import TooManyStates
from treville.machines.threads import Does, Threads
from treville.programs import ir
from treville.programs.operators import wrap
from treville.records import NamedTuple

Waiters: TypeAlias = tuple[tuple[int, ir.Instruction], ...]
_WRONG_ACCESS = "runs that use memory as they may not"


class Last(NamedTuple):
    """The last round of a thread: where it waits, what it reads there, and what it writes."""

    instruction: ir.Instruction
    reads: tuple[Event, ...] = ()
    writes: tuple[Event, ...] = ()


class ForEver:
    """Looks for threads that wait for ever. In a `deadlock` each of them reads, or joins another one.
    `behind` is a thread after an action with a result."""

    def __init__(self, threads: Threads, behind: Callable[[int, int], int], deadlock: bool) -> None:
        self._threads, self._behind, self._deadlock = threads, behind, deadlock

    def waiters(self, graph: Graph) -> Waiters:
        """Each thread that waits for ever, with where it does; nobody if some thread does neither that nor
        end, or the run is none."""
        found: dict[int, Last] = {}
        for number in graph.threads:
            last = graph.last(number)
            if not last.idle and self._threads.actions[last.after].does is Does.END:
                continue
            waits = self._waiting(graph, number, last) if last.idle else self._blocked(graph, number, last)
            if waits is None:
                return ()
            found[number] = waits
        harmless = {id(write) for waits in found.values() for write in waits.writes}
        for waits in found.values():
            found_last = [read.source for read in waits.reads]
            found_last += [write for write in waits.writes if not write.linked]
            if any(_is_overwritten(graph, write, harmless) for write in found_last):
                return ()
        return tuple((number, waits.instruction) for number, waits in found.items())

    def _blocked(self, graph: Graph, number: int, last: Event) -> Last | None:
        """A thread in front of what it cannot do."""
        action = self._threads.actions[last.after]
        instruction = action.instruction
        if action.does is Does.JOIN and instruction is not None:
            return Last(instruction)
        if action.does is Does.BLOCKED and isinstance(instruction, ir.Assume) and instruction.waits:
            return self._until_read(graph, number, last, instruction)
        return None

    def _until_read(self, graph: Graph, number: int, last: Event, instruction: ir.Assume) -> Last:
        """A thread that waits until its last read finds something else."""
        if last.kind is Kind.READ:
            return Last(instruction, (last,))
        reads = [event for event in graph.threads[number] if event.kind is Kind.READ]
        if not reads:
            raise TooManyStates("a thread that waits, but not for what it reads")
        return Last(instruction, (reads[-1],))

    def _waiting(self, graph: Graph, number: int, last: Event) -> Last | None:
        """A thread that only goes round."""
        if last.kind is Kind.CHOOSE:
            raise TooManyStates(_WRONG_ACCESS)
        if last.kind is Kind.WAIT:
            return self._spinning(graph, last)
        after = self._threads.actions[last.after]
        if after.does is Does.BLOCKED:
            return self._blocked(graph, number, last)
        after_round = (
            self._behind(last.after, 0) if last.linked else last.after
        )  # it writes back what it read
        events = graph.threads[number]
        for index in range(last.index, -1, -1):
            if self._threads.same_place(events[index].state, after_round):
                return self._round(events[index:])
        return None

    def _spinning(self, graph: Graph, wait: Event) -> Last | None:
        """A thread that would read the last write of a cell, and that in vain."""
        load = self._threads.actions[wait.after].instruction
        assert isinstance(load, ir.Load)
        value = wrap(graph.writes[wait.place][-1].value, load.bits) if load.register is not None else 0
        after = self._threads.actions[self._threads.after(wait.after, value)]
        if after.does is Does.BLOCKED:
            waits = isinstance(after.instruction, ir.Assume) and after.instruction.waits
            return Last(load) if waits else None
        return Last(load)

    def _round(self, events: Sequence[Event]) -> Last | None:
        reads = tuple(event for event in events if event.kind is Kind.READ)
        writes = tuple(event for event in events if event.kind is Kind.WRITE)
        if self._deadlock and any(not write.linked for write in writes):
            raise TooManyStates("a loop that writes what is there")
        instruction = next((event.instruction for event in (*reads, *events) if event.instruction), None)
        if instruction is None or (self._deadlock and not reads):
            return None
        return Last(instruction, reads, writes)


def _is_overwritten(graph: Graph, write: Event | None, harmless: set[int]) -> bool:
    """Is there a later write in coherence, but harmless ones?"""
    assert write is not None
    for other in reversed(graph.writes[write.place]):
        if other is write:
            return False
        if id(other) not in harmless:
            return True
    return False
