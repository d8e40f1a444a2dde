"""The symbolic engine on well-known tests: states, counts, flags, budgets, and the executions themselves."""

from pathlib import Path

import pytest
from tests.asking import encode_executions, symbolic_outcomes
from tests.brute_force import Oracle

from treville.encoding.acyclicity import addresses_of
from treville.enumeration.candidates import enumerate_outcomes
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Branch, Const, Instruction, Load, Op, Reg, Store
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_fields
from treville.programs.litmus.test import CellOf, LitmusTest, RegisterOf
from treville.results import Budget, BudgetExceeded
from treville.solving.back_ends.clasp import Clasp
from treville.solving.observed_states import Observation
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "litmus"

STORE_BUFFERING = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


def states(test: LitmusTest, model: str) -> set[tuple[str, ...]]:
    found = symbolic_outcomes(test, load_model(model), 2, Budget()).states
    return {tuple(value for _, value in state_fields(test, state)) for state in found}


def test_store_buffering_is_seen_under_tso_and_not_under_sc() -> None:
    test = parse(STORE_BUFFERING, "SB.litmus")
    assert states(test, "sc") == {("0", "1"), ("1", "0"), ("1", "1")}
    assert states(test, "tso") == states(test, "sc") | {("0", "0")}


def increments(threads: int) -> LitmusTest:
    program = ProgramDraft()
    x = Const(program.location("x").address)
    count: list[Instruction] = [Load("r", x), Store(x, Op("add", (Reg("r"), Const(1))))]
    program.threads = [ThreadDraft(f"P{i}", list(count)) for i in range(threads)]
    return LitmusTest("increments", "C", program.finished(), observed=(CellOf(x.value, "x"),))


@pytest.mark.parametrize("threads", [2, 3])
def test_racing_increments_lose_updates(threads: int) -> None:
    found = symbolic_outcomes(increments(threads), load_model("sc"), 2, Budget())
    assert set(found.states) == {(number,) for number in range(1, threads + 1)}


def test_counts_are_those_of_the_oracle() -> None:
    for test in (parse(STORE_BUFFERING, "SB.litmus"), increments(2)):
        for name in ("sc", "tso", "power"):
            model = load_model(name)
            counted = symbolic_outcomes(test, model, 2, Budget(), count=True).states
            assert counted == Oracle(test, model, 2).outcomes()


def every_execution_is_consistent(test: LitmusTest, model: Model) -> int:
    encoding = encode_executions(test.program, model, 2, Budget(), False, addresses_of(test.observed))
    reader, observation = ExecutionReader(encoding), Observation(encoding, test)
    counted = 0

    def on_solution(is_true: IsTrue) -> bool:
        nonlocal counted
        counted += 1
        assert evaluate_execution(model, reader.execution(is_true)).consistent
        assert len(observation.state(is_true)) == len(test.observed)
        return True

    Clasp(encoding.formula).enumerate(Budget(), on_solution)
    return counted


def test_executions_read_off_solutions_satisfy_the_model() -> None:
    test = parse(STORE_BUFFERING, "SB.litmus")
    assert every_execution_is_consistent(test, load_model("tso")) == 4
    assert every_execution_is_consistent(increments(3), load_model("power")) > 10


def test_loops_cut_at_the_bound_are_reported() -> None:
    program = ProgramDraft()
    x = Const(program.location("x").address)
    waiter = ThreadDraft("P0", [Load("r", x), Branch("again", Op("eq", (Reg("r"), Const(0))))], {"again": 0})
    program.threads = [waiter, ThreadDraft("P1", [Store(x, Const(1))])]
    test = LitmusTest("wait", "C", program.finished(), observed=(RegisterOf(0, "r", "0:r"),))
    found = symbolic_outcomes(test, load_model("sc"), 2, Budget())
    assert (set(found.states), found.bound_reached) == ({(1,)}, True)


def test_a_spent_budget_ends_the_search() -> None:
    with pytest.raises(BudgetExceeded):
        symbolic_outcomes(increments(3), load_model("sc"), 2, Budget(seconds=0.0))


def test_value_circles_do_not_come_out_of_thin_air() -> None:
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    program.threads = [
        ThreadDraft("P0", [Load("r", x), Store(y, Reg("r"))]),
        ThreadDraft("P1", [Load("r", y), Store(x, Reg("r"))]),
    ]
    free = Model("anything goes")
    test = LitmusTest("LB+datas", "C", program.finished(), observed=(RegisterOf(0, "r", "0:r"),))
    counted = symbolic_outcomes(test, free, 2, Budget(), count=True).states
    # Of the four choices of rf per pair of reads, the cycle is none.
    assert counted == {(0,): Oracle(test, free, 2).outcomes()[(0,)]}


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not here")
def test_large_tests_of_the_corpora_are_fast_enough() -> None:
    known = {
        "AARCH64/dat3m/litmus/AARCH64/ATOM/3.2W+poxxs.litmus": "aarch64",
        "LKMM/dat3m/litmus/LKMM/alias/pointers100.litmus": "lkmm",
    }
    for name, model in known.items():
        path = CORPUS / name
        test = parse(path.read_text(), path.name)
        assert symbolic_outcomes(test, load_model(model), 2, Budget(seconds=60)).states


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("access", [Store(Reg("p"), Const(7)), Load("r", Reg("p"))])
def test_runs_that_follow_a_null_pointer_do_not_count(access: Load | Store, lazy: bool) -> None:
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    program.threads = [ThreadDraft("P0", [Store(y, x)]), ThreadDraft("P1", [Load("p", y), access])]
    test = LitmusTest("null", "C", program.finished(), observed=(RegisterOf(1, "p", "p"),))
    found = symbolic_outcomes(test, load_model("sc"), 2, Budget(), lazy=lazy).states
    assert set(found) == {(x.value,)} == set(enumerate_outcomes(test, load_model("sc"), 2, Budget()).states)
