"""The encodings that have their memory models built in, by name."""

from __future__ import annotations

from treville.analysis.facts import Facts
from treville.encoding.acyclicity import failures_of, may_be_cut, may_be_unfinished
from treville.encoding.architectures import Architecture
from treville.encoding.clocks import CLOCKS
from treville.encoding.conflicts import CONFLICTS
from treville.encoding.encoding import EncodingName, PartialOrderDraft, PartialOrderEncoding, hand_over
from treville.formulas.formula import FALSE, Formula
from treville.models.model import Model
from treville.results import Budget

BY_NAME = {chosen.name: chosen for chosen in (CLOCKS, CONFLICTS)}


def architecture_for(encoding: EncodingName, model: Model) -> Architecture:
    """The architecture of a model that an encoding has built in. Raises `Unsupported` if it does not."""
    return BY_NAME[encoding].architectures(model)


def encode_partial_orders(
    encoding: EncodingName, facts: Facts, model: Model, budget: Budget, *, complete: bool
) -> PartialOrderEncoding:
    """The executions of a litmus test (`complete`: no thread is cut), or of a whole program with the literals
    of what fails, by the encoding of that name."""
    chosen = BY_NAME[encoding]
    architecture = chosen.architectures(model)
    budget.check()
    formula = Formula()
    draft = PartialOrderDraft(formula, facts, chosen.memory(formula, facts, complete))
    chosen.constrain(draft, architecture, budget)
    budget.check()
    hand_over(draft, architecture)
    failures, cut = ([], FALSE) if complete else failures_of(draft.memory)
    return PartialOrderEncoding(
        formula, facts, draft.memory, {}, may_be_cut(facts), failures, cut, None,
        may_be_unfinished(facts), tuple(draft.constraints), draft.counted,
    )  # fmt: skip
