"""The encodings that have their memory models built in, by name."""

from __future__ import annotations

from treville.analysis.facts import Facts
from treville.encoding.clocks import CLOCKS
from treville.encoding.clocks_architectures import Architecture
from treville.encoding.conflicts import CONFLICTS
from treville.encoding.contract import EncodingName, SiblingDraft, SiblingEncoding, hand_over
from treville.encoding.executions import failures_of, may_be_cut
from treville.formulas.formula import FALSE, Formula
from treville.models.model import Model
from treville.results import Budget

SIBLINGS = {sibling.name: sibling for sibling in (CLOCKS, CONFLICTS)}


def architecture_for(encoding: EncodingName, model: Model) -> Architecture:
    """The architecture of a model that an encoding has built in. Raises `Unsupported` if it does not."""
    return SIBLINGS[encoding].architectures(model)


def encode_by_sibling(
    encoding: EncodingName, facts: Facts, model: Model, budget: Budget, *, complete: bool
) -> SiblingEncoding:
    """The executions of a litmus test (`complete`: no thread is cut), or of a whole program with the literals
    of what fails, by the encoding of that name."""
    sibling = SIBLINGS[encoding]
    architecture = sibling.architectures(model)
    budget.check()
    formula = Formula()
    draft = SiblingDraft(formula, facts, sibling.memory(formula, facts, complete))
    sibling.constrain(draft, architecture, budget)
    budget.check()
    hand_over(draft, architecture)
    failures, cut = ([], FALSE) if complete else failures_of(draft.memory)
    return SiblingEncoding(
        formula, facts, draft.memory, {}, may_be_cut(facts), failures, cut, None,
        tuple(draft.constraints), draft.counted,
    )  # fmt: skip
