"""Data races that the code rules out: no two threads access the same data, or only atomically.

Looks at the instructions alone, so that loops of any length cost nothing. Proves, and never refutes: what it
cannot tell from constant addresses it leaves to others. What the first thread does before it starts others
happens before all that these do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from treville.engines.contract import YES, Decision, Engine, GaveUp, Proved, Suitability
from treville.engines.features import OF_MODELS, OF_PROGRAMS, OF_THREADS, Feature
from treville.engines.task import ProgramTask
from treville.models.races import is_about_parts
from treville.programs import ir
from treville.programs.starting import before_threads, bodies_run_once
from treville.records import NamedTuple
from treville.results import Budget

# Their races are conflicts of which one access at least is not atomic, not ordered by happens-before.
_KNOWN = ("rc11", "c11", "imm")
_ATOMIC = "A"

Access: TypeAlias = ir.Load | ir.Store | ir.StoreExclusive | ir.Free


class _Place(NamedTuple):
    """An access in the code of a thread."""

    body: int
    access: Access


class Apart(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "apart"
    supports = OF_THREADS | OF_PROGRAMS | OF_MODELS | {Feature.RACES, Feature.EXCLUSIVES}

    def fits(self, task: ProgramTask) -> Suitability:
        """Is it about races, and are those of the model known?"""
        if Feature.RACES not in task.features or is_about_parts(task.model):
            return Suitability("data races are not asked for")
        return YES if task.model.shipped in _KNOWN else Suitability(f"races of {task.model.name} are its own")

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Look at the code."""
        if may_race(task.program):
            return GaveUp("threads may access the same data")
        return Proved()


def may_race(program: ir.Program) -> bool:
    """May two threads access the same cell at the same time, one of them not atomically?"""
    places = list(_accesses(program))
    plain = [place for place in places if _ATOMIC not in place.access.tags]
    if not plain:
        return False
    if not all(isinstance(place.access.address, ir.Const) for place in places):
        return True
    once = bodies_run_once(program)
    return any(_conflict(one, other, once) for one in plain for other in places)


def _accesses(program: ir.Program) -> Iterator[_Place]:
    """The accesses while there may be several threads."""
    alone = before_threads(program.threads[0])
    for number, body in enumerate(program.bodies):
        for instruction in body.instructions[alone if number == 0 else 0 :]:
            if isinstance(instruction, Access):
                yield _Place(number, instruction)


def _conflict(one: _Place, other: _Place, once: set[int]) -> bool:
    """Do they access the same cell in different threads, and does one write?"""
    if one.body == other.body and one.body in once:
        return False
    if isinstance(one.access, ir.Load) and isinstance(other.access, ir.Load):
        return False
    first, second = _bytes(one.access), _bytes(other.access)
    return first.start < second.stop and second.start < first.stop


def _bytes(access: Access) -> range:
    assert isinstance(access.address, ir.Const)
    bits = 8 if isinstance(access, ir.Free) else access.bits
    return range(access.address.value, access.address.value + max(1, bits // 8))
