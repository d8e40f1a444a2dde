"""What is compared: a litmus test, or a whole C program. Both become encodings whose solutions have states.

A run of a C program counts when its main function ends or an assertion fails. The state of the first is
the values of all globals, of the second which assertion failed: the program stops there, and what other
threads had done by then is no final state.
"""

from __future__ import annotations

from typing import Protocol

from treville.encoding.acyclicity import Encoding, addresses_of, encode_program, encode_test
from treville.engines.contract import State
from treville.engines.differences.cells import final_cell
from treville.events.execution import Access, Execution
from treville.events.kinds import WRITE
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.models.implied import implies_coherence
from treville.models.model import Model
from treville.passes.bounded import facts_of_program, facts_of_test
from treville.passes.observing import observable_locations
from treville.programs.ir import Assert, Const, Instruction, Program, Stop, Thread
from treville.programs.litmus.states import FinalValue, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.records import dataclass, replace
from treville.results import Budget
from treville.solving.observed_states import Observation
from treville.solving.solution import IsTrue

RETURNED = "main returns"
_ENDING = frozenset({"exit", "_exit", "_Exit", "quick_exit", "abort", "pthread_exit", "thrd_exit"})


class Watch(Protocol):
    """The states of an encoding's solutions. Made before the formula is handed to a solver. `ended` is the
    literal that the program ran to its end."""

    ended: Literal

    def projected(self) -> list[Literal]:
        """The literals that tell states apart."""

    def counts(self, is_true: IsTrue) -> bool:
        """Does the solution stand for a run that counts?"""

    def state(self, is_true: IsTrue) -> State:
        """The state of a solution."""

    def assumptions(self, state: State) -> list[Literal]:
        """What holds exactly in solutions with that state."""


class Subject(Protocol):
    """A program with something to observe."""

    @property
    def program(self) -> Program:
        """The program, or the joint program of two compilations."""

    def encode(self, model: Model, bound: int, budget: Budget) -> Encoding:
        """All executions, whatever the model says about them; it only tells whether coherence holds."""

    def watch(self, encoding: Encoding, *, states: bool) -> Watch:
        """The states of an encoding that `encode` made; without `states` as far as is easy."""


# -- litmus tests ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TestSubject:
    """A litmus test, with the states over what it observes."""

    test: LitmusTest

    @property
    def program(self) -> Program:
        """See `Subject`."""
        return self.test.program

    def encode(self, model: Model, bound: int, budget: Budget) -> Encoding:
        """See `Subject`."""
        observed, coherent = addresses_of(self.test.observed), implies_coherence(model)
        facts = facts_of_test(self.test.program, bound, budget, coherent, observed)
        return encode_test(facts, model, budget, axioms=[])

    def watch(self, encoding: Encoding, *, states: bool) -> Watch:
        """See `Subject`."""
        del states
        return _TestWatch(self.test, encoding)


class _TestWatch:
    def __init__(self, test: LitmusTest, encoding: Encoding) -> None:
        self.ended = TRUE
        self.filter = test.filter
        self.observation = Observation(encoding, test)
        self.literals = [[encoding.final(part) for part in _parts(o)] for o in test.observed]

    def projected(self) -> list[Literal]:
        return self.observation.projected()

    def counts(self, is_true: IsTrue) -> bool:
        return self.filter is None or satisfied(self.filter, lambda o: self.observation.value(o, is_true))

    def state(self, is_true: IsTrue) -> State:
        return self.observation.state(is_true)

    def assumptions(self, state: State) -> list[Literal]:
        return _equalities(self.literals, state)


def _parts(observable: Observable) -> list[RegisterOf | CellOf]:
    if isinstance(observable, ArrayOf):
        return [CellOf(address, observable.shown) for address in observable.addresses]
    return [observable]


def _equalities(literals: list[list[dict[int, Literal]]], state: State) -> list[Literal]:
    found = []
    for parts, value in zip(literals, state, strict=True):
        numbers = value if isinstance(value, tuple) else (value,)
        found += [part.get(number, FALSE) for part, number in zip(parts, numbers, strict=True)]
    return found


