"""Memory models: where a new event goes in the order of a backward run (sections 2 and 4 of paper 002).

A model has one contract: for the open reads of an event that a new write could feed it lists the *fates* (fed
by the write, before it, or passed by it: their source is a later write), and it places the new event, which
says what pairs enter ghb.

TSO. Coherence can be taken to be the order in which writes are issued, because po, co and rf together are
acyclic. So a read is fed or comes first, and a new write precedes all old ones to its cells.

PSO. The backward run goes through the transitions in the order of issue. A write w that is met can reach
memory after a write x to the same cell that was issued later; its process then did something else in between.

- For every open read of that cell it is decided whether w is its source, comes after the source (and the
  read), or before the source. Sources are events of the order as soon as something is known about them.
- For a read of x that was closed already, w must come before x or after that read. If w is not known to
  follow x it is put before x. Nothing is lost: were x before w in every order, then the end of the chain from
  x to w consists of writes that were issued before w and still pending when x was issued (a read issued
  before x also happens before it), all of them to this one cell, and starts at an open read of the cell or at
  a write that passed it; the fates of w and x at that read tell that w follows x. This needs that plain
  writes to the cell write nothing else together with it; otherwise w and x are left unordered, so that the
  search visits more than can happen, never less.
- An atomic transition is never delayed and precedes all old writes to its cells. So does every write to a
  cell that is not contested (`pending`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Protocol

from treville.parameterised.backward.frontier import CellKey, Growing, ReadKey
from treville.parameterised.backward.pending import contested, late_writers, written_alone
from treville.parameterised.system import System, Term, Transition
from treville.records import NamedTuple


class Access(NamedTuple):
    """What a transition instance does to weak memory: its process, and the cells it reads and writes."""

    actor: int
    transition: Transition
    looks: Iterable[CellKey]
    stores: Iterable[CellKey]


class Fates(NamedTuple):
    """Open reads of written cells: fed by the new write, before it, or passed by it."""

    fed: tuple[Term, ...] = ()
    before: tuple[Term, ...] = ()
    passed: tuple[Term, ...] = ()

    def joined(self, other: Fates) -> Fates:
        """The fates of both."""
        return Fates(self.fed + other.fed, self.before + other.before, self.passed + other.passed)


class MemoryOrder(Protocol):
    """The contract of a memory model."""

    def fates(self, actor: int, reads: list[Term]) -> list[Fates]:
        """What can happen to the reads of one event when the actor's write to their cells is met."""
        ...

    def place(self, growing: Growing, access: Access, fates: Fates) -> bool:
        """Add the event to the order; False when that closes a cycle."""
        ...


def memory_order(system: System) -> MemoryOrder:
    """The order of the system's memory model."""
    return PsoOrder(system) if system.model == "pso" else TsoOrder()


class TsoOrder:
    """Writes of a process in order, and coherence in the order of issue."""

    def fates(self, actor: int, reads: list[Term]) -> list[Fates]:
        """An own read is fed; all others of the event are fed together, or come before the write."""
        own = tuple(term for term in reads if term[2] == actor)
        foreign = tuple(term for term in reads if term[2] != actor)
        if not foreign:
            return [Fates(own)]
        return [Fates(own + foreign), Fates(own, foreign)]

    def place(self, growing: Growing, access: Access, fates: Fates) -> bool:
        """The event precedes what it feeds and all old accesses to its cells."""
        actor, transition = access.actor, access.transition
        earlier = _events(fates.before)
        successors = growing.closed(_events(term for term in fates.fed if term[2] != actor))
        if transition.reads:
            successors |= growing.reads[actor]
            for cell in access.looks:
                successors |= growing.cells.get(cell, 0)
        if transition.writes:
            successors |= growing.writes[actor]
            for cell in access.stores:
                successors |= growing.cells.get(cell, 0)
        if successors & earlier:
            return False
        mask = growing.new_event(successors) if transition.reads else successors
        growing.put_before(earlier, mask)
        growing.reads[actor] |= mask
        if transition.writes:
            growing.writes[actor] |= mask
        _fence(growing, access)
        for cell in access.stores:
            growing.cells[cell] = growing.cells.get(cell, 0) | mask
        return True


