"""A short look at the interleavings of a program before its weak executions: most mistakes show there.

Nothing is assumed about the model. A failing run of the machine without buffers is an execution like any
other; it counts if the relation algebra finds it consistent under the model, and only then. For a model that
is weaker than SC that is always so, and a long program whose formula would be large gets its answer at once.
"""

from __future__ import annotations

from random import Random

from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs.ir import Fence, Nondet, Program
from treville.results import Budget
from treville.solving.operational.machine import Machine
from treville.solving.operational.states import Answer, TooManyStates
from treville.solving.operational.trace import is_explored_as_sc, reachability_of
from treville.solving.reachability import Reachability

# How many numbers of each kind are tried where a program gets any number, and a seed for the order of states.
_ATTEMPTS = ((1, None), (1, 0), (2, 1), (8, 2))


def failing_interleaving(program: Program, model: Model, budget: Budget, limit: int) -> Reachability | None:
    """An interleaving that fails an assertion and is consistent under the model, if one is found among the
    first `limit` states. The program is the one that the model's architecture runs. Nothing is found where
    the machine explores these states anyway; where a program gets any number, only a few are tried here."""
    if not _may_end_early(model) or _has_located_fences(program):
        return None
    arbitrary = program.has(Nondet)
    if is_explored_as_sc(model) and not arbitrary:
        return None
    answer = None
    for samples, seed in _ATTEMPTS if arbitrary else _ATTEMPTS[:1]:
        answer = answer or _failure(program, budget, limit, samples, seed)
    if answer is None:
        return None
    found = reachability_of(program, answer)
    execution = found.execution
    assert execution is not None
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations, everything=False)
    return found if judged.consistent else None


def _failure(program: Program, budget: Budget, limit: int, samples: int, seed: int | None) -> Answer | None:
    """A run that fails, if so many numbers of each kind show one soon."""
    order = None if seed is None else Random(seed)
    try:
        answer = Machine(program, "sc", limit=limit, budget=budget, samples=samples, order=order).explore()
    except TooManyStates:
        return None
    return answer if answer.verdict == "FAIL" else None


def _may_end_early(model: Model) -> bool:
    """Is a run that ends where an assertion fails as good as the one that goes on? Not if the model demands
    that something is there."""
    return not any(axiom.negated for axiom in model.constraints())


def _has_located_fences(program: Program) -> bool:
    """The machine does not know fences that belong to a location (those of SRCU)."""
    return any(isinstance(i, Fence) and i.address is not None for i in program.instructions())
