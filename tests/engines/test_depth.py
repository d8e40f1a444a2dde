"""Deepening: only what was cut is unrolled further."""

from treville.engines.depth import DEEPEST, DEEPEST_IF_CHEAP, Depth
from treville.programs.ir import Branch, Instruction, Program, Stop
from treville.results import Span


def loop(line: int) -> Instruction:
    return Branch("head", span=Span("a.c", line, 1))


def test_only_loops_that_were_cut_get_a_larger_bound() -> None:
    depth = Depth(None)
    assert depth.deepen([loop(3)], given=())
    assert depth.deepen([loop(3), loop(5)], given=())
    assert (depth.bound, depth.recursion, depth.loops) == (1, 1, {("a.c", 3): 4, ("a.c", 5): 2})
    assert depth.deepest == 4


def test_recursion_is_deepened_apart_from_loops() -> None:
    depth = Depth(None)
    assert depth.deepen([Stop(cut=True)], given=())
    assert (depth.bound, depth.recursion, depth.loops) == (1, 2, {})


def test_where_nobody_knows_what_was_cut_everything_is_deepened() -> None:
    depth = Depth(None)
    assert depth.deepen([], given=())
    assert (depth.bound, depth.recursion) == (2, 2)


def test_deepening_ends_and_later_where_it_is_cheap() -> None:
    depth = Depth(None)
    rounds = 0
    while depth.deepen([loop(3)], given=()):
        rounds += 1
    assert (rounds, depth.deepest) == (4, DEEPEST)
    depth.cheap = True
    while depth.deepen([loop(3)], given=()):
        rounds += 1
    assert depth.deepest == DEEPEST_IF_CHEAP


def test_recursion_does_not_go_deeper_because_that_seems_cheap() -> None:
    depth = Depth(None, cheap=True)
    while depth.deepen([Stop(cut=True)], given=()):
        pass
    assert depth.recursion == DEEPEST


def test_a_bound_that_was_asked_for_is_reached_in_one_step_and_not_passed() -> None:
    depth = Depth(7)
    assert depth.bound == 1
    assert depth.deepen([loop(3)], given=())
    assert depth.loops == {("a.c", 3): 7}
    assert not depth.deepen([loop(3)], given=())
    assert depth.deepest == 7


def test_bounds_of_the_user_are_kept() -> None:
    depth = Depth(None)
    assert not depth.deepen([loop(3)], given=[("a.c", 3)])
    program = Program(loop_bounds={("a.c", 3): 9})
    depth.deepen([loop(5)], given=program.loop_bounds)
    assert depth.apply(program).loop_bounds == {("a.c", 3): 9, ("a.c", 5): 2}
