"""The cells of a program: what each holds at first, and which addresses are inside an object."""

from __future__ import annotations

from treville.machines.buffers.step import NULL_USED, OUTSIDE
from treville.machines.graphs.event import Event, Kind, initial_write
from treville.machines.graphs.graph import Graph
from treville.machines.memories import Memories, initial_memory, slot_of, start_of
from treville.machines.states import TooManyStates
from treville.machines.threads import ARBITRARY
from treville.programs import ir


class Outside(Exception):
    """An access to what is no object."""


class Space:
    """Globals, and the objects that a graph allocates. What is not surely in the life of its object is left
    to others."""

    def __init__(self, program: ir.Program) -> None:
        self.memories = Memories(program)
        self._initial = dict(initial_memory(program))

    def open(self, graph: Graph, address: int) -> None:
        """Give a cell its initial write. Raises `Outside`."""
        if slot_of(address) < self.memories.globals:
            if self.memories.is_outside(self.memories.initial, address):
                raise Outside(NULL_USED if 0 <= address < ir.NULL_PAGE else OUTSIDE)
            if address not in self._initial:
                raise TooManyStates("an access to padding")
            value = self._initial[address]
        else:
            value = self._fresh(graph, address)
        graph.writes[address] = (initial_write(address, value),)

    def _fresh(self, graph: Graph, address: int) -> int:
        start = start_of(address)
        made = graph.objects.get(start)
        if made is None or address - start >= made.value:
            raise Outside(OUTSIDE)
        assert isinstance(made.instruction, ir.Allocate)
        return 0 if made.instruction.zeroed else ARBITRARY

    def allocate(self, graph: Graph, event: Event, thread: int, earlier: int) -> int:
        """Where the object of an allocation begins."""
        start = self.memories.fresh(thread, earlier)
        size = event.place
        if not 0 <= size < ir.LOCATION_STRIDE:
            raise TooManyStates("an allocation that is too large")
        slot = slot_of(start)
        for address in [at for at in graph.writes if slot_of(at) == slot]:
            del graph.writes[address]
            graph.reads.pop(address, None)
        event.place, event.value = start, size
        graph.objects[start] = event
        return start

    def free(self, graph: Graph, event: Event, known: int) -> None:
        """An object ends, after events that are surely before."""
        start = event.place
        if not start:
            return
        made, ends = graph.objects.get(start), event.instruction
        assert isinstance(ends, ir.Free)
        if made is None or start in graph.frees or not (ends.local or _is_of_heap(made)):
            raise TooManyStates("a free of what is perhaps no object")
        for other in graph.order:
            if other.kind in _ACCESSES and start_of(other.place) == start and not other.bit & known:
                raise TooManyStates("an access that is perhaps not before the end of its object")
        graph.frees[start] = event

    def lives(self, graph: Graph, address: int, known: int | None) -> None:
        """Is an object there for an access? With what is surely before, it must be allocated by then."""
        start = start_of(address)
        if start in graph.frees:
            raise TooManyStates("an access that is perhaps not before the end of its object")
        made = graph.objects.get(start)
        if known is not None and made is not None and not made.bit & known and _begins(made):
            raise TooManyStates("an access that is perhaps before its object is allocated")


_ACCESSES = (Kind.READ, Kind.WRITE, Kind.WAIT)


def _is_of_heap(made: Event) -> bool:
    return isinstance(made.instruction, ir.Allocate) and made.instruction.heap


def _begins(made: Event) -> bool:
    return isinstance(made.instruction, ir.Allocate) and made.instruction.begins
