"""A program and a bound -> its threads as lists of steps: what the lazy schema of paper 001 runs in rounds.

Loops are unrolled and functions inlined, so a step is executed at most once, where its guard holds. What a
thread computes between two steps nobody else sees. A step that is `glued` follows the one before it in the
same turn: the parts of read-modify-writes and of atomic blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from math import inf
from typing import TypeAlias

from treville.analysis.alias_names import FLOW, Alias
from treville.analysis.facts import Facts, located_facts
from treville.analysis.values import analyse_values
from treville.events.kinds import FENCE, READ
from treville.events.symbolic import NO_BLOCK, StaticAccess, StaticEvent, SymbolicProgram
from treville.events.symbolic_data import Mark, MarkKind
from treville.events.symbolic_terms import Condition
from treville.events.symbolic_whole import whole_program
from treville.fences import orders
from treville.passes.bounded import MOST_NUMBERS
from treville.passes.fresh_memory import UNSET, FreshCells
from treville.passes.lifetimes import with_ends_of_cells
from treville.programs.ir import (
    FREED,
    LOCATION_BASE,
    LOCATION_STRIDE,
    Instruction,
    Load,
    Program,
    Store,
)
from treville.records import dataclass, replace
from treville.relations import EventId
from treville.results import Budget


class Does(Enum):
    """What a step does."""

    READ = "read"
    WRITE = "write"  # pending at first
    WRITE_NOW = "write now"  # in memory at once
    FLUSH = "flush"  # all that is pending gets to memory
    ORDER = "order"  # later writes stay behind earlier ones
    JOIN = "join"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step of a thread. Accesses go to one of `cells`; a join waits for one of `threads`. `flushes`: what
    is pending gets to memory first (of the thread, of the one that is joined)."""

    does: Does
    thread: int
    guard: Condition
    instruction: Instruction
    access: StaticAccess | None = None
    cells: tuple[int, ...] = ()
    flushes: bool = False
    glued: bool = False
    mark: Mark | None = None
    threads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadPlan:
    """The steps of a thread; it is started after so many steps of another one."""

    name: str
    steps: tuple[Step, ...]
    parent: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run in rounds: `listed` are the addresses of the locations that have lists of writes, `plain`
    those where no write is ever pending. `marks` lists what happens between steps, each with the number of
    steps of its thread that come before."""

    facts: Facts
    model: str
    threads: tuple[ThreadPlan, ...]
    listed: tuple[int, ...]
    plain: tuple[int, ...]
    marks: tuple[tuple[Mark, int], ...]

    @property
    def symbolic(self) -> SymbolicProgram:
        """Events, guards and terms."""
        return self.facts.symbolic

    @property
    def cells(self) -> tuple[int, ...]:
        """All locations."""
        return self.listed + self.plain

    def writes(self) -> list[Step]:
        """The writes that may be pending."""
        return [step for thread in self.threads for step in thread.steps if step.does is Does.WRITE]


def plan_of(program: Program, model: str, bound: int, budget: Budget, alias: Alias = FLOW) -> Plan:
    """The threads of a program whose loops are cut at the bound, for `sc`, `tso` or `pso`."""
    facts = _facts(program, bound, budget, alias)
    symbolic = facts.symbolic
    live = [event for event in symbolic.events if facts.live >> event.number & 1]
    draft = _Draft(facts, model, live)
    marks = list(enumerate(symbolic.marks))
    steps, places = [], []
    for thread in range(len(symbolic.thread_names)):
        made = draft.steps(thread)
        steps.append([step for _, step in made])
        places.append([place for place, _ in made])

    def before(number: int, mark: Mark) -> int:
        """How many steps of its thread come before a mark."""
        return sum(place < (mark.at, number) for place in places[mark.thread])

    started = {mark.value: (mark.thread, before(number, mark)) for number, mark in marks
               if mark.kind is MarkKind.SPAWN}  # fmt: skip
    plans = [
        ThreadPlan(name, tuple(steps[thread]), *started.get(symbolic.terms.constant(thread), (0, 0)))
        for thread, name in enumerate(symbolic.thread_names)
    ]
    cells = {cell for own in steps for step in own for cell in step.cells}
    pending = {cell for own in steps for step in own if step.does is Does.WRITE for cell in step.cells}
    between = tuple((mark, before(number, mark)) for number, mark in marks)
    return Plan(facts, model, tuple(plans), tuple(sorted(pending)), tuple(sorted(cells - pending)), between)


def _facts(program: Program, bound: int, budget: Budget, alias: Alias) -> Facts:
    with budget.stage("events"):
        symbolic = whole_program(program, bound)
    budget.check()
    with budget.stage("values"):
        values = analyse_values(symbolic, True, most=MOST_NUMBERS)
        split = with_ends_of_cells(symbolic, values) if symbolic.frees else None
        if split is not None:
            symbolic = whole_program(split, bound)
            values = analyse_values(symbolic, True, most=MOST_NUMBERS)
        facts = located_facts(symbolic, values, alias)
    budget.check()
    return facts


# Where a step is: after so many events of the program, and after so many of the marks that are there.
Place: TypeAlias = tuple[int, float]


class _Draft:
    """Makes the steps of threads."""

    def __init__(self, facts: Facts, model: str, live: Sequence[StaticEvent]) -> None:
        self.facts, self.model, self.live = facts, model, live
        self.terms = facts.symbolic.terms
        self.blocks: dict[int, list[Condition]] = {}
        for event in live:
            if event.block != NO_BLOCK:
                self.blocks.setdefault(event.block, []).append(event.guard)

    def steps(self, thread: int) -> list[tuple[Place, Step]]:
        """The steps of a thread, and where they are."""
        found: list[tuple[Place, StaticEvent | Mark]] = [
            ((event.number, inf), event) for event in self.live if event.thread == thread
        ]
        for number, mark in enumerate(self.facts.symbolic.marks):
            possible = mark.kind is MarkKind.JOIN and self.facts.values.possible(mark.condition)
            if possible and mark.thread == thread:
                found.append(((mark.at, number), mark))
        made: list[tuple[Place, Step]] = []
        block = NO_BLOCK
        for place, one in sorted(found, key=lambda item: item[0]):
            if isinstance(one, Mark):
                made.append((place, self._join(one)))
                continue
            made += [(place, step) for step in self._of_event(one, one.block == block != NO_BLOCK)]
            block = one.block
        return self._without_idle(self._fenced(made))

    def _without_idle(self, made: Sequence[tuple[Place, Step]]) -> list[tuple[Place, Step]]:
        """The steps without fences where nothing can be pending."""
        steps = [step for _, step in made]
        kept: list[tuple[Place, Step]] = []
        dropped = False
        for number, (place, step) in enumerate(made):
            idle = self._is_idle(steps, number)
            if step.does in (Does.FLUSH, Does.ORDER) and idle:
                dropped = True
                continue
            flushes = step.flushes and (step.does is Does.JOIN or not idle)
            kept.append((place, replace(step, glued=step.glued and not dropped, flushes=flushes)))
            dropped = False
        return kept

    def _fenced(self, made: Sequence[tuple[Place, Step]]) -> list[tuple[Place, Step]]:
        """A write and a fence right behind it: nobody can tell whether it was pending in between."""
        kept: list[tuple[Place, Step]] = []
        for place, step in made:
            last = kept[-1][1] if kept else None
            fence = step.does is Does.FLUSH and last is not None and last.does is Does.WRITE
            if fence and last is not None and step.guard == last.guard:
                kept[-1] = (kept[-1][0], replace(last, does=Does.WRITE_NOW, flushes=True))
            else:
                kept.append((place, step))
        return kept

    def _join(self, mark: Mark) -> Step:
        assert mark.value is not None
        threads = range(1, len(self.facts.symbolic.thread_names))
        numbers = sorted(self.facts.values.listed(mark.value).intersection(threads))
        return Step(
            Does.JOIN, mark.thread, mark.condition, mark.instruction, mark=mark, threads=tuple(numbers),
            flushes=self.model != "sc",
        )  # fmt: skip

    def _of_event(self, event: StaticEvent, inside: bool) -> Iterator[Step]:
        """The steps of an event; `inside`: it is not the first one of its atomic block."""
        begins = event.block != NO_BLOCK and not inside
        if begins and self.model != "sc":
            guard = self.terms.either(self.blocks[event.block])
            yield Step(Does.FLUSH, event.thread, guard, event.instruction)
        if event.kind is FENCE:
            does = self._fence(event)
            if does is not None and event.block == NO_BLOCK:
                yield Step(does, event.thread, event.guard, event.instruction)
            return
        assert isinstance(event, StaticAccess)
        linked = isinstance(event.instruction, Load) and event.instruction.link
        glued = inside or (begins and self.model != "sc") or bool(event.pair)
        fresh = UNSET in event.tags  # what memory holds before anybody can get at it
        direct = self.model == "sc" or event.block != NO_BLOCK or bool(event.pair) or fresh
        does = Does.READ if event.kind is READ else Does.WRITE_NOW if direct else Does.WRITE
        cells = tuple(sorted(self.facts.accessed[event.number]))
        flushes = linked and self.model != "sc" and event.block == NO_BLOCK
        yield Step(does, event.thread, event.guard, event.instruction, event, cells, flushes, glued)

    def _fence(self, event: StaticEvent) -> Does | None:
        if self.model == "sc":
            return None
        if orders(event.tags, "W", "R"):
            return Does.FLUSH
        stores = orders(event.tags, "W", "W") or "MEMBAR.SS" in event.tags
        return Does.ORDER if stores and self.model == "pso" else None

    def _is_idle(self, steps: Sequence[Step], place: int) -> bool:
        """Is it a fence where nothing can be pending: is there, between it and every write before it, another
        one that is executed whenever it is?"""
        step = steps[place]
        implied = set(self.terms.conjuncts(step.guard))
        for earlier in reversed(steps[:place]):
            if earlier.does is Does.WRITE:
                return False
            flushes = earlier.does is Does.FLUSH or (earlier.flushes and earlier.does is not Does.JOIN)
            if flushes and (earlier.guard in implied or self.facts.values.certain(earlier.guard)):
                return True
        return True


def largest(plan: Plan, timestamps: int, nodes: int) -> int:
    """The largest number that an abstraction counts to: times, nodes, threads, locations, fences between
    writes."""
    orders = sum(step.does is Does.ORDER for thread in plan.threads for step in thread.steps)
    return max(timestamps, nodes + 1, len(plan.threads), len(plan.cells), orders + 1)


def ends(step: Step) -> bool:
    """Does the step end an object?"""
    return step.access is not None and FREED in step.access.tags


def reads_of(plan: Plan) -> dict[EventId, Step]:
    """The steps that read, by their events."""
    return {
        step.access.number: step
        for thread in plan.threads
        for step in thread.steps
        if step.does is Does.READ and step.access is not None
    }


def moved_unset(plan: Plan) -> FreshCells:
    """The cells of fresh memory that may be moved before anybody wrote to them: nobody looks at what they
    hold there, but somebody may later."""
    steps = [step for thread in plan.threads for step in thread.steps]
    unset = plan.symbolic.unset
    cells: dict[int, dict[int, int]] = {}
    for step in steps:
        load = step.instruction
        if not isinstance(load, Load) or not load.blind or load.zeroed:
            continue
        for cell in step.cells:
            offset = (cell - LOCATION_BASE) % LOCATION_STRIDE
            if cell - offset in unset:
                bits = [
                    other.instruction.bits
                    for other in steps
                    if cell in other.cells and isinstance(other.instruction, Load | Store)
                ]
                cells.setdefault(id(unset[cell - offset]), {})[offset] = max(bits)
    return cells
