"""Of which operands of which operators more may mean less: as the evaluator has it."""

from __future__ import annotations

from random import Random

import pytest
from tests.model_builder import ModelBuilder
from tests.random_algebra import OF_RELATIONS, OF_SETS, RELATION, SET, part_of, relation_within

from treville.models.evaluate import Value, evaluate
from treville.models.model import NodeId, Operator, negative
from treville.relations import Relation

EVENTS = 4
ALL = (1 << EVENTS) - 1
CASES = [
    (kind, op, place)
    for kind, operators in ((RELATION, OF_RELATIONS), (SET, OF_SETS))
    for op, kinds in operators.items()
    for place in range(len(kinds))
]


def is_part(one: Value, other: Value) -> bool:
    if isinstance(one, Relation):
        assert isinstance(other, Relation)
        return not one - other
    assert isinstance(other, int)
    return not one & ~other


@pytest.mark.parametrize(("kind", "op", "place"), CASES)
def test_operands_are_negative_where_more_of_them_gives_less(kind: str, op: str, place: int) -> None:
    kinds = (OF_RELATIONS if kind == RELATION else OF_SETS)[op]
    builder = ModelBuilder("one operator")
    arguments = [builder.base(f"operand {n}", each) for n, each in enumerate(kinds)]
    node = builder.node(op, *arguments, kind=kind)
    random, shrank = Random(op), False
    for _ in range(60):
        sets = {f"operand {n}": part_of(random, ALL) for n, each in enumerate(kinds) if each == SET}
        relations = {
            f"operand {n}": relation_within(random, [ALL] * EVENTS, 0.3)
            for n, each in enumerate(kinds)
            if each == RELATION
        }
        before = evaluate(builder.model, EVENTS, sets, relations).values[node]
        name = f"operand {place}"
        if kinds[place] == SET:
            sets[name] |= part_of(random, ALL, 0.3)
        else:
            relations[name] |= relation_within(random, [ALL] * EVENTS, 0.2)
        shrank |= not is_part(before, evaluate(builder.model, EVENTS, sets, relations).values[node])
    assert shrank == (arguments[place] in negative(Operator(op), tuple(map(NodeId, arguments))))
