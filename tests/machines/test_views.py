"""RC11 by the machine with views: the final states of random tests, and programs whose answers are known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.asking import reach_by_states
from tests.machines.test_robustness import message_passing
from tests.random_views import RandomTest
from tests.seeds import conclusive

from treville.machines.states import LimitReached, TooManyStates
from treville.machines.views.search import ViewMachine
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.questions.outcomes import outcomes
from treville.results import Budget

RC11 = load_model("rc11")
RELAXED = frozenset({"RLX", "A"})


def expected(test: RandomTest) -> set[tuple[int, ...]]:
    """The final states by the engine for litmus tests."""
    found = outcomes(test.litmus(), RC11, 2, Budget())
    return {tuple(value for value in state if isinstance(value, int)) for state in found.states}


def compare(seeds: range, ordered: bool, plain: bool, size: int) -> int:
    """How many of the tests have several final states. The machine may do more than the model where accesses
    are seq_cst, but not less; what it shows is never wrong."""
    several = 0
    for seed in seeds:
        test = RandomTest(seed, ordered, plain, size)
        states = expected(test)
        found, allowed = test.ends(RC11, fences=seed % 3 == 0)
        assert allowed <= states <= found, seed
        if not ordered:
            assert found == allowed, seed
        several += len(states) > 1
    return several


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("plain", [False, True])
def test_all_final_states_of_random_tests_are_found(ordered: bool, plain: bool) -> None:
    assert compare(range(25), ordered, plain, 7) > 12


class Fenced(RandomTest):
    """Two cells, relaxed and seq_cst accesses, and a seq_cst fence after most of them."""

    def _instruction(self, thread: ThreadDraft, number: int, step: int, known: list[str]) -> None:
        pick, index = self.rng.choice, step + 1
        address, tags = ir.Const(self.cells[pick((0, 1))]), frozenset({pick(("RLX", "RLX", "SC")), "A"})
        if pick((True, False)):
            thread.instructions.append(ir.Store(address, ir.Const(pick((1, 2))), tags, index=index))
        else:
            known.append(f"r{step}")
            thread.instructions.append(ir.Load(known[-1], address, tags, index=index))
        if self.rng.random() < 0.6:
            thread.instructions.append(ir.Fence(frozenset({"SC"}), index=index))


def test_fences_wake_those_whose_turn_they_change() -> None:
    several = 0
    cases = [(seed, 6) for seed in range(60)]
    cases.append((4906, 6))  # it matters which cells have seq_cst accesses
    cases.append((101584, 7))  # what a fence's thread has only read does not bind a later access
    for seed, size in cases:
        test = Fenced(seed, size=size)
        states = expected(test)
        found, allowed = test.ends(RC11)
        assert allowed <= states <= found, seed
        several += len(states) > 1
    assert conclusive(several > 30)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 500))
@pytest.mark.parametrize("ordered", [False, True])
def test_all_final_states_of_many_random_tests_are_found(first: int, ordered: bool) -> None:
    assert compare(range(first, first + 500), ordered, first % 1000 == 0, 9) > 200


def test_a_message_is_passed_by_release_and_acquire_alone() -> None:
    assert ViewMachine(message_passing("REL", "ACQ")).explore().verdict == "PASS"
    for store, load in (("RLX", "ACQ"), ("REL", "RLX")):
        found = reach_by_states(message_passing(store, load), RC11, Budget(), 1_000)
        assert found is not None
        assert found.execution is not None


def store_buffering(order: str, fence: str = "") -> ir.Program:
    """Two threads that write one cell and read the other; both may not read 0."""
    program = ProgramDraft()
    x, y, seen = (ir.Const(program.location(name).address) for name in ("x", "y", "seen"))
    tags = frozenset({order, "A"})
    between: list[ir.Instruction] = [ir.Fence(frozenset({fence}))] if fence else []
    for name, mine, other in (("one", x, y), ("two", y, x)):
        update = frozenset({"RLX", "A", "RMW"})
        code = [
            ir.Store(mine, ir.Const(1), tags),
            *between,
            ir.Load("r", other, tags),
            ir.Load("s", seen, update, link=True, index=9),
            ir.Store(
                seen,
                ir.Op("add", (ir.Reg("s"), ir.Op("lnot", (ir.Reg("r"),))), 32),
                update,
                link=True,
                index=9,
            ),
        ]
        program.functions[name] = ThreadDraft(name, code)
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"h{name}")) for name in program.functions]
    main += [ir.Load("n", seen, RELAXED), ir.Assert(ir.Op("ne", (ir.Reg("n"), ir.Const(2)), 32))]
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


def test_stores_are_delayed_unless_all_is_seq_cst_or_fences_are_between() -> None:
    for order, fence, verdict in (
        ("RLX", "", "FAIL"),
        ("RLX", "ACQ_REL", "FAIL"),
        ("RLX", "SC", "PASS"),
        ("SC", "", "PASS"),
    ):
        assert ViewMachine(store_buffering(order, fence)).explore().verdict == verdict, (order, fence)


def test_a_search_goes_on_where_it_stopped() -> None:
    machine = ViewMachine(store_buffering("RLX", "SC"), limit=3)
    with pytest.raises(LimitReached):
        machine.explore()
    machine.limit = 1_000
    assert machine.explore().verdict == "PASS"


def test_threads_that_write_on_and_on_are_for_other_engines() -> None:
    program = message_passing("REL", "ACQ")
    flag = ir.Const(program.locations["flag"].address)
    sender = ir.Thread("sender", (ir.Store(flag, ir.Const(1), RELAXED), ir.Branch("again")), {"again": 0})
    receiver = program.functions["receiver"]
    receiver = replace(receiver, instructions=receiver.instructions[:-1])
    program = replace(program, functions={"sender": sender, "receiver": receiver})
    with pytest.raises(TooManyStates):
        ViewMachine(program, limit=2_000).explore()


def test_a_loop_without_end_does_not_keep_others_from_failing() -> None:
    """The sender writes a cell that nobody reads, over and over."""
    program = message_passing("REL", "ACQ")
    place = ir.LOCATION_BASE + ir.LOCATION_STRIDE * len(program.locations)
    other, receiver = ir.Const(place), program.functions["receiver"]
    sender = ir.Thread("sender", (ir.Store(other, ir.Const(1), RELAXED), ir.Branch("again")), {"again": 0})
    receiver = replace(receiver, instructions=(*receiver.instructions, ir.Assert(ir.Const(0))))
    locations = {**program.locations, "other": ir.Location("other", place)}
    program = replace(program, locations=locations, functions={"sender": sender, "receiver": receiver})
    assert ViewMachine(program).explore().verdict == "FAIL"


class Beside(RandomTest):
    """A thread that nobody joins writes a cell that nobody reads, over and over."""

    def program(self, fences: bool, end: tuple[int, ...] | None = None) -> ir.Program:
        """See `RandomTest`."""
        program = super().program(fences, end)
        place = ir.LOCATION_BASE + ir.LOCATION_STRIDE * len(program.locations)
        again = (ir.Store(ir.Const(place), ir.Const(1), RELAXED), ir.Branch("again"))
        (main,) = program.threads
        return replace(
            program,
            locations={**program.locations, "own": ir.Location("own", place)},
            functions={"writer": ir.Thread("writer", again, {"again": 0}), **program.functions},
            threads=(
                replace(main, instructions=(ir.Spawn("w", "writer", ir.Const(0)), *main.instructions)),
            ),
        )


@pytest.mark.parametrize("ordered", [False, True])
def test_a_thread_that_goes_on_and_on_hides_no_state(ordered: bool) -> None:
    for seed in range(12):
        test = Beside(f"beside {seed}", ordered, size=6)
        assert expected(test) <= test.ends(RC11, fences=seed % 3 == 0)[0], seed
