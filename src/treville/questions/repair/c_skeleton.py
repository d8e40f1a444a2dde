"""The skeleton of a C program, compiled: a program whose instructions know the sites that they belong to.

A site can be used if the compiler made of it what the source promises: an access has the order that is typed
there, and a room for a fence is somewhere in the code. Rooms with nothing between them are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from treville.fences import PLACE
from treville.passes.program import Source
from treville.programs.compile_to import order_of
from treville.programs.edits.c_orders import KernelCall, Ordered
from treville.programs.edits.c_statements import Room
from treville.programs.edits.text import Moved, full_name
from treville.programs.ir import (
    Fence,
    Instruction,
    Load,
    Local,
    Program,
    ReadPrivate,
    Store,
    Thread,
    WritePrivate,
)
from treville.programs.spin import backward_jumps
from treville.questions.repair.applying import applied
from treville.questions.repair.c_sites import Sources
from treville.questions.repair.c_writing import MARK, skeleton
from treville.questions.repair.sites import Assignment, Site, SiteKind, site_of_instruction
from treville.records import dataclass, replace
from treville.results import InputError, Span
from treville.results.defaults import BOUND

Compile: TypeAlias = Callable[[Mapping[str, str]], Source]
_NO_EVENT = (Local, ReadPrivate, WritePrivate)


class Skeleton:
    """The compiled skeleton. `usable` are the sites that can be changed, `refused` says why others cannot."""

    def __init__(self, sources: Sources, compile_with: Compile, mark: str = MARK) -> None:
        self.sources = sources
        self._mark = mark
        self.refused = ""
        self._unit = self._compiled(compile_with)
        self._numbers = {
            (file, *self._moved[file].place(offset)): numbers
            for (file, offset), numbers in sources.at.items()
        }
        self._made: dict[int, tuple[Program, Program]] = {}
        self._own = {full_name(file): file for file in sources.texts}
        self._names: dict[str, str | None] = {}
        self.usable = set(self._usable(self.program(1)))
        self.liked = dict(_liked(self.program(1)))

    def _compiled(self, compile_with: Compile) -> Source:
        """Where marks between statements do not compile, statements are not what they seem."""
        edits = skeleton(self.sources, self._mark)
        rooms = [site for site, each in zip(self.sources.sites, self.sources.written, strict=True)
                 if isinstance(each, Room)]  # fmt: skip
        without = [edit for edit in edits if "treville_place" not in edit.text and edit.text != "}"]
        for kept in (edits, without):
            self._moved = {
                file: Moved(text, [edit for edit in kept if edit.file == file])
                for file, text in self.sources.texts.items()
            }
            try:
                return compile_with({file: moved.after for file, moved in self._moved.items()})
            except InputError as error:
                self.refused = f"no room for fences was found in {rooms[0].span.file}" if rooms else ""
                failure = error
        raise failure

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """The program with sites; see `passes.program.Source`."""
        given = self._unit.program(recursion, signals)
        if id(given) not in self._made:
            self._made[id(given)] = (given, given.rewritten(self._tagged))
        return self._made[id(given)][1]

    # -- which instruction belongs to which site --------------------------------------------------------

    def _tagged(self, thread: Thread) -> Thread:
        return replace(thread, instructions=tuple(map(self._with_site, thread.instructions)))

    def _with_site(self, instruction: Instruction) -> Instruction:
        span = instruction.span
        name = None if span is None else self._name(span.file)
        if span is None or name is None:
            return instruction
        span = replace(span, file=name)
        number = self._number(instruction, span)
        instruction = replace(instruction, span=self._origin(span))
        if number is None or not isinstance(instruction, Load | Store | Fence):
            return instruction
        return replace(instruction, tags=instruction.tags | {self.sources.sites[number].tag})

    def _name(self, file: str) -> str | None:
        """The file of the sources that a span means, whatever it calls it."""
        if file not in self._names:
            self._names[file] = self._own.get(full_name(file))
        return self._names[file]

    def _origin(self, span: Span) -> Span:
        line, column = self._moved[span.file].origin(span.line, span.column)
        return replace(span, line=line, column=column)

    def _number(self, instruction: Instruction, span: Span) -> int | None:
        for number in self._numbers.get((span.file, span.line, span.column), ()):
            if self._belongs(instruction, number):
                return number
        return None

    def _belongs(self, instruction: Instruction, number: int) -> bool:
        site, written = self.sources.sites[number], self.sources.written[number]
        if isinstance(written, KernelCall):
            return isinstance(instruction, Load | Store | Fence) and "Plain" not in instruction.tags
        if site.kind is SiteKind.FENCE:
            return isinstance(instruction, Fence) and PLACE not in instruction.tags
        if not isinstance(instruction, Load | Store) or order_of(instruction.tags) is None:
            return False
        if isinstance(written, Ordered) and written.failure is not None and written.word is not None:
            return instruction.link != (number in self.sources.failing)
        return True

    # -- which sites can be used -----------------------------------------------------------------------

    def _usable(self, program: Program) -> Iterator[int]:
        seen: dict[int, list[Instruction]] = {}
        for instruction in program.instructions():
            number = site_of_instruction(instruction)
            if number is not None:
                seen.setdefault(number, []).append(instruction)
        alike = _alike(program)
        for number, instructions in seen.items():
            site = self.sources.sites[number]
            if site.kind is SiteKind.GAP:
                if alike.get(number, number) == number and _matters(program, site):
                    yield number
            elif site.kind is SiteKind.FENCE or self._has_its_order(number, instructions):
                yield number

    def _has_its_order(self, number: int, instructions: Sequence[Instruction]) -> bool:
        site, written = self.sources.sites[number], self.sources.written[number]
        if isinstance(written, KernelCall):
            return True
        assert isinstance(written, Ordered)
        expected = site.levels[site.present].order
        if written.failure is not None and written.word is not None:
            expected = "RLX" if number in self.sources.failing else "SC"
        return all(order_of(getattr(i, "tags", frozenset())) == expected for i in instructions)


def _alike(program: Program) -> dict[int, int]:
    """Rooms that are always directly one behind the other, by the first of them."""
    beside: Counter[tuple[int, int]] = Counter()
    count: Counter[int] = Counter()
    for body in program.bodies:
        targets = set(body.labels.values())
        last: int | None = None
        for position, instruction in enumerate(body.instructions):
            if position in targets:
                last = None
            if isinstance(instruction, Fence) and PLACE in instruction.tags:
                number = site_of_instruction(instruction)
                assert number is not None
                count[number] += 1
                if last is not None:
                    beside[last, number] += 1
                last = number
            elif not isinstance(instruction, _NO_EVENT):
                last = None
    stands: dict[int, int] = {}
    for (one, other), times in beside.items():
        if times == count[one] == count[other]:
            stands[other] = stands.get(one, one)
    return stands


def _liked(program: Program) -> Iterator[tuple[int, str]]:
    """For each room the fence that people expect there: release before a write, else acquire."""
    for body in program.bodies:
        following = "ACQ"
        for instruction in reversed(body.instructions):
            if isinstance(instruction, Load | Store):
                following = "REL" if isinstance(instruction, Store) else "ACQ"
            elif isinstance(instruction, Fence) and PLACE in instruction.tags:
                number = site_of_instruction(instruction)
                assert number is not None
                yield number, following


def _matters(program: Program, site: Site) -> bool:
    """Are there accesses before and behind a room, in some thread?"""
    return any(_matters_in(body, site.tag) for body in program.bodies)


def _matters_in(body: Thread, tag: str) -> bool:
    code = body.instructions
    places = [k for k, i in enumerate(code) if isinstance(i, Fence) and tag in i.tags]
    if not places:
        return False
    events = [k for k, i in enumerate(code) if isinstance(i, Load | Store)]
    loops = backward_jumps(body)
    return any(
        events and (events[0] < k < events[-1] or any(head <= k <= last for last, head in loops))
        for k in places
    )


@dataclass(frozen=True, slots=True)
class Applied:
    """A source of programs: the skeleton with an assignment."""

    skeleton: Skeleton
    sites: Sequence[Site]
    assignment: Assignment
    marked: bool

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """See `passes.program.Source`."""
        given = self.skeleton.program(recursion, signals)
        marks = self.skeleton.usable if self.marked else frozenset[int]()
        return applied(given, self.sites, self.assignment, marks)


