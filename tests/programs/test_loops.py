"""Loops by the lines that people see, and bounds for single ones."""

from dataclasses import replace

import pytest

from treville.events.symbolic_whole import whole_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Branch, Const, Load, Program, Reg, Store
from treville.programs.loops import given_bounds, loops_of
from treville.results import InputError, Span

X = Const(0x4000_0000)


def two_loops() -> Program:
    """Two loops that write until they read zero, in lines 3 and 7 of a.c."""
    thread = ThreadDraft("main")
    for line in (3, 7):
        thread.labels[f"head{line}"] = len(thread.instructions)
        back = Branch(f"head{line}", Reg("r"), span=Span("sources/a.c", line, 1))
        thread.instructions += [Load("r", X), Store(X, Const(line)), back]
    program = ProgramDraft([thread])
    program.location("x")
    return program.finished()


def writes(program: Program, value: int) -> int:
    """How many writes of the value the unrolled program has."""
    symbolic = whole_program(program, 2)
    found = [event.value for event in symbolic.writes()]
    return found.count(symbolic.terms.constant(value))


def test_loops_are_listed_with_their_places() -> None:
    assert [(loop.head, loop.jump, loop.place) for loop in loops_of(two_loops())] == [
        (0, 2, ("sources/a.c", 3)),
        (3, 5, ("sources/a.c", 7)),
    ]


@pytest.mark.parametrize("given", ["7=5", "a.c:7=5", "sources/a.c:7=5"])
def test_a_bound_is_for_the_loop_in_its_line_only(given: str) -> None:
    program = two_loops()
    program = replace(program, loop_bounds=given_bounds(program, [given]))
    assert (writes(program, 3), writes(program, 7)) == (3, 6)


@pytest.mark.parametrize("given", ["4=2", "b.c:3=2", "other/a.c:3=2"])
def test_a_line_without_a_loop_is_refused_with_those_that_have_one(given: str) -> None:
    with pytest.raises(InputError, match="no loop in line") as caught:
        given_bounds(two_loops(), [given])
    assert "sources/a.c:3, sources/a.c:7" in (caught.value.hint or "")


@pytest.mark.parametrize("given", ["3", "3=0", "3=x", "=2", "a.c=2", "3=-1", "x=1"])
def test_what_is_no_bound_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="is not a bound of a loop"):
        given_bounds(two_loops(), [given])
