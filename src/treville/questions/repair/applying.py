"""A program whose instructions know their sites, and an assignment -> the program that it makes.

A `marked` program keeps, beside the fences that the assignment chooses, a fence without meaning wherever a
site is: its executions show where other fences would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from treville.fences import PLACE
from treville.programs.compile_to import C11_ORDERS
from treville.programs.ir import Fence, Instruction, Load, Program, Store, StoreExclusive, Thread
from treville.programs.litmus.c.linux import (
    ACQUIRE,
    ONCE,
    RELEASE,
    RMW_TAGS,
    SURROUNDING_MB,
)
from treville.questions.repair.sites import Assignment, Level, Site, SiteKind, site_of_instruction
from treville.records import replace

ARCHITECTURE_ORDERS = frozenset({"A", "Q", "L", "Acq", "Rel", "AcqRel"})
KERNEL = "kernel "
"""How the orders of the kernel's primitives begin: the rest is what their names end with."""
_KERNEL_TAGS = ONCE | ACQUIRE | RELEASE | {"MB"}
_KERNEL_ACCESSES = {"": ONCE, "_relaxed": ONCE, "_acquire": ACQUIRE, "_release": RELEASE}


def applied(
    program: Program, sites: Sequence[Site], assignment: Assignment, marked: AbstractSet[int]
) -> Program:
    """The program with the levels of the assignment; the sites `marked` keep fences without meaning."""
    return program.rewritten(lambda thread: _Applying(sites, assignment, marked).thread(thread))


class _Applying:
    """Rewrites one thread."""

    def __init__(self, sites: Sequence[Site], assignment: Assignment, marked: AbstractSet[int]) -> None:
        self.sites = sites
        self.assignment = assignment
        self.marked = marked

    def thread(self, thread: Thread) -> Thread:
        """Labels stay before what they are before. Fences in gaps are source instructions of their own, so
        all are numbered anew."""
        numbers = _Numbers()
        return thread.rewritten(self._instruction(each, numbers) for each in thread.instructions)

    def _instruction(self, instruction: Instruction, numbers: _Numbers) -> list[Instruction]:
        number = site_of_instruction(instruction)
        if number is None:
            return [numbers.own(instruction)]
        site = self.sites[number]
        level = site.levels[self.assignment[number]]
        if site.kind is SiteKind.ACCESS:
            return [numbers.own(each) for each in at_level(instruction, level)]
        return numbers.new(self._fences(instruction, site, level))

    def _fences(self, instruction: Instruction, site: Site, level: Level) -> list[Instruction]:
        assert isinstance(instruction, Fence)
        kept: list[Instruction] = []
        if site.number in self.marked:
            kept.append(replace(instruction, tags=frozenset({site.tag, PLACE}), text=""))
        if level.tags:
            kept.append(replace(instruction, tags=level.tags, text=level.text))
        return kept


class _Numbers:
    """Numbers of source instructions, in the order in which they come."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._count = -1

    def own(self, instruction: Instruction) -> Instruction:
        """It belongs to the source instruction that it belonged to."""
        if instruction.index != self._last:
            self._last = instruction.index
            self._count += 1
        return instruction if instruction.index == self._count else replace(instruction, index=self._count)

    def new(self, fences: Sequence[Instruction]) -> list[Instruction]:
        """Each is a source instruction of its own."""
        made = []
        for fence in fences:
            self._count += 1
            self._last = None
            made.append(replace(fence, index=self._count))
        return made


# -- accesses ------------------------------------------------------------------------------------------


def at_level(instruction: Instruction, level: Level) -> list[Instruction]:
    """An access (or a barrier that belongs to one) with another order, and the barriers around it."""
    order = level.order
    if order.startswith(KERNEL):
        return _of_the_kernel(instruction, order.removeprefix(KERNEL))
    assert isinstance(instruction, Load | Store | StoreExclusive)
    if order in C11_ORDERS:
        return [replace(instruction, tags=instruction.tags - C11_ORDERS | {order})]
    own = _for_its_half(instruction, order)
    return [replace(instruction, tags=instruction.tags - ARCHITECTURE_ORDERS | own)]


def _for_its_half(instruction: Load | Store | StoreExclusive, order: str) -> frozenset[str]:
    """AArch64 has acquire on reads and release on writes; RISC-V has both on either."""
    wanted = frozenset(order.split())
    if wanted & {"Acq", "Rel", "AcqRel"}:
        return wanted
    return wanted & ({"A", "Q"} if isinstance(instruction, Load) else {"L"})


def _of_the_kernel(instruction: Instruction, order: str) -> list[Instruction]:
    if isinstance(instruction, Fence):
        return []  # a barrier of the full read-modify-write that the source has; it is made again
    assert isinstance(instruction, Load | Store)
    if not instruction.link:
        if "RMW" in instruction.tags:  # one that fails has no order
            return [instruction]
        return [replace(instruction, tags=instruction.tags - _KERNEL_TAGS | _KERNEL_ACCESSES[order])]
    reading, writing = RMW_TAGS[order]
    everything = frozenset().union(*(tags for pair in RMW_TAGS.values() for tags in pair))
    own = reading if isinstance(instruction, Load) else writing
    access = replace(instruction, tags=instruction.tags - everything | own)
    if order:
        return [access]
    full = Fence(SURROUNDING_MB, text=instruction.text, span=instruction.span, index=instruction.index)
    return [full, access] if isinstance(instruction, Load) else [access, full]
