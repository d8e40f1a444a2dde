"""A forbidden execution and its model -> which axiom it violates, and the cycle that shows it.

A violated `acyclic` gives a shortest cycle, `irreflexive` an event that reaches itself, `empty` a pair
(or an event) that should not be there. Every edge is expanded into primitive relations, so that the
explanation reads in terms of the program: program order, dependencies, fences, who reads from whom.
"""

from __future__ import annotations

from typing import assert_never

from treville.events.execution import Execution
from treville.events.kinds import FENCE
from treville.models.evaluate import Value
from treville.models.model import RELATION, Axiom, AxiomKind, Model, NodeId, Operator
from treville.records import dataclass, field
from treville.relations import EventId, Relation, by_event, elements
from treville.witness.derivation import Deriver, Step

# Expanding every shortest cycle of a large execution costs more than the shortest explanation is worth.
_CYCLES_COMPARED = 24


@dataclass(frozen=True, slots=True)
class Hop:
    """One edge of an explanation: a primitive step, or several program-order steps through fences.

    `through` are the events (fences, mostly) that the edge passes in its thread; `via` the cat names
    from the axiom's relation down to the edge.
    """

    source: int
    target: int
    label: str
    through: tuple[int, ...] = ()
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an axiom does not hold (or, for a flag, why it does).

    `paths` holds one closed path for a cycle, and for an `empty` axiom one path for each relation whose
    intersection is not empty. `events` lists the offending events where no relation is involved.
    """

    axiom: Axiom
    relation: str
    paths: tuple[tuple[Hop, ...], ...] = ()
    events: tuple[EventId, ...] = ()
    cyclic: bool = field(default=True)

    def hops(self) -> list[Hop]:
        """All edges of the explanation."""
        return [hop for path in self.paths for hop in path]


def explain(execution: Execution, model: Model, values: list[Value], axiom: Axiom) -> Explanation:
    """The evidence against `axiom`, which the execution violates (or, for a flag, raises)."""
    deriver = Deriver(execution, model, values)
    value = values[axiom.node]
    name = relation_name(model, axiom.node)
    if isinstance(value, int) or model.nodes[axiom.node].kind is not RELATION:
        assert isinstance(value, int)
        return Explanation(axiom, name, events=tuple(elements(value)), cyclic=False)
    if axiom.kind is AxiomKind.EMPTY:
        return _offending_pair(execution, deriver, axiom, name, value)
    cycles = _closed_walks(axiom.kind, value)
    paths = [_expanded(execution, deriver, axiom.node, cycle) for cycle in cycles[:_CYCLES_COMPARED]]
    return Explanation(axiom, name, paths=(min(paths, key=len),) if paths else ())


def _offending_pair(
    execution: Execution, deriver: Deriver, axiom: Axiom, name: str, value: Relation
) -> Explanation:
    pair = next(value.pairs(), None)
    if pair is None:
        return Explanation(axiom, name, cyclic=False)
    paths = []
    for part in deriver.conjuncts(axiom.node):
        steps = deriver.expand(part, *pair)
        if steps:
            paths.append(tuple(_merge(execution, steps)))
    return Explanation(axiom, name, paths=tuple(paths), events=pair, cyclic=False)


def _closed_walks(kind: AxiomKind, value: Relation) -> list[list[EventId]]:
    """Shortest cycles (each as its events in order); self-loops for `irreflexive`."""
    loops = [[i] for i, row in by_event(value.rows) if row >> i & 1]
    if loops or kind is AxiomKind.IRREFLEXIVE:
        return loops
    best = value.shortest_cycle()
    if best is None:
        return []
    cycles = []
    for start in best:
        path = value.shortest_path(start, start)
        if path is not None:
            cycles.append(path[:-1])
    others = (value.shortest_path(s, s) for s in elements(value.domain() & value.range()) if s not in best)
    cycles += [path[:-1] for path in others if path is not None and len(path) - 1 == len(best)]
    return cycles


def _expanded(execution: Execution, deriver: Deriver, node: NodeId, cycle: list[EventId]) -> tuple[Hop, ...]:
    steps = []
    for source, target in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        steps += deriver.expand(node, source, target)
    return tuple(_merge(execution, _from_a_thread_change(execution, steps)))


def _from_a_thread_change(execution: Execution, steps: list[Step]) -> list[Step]:
    """The same cycle, begun at the first event of a thread's part, so that program order is not cut."""
    for k, step in enumerate(steps):
        before = steps[k - 1]
        if execution.events[before.source].thread != execution.events[step.source].thread:
            return steps[k:] + steps[:k]
    return steps


def _merge(execution: Execution, steps: list[Step]) -> list[Hop]:
    """Program order into a fence and on from it is one edge `po` through that fence."""
    hops: list[Hop] = []
    for step in steps:
        last = hops[-1] if hops else None
        if (
            last is not None
            and step.label == last.label == "po"
            and execution.events[step.source].kind is FENCE
            and last.target == step.source
        ):
            via = last.via if len(last.via) <= len(step.via) else step.via
            hops[-1] = Hop(last.source, step.target, "po", (*last.through, step.source), via)
        else:
            hops.append(Hop(step.source, step.target, step.label, (), step.via))
    return hops


def relation_name(model: Model, node: NodeId) -> str:
    """The cat name or formula of a node, at most two operators deep."""
    return _formula(model, node, 3)


_ASSOCIATIVE = (Operator.UNION, Operator.INTERSECTION, Operator.COMPOSITION)


def _formula(model: Model, number: NodeId, depth: int) -> str:
    node = model.nodes[number]
    if node.name:
        return node.name
    if depth == 0:
        return "..."
    op, parts = node.op, _operands(model, number, depth - 1)
    match op:
        case Operator.UNION:
            return f"({' | '.join(parts)})"
        case Operator.INTERSECTION:
            return f"({' & '.join(parts)})"
        case Operator.DIFFERENCE:
            return f"({parts[0]} \\ {parts[1]})"
        case Operator.COMPOSITION:
            return f"({';'.join(parts)})"
        case Operator.PRODUCT:
            return f"({parts[0]}*{parts[1]})"
        case Operator.PLUS:
            return f"{parts[0]}+"
        case Operator.STAR:
            return f"{parts[0]}*"
        case Operator.OPTIONAL:
            return f"{parts[0]}?"
        case Operator.INVERSE:
            return f"{parts[0]}^-1"
        case Operator.IDENTITY_ON:
            return f"[{parts[0]}]"
        case Operator.COMPLEMENT:
            return f"~{parts[0]}"
        case Operator.DOMAIN | Operator.RANGE:
            return f"{op}({parts[0]})"
        case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID | Operator.FIXPOINT:
            return str(op)
        case _:
            assert_never(op)


def _operands(model: Model, number: NodeId, depth: int) -> list[str]:
    """The operands of a definition; nested unnamed uses of an associative operator are one list."""
    parts = []
    op = model.nodes[number].op
    for argument in model.nodes[number].args:
        inner = model.nodes[argument]
        if inner.op is op and not inner.name and op in _ASSOCIATIVE:
            parts += _operands(model, argument, depth)
        else:
            parts.append(_formula(model, argument, depth))
    return parts
