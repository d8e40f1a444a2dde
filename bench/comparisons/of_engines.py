"""Every engine against every other that suits, and against brute force.

Four sorts of programs. *Ends*: threads with accesses, updates and fences of all orders, which shall not end
in some state; the enumerator of litmus tests lists the states. *Tests*: the states of litmus tests in
assembly and C, by all engines that list them. *Waits*: deadlock and liveness of threads that wait, and races
of plain accesses, by machines, graphs and formulas. *Loops*: threads that go round for ever, until they read
something, or a few times, and assert what they read.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from counting import WORK, Tally, asked, verdict
from tests.random_dialects import DIALECTS, random_text
from tests.random_loops import RandomLoops
from tests.random_races import as_program, random_races
from tests.random_views import RandomTest, as_in_c
from tests.random_waiting import random_outcome, random_waiting

from treville.engines.contract import GaveUp
from treville.engines.registry import DECIDE, OUTCOMES
from treville.engines.task import ProgramTask, outcome_task, ready_task
from treville.models.library import load_model
from treville.passes.program import Context, lower
from treville.programs import ir
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.properties import Property

OPERATIONAL = ("sc", "tso", "pso")
GRAPHS = ("rc11", "aarch64", "power")
MODELS = (*OPERATIONAL, "rc11", "rc11", "power", "armv7", "aarch64", "riscv", "c11", "imm")
# Restarting a solver for each of thousands of questions is what takes the time: of those, two for each.
SOLVERS = [name for name in DECIDE if ":" in name]
ENGINES = [name for name in DECIDE if ":" not in name and name not in ("view-abstraction", "apart")]
SECONDS = 10.0


def compare(seed: str, count: int) -> Tally:
    """So many programs."""
    tally = Tally(count)
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        (_ends, _ends, _tests, _waits, _loops)[number % 5](rng, f"{seed}/{number}", tally)
    return tally


def _ends(rng: random.Random, case: str, tally: Tally) -> None:
    test = RandomTest(case, ordered=rng.random() < 0.5, plain=rng.random() < 0.3, size=rng.choice((4, 5, 6)))
    listed = test.litmus()
    states = {}
    for name in rng.sample(sorted(set(MODELS)), 3):
        model = load_model(name)
        try:
            found = outcomes(listed, model, 2, Budget(SECONDS), "enumerate").states
        except BudgetExceeded:
            tally.none["enumerate"] += 1
            continue
        states[name] = {tuple(value for value in state if isinstance(value, int)) for state in found}
    seen = sorted(set().union(*states.values())) if states else []
    disputed = [state for state in seen if any(state not in each for each in states.values())]
    for name, reached in states.items():
        end = rng.choice(disputed if disputed and rng.random() < 0.7 else seen)
        if rng.random() < 0.1:
            end = (*end[:-1], 3 - end[-1])
        program, model = as_in_c(test.program(False, end), load_model(name)), load_model(name)
        task = ready_task(program, model, Property.ASSERTION, 2, Budget(SECONDS))
        wanted = "FAIL" if end in reached else "PASS"
        for engine in asked([*ENGINES, *rng.sample(SOLVERS, 2)]):
            tally.add(engine, f"end {case} {name} {end}", wanted, verdict(task, engine))


def _tests(rng: random.Random, case: str, tally: Tally) -> None:
    dialect = rng.choice(list(DIALECTS))
    test = parse(random_text(case, dialect, rng.choice((4, 5))), f"{case}.litmus")
    for name in rng.sample(sorted(set(DIALECTS[dialect].models)), 3):
        model = load_model(name)
        try:
            task = outcome_task(test, model, 2, Budget(SECONDS))
        except InputError:
            continue
        found = {}
        for engine in OUTCOMES:
            answer = OUTCOMES[engine]().run(task, WORK)
            if isinstance(answer, GaveUp):
                tally.none[f"states {engine}"] += 1
            else:
                found[engine] = set(answer.counts)
        first = found.get("enumerate") or next(iter(found.values()), set())
        for engine, states in found.items():
            same = "PASS" if states == first else "FAIL"
            tally.add(f"states {engine}", f"test {case} {name}", "PASS", same)


def _waits(rng: random.Random, case: str, tally: Tally) -> None:
    """No list of states tells here: the first that answers, and all others."""
    kind = rng.choice(("deadlock", "liveness", "outcome", "race", "race"))
    name = rng.choice((*OPERATIONAL, *GRAPHS) if kind in ("deadlock", "liveness") else OPERATIONAL)
    goal = {"deadlock": Property.DEADLOCK, "liveness": Property.LIVENESS, "race": Property.RACE}.get(kind)
    if kind == "race":
        name = rng.choice(("sc", "rc11", "rc11", "c11", "imm"))
        program: ir.Program = as_program(random_races(case))
    else:
        program = random_outcome(case, rng.random() < 0.5) if kind == "outcome" else random_waiting(case)
    model = load_model(name)
    task = ready_task(
        lower(program, Context(model, goal or Property.ASSERTION, "C")), model, goal or Property.ASSERTION, 2,
        Budget(SECONDS),
    )  # fmt: skip
    engines = asked([*ENGINES, *rng.sample(SOLVERS, 2)])
    _among_themselves(task, f"{kind} {case} {name}", engines, tally)


def _loops(rng: random.Random, case: str, tally: Tally) -> None:
    test = RandomLoops(case, ordered=rng.random() < 0.5, size=rng.choice((4, 5, 6, 7)))
    for name in rng.sample(sorted(set(MODELS)), 2):
        model = load_model(name)
        program = lower(test.looping(), Context(model, Property.ASSERTION, "C"))
        task = ready_task(program, model, Property.ASSERTION, 2, Budget(SECONDS))
        _among_themselves(task, f"loops {case} {name}", asked(ENGINES), tally)


def _among_themselves(task: ProgramTask, what: str, engines: Sequence[str], tally: Tally) -> None:
    found = {engine: verdict(task, engine) for engine in engines}
    known = [answer for answer in found.values() if answer in ("PASS", "FAIL")]
    # A failure comes with an execution that was judged again; so the one who has none is wrong.
    wanted = "FAIL" if "FAIL" in known else "PASS"
    for engine, answer in found.items():
        if len(known) > 1 or answer not in known:
            tally.add(f"{task.property.value} {engine}", what, wanted, answer)
