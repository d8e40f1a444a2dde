"""What a definition may and must contain holds of what the evaluator computes, for every operator, whichever
events are executed; and it is exact where nothing is left open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

import pytest
from tests.random_algebra import (
    OF_RELATIONS,
    OPERATORS,
    RELATION,
    RELATIONS,
    SET,
    SETS,
    Definitions,
    part_of,
    relation_within,
)
from tests.seeds import conclusive, generator

from treville.analysis.facts import Bounds, Facts, SetBounds
from treville.analysis.relations import NotEncodable, analyse_relations
from treville.models.evaluate import Value, evaluate
from treville.models.model import FixpointGroup, Model, NodeId
from treville.relations import Relation, elements

N = 5
ALL = (1 << N) - 1


@dataclass
class Case:
    """Bounds of base sets and relations, and the sets of events that runs execute."""

    runs: list[int]
    facts: Facts

    @classmethod
    def draw(cls, choose: Random, runs: list[int], open_share: float = 0.5) -> Case:
        nothing: Any = None  # the analysis of relations looks at neither events nor values
        live, always = 0, ALL
        for run in runs:
            live |= run
            always &= run
        implied_by, with_others = [], []
        for event in range(N):
            mine = [run for run in runs if run >> event & 1]
            implied, together = live if mine else always, 0
            for run in mine:
                implied &= run
                together |= run
            implied_by.append(implied)
            with_others.append(together)
        relations, sets = {}, {}
        for name in RELATIONS:
            may = relation_within(choose, with_others)
            relations[name] = Bounds(may, may - relation_within(choose, may.rows, open_share))
        for name in SETS:
            may_be = part_of(choose, live)
            sets[name] = SetBounds(may_be, may_be & ~part_of(choose, may_be, open_share))
        cells = [frozenset[int]()] * N
        facts = Facts(
            nothing, nothing, N, live, always, {}, cells, implied_by, with_others, frozenset(), False, sets,
            relations,
        )  # fmt: skip
        return cls(runs, facts)

    def execution(self, choose: Random, run: int) -> tuple[dict[str, int], dict[str, Relation]]:
        """Base sets and relations that the bounds allow, of the events of a run."""
        share = choose.choice((0.0, 0.5, 1.0))
        sets = {
            name: (bounds.must | part_of(choose, bounds.may, share)) & run
            for name, bounds in self.facts.sets.items()
        }
        relations = {
            name: (bounds.must | relation_within(choose, bounds.may.rows, share)).restrict(run, run)
            for name, bounds in self.facts.relations.items()
        }
        return sets, relations


def on_the_events_of(
    run: int, model: Model, sets: dict[str, int], relations: dict[str, Relation]
) -> list[Value]:
    """The values of all nodes where no other events exist, in the numbers of all events."""
    numbers = list(elements(run))
    place = {event: index for index, event in enumerate(numbers)}
    fewer_sets = {name: sum(1 << place[e] for e in elements(mask)) for name, mask in sets.items()}
    fewer = {
        name: Relation.of(len(numbers), ((place[a], place[b]) for a, b in relation.pairs()))
        for name, relation in relations.items()
    }
    values = evaluate(model, len(numbers), fewer_sets, fewer).values
    return [
        sum(1 << numbers[i] for i in elements(value))
        if isinstance(value, int)
        else Relation.of(N, ((numbers[a], numbers[b]) for a, b in value.pairs()))
        for value in values
    ]


def is_between(bounds: Bounds | SetBounds, run: int, value: Value) -> bool:
    """Does the value lie between the bounds, as far as events are executed?"""
    if isinstance(value, int):
        assert isinstance(bounds, SetBounds)
        return bounds.must & run & ~value == 0 and value & ~bounds.may == 0
    assert isinstance(bounds, Bounds)
    return bounds.must.restrict(run, run) <= value <= bounds.may


def model_with(choose: Random, kind: str, op: str, others: int) -> tuple[Model, int]:
    """Some definitions, the last of which has the operator; all are needed."""
    made = Definitions(choose)
    for _ in range(others):
        made.anything()
    wanted = made.apply(kind, op)
    made.require_empty(node for nodes in made.known.values() for node in nodes)
    return made.model, wanted


def some_runs(choose: Random) -> list[int]:
    if choose.random() < 0.2:
        return [ALL]
    common = part_of(choose, ALL, 0.4)
    return list({common | part_of(choose, ALL) for _ in range(choose.randint(1, 4))})


@pytest.mark.parametrize(("kind", "op"), OPERATORS)
def test_every_operator_stays_between_its_bounds(kind: str, op: str) -> None:
    choose = generator(f"bounds of {kind} {op}")
    for _ in range(60):
        model, _ = model_with(choose, kind, op, choose.randint(0, 3))
        case = Case.draw(choose, some_runs(choose))
        bounds = analyse_relations(model, case.facts)
        for run in case.runs * 3:
            values = on_the_events_of(run, model, *case.execution(choose, run))
            for node, (found, value) in enumerate(zip(bounds, values, strict=True)):
                if node in model.needed():
                    assert is_between(found, run, value), (node, model.nodes)


@pytest.mark.parametrize(("kind", "op"), OPERATORS)
def test_bounds_are_exact_where_nothing_is_open(kind: str, op: str) -> None:
    choose = generator(f"exact {kind} {op}")
    for _ in range(20):
        model, wanted = model_with(choose, kind, op, choose.randint(0, 2))
        case = Case.draw(choose, [ALL], open_share=0.0)
        found = analyse_relations(model, case.facts)[wanted]
        value = on_the_events_of(ALL, model, *case.execution(choose, ALL))[wanted]
        assert found.may == found.must == value, model.nodes


@pytest.mark.parametrize("op", [op for op, args in OF_RELATIONS.items() if RELATION in args])
def test_bounds_of_an_operator_are_the_best_ones_where_all_events_are_executed(op: str) -> None:
    """An operator grows or shrinks with each argument, so its extremes are those of the arguments'."""
    choose = generator(f"best {op}")
    for _ in range(20):
        made = Definitions(choose)
        node = made.node(op, (NodeId(0), NodeId(1))[: len(OF_RELATIONS[op])])
        made.require_empty([node])
        case = Case.draw(choose, [ALL])
        found = analyse_relations(made.model, case.facts)[node]
        one, other = case.facts.relations["a"], case.facts.relations["b"]
        extremes = []
        for a, b in product((one.may, one.must), (other.may, other.must)):
            extreme = on_the_events_of(ALL, made.model, {}, {"a": a, "b": b})[node]
            assert isinstance(extreme, Relation)
            extremes.append(extreme)
        assert found.may == max(extremes, key=len)
        assert found.must == min(extremes, key=len)


