"""The engine `rounds` against the store-buffer machine: verdicts, bounds that are enough, smallest bounds."""

from __future__ import annotations

from itertools import permutations, product
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
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.questions.reachability import condition_in_rounds
from treville.records import replace
from treville.results import Budget
from treville.results.properties import Property
from treville.sequential.plan import plan_of
from treville.sequential.rounds import Bounds, Rounds, enough, enough_rounds

CELLS = [ir.LOCATION_BASE + place * ir.LOCATION_STRIDE for place in range(2)]
ROOT = Path(__file__).resolve().parents[2]


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


def test_the_smallest_bounds_are_the_smallest() -> None:
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
        assert isinstance(InRounds().run(task_of(task.program, "tso", at)), Refuted)
        if at.rounds > 1:
            fewer = RoundBounds(at.rounds - 1, answer.stats["timestamps"], answer.stats["nodes"])
            assert isinstance(InRounds().run(task_of(task.program, "tso", fewer)), GaveUp)
    assert seen >= 2


def test_verdicts_are_monotone_in_all_bounds_at_once() -> None:
    """What goes wrong within some bounds goes wrong within all that are no smaller."""
    random, needed = Random(6), set[tuple[int, ...]]()
    while len(needed) < 3:
        task = task_of(random_program(random), "pso")
        grid = list(product((1, 2, 3), (1, 2, 3), (2, 3)))
        if not isinstance(InRounds().run(replace(task, rounds=RoundBounds(*grid[-1]))), Refuted):
            continue
        wrong = {
            at for at in grid if isinstance(InRounds().run(replace(task, rounds=RoundBounds(*at))), Refuted)
        }
        for at, other in product(wrong, grid):
            assert other in wrong or any(own < less for own, less in zip(other, at, strict=True)), (at, other)
        needed.add(min(wrong))


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


def c_task(file: str, defines: tuple[str, ...], model: str, bound: int, at: RoundBounds) -> ProgramTask:
    unit = read_unit(ROOT / "tests/c/safe" / file, defines)
    return program_task(unit, Context(load_model(model), Property.SAFETY), bound, Budget(120), rounds=at)


def test_a_bug_that_needs_a_deeper_loop_stays_at_deeper_ones(tmp_path: Path) -> None:
    path = tmp_path / "loop.c"
    path.write_text(
        "#include <assert.h>\n_Bool __VERIFIER_nondet_bool(void);\nint x;\n"
        "int main(void) { while (__VERIFIER_nondet_bool()) x++; assert(x < 3); return 0; }\n"
    )
    context, found = Context(load_model("tso"), Property.SAFETY), []
    for bound in (1, 2, 3, 4):
        task = program_task(read_unit(path), context, bound, Budget(60), rounds=RoundBounds(1, 1, 2))
        found.append(type(InRounds().run(task)))
    assert found[0] is GaveUp
    assert found == sorted(found, key=[GaveUp, Refuted].index)
    assert found[-1] is Refuted


@pytest.mark.parametrize(
    ("defines", "expected"),
    [((), Proved), (("TRUSTING",), Refuted), (("TRUSTING", "ZEROED"), Proved), (("EARLY",), Refuted)],
)
@pytest.mark.parametrize("model", ["sc", "pso"])
def test_fresh_memory_that_is_moved_holds_any_number(
    model: str, defines: tuple[str, ...], expected: type
) -> None:
    task = c_task("fresh_memory.c", defines, model, 1, RoundBounds())
    assert type(InRounds().run(task)) is expected


