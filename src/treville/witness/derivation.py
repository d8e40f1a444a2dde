"""A pair of a derived relation -> the path of primitive edges (po, rf, co, fr, addr, ...) that makes it up.

A derivation (`models.derivation`) is followed down to edges that people know. Of several the simplest is
taken: the side of a union that is nearest to primitive relations. Of an intersection the side is shown that
orders events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from treville.events.execution import Execution
from treville.models.derivation import Derivations, NoDerivation, Part
from treville.models.evaluate import Value
from treville.models.model import Model, Node, NodeId, Operator
from treville.records import dataclass
from treville.relations import EventId

# Derived names that people read as one edge: expanding `fr` into `rf^-1; co` explains nothing.
PRIMITIVE_NAMES = frozenset({"fr", "fre", "fri", "rfe", "rfi", "coe", "coi", "rf", "co", "po-loc", "po"})

# Names that narrow a relation without ordering anything: never the side of an intersection to show.
_FILTERS = frozenset({"int", "ext", "loc", "id", "unv"})

# Operators whose result can be a part of one of their operands that deserves its own name.
_NARROWING = frozenset({Operator.INTERSECTION, Operator.DIFFERENCE, Operator.COMPOSITION})

_MAXIMUM_DEPTH = 400


@dataclass(frozen=True, slots=True)
class Step:
    """A primitive edge. `via` are the cat names from the outermost definition down to the edge."""

    source: EventId
    target: EventId
    label: str
    via: tuple[str, ...] = ()

    def reversed(self) -> Step:
        """The same edge walked backwards."""
        label = self.label.removesuffix("^-1") if self.label.endswith("^-1") else f"{self.label}^-1"
        return Step(self.target, self.source, label, self.via)


class Deriver:
    """Expands pairs of the model's relations on one execution, given the value of every node."""

    def __init__(self, execution: Execution, model: Model, values: list[Value]) -> None:
        self.model = model
        self.values = values
        self.height = _heights(model)
        self.derivations = Derivations(
            model, len(execution.events), execution.sets, execution.relations, values,
            self._simplest, _at_an_end,
        )  # fmt: skip

    def expand(self, node: NodeId, source: EventId, target: EventId) -> list[Step]:
        """The primitive steps that lead from `source` to `target` within the node's relation."""
        return self._expand(Part(True, node, source, target), (), 0)

    def _simplest(self, sides: Sequence[NodeId]) -> NodeId:
        return min(sides, key=self.height.__getitem__)

    def _expand(self, part: Part, via: tuple[str, ...], depth: int) -> list[Step]:
        _, number, source, target, stage = part
        node = self.model.nodes[number]
        if node.name and node.op is not Operator.BASE and (not via or via[-1] != node.name):
            via = (*via, node.name)
        known = self.derivations.has(number, source, target, stage)
        if node.op is Operator.BASE or node.name in PRIMITIVE_NAMES or depth > _MAXIMUM_DEPTH or not known:
            return [Step(source, target, node.name or node.op.value, via)]
        try:
            parts = self._parts(node, self.derivations.because(number, source, target, stage))
        except NoDerivation:
            return [Step(source, target, node.name, via)]
        if parts is None:
            return [Step(source, target, self._formula(number), via)]
        steps = [step for further in parts for step in self._expand(further, via, depth + 1)]
        if node.op is Operator.INVERSE:
            return [step.reversed() for step in reversed(steps)]
        return self._narrowed(node.name, steps) if node.op in _NARROWING else steps

    def _parts(self, node: Node, parts: list[Part]) -> list[Part] | None:
        """The pairs that tell where a pair comes from; None if a formula says all there is to say."""
        op = node.op
        match op:
            case Operator.INTERSECTION:
                informative = self._informative(node.args)
                return [part for part in parts if part.node == informative][:1]
            case Operator.DIFFERENCE:
                return parts[:1]
            case Operator.IDENTITY_ON | Operator.ID:
                return []
            case Operator.EMPTY | Operator.UNIVERSE | Operator.COMPLEMENT | Operator.PRODUCT:
                return None
            case Operator.UNION | Operator.COMPOSITION | Operator.INVERSE | Operator.FIXPOINT:
                return parts
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
                return parts
            case Operator.DOMAIN | Operator.RANGE:
                raise AssertionError(f"{op} is a set")
            case Operator.BASE:
                raise AssertionError("a base relation is a step already")
            case _:
                assert_never(op)

    def _narrowed(self, name: str, steps: list[Step]) -> list[Step]:
        """A named restriction of a primitive relation keeps its own name: `po-loc`, `rfe`, `dmb`."""
        if name and len(steps) == 1 and steps[0].label in PRIMITIVE_NAMES:
            only = steps[0]
            label = only.label if only.label in ("fr", "po") and not _renames(name, only.label) else name
            return [Step(only.source, only.target, label, only.via)]
        return steps

    def _informative(self, arguments: tuple[NodeId, ...]) -> NodeId:
        """The side of an intersection that orders events rather than narrows the other one."""
        return next((a for a in arguments if not self._is_filter(a)), arguments[0])

    def _is_filter(self, number: NodeId) -> bool:
        node = self.model.nodes[number]
        if node.name in _FILTERS:
            return True
        match node.op:
            case Operator.PRODUCT | Operator.COMPLEMENT | Operator.UNIVERSE | Operator.ID:
                return True
            case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE | Operator.INVERSE:
                return all(self._is_filter(argument) for argument in node.args)
            case Operator.BASE | Operator.EMPTY | Operator.COMPOSITION | Operator.IDENTITY_ON:
                return False
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR | Operator.FIXPOINT:
                return False
            case Operator.DOMAIN | Operator.RANGE:
                return False
            case _:
                assert_never(node.op)

    def conjuncts(self, number: NodeId) -> list[NodeId]:
        """The sides of a (nested) intersection that are worth showing, or the node itself."""
        node = self.model.nodes[number]
        if node.op is not Operator.INTERSECTION:
            return [number]
        informative = [a for a in node.args if not self._is_filter(a)] or list(node.args[:1])
        return [part for argument in informative for part in self.conjuncts(argument)]

    def _formula(self, number: NodeId) -> str:
        """A short cat formula for a node that cannot be expanded, such as a product or a complement."""
        node = self.model.nodes[number]
        if node.name:
            return node.name
        inner = [self.model.nodes[argument] for argument in node.args]
        parts = [argument.name or argument.op.value for argument in inner]
        if node.op is Operator.PRODUCT:
            return f"{parts[0]}*{parts[1]}"
        return f"~{parts[0]}" if node.op is Operator.COMPLEMENT else node.op.value


def _at_an_end(middles: Iterator[EventId], source: EventId, target: EventId) -> EventId:
    """An end of the pair as the middle means that one side is an identity: the shortest derivation."""
    candidates = list(middles)
    return next((event for event in candidates if event in (source, target)), candidates[0])


def _renames(name: str, label: str) -> bool:
    """`po-loc` tells more than `po`; `ppo` or `hb` would hide that the edge is program order."""
    return name.startswith(label)


def _heights(model: Model) -> list[int]:
    """How far each node is from primitive relations: unions prefer the lower side."""
    height = [0] * len(model.nodes)
    for number, node in model.numbered():
        if node.op is Operator.FIXPOINT:
            height[number] = 1000
        elif node.name not in PRIMITIVE_NAMES:
            height[number] = 1 + max((height[a] for a in node.args), default=-1)
    return height
