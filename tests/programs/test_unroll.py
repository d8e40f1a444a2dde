"""Unrolling: copies, cuts at the bound, and joining again behind loops."""

from treville.programs.ir import Branch, Const, Fence, Load, Reg, Store, Thread
from treville.programs.unroll import CUT, EXIT, Step, Unrolling, unroll

X = Const(0x4000_0000)


def spin_then_store() -> Thread:
    """A loop that reads until it finds zero, then a store."""
    code = (Load("r", X), Branch("again", Reg("r")), Store(X, Const(1)))
    return Thread("P0", code, {"again": 0})


def unrolled(thread: Thread, bound: int, bounds: dict[int, int] | None = None) -> list[Step]:
    return unroll(thread, Unrolling(thread, bound, bounds))


def test_straight_code_is_copied_once_in_order() -> None:
    thread = Thread("P0", [Fence(frozenset()), Fence(frozenset())])
    steps = [(step.position, step.edges) for step in unrolled(thread, 2)]
    assert steps == [(0, [(None, 1)]), (1, [(None, EXIT)])]


def test_a_backward_jump_is_taken_bound_times_and_then_cut() -> None:
    steps = unrolled(spin_then_store(), 2)
    assert [step.position for step in steps] == [0, 1, 0, 1, 0, 1, 2]
    assert sum(target == CUT for step in steps for _, target in step.edges) == 1


def test_paths_join_behind_a_loop() -> None:
    stores = [step for step in unrolled(spin_then_store(), 5) if step.position == 2]
    assert len(stores) == 1


def test_every_edge_leads_forward() -> None:
    for number, step in enumerate(unrolled(spin_then_store(), 4)):
        assert all(target > number for _, target in step.edges if target >= 0)


def test_jumps_to_one_target_share_the_bound_even_across_nested_loops() -> None:
    code = (Load("a", X), Load("b", X), Branch("inner", Reg("b")), Branch("outer", Reg("a")))
    steps = unrolled(Thread("P0", code, {"outer": 0, "inner": 1}), 1)
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
    assert sum(step.position == 0 for step in unrolled(spin_then_store(), 1, {0: 7})) == 8
