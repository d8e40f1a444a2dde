"""What is blamed for a violation is enough for it: wherever these base facts hold, the axiom is violated."""

from __future__ import annotations

from random import Random

import pytest
from tests.random_algebra import OPERATORS, RELATION, Definitions, part_of, relation_within
from tests.seeds import conclusive, generator

from treville.models.evaluate import evaluate, holds
from treville.models.model import Model, NodeId
from treville.relations import Relation
from treville.solving.lazy.reasons import Fact, Reasons, Whole

N = 4
ROWS = [(1 << N) - 1] * N
RELATIONS, SETS, KNOWN = ("a", "b", "known"), ("S", "T"), frozenset({"known"})


def model_with(choose: Random, kind: str, op: str) -> Model:
    """One axiom over a few definitions, among them one with the operator."""
    made = Definitions(choose, RELATIONS, SETS)
    for _ in range(choose.randint(0, 3)):
        made.anything()
    node = made.apply(kind, op)
    kinds = ("acyclic", "irreflexive", "empty") if kind == RELATION else ("empty",)
    if kind == RELATION and choose.random() < 0.5:
        # Where a pair is absent often matters below something else.
        op = choose.choice(("complement", "diff", "seq"))
        node = made.node(op, (node,) if op == "complement" else (made.some(), node))
    made.builder.axiom(choose.choice(kinds), node, "axiom")
    return made.model


def execution(choose: Random) -> tuple[dict[str, int], dict[str, Relation]]:
    share = choose.choice((0.2, 0.5, 0.8))
    sets = {name: part_of(choose, ROWS[0]) for name in SETS}
    return sets, {name: relation_within(choose, ROWS, share) for name in RELATIONS}


def with_facts(
    facts: set[Fact], drawn: tuple[dict[str, int], dict[str, Relation]]
) -> tuple[dict[str, int], dict[str, Relation]]:
    """The same, but the facts hold."""
    sets, relations = dict(drawn[0]), {name: list(relation.rows) for name, relation in drawn[1].items()}
    for name, source, target, is_so in facts:
        if name in sets:
            sets[name] = sets[name] & ~(1 << source) | is_so << source
        else:
            row = relations[name]
            row[source] = row[source] & ~(1 << target) | is_so << target
    return sets, {name: Relation(rows) for name, rows in relations.items()}


def is_violated(model: Model, sets: dict[str, int], relations: dict[str, Relation]) -> bool:
    found = evaluate(model, N, sets, relations)
    return not holds(model.axioms[0], found.values[model.axioms[0].node])


def blamed(model: Model, sets: dict[str, int], relations: dict[str, Relation]) -> set[Fact] | None:
    """What is to blame, besides what is known; None for the whole execution."""

    def known(_holds: bool, node: int, _source: int, _target: int) -> bool:
        return model.nodes[node].name in KNOWN

    values = evaluate(model, N, sets, relations).values
    try:
        return Reasons(model, N, sets, relations, values, known).of(model.axioms[0])
    except Whole:
        return None


@pytest.mark.parametrize(("kind", "op"), OPERATORS)
def test_wherever_the_reasons_hold_the_axiom_is_violated(kind: str, op: str) -> None:
    choose = generator(f"reasons of {kind} {op}")
    explained = 0
    for _ in range(120):
        model, (sets, relations) = model_with(choose, kind, op), execution(choose)
        if not is_violated(model, sets, relations):
            continue
        facts = blamed(model, sets, relations)
        if facts is None:
            continue
        explained += 1
        assert all(fact.name not in KNOWN for fact in facts)
        for _ in range(8):
            elsewhere = execution(choose)
            elsewhere[1]["known"] = relations["known"]
            assert is_violated(model, *with_facts(facts, elsewhere)), (model.nodes, facts)
    assert conclusive(explained > 10 or op == "empty")


ABSENT = {
    "union": ("a", "b"), "inter": ("a", "b"), "diff": ("a", "b"), "complement": ("a",), "inverse": ("a",),
    "opt": ("a",), "identity": ("S",), "product": ("S", "T"),
}  # fmt: skip


@pytest.mark.parametrize("op", ABSENT)
def test_what_is_absent_is_explained_without_the_whole_execution(op: str) -> None:
    """Of an operator on base relations alone the reason is a few pairs, also below a complement."""
    choose = generator(f"absent {op}")
    explained = 0
    for _ in range(60):
        made = Definitions(choose, RELATIONS, SETS)
        named = {node.name: NodeId(number) for number, node in enumerate(made.model.nodes)}
        node = made.node(op, tuple(named[name] for name in ABSENT[op]))
        made.require_empty([made.node("complement", (node,))])
        found = execution(choose)
        if is_violated(made.model, *found):
            facts = blamed(made.model, *found)
            assert facts is not None
            assert len(facts) <= 2
            explained += 1
    assert conclusive(explained > 10)
