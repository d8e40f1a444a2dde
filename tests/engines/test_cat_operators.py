"""Every operator of cat goes through every evaluator, analysis and engine, with one result."""

from __future__ import annotations

import random

import pytest
from tests.asking import symbolic_outcomes
from tests.engines.test_engines_agree import (
    BOUND,
    all_executions,
    consistent_states,
    executions_outside_the_bounds,
)
from tests.model_builder import ARGUMENTS, BOTH, SAME, ModelBuilder
from tests.random_cases import Programs

from treville.analysis import relations as analysis
from treville.encoding.operators import MEMBER_RULES, PAIR_RULES
from treville.enumeration.candidates import enumerate_outcomes
from treville.models import evaluate
from treville.models.cat.graph import Graph
from treville.models.model import RELATION, SET, Kind, NodeId, Operator
from treville.results import Budget

CASES = [
    (op, kind)
    for op, (result, _) in ARGUMENTS.items()
    for kind in ((SET, RELATION) if result == BOTH else (result,))
]


class Case(ModelBuilder):
    """A model whose axioms hang on one definition: an operator over relations that executions choose."""

    def __init__(self, op: Operator, kind: Kind, seed: int) -> None:
        super().__init__(f"{op} {seed}")
        self.random = random.Random(f"{op} {kind} {seed}")
        rf, co, po, loc, ext = (self.base(name) for name in ("rf", "co", "po", "loc", "ext"))
        final, writes, reads = (self.base(name, "set") for name in ("FW", "W", "R"))
        self.relations = [rf, co, po, self.node("inter", po, loc), self.node("inter", rf, ext)]
        self.relations += [self.node("union", rf, po), self.node("seq", self.node("inverse", rf), co)]
        self.sets = [final, writes, reads, self.node("domain", rf, kind="set")]
        self.definition = self._definition(op, kind)
        if kind is RELATION:
            self._axioms_of_relation()
        else:
            self._axioms_of_set()

    def _definition(self, op: Operator, kind: Kind) -> NodeId:
        if op is Operator.BASE:
            return self.random.choice(self.sets[:3] if kind is SET else self.relations[:3])
        if op is Operator.FIXPOINT:
            return self._recursion(kind)
        wanted = [kind if each == SAME else each for each in ARGUMENTS[op][1]]
        args = [self.random.choice(self.sets if each is SET else self.relations) for each in wanted]
        return self.node(op.value, *args, kind=kind.value)

    def _recursion(self, kind: Kind) -> NodeId:
        """`let rec v = a | v; b`, or of sets `let rec v = S | range([v]; r)`."""
        variable = self.node("fixpoint", kind=kind.value, name="v")
        if kind is RELATION:
            step = self.node("seq", variable, self.random.choice(self.relations))
            body = self.node("union", self.random.choice(self.relations), step)
        else:
            start = self.node("identity", variable)
            step = self.node("seq", start, self.random.choice(self.relations))
            reached = self.node("range", step, kind="set")
            body = self.node("union", self.sets[0], reached, kind="set")
        self.fixpoint((variable,), (body,))
        return variable

    def _axioms_of_relation(self) -> None:
        kept = self.node("inter", self.definition, self.random.choice(self.relations))
        joined = self.node("seq", self.definition, self.random.choice(self.relations))
        kind, node = self.random.choice([("acyclic", kept), ("irreflexive", joined), ("empty", kept)])
        self.axiom(kind, node, "first", negated=self.random.random() < 0.2)
        self.axiom("acyclic", self.node("union", kept, self.relations[3]), "second")
        self.axiom(self.random.choice(["acyclic", "empty"]), self.definition, "flag", negated=True, flag=True)

    def _axioms_of_set(self) -> None:
        kept = self.node("inter", self.definition, self.random.choice(self.sets), kind="set")
        inside = self.node("seq", self.node("identity", self.definition), self.random.choice(self.relations))
        self.axiom(*self.random.choice([("empty", kept), ("acyclic", inside), ("empty", inside)]), "first")
        self.axiom("empty", self.definition, "flag", negated=True, flag=True)


def test_the_cases_are_complete() -> None:
    assert set(ARGUMENTS) == set(Operator)


@pytest.mark.parametrize("rules", [evaluate._RULES, analysis._RULES, PAIR_RULES, MEMBER_RULES])
def test_every_operator_has_a_rule(rules: dict[Operator, object]) -> None:
    assert set(rules) == set(Operator)


@pytest.mark.parametrize(("op", "kind"), CASES, ids=str)
def test_every_engine_gives_what_the_evaluator_says(op: Operator, kind: Kind) -> None:
    for seed in range(3):
        test, model = Programs(seed).test(), Case(op, kind, seed).model
        states, flags = consistent_states(all_executions(test, model))
        for lazy in (False, True):
            found = symbolic_outcomes(test, model, BOUND, Budget(), lazy=lazy)
            assert (set(found.states), found.flags) == (set(states), flags)
        listed = enumerate_outcomes(test, model, BOUND, Budget())
        assert (listed.states, listed.flags) == (states, flags)


@pytest.mark.parametrize(("op", "kind"), CASES, ids=str)
def test_the_bounds_hold_what_the_evaluator_says(op: Operator, kind: Kind) -> None:
    for seed in range(3):
        counted, outside = executions_outside_the_bounds(Programs(seed).test(), Case(op, kind, seed).model)
        assert counted
        assert outside == []


def test_substitution_rebuilds_every_operator() -> None:
    """A recursive name is replaced below every operator of a definition under construction."""
    for op, (result, wanted) in ARGUMENTS.items():
        for kind in (SET, RELATION) if result == BOTH else (result,):
            graph = Graph()
            variables = {each: graph.variable(f"v{each}", each) for each in (SET, RELATION)}
            instead = {SET: graph.base("W", SET), RELATION: graph.base("rf", RELATION)}
            kinds = [kind if each == SAME else each for each in wanted]
            others = {SET: graph.base("R", SET), RELATION: graph.base("po", RELATION)}
            args = [variables[each] if place == 0 else others[each] for place, each in enumerate(kinds)]
            expected = [instead[each] if place == 0 else others[each] for place, each in enumerate(kinds)]
            node = graph._node(op, tuple(args), kind)
            replaced = graph.substitute(node, {variables[each]: instead[each] for each in instead})
            if not args:
                assert replaced == node
            else:
                assert graph.ops[replaced] is op
                assert sorted(graph.args[replaced]) == sorted(expected)
