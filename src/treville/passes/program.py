"""A front end's program -> the program that engines are asked about: a list of passes, run in order.

`PROGRAM_PASSES` is the whole list (`treville check --dump passes` prints it, with what each pass changed). It
ends in a verifier, so that a pass which breaks the IR is found here and not as a strange answer. What depends
on the bound of loops as well is in `passes.bounded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeGuard

from treville.models.model import Model
from treville.models.use_after_free import knows_lifetimes
from treville.passes.beginnings import mark_beginnings
from treville.passes.fences import refuse_unknown_fences
from treville.programs.compile_to import KERNEL, LANGUAGE_OF, compile_program, target_of
from treville.programs.ir import Assert, Assume, Const, Instruction, Program, Thread, error_of
from treville.programs.loops import given_bounds
from treville.programs.verify import verify
from treville.records import NamedTuple, dataclass, replace
from treville.results.defaults import BOUND
from treville.results.properties import Error, Property


@dataclass(frozen=True, slots=True)
class Context:
    """What passes may depend on. Without a `property` the question is for final states. `dialect` is that of
    a litmus test, empty for a whole program; `compile_to` an architecture to compile for instead of the
    model's own; `loops` are bounds of single loops."""

    model: Model
    property: Property | None
    dialect: str = ""
    compile_to: str = ""
    loops: tuple[str, ...] = ()

    def target(self) -> str:
        """The architecture that the program is compiled for."""
        return self.compile_to or target_of(self.model.shipped, self.model.base_names())


class ProgramPass(NamedTuple):
    """A name, what it does in half a sentence, and how."""

    name: str
    does: str
    run: Callable[[Program, Context], Program]


class Applied(NamedTuple):
    """A pass and the program after it."""

    applied: ProgramPass
    program: Program


def lower(program: Program, context: Context) -> Program:
    """The program after all passes."""
    for step in steps(program, context):
        program = step.program
    return program


def steps(program: Program, context: Context) -> Iterator[Applied]:
    """The program after each pass in turn."""
    for each in PROGRAM_PASSES:
        program = each.run(program, context)
        yield Applied(each, program)


# -- the passes ------------------------------------------------------------------------------------------


def _bound_loops(program: Program, context: Context) -> Program:
    if not context.loops:
        return program
    return replace(program, loop_bounds={**program.loop_bounds, **given_bounds(program, context.loops)})


def _failures_in_question(program: Program, context: Context) -> Program:
    if context.property is None:
        return program
    if context.property.is_about_failures:
        return without_assertions(program, context.property.errors)
    return _rewritten(program, lambda i: _going_on(i) if _is_passed(i) else i)


def without_assertions(program: Program, kept: frozenset[Error] = frozenset()) -> Program:
    """The program where a run simply ends at an assertion that does not hold, but for some errors."""

    def ends(instruction: Instruction) -> Instruction:
        if not isinstance(instruction, Assert) or error_of(instruction) in kept:
            return instruction
        if _is_passed(instruction):
            return _going_on(instruction)
        return Assume(instruction.condition, span=instruction.span, text=instruction.text)

    return _rewritten(program, ends)


def _is_passed(instruction: Instruction) -> TypeGuard[Assert]:
    return isinstance(instruction, Assert) and (instruction.observes or not instruction.fatal)


def _going_on(instruction: Assert) -> Assume:
    """What a run does at an error that is not fatal, where nobody asks for it."""
    return Assume(Const(1), span=instruction.span, text=instruction.text)


def _rewritten(program: Program, change: Callable[[Instruction], Instruction]) -> Program:
    """The program with other instructions in their places, itself where none changes."""
    if all(change(instruction) is instruction for instruction in program.instructions()):
        return program

    def rewritten(thread: Thread) -> Thread:
        return replace(thread, instructions=tuple(map(change, thread.instructions)))

    return program.rewritten(rewritten)


def map_to_architecture(program: Program, context: Context) -> Program:
    """The program as compiled for the model's architecture."""
    target = context.target()
    if context.dialect and context.dialect not in LANGUAGE_OF:
        return program  # tests in assembly are what they are
    if context.dialect == "LKMM" and target == KERNEL:
        # its own model knows all that the test says, but for `?:`
        return program.rewritten(lambda thread: replace(thread, selects_pick=False))
    return compile_program(program, target)


def _refuse_unknown_fences(program: Program, context: Context) -> Program:
    refuse_unknown_fences(program, context.dialect, context.model)
    return program


def _mark_beginnings(program: Program, context: Context) -> Program:
    asked = context.property is not None and Error.ACCESS in context.property.errors
    return mark_beginnings(program) if asked and knows_lifetimes(context.model) else program


def _verify(program: Program, _context: Context) -> Program:
    verify(program)
    return program


PROGRAM_PASSES = (
    ProgramPass("loop bounds", "gives single loops bounds of their own (--loop)", _bound_loops),
    ProgramPass("failures", "ends runs at failures that the property is not about", _failures_in_question),
    ProgramPass("mapping", "compiles C11 and kernel accesses for the architecture", map_to_architecture),
    ProgramPass("fences", "refuses fences and orders that the model does not know", _refuse_unknown_fences),
    ProgramPass("beginnings", "marks objects that are handed on without an order", _mark_beginnings),
    ProgramPass("verifier", "checks that the result is well formed", _verify),
)


# -- programs that recursion makes larger ------------------------------------------------------------------


class Source(Protocol):
    """What a front end made of a file."""

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """Its program, with recursion inlined that many times. With `signals` condition variables wake up
        only when signalled, else at any time."""


class Lowering:
    """A file's program after all passes, for any depth of recursion."""

    def __init__(self, source: Source, context: Context) -> None:
        self.source = source
        self.context = context
        self._lowered: dict[int, tuple[Program, Program]] = {}  # by identity of what was given

    def program(self, recursion: int) -> Program:
        """The program with recursion inlined that many times."""
        goal = self.context.property
        given = self.source.program(recursion, goal is not None and goal.is_about_waiting)
        if id(given) not in self._lowered:
            self._lowered[id(given)] = (given, lower(given, self.context))
        return self._lowered[id(given)][1]


@dataclass(frozen=True, slots=True)
class Ready:
    """A program that is there already, whatever the depth of recursion: a source without a front end."""

    ready: Program

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """See `Source`."""
        del recursion, signals
        return self.ready
