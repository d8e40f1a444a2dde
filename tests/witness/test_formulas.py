"""Every operator of cat can be printed, and its pairs be taken apart into steps of an execution."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest
from tests.model_builder import ModelBuilder

from treville.models.model import NodeId, Operator
from treville.relations import Relation
from treville.witness.derivation import Deriver
from treville.witness.explanation import relation_name


class Written(ModelBuilder):
    """One definition by each operator, with its cat text. Where cat has no text for it, ours."""

    def __init__(self) -> None:
        super().__init__("all operators")
        po, rf, co = self.base("po"), self.base("rf"), self.base("co")
        reads, writes = self.base("R", "set"), self.base("W", "set")
        variable = self.node("fixpoint")
        self.fixpoint((variable,), (self.node("union", po, self.node("seq", variable, rf)),))
        self.texts: dict[Operator, tuple[NodeId, str]] = {
            Operator.BASE: (po, "po"),
            Operator.EMPTY: (self.node("empty"), "empty"),
            Operator.UNIVERSE: (self.node("universe"), "universe"),
            Operator.ID: (self.node("id"), "id"),
            Operator.UNION: (self.union(po, rf, co), "(po | rf | co)"),
            Operator.INTERSECTION: (self.node("inter", po, self.base("loc")), "(po & loc)"),
            Operator.DIFFERENCE: (
                self.node("diff", self.node("diff", po, rf), co),
                "((po \\ rf) \\ co)",
            ),
            Operator.COMPLEMENT: (self.node("complement", po), "~po"),
            Operator.COMPOSITION: (self.node("seq", self.node("inverse", rf), co), "(rf^-1;co)"),
            Operator.PRODUCT: (self.node("product", writes, reads), "(W*R)"),
            Operator.INVERSE: (self.node("inverse", po), "po^-1"),
            Operator.OPTIONAL: (self.node("opt", po), "po?"),
            Operator.PLUS: (self.node("plus", self.union(po, rf)), "(po | rf)+"),
            Operator.STAR: (self.node("star", po), "po*"),
            Operator.IDENTITY_ON: (self.node("identity", reads), "[R]"),
            Operator.DOMAIN: (self.node("domain", rf, kind="set"), "domain(rf)"),
            Operator.RANGE: (self.node("range", rf, kind="set"), "range(rf)"),
            Operator.FIXPOINT: (variable, "fixpoint"),
        }


def test_the_cases_are_complete() -> None:
    assert set(Written().texts) == set(Operator)


@pytest.mark.parametrize("op", Operator, ids=str)
def test_every_operator_is_written_as_in_cat(op: Operator) -> None:
    written = Written()
    node, text = written.texts[op]
    assert relation_name(written.model, node) == text


@pytest.mark.parametrize("op", Operator, ids=str)
def test_the_steps_of_a_pair_lead_from_its_source_to_its_target(op: Operator, made: SimpleNamespace) -> None:
    execution, _ = made.store_buffering()
    written = Written()
    values = made.values_of(written.model, execution)
    deriver, (node, _) = Deriver(execution, written.model, values), written.texts[op]
    value = values[node]
    if isinstance(value, int):
        return  # a set has no pairs
    assert isinstance(value, Relation)
    assert bool(value) == (op not in (Operator.EMPTY, Operator.INTERSECTION))
    for source, target in value.pairs():
        steps = deriver.expand(node, source, target)
        assert steps or source == target
        assert all(before.target == after.source for before, after in pairwise(steps))
        if steps:
            assert (steps[0].source, steps[-1].target) == (source, target)
