"""Unrolling: copies, cuts at the bound, and joining again behind loops."""

from treville.programs.ir import Branch, Const, Fence, Load, Reg, Store, Thread
from treville.programs.unroll import CUT, EXIT, Step, unroll

X = Const(0x4000_0000)


def spin_then_store() -> Thread:
    """A loop that reads until it finds zero, then a store."""
    thread = Thread("P0", [Load("r", X), Branch("again", Reg("r")), Store(X, Const(1))])
    thread.labels = {"again": 0}
    return thread


def positions(thread: Thread, bound: int) -> list[int]:
    return [step.position for step in unroll(thread, bound).steps]


def test_straight_code_is_copied_once_in_order() -> None:
    thread = Thread("P0", [Fence(frozenset()), Fence(frozenset())])
    unrolled = unroll(thread, 2)
    assert [(step.position, step.edges) for step in unrolled.steps] == [(0, [(None, 1)]), (1, [(None, EXIT)])]
    assert not unrolled.may_be_cut


def test_a_backward_jump_is_taken_bound_times_and_then_cut() -> None:
    unrolled = unroll(spin_then_store(), 2)
    assert sorted(positions(spin_then_store(), 2)) == [0, 0, 0, 1, 1, 1, 2]
    assert sum(target == CUT for step in unrolled.steps for _, target in step.edges) == 1
    assert unrolled.may_be_cut


def test_paths_join_behind_a_loop() -> None:
    stores = [step for step in unroll(spin_then_store(), 5).steps if step.position == 2]
    assert len(stores) == 1


def test_every_edge_leads_forward() -> None:
    for number, step in enumerate(unroll(spin_then_store(), 4).steps):
        assert all(target > number for _, target in step.edges if target >= 0)


def test_jumps_to_one_target_share_the_bound_even_across_nested_loops() -> None:
    thread = Thread("P0", [Load("a", X), Load("b", X), Branch("inner", Reg("b")), Branch("outer", Reg("a"))])
    thread.labels = {"outer": 0, "inner": 1}
    steps = unroll(thread, 1).steps
    inner_jumps = most_jumps(steps, 0, target=1)
    assert inner_jumps == 1, "the inner loop is repeated once in all, not once per outer round"


def most_jumps(steps: list[Step], at: int, target: int) -> int:
    """The largest number of backward jumps to a position on any path."""
    best = 0
    for _, following in steps[at].edges:
        if following >= 0:
            jump = steps[following].position == target and steps[at].position >= target
            best = max(best, most_jumps(steps, following, target) + jump)
    return best


def test_a_loop_can_have_a_bound_of_its_own() -> None:
    assert sum(step.position == 0 for step in unroll(spin_then_store(), 1, {0: 7}).steps) == 8
