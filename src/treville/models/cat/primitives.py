"""The built-in functions of cat, as far as they mean something before an execution is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeAlias

from treville.models.cat.evaluation import Evaluator, NotDefined
from treville.models.cat.values import EMPTY, CoherenceOrders, TagValue, TupleValue, Value, describe
from treville.models.model import RELATION, SET, Operator
from treville.results import Unsupported

_Primitive: TypeAlias = Callable[[Evaluator, Value, int], Value]


def set_of_tag(tag: str) -> str:
    """The base set of the events with a bell annotation: herd7 capitalises the tag.

    >>> set_of_tag("rcu-lock")
    'Rcu-lock'
    """
    return tag[:1].upper() + tag[1:]


def _pair(evaluator: Evaluator, argument: Value, at: int) -> tuple[Value, Value]:
    if not isinstance(argument, TupleValue) or len(argument.items) != 2:
        evaluator.error(f"expected two arguments, found {describe(argument, evaluator.graph.kinds)}", at)
    return argument.items[0], argument.items[1]


def _domain(evaluator: Evaluator, argument: Value, at: int) -> Value:
    return evaluator.graph.domain(evaluator.as_kind(argument, RELATION, at))


def _range(evaluator: Evaluator, argument: Value, at: int) -> Value:
    return evaluator.graph.range(evaluator.as_kind(argument, RELATION, at))


def _fence_relation(evaluator: Evaluator, argument: Value, at: int) -> Value:
    """`fencerel(F)`: before and after an event of F in program order."""
    graph = evaluator.graph
    order = graph.base("po", RELATION)
    fences = evaluator.as_kind(argument, SET, at)
    if graph.is_empty(fences):
        return graph.empty(RELATION)
    return graph.seq(order, graph.seq(graph.identity(fences), order))


def _tag_to_events(evaluator: Evaluator, argument: Value, at: int) -> Value:
    if not isinstance(argument, TagValue):
        evaluator.error(f"expected a tag, found {describe(argument, evaluator.graph.kinds)}", at)
    return evaluator.base(set_of_tag(argument.name), at)


def _tag_to_fenced(evaluator: Evaluator, argument: Value, at: int) -> Value:
    return _fence_relation(evaluator, _tag_to_events(evaluator, argument, at), at)


def _inter_transitive(evaluator: Evaluator, argument: Value, at: int) -> Value:
    """`inter_transitive(r, s)`: `r+ & s`."""
    first, second = _pair(evaluator, argument, at)
    graph = evaluator.graph
    closure = graph.closure(Operator.PLUS, evaluator.as_kind(first, RELATION, at))
    return graph.inter(closure, evaluator.as_kind(second, RELATION, at))


def _intervening_write(evaluator: Evaluator, argument: Value, at: int) -> Value:
    """`intervening-write(r)`: pairs with a write in between."""
    graph = evaluator.graph
    relation = evaluator.as_kind(argument, RELATION, at)
    return graph.seq(relation, graph.seq(graph.identity(graph.base("W", SET)), relation))


def _different_values(evaluator: Evaluator, argument: Value, at: int) -> Value:
    """`different-values(r)`: the pairs of r whose events carry different values."""
    graph = evaluator.graph
    return graph.inter(evaluator.as_kind(argument, RELATION, at), graph.base("different-value", RELATION))


def _generate_orders(evaluator: Evaluator, argument: Value, at: int) -> Value:
    writes, extending = _pair(evaluator, argument, at)
    return CoherenceOrders(evaluator.as_kind(writes, SET, at), evaluator.as_kind(extending, RELATION, at))


def _nothing_of_page_tables(_evaluator: Evaluator, _argument: Value, _at: int) -> Value:
    """`same-oa`, `oa-changes`, ...: filters of page-table accesses, which no test has."""
    return EMPTY


def _fail(evaluator: Evaluator, _argument: Value, at: int) -> NoReturn:
    raise NotDefined("fail() was called", evaluator.source.span(at))


def _unsupported(name: str) -> _Primitive:
    def refuse(evaluator: Evaluator, _argument: Value, at: int) -> NoReturn:
        raise Unsupported(
            f"{name} computes sets of orders or classes of an execution, which Treville does not",
            evaluator.source.span(at, len(name)),
            "coherence orders come from cos.cat",
        )

    return refuse


PRIMITIVES: dict[str, _Primitive] = {
    "domain": _domain,
    "range": _range,
    "fencerel": _fence_relation,
    "fromto": _fence_relation,
    "tag2events": _tag_to_events,
    "tag2instrs": _tag_to_events,
    "tag2fenced": _tag_to_fenced,
    "inter_transitive": _inter_transitive,
    "intervening-write": _intervening_write,
    "different-values": _different_values,
    "generate_orders": _generate_orders,
    "same-oa": _nothing_of_page_tables,
    "oa-changes": _nothing_of_page_tables,
    "at-least-one-writable": _nothing_of_page_tables,
    "fail": _fail,
} | {
    name: _unsupported(name)
    for name in (
        "classes-loc", "partition", "classes", "lift", "delift", "deliftinter", "linearisations",
        "bisimulation", "tag2scope", "tag2level", "loc2events", "cross", "co_locs", "strata",
    )
}  # fmt: skip
