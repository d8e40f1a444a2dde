"""A state of the machine in which `main` has returned -> an object of the heap that nobody can free any more.

That is SV-COMP's valid-memtrack: what was allocated is freed, or some pointer leads to it, from a global or
from a thread that still runs, through any number of objects. Locals of `main` are gone by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from treville.machines.memories import slot_of
from treville.machines.states import State, TooManyStates
from treville.machines.threads import Does
from treville.programs import ir
from treville.programs.operators import wrap

if TYPE_CHECKING:
    from treville.machines.buffers.machine import Machine

LEAKED = "a memory leak: the object is not freed, and no pointer to it is left"
_BYTES = 8  # of a pointer
_ON_THE_HEAP = 2  # the bit of an object's note, see `machines.memories`


def leaked(machine: Machine, state: State) -> int | None:
    """The start of a lost object, if there is one, `main` has returned and all that it wrote is in memory."""
    actions = machine.threads.actions
    if any(isinstance(actions[thread].instruction, ir.Stop) for thread in state.threads):
        raise TooManyStates("whether memory is leaked where the program exits")
    if actions[state.threads[0]].does is not Does.END or state.buffers[0].entries:
        return None
    cells = machine.memories.cells[state.memory]
    ended = {-entry.address for buffer in state.buffers for entry in buffer.entries if entry.address < 0}
    held = {
        slot_of(-note): -note
        for note, size in cells.items()
        if note < 0 and size >= 0 and size & _ON_THE_HEAP and -note not in ended
    }
    if not held:
        return None
    found = held.keys() - _reachable(machine, state, cells)
    if found and found - _reachable(machine, state, cells, parts=True) != found:
        raise TooManyStates("whether memory is leaked where pointers are accessed in parts")
    return min((held[slot] for slot in found), default=None)


def _reachable(machine: Machine, state: State, cells: dict[int, int], parts: bool = False) -> set[int]:
    """The slots of the allocated objects that pointers lead to, with `parts` also those in several cells."""
    memories, threads = machine.memories, machine.threads
    contents: dict[int, list[int]] = {}
    for address, value in _numbers({a: v for a, v in cells.items() if a >= 0}, parts):
        contents.setdefault(slot_of(address), []).append(value)
    roots: list[int] = [
        value for slot, values in contents.items() if slot < memories.globals for value in values
    ]
    for thread in state.threads[1:]:
        roots += threads.values(thread)
    roots += [entry.value for buffer in state.buffers for entry in buffer.entries]
    found: set[int] = set()
    pending: Iterable[int] = memories.allocated(roots)
    while new := set(pending) - found:
        found |= new
        pending = memories.allocated([value for slot in new for value in contents.get(slot, ())])
    return found


def _numbers(cells: dict[int, int], parts: bool) -> Iterator[tuple[int, int]]:
    """What may be pointers, with their addresses: the numbers that lie in a cell of their own, with `parts`
    also those that lie in several because they are accessed in parts."""
    for start in cells:
        inside = [address for address in range(start, start + _BYTES) if address in cells]
        if len(inside) == 1:
            yield start, cells[start]
        elif parts and not start % _BYTES:
            places = zip(inside, [*inside[1:], start + _BYTES], strict=True)
            whole = sum((cells[at] % (1 << 8 * (end - at))) << 8 * (at - start) for at, end in places)
            yield start, wrap(whole, 8 * _BYTES)
