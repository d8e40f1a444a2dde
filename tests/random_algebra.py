"""Random definitions over given base sets and relations, and random values for these: for tests that compare
what is said of definitions with what the plain evaluator computes."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from tests.model_builder import ARGUMENTS, BOTH, SAME, ModelBuilder

from treville.models.model import Kind, Model, NodeId, Operator
from treville.relations import Relation, elements, mask_of

RELATION, SET = "relation", "set"


def _of_kind(kind: str) -> dict[str, tuple[str, ...]]:
    """By operators that make sets, or relations: the kinds of their arguments."""
    others = (Operator.BASE, Operator.FIXPOINT)
    return {
        op.value: tuple(kind if each == SAME else each.value for each in arguments)
        for op, (result, arguments) in ARGUMENTS.items()
        if op not in others and (result == BOTH or result is Kind(kind))
    }


OF_RELATIONS, OF_SETS = _of_kind(RELATION), _of_kind(SET)
OPERATORS = [(RELATION, op) for op in OF_RELATIONS] + [(SET, op) for op in OF_SETS] + [(RELATION, "fixpoint")]
RELATIONS, SETS = ("a", "b", "c"), ("S", "T")


class Definitions:
    """Draws a model, node by node."""

    def __init__(self, choose: Random, relations: tuple[str, ...] = RELATIONS, sets: tuple[str, ...] = SETS):
        self.choose = choose
        self.builder = ModelBuilder("random")
        self.known: dict[str, list[NodeId]] = {RELATION: [], SET: []}
        for kind, names in ((RELATION, relations), (SET, sets)):
            for name in names:
                self.node("base", (), kind, name)

    @property
    def model(self) -> Model:
        """What was drawn so far."""
        return self.builder.model

    def node(self, op: str, args: tuple[NodeId, ...], kind: str = RELATION, name: str = "") -> NodeId:
        """Add a node, which later ones may use."""
        number = self._hidden(op, args, kind, name)
        self.known[kind].append(number)
        return number

    def _hidden(self, op: str, args: tuple[NodeId, ...], kind: str = RELATION, name: str = "") -> NodeId:
        return self.builder.node(op, *args, kind=kind, name=name)

    def require_empty(self, nodes: Iterable[NodeId]) -> None:
        """The model demands that these are empty, and nothing else."""
        self.builder.axioms = []
        for node in nodes:
            self.builder.axiom("empty", node, "axiom")

    def some(self, kind: str = RELATION) -> NodeId:
        """Any node so far."""
        return self.choose.choice(self.known[kind])

    def apply(self, kind: str, op: str) -> NodeId:
        """A node with this operator and any arguments."""
        if op == "fixpoint":
            return self._recursion()
        wanted = OF_RELATIONS[op] if kind == RELATION else OF_SETS[op]
        return self.node(op, tuple(self.some(argument) for argument in wanted), kind)

    def anything(self) -> NodeId:
        """A node with any operator."""
        return self.apply(*self.choose.choice(OPERATORS))

    def _recursion(self) -> NodeId:
        """`let rec v = start | v ; step`, or with a second relation that needs the first, and is needed."""
        variable = self._hidden("fixpoint", (), name="v")
        variables, needed = [variable], variable
        if self.choose.random() < 0.4:
            needed = self._hidden("fixpoint", (), name="w")
            variables.append(needed)
        step = self._hidden("seq", tuple(self.choose.sample([needed, self.some()], 2)))
        if self.choose.random() < 0.5:
            step = self._hidden(self.choose.choice(("inter", "diff")), (step, self.some()))
        bodies = [self._hidden("union", (self.some(), step))]
        if len(variables) == 2:
            bodies.append(self._hidden("union", (self._hidden("seq", (variable, self.some())), self.some())))
        self.builder.fixpoint(tuple(variables), tuple(bodies))
        self.known[RELATION].append(variable)
        return variable


def part_of(choose: Random, mask: int, share: float = 0.5) -> int:
    """Some of the bits of a mask."""
    return mask_of(event for event in elements(mask) if choose.random() < share)


def relation_within(choose: Random, rows: list[int], share: float = 0.5) -> Relation:
    """Some of the pairs of given rows."""
    return Relation([part_of(choose, row, share) for row in rows])
