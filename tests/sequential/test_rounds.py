"""The engine `rounds` against the store-buffer machine and against formulas, and the C that is written."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.decide.rounds import InRounds
from treville.engines.registry import DECIDE
from treville.engines.task import ProgramTask, RoundBounds, program_task, ready_task
from treville.models.library import load_model
from treville.passes.program import Context, lower
from treville.programs import ir
from treville.programs.c import Unit, read_unit
from treville.questions.sequentialisation import Wanted, sequentialised
from treville.results import Budget
from treville.results.properties import Property
from treville.sequential.dialects import Dialect
from treville.sequential.plan import plan_of
from treville.sequential.rounds import Bounds, Rounds, enough

CELLS = [ir.LOCATION_BASE + place * ir.LOCATION_STRIDE for place in range(2)]
GCC = shutil.which("gcc") or shutil.which("cc")
CBMC = shutil.which("cbmc")


def random_thread(random: Random, name: str) -> ir.Thread:
    """Stores, loads, fences and exchanges; what is read becomes one number."""
    code: list[ir.Instruction] = [ir.Local("seen", ir.Const(0))]
    for number in range(random.randrange(2, 4)):
        address, value = ir.Const(random.choice(CELLS)), ir.Const(random.randrange(1, 3))
        kind = random.choice("WWRRFXO")
        if kind == "W":
            code.append(ir.Store(address, value))
        elif kind == "F":
            code.append(ir.Fence(frozenset({"MFENCE"})))
        elif kind == "O":
            code.append(ir.Fence(frozenset({"EIEIO"})))
        else:
            code.append(ir.Load("got", address, link=kind == "X", index=number + 1))
            if kind == "X":
                code.append(ir.Store(address, value, link=True, index=number + 1))
            shifted = ir.Op("shl", (ir.Reg("seen"), ir.Const(2)), 32)
            code.append(ir.Local("seen", ir.Op("or", (shifted, ir.Reg("got")), 32)))
    return ir.Thread(name, tuple(code))


def random_program(random: Random) -> ir.Program:
    """Two threads that leave what they saw, and a main thread that asserts that it is not some number."""
    locations = {n: ir.Location(n, a) for n, a in zip("xy", CELLS, strict=True)}
    functions: dict[str, ir.Thread] = {}
    wrong: list[ir.Expr] = []
    main: list[ir.Instruction] = []
    for number in range(2):
        kept = ir.LOCATION_BASE + len(locations) * ir.LOCATION_STRIDE
        locations[f"kept{number}"] = ir.Location(f"kept{number}", kept)
        thread = random_thread(random, f"thread{number}")
        left = ir.Store(ir.Const(kept), ir.Reg("seen"))
        functions[thread.name] = ir.Thread(thread.name, (*thread.instructions, left))
        main.append(ir.Spawn(f"t{number}", thread.name, ir.Const(0)))
    main += [ir.Join(ir.Reg(f"t{number}")) for number in range(2)]
    for name in ("kept0", "kept1"):
        main.append(ir.Load(name, ir.Const(locations[name].address)))
        wrong.append(ir.Op("eq", (ir.Reg(name), ir.Const(random.choice((0, 0, 1, 2)))), 32))
    everything = ir.Op("and", (wrong[0], wrong[1]), 8)
    main.append(ir.Assert(ir.Op("lnot", (everything,), 1)))
    return ir.Program((ir.Thread("main", tuple(main)),), locations, functions=functions)


def task_of(program: ir.Program, model: str, rounds: RoundBounds | None = None) -> ProgramTask:
    known = load_model(model)
    lowered = lower(program, Context(known, Property.ASSERTION))
    return ready_task(lowered, known, Property.ASSERTION, 2, Budget(60), rounds=rounds or RoundBounds())


def test_it_answers_as_the_machine_does() -> None:
    """Without numbers every small program gets an answer, and the machine's."""
    random = Random(5)
    found = {"Proved": 0, "Refuted": 0}
    for number in range(45):
        task = task_of(random_program(random), ("sc", "tso", "pso")[number % 3])
        expected, answer = DECIDE["buffers"]().run(task), InRounds().run(task)
        assert type(answer) is type(expected), number
        found[type(answer).__name__] += 1
    assert min(found.values()) >= 5


def test_verdicts_are_monotone_and_the_smallest_bounds_are_the_smallest() -> None:
    random = Random(6)
    seen = 0
    for _ in range(8):
        task = task_of(random_program(random), "tso")
        answer = InRounds().run(task)
        if not isinstance(answer, Refuted):
            continue
        seen += 1
        least = answer.stats["smallest"]
        at = RoundBounds(least["rounds"], least["timestamps"], least["nodes"])
        for more in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
            larger = [
                own + extra for own, extra in zip((at.rounds, at.timestamps, at.nodes), more, strict=True)
            ]
            assert isinstance(InRounds().run(task_of(task.program, "tso", RoundBounds(*larger))), Refuted)
        if at.rounds > 1:
            fewer = RoundBounds(at.rounds - 1, answer.stats["timestamps"], answer.stats["nodes"])
            assert isinstance(InRounds().run(task_of(task.program, "tso", fewer)), GaveUp)
    assert seen >= 2


