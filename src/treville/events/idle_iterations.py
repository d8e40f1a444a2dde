"""Iterations of loops that change nothing, and where threads wait: what deadlock and liveness are about.

An iteration of a loop is *idle* if it wrote nothing, or only wrote back what its read-modify-writes had read,
and every register that matters is as it was before the iteration. Leaving idle iterations out gives an
execution of the same program with fewer events, so a thread that would be cut after one needs no larger
bound: it waits. It waits for ever if all that it read in the iteration is never overwritten (O. Lahav et al.,
Making Weak Memory Models Fair, OOPSLA 2021; paper 004, section 4.4, for spin loops).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from treville.events.kinds import READ, WRITE
from treville.events.symbolic_data import Binding, Sources, StaticAccess, StaticEvent, Wait
from treville.events.symbolic_terms import FALSE, TRUE, Both, Choose, Condition, Terms, Value
from treville.programs.flow import defined_register
from treville.programs.ir import Allocate, Free, Instruction, Join, Load, Spawn, StoreExclusive, Thread
from treville.programs.live import is_live, live_names
from treville.records import NamedTuple
from treville.relations import EventId

if TYPE_CHECKING:
    from treville.events.symbolic import State, ThreadWalk
    from treville.programs.unroll import Copy

_NEVER_IDLE = (Allocate, Free, Join, Spawn)
_Left: TypeAlias = dict[EventId, frozenset[Condition]]
WAITING = "COND"  # what waiting for a condition variable does to its mutex


class _Iteration(NamedTuple):
    """What there was when an iteration began: registers, and how many events."""

    registers: dict[str, Binding]
    events: int


class _Known:
    """What holds where a condition does: its `parts`."""

    def __init__(self, terms: Terms, condition: Condition) -> None:
        self.terms = terms
        self.parts = set(terms.conjuncts(condition))
        self.parts |= {part for one in self.parts for part in terms.conjuncts(terms.by_cases(one))}

    def excludes(self, condition: Condition) -> bool:
        """Can the condition not hold, too?"""
        return any(-part in self.parts for part in self.terms.conjuncts(condition))

    def left(self, condition: Condition) -> frozenset[Condition]:
        """What the condition asks for beyond."""
        conditions = self.terms.conditions
        parts = self.terms.conjuncts(condition)
        return frozenset(p for p in parts if p < 0 or not isinstance(conditions[p], Both)) - self.parts

    def value(self, value: Value) -> Value:
        """The value, without cases that are excluded."""
        term = self.terms.values[value]
        if not isinstance(term, Choose):
            return value
        cases = [self.value(each) for case, each in term.cases if not self.excludes(case)]
        return cases[0] if len(set(cases)) == 1 else value


class Iterations:
    """The iterations of the loops of one thread, noted while it is walked."""

    def __init__(self, walk: ThreadWalk, at_end: frozenset[str] = frozenset()) -> None:
        """Registers `at_end` matter when the thread has ended."""
        self.walk = walk
        self.at_end = at_end
        self.terms = walk.terms
        self.heads = {head: index for index, head in enumerate(walk.unrolling.heads)}
        self._started: dict[tuple[int, ...], _Iteration] = {}
        self._live: list[frozenset[str]] | None = None

    def begin(self, copy: Copy, state: State) -> None:
        """Note that the walk is at a copy; where a loop begins, an iteration does."""
        if copy[-1] in self.heads:
            self._started[self._key(copy, copy[-1])] = _Iteration(
                dict(state.registers), len(self.walk.result.events)
            )

    def _key(self, copy: Copy, head: int) -> tuple[int, ...]:
        return (head, *copy[: self.heads[head] + 1])

    def split(self, copy: Copy, head: int, condition: Condition, state: State) -> tuple[Condition, Condition]:
        """The parts of the condition of a backward jump under which the iteration was idle and was not; the
        thread waits under the first."""
        idle = self.idle(copy, head, condition, state)
        waits = self.terms.both(condition, idle)
        if waits != FALSE:
            self.wait(copy, head, waits)
        return waits, self.terms.both(condition, -idle)

    def wait(self, copy: Copy, head: int, condition: Condition) -> None:
        """Note that the thread waits behind the jump."""
        started = self._started.get(self._key(copy, head))
        events = self._events(started.events) if started else []
        reads = tuple(event.number for event in events if event.kind is READ)
        writes = tuple(event.number for event in events if event.kind is WRITE)
        at = self.walk.thread.instructions[copy[-1]]
        self.walk.result.waits.append(Wait(self.walk.index, at, condition, reads, writes))

    def _events(self, first: int) -> list[StaticEvent]:
        """The thread's own events since there were so many."""
        return [event for event in self.walk.result.events[first:] if event.thread == self.walk.index]

    def idle(self, copy: Copy, head: int, condition: Condition, state: State) -> Condition:
        """The condition that the iteration which the jump ends changed nothing, or that it and the one before
        only waited for a condition variable: then what happened between the two waits can be left out."""
        code = self.walk.thread.instructions[head : copy[-1] + 1]
        if any(isinstance(instruction, _NEVER_IDLE) for instruction in code):
            return FALSE
        if opens_late(self.walk.thread, head, copy[-1]):
            return FALSE
        key = self._key(copy, head)
        last, earlier = self._started.get(key), self._started.get((*key[:-1], key[-1] - 1))
        known = _Known(self.terms, condition)
        if last is None or not self._same_registers(last.registers, state.registers, head, known):
            return FALSE
        idle = self._unchanged(self._events(last.events), known, allowed="")
        if idle == TRUE or earlier is None or not any(WAITING in getattr(i, "tags", ()) for i in code):
            return idle
        if not self._same_registers(earlier.registers, last.registers, head, known):
            return idle
        waited = self._unchanged(self._events(earlier.events), known, allowed=WAITING)
        return self.terms.either([idle, waited])

    def _unchanged(self, events: list[StaticEvent], known: _Known, allowed: str) -> Condition:
        """The condition that the writes among events changed nothing; those with the tag `allowed` may, as
        long as all of them are to one place."""
        unchanged = TRUE
        place: Value | None = None
        for event in events:
            if event.kind is not WRITE or not isinstance(event, StaticAccess):
                continue
            if known.excludes(event.guard):
                continue  # it is not executed: a store conditional that fails
            if allowed in event.tags:
                place = event.address if place is None else place
                harmless = self.terms.equal(place, event.address)
            else:
                harmless = self._writes_back(event)
            if harmless == FALSE and event.guard in known.parts:
                return FALSE
            unchanged = self.terms.both(unchanged, self.terms.either([-event.guard, harmless]))
        return unchanged

    def live(self) -> list[frozenset[str]]:
        """For each position of the thread the registers that matter there."""
        if self._live is None:
            self._live = live_names(self.walk.thread, self.at_end)
        return self._live

    def _same_registers(
        self, before: dict[str, Binding], after: dict[str, Binding], head: int, known: _Known
    ) -> bool:
        live = self.live()[head]
        return all(
            self._same(before.get(name), after.get(name), name, known)
            for name in before.keys() | after.keys()
            if is_live(name, live)
        )

    def _same(self, before: Binding | None, after: Binding | None, name: str, known: _Known) -> bool:
        before, after = before or self.walk.absent(name), after or self.walk.absent(name)
        return before == after or self._binding(before, known) == self._binding(after, known)

    def _binding(self, binding: Binding, known: _Known) -> tuple[Value, _Left, _Left]:
        """What a register holds, and what it depends on, as far as that is not known."""
        left = self._sources
        return known.value(binding.value), left(binding.data, known), left(binding.pick, known)

    def _sources(self, sources: Sources, known: _Known) -> _Left:
        """The reads that may count, each with what its condition asks for beyond what is known."""
        guards = {event: self.walk.result.events[event].guard for event in sources}
        return {
            event: known.left(when)
            for event, when in sources.items()
            if not known.excludes(when) and not known.excludes(guards[event])
        }

    def _writes_back(self, write: StaticAccess) -> Condition:
        """The condition that a read-modify-write writes what it read."""
        if len(write.pair) != 1:
            return FALSE
        (number,) = write.pair
        read = self.walk.result.events[number]
        assert isinstance(read, StaticAccess)
        return self.terms.equal(write.value, read.value)


def opens_late(thread: Thread, head: int, last: int) -> bool:
    """Does a round begin with a store conditional, so that the reservation of an earlier one counts?"""
    for instruction in thread.instructions[head : last + 1]:
        if isinstance(instruction, StoreExclusive):
            return True
        if isinstance(instruction, Load) and instruction.exclusive:
            return False
    return False


def all_registers(thread: Thread) -> frozenset[str]:
    """The registers that a thread sets: of a litmus test all of them count in the end."""
    return frozenset(name for i in thread.instructions if (name := defined_register(i)) is not None)


def wait_for_read(walk: ThreadWalk, instruction: Instruction, condition: Condition) -> None:
    """Note that a thread waits until its last read finds something else."""
    own = (e.number for e in reversed(walk.result.events) if e.thread == walk.index and e.kind is READ)
    reads = tuple(islice(own, 1))
    walk.result.waits.append(Wait(walk.index, instruction, condition, reads))
