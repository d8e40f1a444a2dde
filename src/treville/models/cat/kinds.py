"""Sets or relations? A guess for the names of a `let rec` before their bodies can be evaluated."""

from __future__ import annotations

from treville.models.base import base_kind
from treville.models.cat import syntax
from treville.models.cat.values import Closure, Environment
from treville.models.model import RELATION, SET, Kind

_SETS = frozenset({"domain", "range", "tag2events", "tag2instrs"})


def guess_kinds(bodies: dict[str, syntax.Expression], env: Environment, node_kinds: list[Kind]) -> list[Kind]:
    """The kind of each name; what nothing tells is a relation. The evaluation checks the guess."""
    known: dict[str, Kind] = {}
    for _ in bodies:
        for name, body in bodies.items():
            if name not in known and (kind := _guess(body, bodies, known, env, node_kinds)):
                known[name] = kind
    return [known.get(name, RELATION) for name in bodies]


def _guess(
    expression: syntax.Expression,
    bodies: dict[str, syntax.Expression],
    known: dict[str, Kind],
    env: Environment,
    node_kinds: list[Kind],
) -> Kind | None:
    """The first operand whose kind is plain, from the left; operators other than `;`, `*`, `[]` and closures
    have the kind of their operands."""
    stack = [expression]
    entered: set[str] = set()
    while stack:
        current = stack.pop()
        if isinstance(current, syntax.Name):
            value = env.get(current.name)
            if isinstance(value, int):
                return node_kinds[value]
            kind = known.get(current.name) if current.name in bodies else base_kind(current.name)
            if kind is not None:
                return kind
        elif isinstance(current, syntax.Universe):
            return SET
        elif isinstance(current, syntax.Apply):
            function = current.function.name if isinstance(current.function, syntax.Name) else ""
            if function in _SETS:
                return SET
            closure = env.get(function)
            if isinstance(closure, Closure) and function not in entered:
                entered.add(function)
                stack.append(closure.body)
        elif _makes_relation(current):
            return RELATION
        else:
            stack.extend(reversed(_operands(current)))
    return None


def _makes_relation(expression: syntax.Expression) -> bool:
    if isinstance(expression, syntax.Nary):
        return expression.operator in (";", "*")
    return isinstance(expression, syntax.Unary) and expression.operator != "~"


def _operands(expression: syntax.Expression) -> tuple[syntax.Expression, ...]:
    if isinstance(expression, syntax.Nary):
        return expression.operands
    if isinstance(expression, syntax.Unary):
        return (expression.operand,)
    if isinstance(expression, syntax.LetIn):
        return (expression.body,)
    if isinstance(expression, syntax.If):
        return (expression.then, expression.otherwise)
    if isinstance(expression, syntax.Try):
        return (expression.attempt, expression.otherwise)
    return ()