STORE_BUFFERING = """
#include <pthread.h>
#include <assert.h>
int x, y, a, b;
void *one(void *unused) { x = 1; FENCE a = y; return unused; }
void *two(void *unused) { y = 1; FENCE b = x; return unused; }
int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, one, 0);
    pthread_create(&q, 0, two, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a == 1 || b == 1);
    return 0;
}
"""


def unit_of(folder: Path, fence: str = "") -> Unit:
    path = folder / "buffering.c"
    path.write_text(STORE_BUFFERING)
    return read_unit(path, (f"FENCE={fence}",))


def test_a_bug_that_needs_two_timestamps(tmp_path: Path) -> None:
    task = program_task(unit_of(tmp_path), Context(load_model("tso"), Property.SAFETY))
    program = task.program
    found = {k: type(InRounds().run(task_of(program, "tso", RoundBounds(4, k, 2)))) for k in (1, 2)}
    assert found == {1: GaveUp, 2: Refuted}


def test_bounds_that_are_enough_are_told() -> None:
    program = random_program(Random(1))
    plan = plan_of(task_of(program, "tso").program, "tso", 1, Budget())
    most = enough(plan)
    task = task_of(program, "tso", RoundBounds(most.rounds, most.timestamps, most.nodes))
    assert isinstance(InRounds().run(task), Proved | Refuted)
    if most.rounds > 1:
        less = RoundBounds(most.rounds - 1, most.timestamps, most.nodes)
        assert isinstance(InRounds().run(task_of(program, "tso", less)), GaveUp | Refuted)


def test_formulas_grow_with_rounds_and_not_with_more_than_that() -> None:
    """What an operation costs does not depend on how many there were: twice the rounds, twice the formula."""
    plan = plan_of(task_of(random_program(Random(2)), "tso").program, "tso", 1, Budget())
    sizes = [len(Rounds(plan, Bounds(rounds, 4, 3)).formula.forbidden) for rounds in (4, 8, 16)]
    assert sizes[2] - sizes[1] <= 2.1 * (sizes[1] - sizes[0])


@pytest.mark.skipif(GCC is None, reason="no C compiler")
@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("sma", ["lists", "reference"])
def test_what_is_written_compiles_without_warnings(tmp_path: Path, dialect: Dialect, sma: str) -> None:
    for model in ("sc", "tso", "pso"):
        wanted = Wanted(Bounds(2, 3, 2), 1, 32, dialect, sma)
        made = sequentialised(unit_of(tmp_path), Context(load_model(model), Property.SAFETY), wanted, "sb.c")
        path = tmp_path / "out.c"
        path.write_text(made.text)
        assert GCC is not None
        command = [GCC, "-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "out.o"), str(path)]
        subprocess.run(command, check=True, timeout=60)


def ends_with(program: Path, seed: int) -> int:
    return subprocess.run([program, str(seed)], capture_output=True, check=False).returncode


@pytest.mark.skipif(GCC is None, reason="no C compiler")
def test_plain_c_runs_by_lot_and_the_same_way_each_time(tmp_path: Path) -> None:
    wanted = Wanted(Bounds(2, 3, 2), 1, 32, Dialect.C)
    ends = {}
    for fence in ("", "__sync_synchronize();"):
        unit = unit_of(tmp_path, fence)
        made = sequentialised(unit, Context(load_model("pso"), Property.SAFETY), wanted, "sb.c")
        path, program = tmp_path / "out.c", tmp_path / "out"
        path.write_text(made.text)
        assert GCC is not None
        subprocess.run([GCC, "-o", str(program), str(path)], check=True, timeout=60)
        codes = [ends_with(program, seed) for seed in range(900)]
        assert codes[:50] == [ends_with(program, seed) for seed in range(50)]
        ends[fence] = set(codes)
    assert 1 in ends[""]
    assert 1 not in ends["__sync_synchronize();"]


@pytest.mark.skipif(CBMC is None, reason="no CBMC")
def test_cbmc_says_the_same(tmp_path: Path) -> None:
    for model in ("sc", "tso", "pso"):
        for fence, wrong in (("", model != "sc"), ("__sync_synchronize();", False)):
            context = Context(load_model(model), Property.SAFETY)
            wanted = Wanted(Bounds(2, 2, 2), 1, 32, Dialect.CBMC)
            path = tmp_path / "out.c"
            path.write_text(sequentialised(unit_of(tmp_path, fence), context, wanted, "sb.c").text)
            assert CBMC is not None
            run = subprocess.run(
                [CBMC, "--unwind", "12", str(path)], capture_output=True, timeout=120, check=False
            )
            assert (run.returncode == 10) == wrong