def test_a_recursion_through_negation_is_computed_only_where_it_is_the_same_in_all_runs() -> None:
    choose = generator("negation")
    refused = 0
    for _ in range(60):
        made = Definitions(choose)
        variable = made._hidden("fixpoint", (), name="v")
        among = made._hidden("identity", (made.known[SET][0],))
        first = made._hidden("seq", (among, made.known[RELATION][1])) if choose.random() < 0.5 else None
        step = made._hidden("seq", (first or made.known[RELATION][1], variable))
        body = made._hidden("diff", (made.known[RELATION][0], step))
        made.builder.groups = [FixpointGroup((variable,), (body,), monotone=False)]
        made.require_empty([variable])
        share = choose.choice((0.0, 0.2))
        case = Case.draw(choose, some_runs(choose), open_share=share)
        ordered = [ALL & ~((2 << event) - 1) for event in range(N)]  # without cycles the iteration ends
        relations = {
            name: Bounds(may & Relation(ordered), must & Relation(ordered))
            for name, (may, must) in case.facts.relations.items()
        }
        case = replace(case, facts=replace(case.facts, relations=relations))
        try:
            found = analyse_relations(made.model, case.facts)[variable]
        except NotEncodable:
            assert share > 0 or case.runs != [ALL], "nothing is open here"
            refused += 1
            continue
        for run in case.runs * 3:
            value = on_the_events_of(run, made.model, *case.execution(choose, run))[variable]
            assert is_between(found, run, value)
    assert conclusive(0 < refused < 60)