# -- whole programs --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProgramSubject:
    """A C program. Its states are (number of the failed assertion,), counted from 1 in `assertions`, or
    (0, values of the globals...)."""

    program: Program
    observed: tuple[Observable, ...]
    assertions: tuple[str, ...]

    def encode(self, model: Model, bound: int, budget: Budget) -> Encoding:
        """See `Subject`. Threads that were cut keep `main` from returning, so such runs do not count."""
        facts = facts_of_program(self.program, bound, budget, implies_coherence(model))
        encoding = encode_program(facts, model, budget, axioms=[])
        for fault in encoding.memory.faults.values():
            encoding.formula.forbid(fault)  # what such a run does is nothing to compare
        return encoding

    def watch(self, encoding: Encoding, *, states: bool) -> Watch:
        """See `Subject`. Values that are too many to list are no obstacle where states do not matter."""
        return _ProgramWatch(self if states else replace(self, observed=()), encoding)

    def final(self, execution: Execution) -> State:
        """The state of an execution in which `main` returned, read off its last writes."""
        initial = _initial_values(self.program)
        overwritten = execution.relations["co"].domain()
        last = {
            e.address: e.value
            for e in execution.events
            if isinstance(e, Access) and e.kind is WRITE and not overwritten >> e.number & 1
        }

        def value(part: CellOf) -> int:
            return last.get(part.address, initial.get(part.address, 0))

        found: list[FinalValue] = [0]
        for observable in self.observed:
            cells = [value(part) for part in _parts(observable) if isinstance(part, CellOf)]
            found.append(tuple(cells) if isinstance(observable, ArrayOf) else cells[0])
        return tuple(found)


def _initial_values(program: Program) -> dict[int, int]:
    found = {}
    for location in program.locations.values():
        for cell, value in enumerate(location.initial):
            found[location.address + cell * location.cell_bytes] = value
        for offset, _, value in location.parts:
            found[location.address + offset] = value
    return found


def program_subject(program: Program) -> ProgramSubject:
    """The subject of a program; `main` gets a mark wherever it ends."""
    observed = tuple(observable_locations(program))
    program = program.rewritten(_ending_at_assertions)
    assertions = sorted({_described(i) for i in program.instructions() if isinstance(i, Assert)})
    marked = replace(program, threads=(_marked(program.threads[0]), *program.threads[1:]))
    return ProgramSubject(marked, observed, tuple(assertions))


def _ending_at_assertions(thread: Thread) -> Thread:
    """A run has one end: it does not go on behind an assertion that fails."""
    code = (replace(i, observes=False) if isinstance(i, Assert) else i for i in thread.instructions)
    return replace(thread, instructions=tuple(code))


def _marked(main: Thread) -> Thread:
    """Main with an assertion that always fails at its end and before each call that ends the program."""
    marked = main.rewritten(map(_with_mark, main.instructions))
    last = 1 + max((instruction.index for instruction in main.instructions), default=0)
    return replace(marked, instructions=(*marked.instructions, Assert(Const(0), RETURNED, index=last)))


def _with_mark(instruction: Instruction) -> list[Instruction]:
    if isinstance(instruction, Stop) and instruction.reason in _ENDING:
        return [Assert(Const(0), RETURNED, index=instruction.index), instruction]
    return [instruction]


def _described(assertion: Assert) -> str:
    if assertion.span is None:
        return assertion.message or assertion.text
    text = assertion.span.line_text.strip() or assertion.message
    return f"{assertion.span.file}:{assertion.span.line}: {text}"


class _ProgramWatch:
    def __init__(self, subject: ProgramSubject, encoding: Encoding) -> None:
        formula = encoding.formula
        returned = formula.either([f for f, a in encoding.failures if _is_mark(a)])
        failures: dict[int, list[Literal]] = {}
        for literal, assertion in encoding.failures:
            if isinstance(assertion, Assert) and not _is_mark(assertion):
                failures.setdefault(subject.assertions.index(_described(assertion)), []).append(literal)
        self.failures = {number + 1: formula.either(found) for number, found in sorted(failures.items())}
        failed = formula.either(self.failures.values())
        self.returned = formula.both(returned, -failed)
        self.ended = formula.either([self.returned, failed])
        self.cells = [
            [final_cell(encoding, part, self.returned) for part in _parts(o) if isinstance(part, CellOf)]
            for o in subject.observed
        ]

    def projected(self) -> list[Literal]:
        values = [literal for cells in self.cells for cell in cells for literal in cell.literals()]
        return [self.returned, *self.failures.values(), *values]

    def counts(self, is_true: IsTrue) -> bool:
        del is_true
        return True

    def state(self, is_true: IsTrue) -> State:
        failed = [number for number, literal in self.failures.items() if is_true(literal)]
        if failed:
            return (failed[0],)
        numbers = [tuple(cell.number(is_true) for cell in cells) for cells in self.cells]
        return (0, *(found if len(found) > 1 else found[0] for found in numbers))

    def assumptions(self, state: State) -> list[Literal]:
        if len(state) == 1 and state[0]:
            return [self.failures.get(int(str(state[0])), FALSE)]
        found = [self.returned]
        for cells, value in zip(self.cells, state[1:], strict=True):
            numbers = value if isinstance(value, tuple) else (value,)
            for cell, number in zip(cells, numbers, strict=True):
                found += cell.holds(number)
        return found


def _is_mark(instruction: object) -> bool:
    return isinstance(instruction, Assert) and instruction.message == RETURNED