COPIES = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct pair { int first, second; };
struct guarded { pthread_mutex_t mutex; int value; } *guarded;
struct pair shared;
void *add(void *unused) {
    struct pair pair;
    pair.first = 1;
    SECOND
    pthread_mutex_lock(&guarded->mutex);
    guarded->value++;
    shared = pair;
    pthread_mutex_unlock(&guarded->mutex);
    return unused;
}
int main(void) {
    pthread_t thread;
    guarded = malloc(sizeof *guarded);
    guarded->value = 0;
    pthread_mutex_init(&guarded->mutex, 0);
    AGAIN
    pthread_create(&thread, 0, add, 0);
    pthread_join(thread, 0);
    assert(guarded->value == 1 && shared.first == 1);
    LOOK
    return 0;
}
"""


@pytest.mark.parametrize(
    ("defines", "expected"),
    [
        (("SECOND=", "AGAIN=", "LOOK="), Proved),
        (("SECOND=", "AGAIN=", "LOOK=assert(shared.second == shared.second);"), GaveUp),
        (("SECOND=pair.second=3;", "AGAIN=", "LOOK=assert(shared.second == 4);"), Refuted),
        (("SECOND=", "AGAIN=pthread_mutex_init(&guarded->mutex, 0);", "LOOK="), Refuted),
    ],
)
def test_copies_of_what_nobody_set(tmp_path: Path, defines: tuple[str, ...], expected: type) -> None:
    """To move them is no error, to look at them is one that no machine tells of. A lock in fresh memory is
    asked whether anybody initialised it."""
    path = tmp_path / "copies.c"
    path.write_text(COPIES)
    task = program_task(read_unit(path, defines), Context(load_model("sc"), Property.SAFETY))
    assert type(InRounds().run(task)) is expected


FREED_MEANWHILE = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *shared;
atomic_int written;
void *one(void *unused) {
    *shared = 1;
    atomic_store_explicit(&written, 1, ORDER);
    return unused;
}
int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, 0, one, 0);
    if (atomic_load_explicit(&written, memory_order_relaxed))
        free(shared);
    pthread_join(thread, 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("model", "order", "expected"),
    [("tso", "relaxed", Proved), ("pso", "release", Proved), ("pso", "relaxed", GaveUp)],
)
def test_a_write_that_is_pending_when_its_object_is_freed(
    tmp_path: Path, model: str, order: str, expected: type
) -> None:
    """It gets to memory that is no more, which no machine follows; but it is no proof."""
    path = tmp_path / "freed.c"
    path.write_text(FREED_MEANWHILE)
    unit = read_unit(path, (f"ORDER=memory_order_{order}",))
    task = program_task(unit, Context(load_model(model), Property.SAFETY))
    assert type(InRounds().run(task)) is expected


def test_bounds_beyond_what_is_enough_cost_nothing(tmp_path: Path) -> None:
    task = program_task(unit_of(tmp_path), Context(load_model("sc"), Property.SAFETY))
    most = enough(plan_of(task.program, "sc", 1, Budget()))
    answer = InRounds().run(replace(task, rounds=RoundBounds(10**6, 10**6, 10**6)))
    assert isinstance(answer, Proved)
    assert answer.stats["rounds"] == most.rounds


def test_a_narrow_run_counts_only_at_full_width(tmp_path: Path) -> None:
    """With 2 bits 3 + 1 is 0; with 32 it is not."""
    path = tmp_path / "narrow.c"
    path.write_text(
        "#include <assert.h>\nint x = 3;\nint main(void) { x = x + 1; assert(x != 0); return 0; }\n"
    )
    context = Context(load_model("sc"), Property.SAFETY)
    narrow, wide = (
        InRounds().run(program_task(read_unit(path), context, 1, Budget(60), rounds=RoundBounds(bits=bits)))
        for bits in (2, 0)
    )
    assert isinstance(narrow, GaveUp)
    assert "does not go wrong with 32" in narrow.reason
    assert isinstance(wide, Proved)


def test_a_proof_has_bounds_that_are_enough() -> None:
    """Where fewer bits, a cut loop or one bound less is all that is missing, there is no proof."""
    endless = InRounds().run(c_task("endless.c", (), "sc", 1, RoundBounds()))
    assert isinstance(endless, GaveUp)
    assert "a loop was cut" in endless.reason
    program = random_program(Random(12))
    most = enough(plan_of(task_of(program, "tso").program, "tso", 1, Budget()))
    for less, proves in (((0, 0, 0), True), ((1, 0, 0), False), ((0, 1, 0), False), ((0, 0, 1), False)):
        rounds, stamps, nodes = (
            own - by for own, by in zip((most.rounds, most.timestamps, most.nodes), less, strict=True)
        )
        answer = InRounds().run(task_of(program, "tso", RoundBounds(rounds, stamps, nodes)))
        assert isinstance(answer, Proved) == proves
    answer = InRounds().run(
        task_of(program, "tso", RoundBounds(most.rounds, most.timestamps, most.nodes, 31))
    )
    assert isinstance(answer, GaveUp)


def test_litmus_tests_have_the_answers_of_the_axioms() -> None:
    reached = 0
    for name in ("SB", "SB+fences", "SB+rfi", "MP", "MP+fences", "2+2W", "R", "S", "CoRR", "LB"):
        test = parse((ROOT / f"examples/litmus/{name}.litmus").read_text(), name)
        for model in ("sc", "tso", "pso"):
            found = condition_in_rounds(test, load_model(model), 2, Budget(60), RoundBounds())
            wanted = outcomes(test, load_model(model), 2).observation != "Never"
            assert isinstance(found, Refuted if wanted else Proved), (name, model)
            reached += wanted
    assert reached >= 5


def rounds_of(order: tuple[int, ...]) -> int:
    """The rounds that an order of turns takes; the first thread goes on once more in the end."""
    rounds, last = 1, 0
    for thread in order:
        rounds += thread < last
        last = thread
    return rounds - (rounds > 1 and last == 0)


def test_every_order_of_turns_fits_into_enough_rounds() -> None:
    for turns in ((2,), (1, 1), (2, 2), (0, 3, 3), (1, 2, 3), (2, 3, 1), (0, 2, 2, 2), (3, 1, 2)):
        threads = [thread for thread, count in enumerate(turns) for _ in range(count)]
        most = max(rounds_of(order) for order in set(permutations(threads)))
        assert most <= enough_rounds(turns)
        assert most >= enough_rounds(turns) - 1


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
