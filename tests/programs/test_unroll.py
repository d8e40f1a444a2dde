"""Unrolling: copies, cuts at the bound, and joining again behind loops."""

from random import Random

import pytest
from tests.seeds import generator

from treville.programs.ir import Branch, Const, Fence, Instruction, Load, Reg, Store, Thread
from treville.programs.unroll import CUT, EXIT, WAIT, Step, Unrolling, unroll

X = Const(0x4000_0000)


def spin_then_store() -> Thread:
    """A loop that reads until it finds zero, then a store."""
    code = (Load("r", X), Branch("again", Reg("r")), Store(X, Const(1)))
    return Thread("P0", code, {"again": 0})


def unrolled(thread: Thread, bound: int, bounds: dict[int, int] | None = None) -> list[Step]:
    return unroll(thread, Unrolling(thread, bound, bounds))


def test_straight_code_is_copied_once_in_order() -> None:
    thread = Thread("P0", (Fence(frozenset()), Fence(frozenset())))
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


def random_thread(choose: Random, length: int) -> Thread:
    """Code that jumps about: forward and backward, into loops and out of them."""
    code: list[Instruction] = [
        Branch(f"L{choose.randrange(length + 1)}", Reg("r") if choose.random() < 0.8 else None)
        if choose.random() < 0.5
        else Fence(frozenset())
        for _ in range(length)
    ]
    return Thread("P0", tuple(code), {f"L{position}": position for position in range(length + 1)})


class Counting:
    """What unrolling means: where a thread is, and how often it jumped back to each target."""

    def __init__(
        self, thread: Thread, bounds: dict[int, int], bound: int, anew: bool, spins: set[int]
    ) -> None:
        self.thread, self.bounds, self.bound, self.anew, self.spins = thread, bounds, bound, anew, spins
        self.end = len(thread.instructions)

    def targets(self, position: int) -> list[int]:
        code = self.thread.instructions[position]
        if not isinstance(code, Branch):
            return [position + 1]
        jump = self.thread.labels[code.target]
        return [jump] if code.condition is None else [jump, position + 1]

    def follow(self, position: int, counts: dict[int, int], target: int) -> dict[int, int] | int:
        """The counts after a jump, or how it ends."""
        if target >= self.end:
            return EXIT
        if target > position:
            return counts
        if position in self.spins:
            return WAIT
        count = counts.get(target, 0) + 1
        if count > self.bounds.get(target, self.bound):
            return CUT
        kept = {h: c for h, c in counts.items() if not (self.anew and target < h <= position)}
        return {**kept, target: count}

    def matters(self, position: int, head: int) -> bool:
        """Can the thread jump back to the head before its count begins anew?"""
        pending, seen = [position], {position}
        while pending:
            at = pending.pop()
            for target in self.targets(at) if at < self.end else []:
                if target == head <= at:
                    return True
                starts_anew = self.anew and target < head <= at
                if not starts_anew and target not in seen:
                    seen.add(target)
                    pending.append(target)
        return False


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("first", range(0, 600, 150))
def test_steps_are_the_states_of_a_thread_that_counts_its_jumps(first: int, anew: bool) -> None:
    """Every step and every edge, also of loops in loops and of jumps into them; and no step too many."""
    for seed in range(first, first + 150):
        choose = generator(seed)
        thread = random_thread(choose, choose.randint(3, 7))
        bounds = {choose.randrange(4): choose.randint(0, 3)} if choose.random() < 0.3 else {}
        spins = {choose.randrange(7)} if choose.random() < 0.2 else set()
        bound = choose.randint(0, 2)
        meaning = Counting(thread, bounds, bound, anew, spins)
        steps = unroll(thread, Unrolling(thread, bound, bounds, anew, spins))
        pending: list[tuple[int, dict[int, int]]] = [(0, {})]
        seen: set[tuple[int, frozenset[tuple[int, int]]]] = set()
        states = set()
        while pending:
            number, counts = pending.pop()
            if (number, frozenset(counts.items())) in seen:
                continue
            seen.add((number, frozenset(counts.items())))
            position = steps[number].position
            kept = {(h, c) for h, c in counts.items() if meaning.matters(position, h)}
            states.add((position, frozenset(kept)))
            targets = meaning.targets(position)
            for (_, leads), target in zip(steps[number].edges, targets, strict=True):
                after = meaning.follow(position, counts, target)
                if isinstance(after, int):
                    assert leads == after, seed
                else:
                    assert leads > number, seed
                    assert steps[leads].position == target, seed
                    pending.append((leads, after))
        assert {number for number, _ in seen} == set(range(len(steps))), seed
        assert len(steps) == len(states), seed
