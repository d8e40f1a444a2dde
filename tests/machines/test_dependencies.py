"""Dependencies in runs of the machine: the same as in the solver's solution for the same run."""

from __future__ import annotations

from typing import get_args

import pytest
from tests.asking import reach_by_states
from tests.random_dependencies import random_program
from tests.seeds import conclusive

from treville.analysis.alias_names import FLOW
from treville.encoding.acyclicity import encode_program
from treville.events.execution import INIT_THREAD, Execution
from treville.models.implied import implies_coherence
from treville.models.library import load_model
from treville.passes.bounded import facts_of_program
from treville.programs import ir
from treville.programs.ir import Program
from treville.results import Budget
from treville.results.properties import Property
from treville.solving.back_ends.clasp import Clasp
from treville.solving.solution import ExecutionReader, IsTrue
from treville.solving.violations import violation

# What sets a register: `Walk.run_to` follows it, it is an action of which `Walk.go_on` gets the result (or a
# number that depends on nothing), or no machine knows it.
FOLLOWED = {ir.Local, ir.ReadPrivate}
ACTIONS = {ir.Load, ir.Havoc, ir.Nondet, ir.Allocate, ir.Spawn}
UNKNOWN = {ir.StoreExclusive}

COMPARED = ("po", "addr", "data", "ctrl", "rmw", "amo", "si", "loc", "int", "ext", "fr")
Named = dict[str, set[tuple[str, str]]]


def test_it_is_known_how_each_instruction_sets_its_register() -> None:
    fields = {kind: kind.__dataclass_fields__ for kind in get_args(ir.Instruction)}
    sets = {kind for kind, names in fields.items() if "register" in names or "status" in names}
    assert sets == FOLLOWED | ACTIONS | UNKNOWN


def names(execution: Execution) -> list[str]:
    """Each event by its thread, place there and what it does."""
    place: dict[int, int] = {}
    found = []
    for event in execution.events:
        place[event.thread] = place.get(event.thread, 0) + (event.thread >= 0)
        found.append(f"{event.thread}/{place[event.thread]}: {event.kind} {event.address} {event.value}")
    return found


def named(execution: Execution, relations: tuple[str, ...]) -> Named:
    called = names(execution)
    return {
        name: {(called[a], called[b]) for a, b in execution.relations[name].pairs()} for name in relations
    }


def solutions(program: Program) -> list[Execution]:
    """All executions of the solver in which the assertion fails."""
    model = load_model("sc")
    facts = facts_of_program(program, 2, Budget(), implies_coherence(model), FLOW)
    encoding = encode_program(facts, model, Budget(), model.axioms, None)
    reader = ExecutionReader(encoding)
    found: list[Execution] = []

    def keep(is_true: IsTrue) -> bool:
        found.append(reader.execution(is_true))
        return len(found) < 3_000

    violated = violation(encoding, model, Property.SAFETY)
    Clasp(encoding.formula).enumerate(Budget(), keep, [violated.literal])
    return found


def is_the_same(mine: Execution, other: Execution) -> bool:
    """The same events and choices? The solver's solutions also have initial writes that nobody reads."""
    initial = f"{INIT_THREAD}/"
    events = [{name for name in names(run) if not name.startswith(initial)} for run in (mine, other)]
    own, theirs = named(mine, ("rf", "co")), named(other, ("rf", "co"))
    return events[0] == events[1] and own["rf"] == theirs["rf"] and own["co"] <= theirs["co"]


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_the_machine_and_the_solver_agree_on_dependencies(first: int) -> None:
    compared, pairs = 0, 0
    for seed in range(first, first + 15):
        program = random_program(seed)
        run = reach_by_states(program, load_model("sc"), Budget(), 100_000)
        assert run is not None
        if run.execution is None:
            continue
        mine = run.execution
        called = set(names(mine))
        same = [found for found in solutions(program) if is_the_same(mine, found)]
        assert same, f"the solver does not have the run of program {seed}"
        theirs = named(same[0], COMPARED)
        for name, own in named(mine, COMPARED).items():
            kept = {(a, b) for a, b in theirs[name] if a in called and b in called}
            assert own == kept, (seed, name)
            pairs += len(own) if name in ("addr", "data", "ctrl") else 0
        compared += 1
    assert conclusive(compared > 4)
    assert conclusive(pairs > 10)
