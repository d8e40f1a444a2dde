"""The encodings that have their memory models built in, by name."""

from __future__ import annotations

from treville.analysis.facts import Facts
from treville.encoding.clocks import CLOCKS
from treville.encoding.clocks_architectures import Architecture
from treville.encoding.conflicts import CONFLICTS
from treville.encoding.contract import Sibling, SiblingEncoding, hand_over
from treville.encoding.executions import add_failures
from treville.formulas.formula import Formula
from treville.models.model import Model
from treville.results import Budget

SIBLINGS = {sibling.name: sibling for sibling in (CLOCKS, CONFLICTS)}


def architecture_for(encoding: str, model: Model) -> Architecture:
    """The architecture of a model that an encoding has built in. Raises `Unsupported` if it does not."""
    return SIBLINGS[encoding].architectures(model)


def encode_by_sibling(
    encoding: str, facts: Facts, model: Model, budget: Budget, *, complete: bool
) -> SiblingEncoding:
    """The executions of a litmus test (`complete`: no thread is cut), or of a whole program with the literals
    of what fails, by the encoding of that name."""
    sibling = SIBLINGS[encoding]
    result = _encode(sibling, sibling.architectures(model), facts, complete, budget)
    if not complete:
        add_failures(result)
    return result


def _encode(
    sibling: Sibling, architecture: Architecture, facts: Facts, complete: bool, budget: Budget
) -> SiblingEncoding:
    budget.check()
    formula = Formula()
    memory = sibling.memory(formula, facts, complete)
    encoding = SiblingEncoding(formula, facts, memory)
    encoding.bound_reached = any(facts.values.possible(cut) for cut in facts.symbolic.cuts)
    sibling.constrain(encoding, architecture, budget)
    budget.check()
    hand_over(encoding, architecture)
    return encoding