class PsoOrder:
    """Writes of a process in order per cell, and coherence by the sources of open reads."""

    def __init__(self, system: System) -> None:
        self.alone = written_alone(system)
        self.writers = late_writers(system)
        self.contested = contested(system)

    def fates(self, actor: int, reads: list[Term]) -> list[Fates]:
        """Every read by itself; an own one cannot come before the write."""
        choices = []
        for term in reads:
            here = ("fed",) if term[2] == actor else ("fed", "before")
            may_pass = term[3] in self.contested and self._may_pass(actor, (term[3], term[4]))
            choices.append((*here, "passed") if may_pass else here)
        found = []
        for picked in product(*choices):
            sorts: dict[str, tuple[Term, ...]] = {"fed": (), "before": (), "passed": ()}
            for term, fate in zip(reads, picked, strict=True):
                sorts[fate] += (term,)
            found.append(Fates(**sorts))
        return found

    def place(self, growing: Growing, access: Access, fates: Fates) -> bool:
        """The event becomes the source of what it feeds; see the module's description."""
        actor, transition = access.actor, access.transition
        if not self._pass(growing, actor, fates):
            return False
        foreign = [term for term in fates.fed if term[2] != actor]
        earlier = _events(fates.before)
        for term in (*fates.before, *fates.fed):
            if term[3] in self.contested:
                earlier |= growing.source(_key(term))
        successors = growing.closed(_events(foreign)) | growing.writes[actor] * transition.writes
        for term in fates.fed:
            if term[3] in self.contested:
                source = growing.source(_key(term))
                successors |= growing.closed(source) & ~source
        for term in fates.passed:
            successors |= growing.closed(growing.source(_key(term)))
        if transition.reads:
            successors |= growing.reads[actor]
            for cell in access.looks:
                for mask in growing.stores.get(cell, ()):
                    successors |= mask
        for cell in access.stores:
            successors |= growing.own.get((actor, cell), 0)
            successors |= self._coherence(growing, cell, earlier, atomic=transition.reads)
        if successors & earlier:
            return False
        mask = growing.new_event(successors) if transition.reads else successors
        growing.put_before(earlier, mask)
        growing.reads[actor] |= mask
        _fence(growing, access)
        # A read of somebody else's write finds all own older writes to the cell in memory.
        written = [(actor, cell) for cell in access.stores] + [(t[2], (t[3], t[4])) for t in foreign]
        for owner, cell in written:
            growing.own[owner, cell] = growing.own.get((owner, cell), 0) | mask
        for cell in access.stores:
            growing.stores.setdefault(cell, set()).add(mask)
        return True

    def _pass(self, growing: Growing, actor: int, fates: Fates) -> bool:
        """Order the sources of passed reads: after fed reads of the cell, and before own reads."""
        for term in fates.passed:
            source = growing.source(_key(term))
            growing.passed |= source
            if term[2] == actor and not growing.put_in_order(source, 1 << term[1]):
                return False
            for other in fates.fed:
                if other[3:] == term[3:] and not growing.put_in_order(1 << other[1], source):
                    return False
        return True

    def _may_pass(self, actor: int, cell: CellKey) -> bool:
        """Can a plain write of another process to the cell reach memory after one of the actor?"""
        name, indices = cell
        return any(at is None or indices[at] != actor for at in self.writers[name])

    def _coherence(self, growing: Growing, cell: CellKey, earlier: int, *, atomic: bool) -> int:
        """What a new write to the cell precedes, because it comes before old writes to it."""
        successors = 0
        if atomic or cell[0] in self.alone or cell[0] not in self.contested:
            for mask in growing.stores.get(cell, ()):
                if atomic or not mask & earlier:
                    successors |= mask
        return successors


def _events(terms: Iterable[Term]) -> int:
    mask = 0
    for term in terms:
        mask |= 1 << term[1]
    return mask


def _key(term: Term) -> ReadKey:
    return term[1], term[2], term[3], term[4]


def _fence(growing: Growing, access: Access) -> None:
    """Older writes are out before a fence, and so before everything that reads from there on."""
    if access.transition.fence:
        growing.writes[access.actor] |= growing.reads[access.actor]
