"""Nested formulas -> negation normal form -> disjunctive normal form.

A shape is a truth value, a literal, ("and", parts), ("or", parts), ("all", count, other, body),
("any", index, body) or ("fence",).
"""

from __future__ import annotations

from typing import Any

from treville.parameterised.system import Cube, Universal, equality
from treville.results import InputError, Span, Unsupported

Shape = Any
# Existential processes, universal parts, fence?, literals.
Disjunct = tuple[tuple[int, ...], tuple[Universal, ...], bool, Cube]

_MOST_DISJUNCTS = 4000


def negation(shape: Shape, span: Span | None = None) -> Shape:
    """The negated shape; only cases have quantifiers left below a negation, and those are refused."""
    if isinstance(shape, bool):
        return not shape
    tag = shape[0]
    if tag in ("and", "or"):
        return ("or" if tag == "and" else "and", tuple(negation(part, span) for part in shape[1]))
    if tag in ("all", "any", "fence"):
        raise Unsupported("quantifiers and fences in a case", span)
    if tag == "=":
        return ("!", *shape[1:])
    if tag == "!":
        return ("=", *shape[1:])
    if tag == "<":
        return ("or", (("<", shape[2], shape[1]), equality("=", shape[1], shape[2])))
    return _negated_linear(shape)


def _negated_linear(literal: Shape) -> Shape:
    _, op, entries, constant = literal
    if op in ("=", "!"):
        return ("L", "!" if op == "=" else "=", entries, constant)
    flipped = tuple((term, -factor) for term, factor in entries)
    if op == "<":
        return ("L", "r<=", flipped, -constant)
    if op == "r<=":
        return ("L", "<", flipped, -constant)
    # Over the integers, not (e <= 0) is 1 - e <= 0.
    return ("L", "<=", flipped, 1 - constant)


def disjuncts(shape: Shape, span: Span) -> list[Disjunct]:
    """The disjunctive normal form; contradictions between equal literals are left to the theory."""
    found = _disjuncts(shape, span)
    unique: dict[Disjunct, None] = dict.fromkeys(found)
    return list(unique)


def _disjuncts(shape: Shape, span: Span) -> list[Disjunct]:
    if isinstance(shape, bool):
        return [((), (), False, ())] if shape else []
    tag = shape[0]
    if tag == "or":
        found = [item for part in shape[1] for item in _disjuncts(part, span)]
        return _bounded(found, span)
    if tag == "and":
        result: list[Disjunct] = [((), (), False, ())]
        for part in shape[1]:
            choices = _disjuncts(part, span)
            if len(result) * len(choices) > _MOST_DISJUNCTS:
                raise InputError("this formula has too many disjuncts", span)
            result = [_both(left, right) for left in result for right in choices]
        return result
    if tag == "fence":
        return [((), (), True, ())]
    if tag == "any":
        return [((shape[1], *extra), u, fence, cube) for extra, u, fence, cube in _disjuncts(shape[2], span)]
    if tag == "all":
        inner = disjuncts(shape[3], span)
        fences = {fence for _, _, fence, _ in inner}
        if len(fences) > 1 or any(extra or universals for extra, universals, _, _ in inner):
            raise Unsupported("nested quantifiers, and fences in some alternatives of a quantifier", span)
        universal = Universal(shape[1], shape[2], tuple(cube for *_, cube in inner))
        # The acting process's fence does not depend on the quantified process.
        return [((), (universal,), fences == {True}, ())]
    return [((), (), False, (shape,))]


def _both(left: Disjunct, right: Disjunct) -> Disjunct:
    literals = dict.fromkeys((*left[3], *right[3]))
    return (left[0] + right[0], left[1] + right[1], left[2] or right[2], tuple(literals))


def _bounded(found: list[Disjunct], span: Span) -> list[Disjunct]:
    if len(found) > _MOST_DISJUNCTS:
        raise InputError("this formula has too many disjuncts", span)
    return found
