"""What a pair of a relation, or a member of a set, is made of: a rule for every operator of cat.

The bounds of a definition decide most of its pairs (see `encoding.relations`), so rules are only asked for
what may be and need not be there, and constants have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, assert_never

from treville.formulas.formula import FALSE, Literal
from treville.models.model import NodeId, Operator
from treville.models.recognise import is_from_read
from treville.relations import EventId, elements

if TYPE_CHECKING:
    from treville.encoding.relations import RelationEncoding

PairRule: TypeAlias = "Callable[[RelationEncoding, NodeId, EventId, EventId], Literal]"
MemberRule: TypeAlias = "Callable[[RelationEncoding, NodeId, EventId], Literal]"


def _args(relations: RelationEncoding, node: NodeId) -> tuple[NodeId, ...]:
    return relations.model.nodes[node].args


# -- pairs -----------------------------------------------------------------------------------------------


def _base_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    return relations.memory.base_pair(relations.model.nodes[node].name, source, target)


def _union_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    literals = [relations.pair(argument, source, target) for argument in _args(relations, node)]
    return relations.formula.any_of([[literal] for literal in literals])


def _intersection_pair(
    relations: RelationEncoding, node: NodeId, source: EventId, target: EventId
) -> Literal:
    one, other = _args(relations, node)
    first = relations.pair(one, source, target)
    return FALSE if first == FALSE else relations.formula.both(first, relations.pair(other, source, target))


def _difference_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    one, other = _args(relations, node)
    first = relations.pair(one, source, target)
    return relations.formula.both(first, -relations.pair(other, source, target))


def _complement_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    executed = relations.memory.both_executed(source, target)
    return relations.formula.both(executed, -relations.pair(_args(relations, node)[0], source, target))


def _composition_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    if is_from_read(relations.model, node):
        return relations.memory.from_read(source, target)
    one, other = _args(relations, node)
    return relations.formula.any_of(relations.two_steps(one, other, source, target))


def _pair_of_members(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    args = _args(relations, node)
    return relations.formula.both(relations.member(args[0], source), relations.member(args[-1], target))


def _inverse_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    return relations.pair(_args(relations, node)[0], target, source)


def _optional_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    # The identity is in `must`, so the two events differ or the pair was decided.
    return relations.pair(_args(relations, node)[0], source, target)


def _plus_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    return relations.closure(_args(relations, node)[0], source, target)


def _star_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    rule = _optional_pair if source == target else _plus_pair
    return rule(relations, node, source, target)


def _recursive_pair(relations: RelationEncoding, node: NodeId, source: EventId, target: EventId) -> Literal:
    return relations.pair(relations.body(node), source, target)


def _no_pair(relations: RelationEncoding, node: NodeId, _source: EventId, _target: EventId) -> Literal:
    raise AssertionError(f"{relations.model.nodes[node].op} has no pairs that its bounds leave open")


def _pair_rule(op: Operator) -> PairRule:
    match op:
        case Operator.BASE:
            return _base_pair
        case Operator.UNION:
            return _union_pair
        case Operator.INTERSECTION:
            return _intersection_pair
        case Operator.DIFFERENCE:
            return _difference_pair
        case Operator.COMPLEMENT:
            return _complement_pair
        case Operator.COMPOSITION:
            return _composition_pair
        case Operator.IDENTITY_ON | Operator.PRODUCT:
            return _pair_of_members
        case Operator.INVERSE:
            return _inverse_pair
        case Operator.OPTIONAL:
            return _optional_pair
        case Operator.PLUS:
            return _plus_pair
        case Operator.STAR:
            return _star_pair
        case Operator.FIXPOINT:
            return _recursive_pair
        case Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
            return _no_pair
        case Operator.DOMAIN | Operator.RANGE:  # sets
            return _no_pair
        case _:
            assert_never(op)


# -- members ---------------------------------------------------------------------------------------------


def _base_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    return relations.memory.base_member(relations.model.nodes[node].name, event)


def _union_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    literals = [relations.member(argument, event) for argument in _args(relations, node)]
    return relations.formula.any_of([[literal] for literal in literals])


def _intersection_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    one, other = _args(relations, node)
    return relations.formula.both(relations.member(one, event), relations.member(other, event))


def _difference_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    one, other = _args(relations, node)
    return relations.formula.both(relations.member(one, event), -relations.member(other, event))


def _complement_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    (argument,) = _args(relations, node)
    return relations.formula.both(relations.memory.executed[event], -relations.member(argument, event))


def _domain_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    (argument,) = _args(relations, node)
    targets = elements(relations.relation(argument).may.rows[event])
    return relations.formula.any_of([[relations.pair(argument, event, target)] for target in targets])


def _range_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    (argument,) = _args(relations, node)
    sources = elements(relations.into(argument, event))
    return relations.formula.any_of([[relations.pair(argument, source, event)] for source in sources])


def _recursive_member(relations: RelationEncoding, node: NodeId, event: EventId) -> Literal:
    return relations.member(relations.body(node), event)


def _no_member(relations: RelationEncoding, node: NodeId, _event: EventId) -> Literal:
    raise AssertionError(f"{relations.model.nodes[node].op} has no members that its bounds leave open")


def _member_rule(op: Operator) -> MemberRule:
    match op:
        case Operator.BASE:
            return _base_member
        case Operator.UNION:
            return _union_member
        case Operator.INTERSECTION:
            return _intersection_member
        case Operator.DIFFERENCE:
            return _difference_member
        case Operator.COMPLEMENT:
            return _complement_member
        case Operator.DOMAIN:
            return _domain_member
        case Operator.RANGE:
            return _range_member
        case Operator.FIXPOINT:
            return _recursive_member
        case Operator.EMPTY | Operator.UNIVERSE:
            return _no_member
        case Operator.ID | Operator.IDENTITY_ON | Operator.PRODUCT | Operator.COMPOSITION:  # relations
            return _no_member
        case Operator.INVERSE | Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
            return _no_member
        case _:
            assert_never(op)


# Pairs are made by the million, so which rule an operator has is decided once.
PAIR_RULES: dict[Operator, PairRule] = {op: _pair_rule(op) for op in Operator}
MEMBER_RULES: dict[Operator, MemberRule] = {op: _member_rule(op) for op in Operator}
