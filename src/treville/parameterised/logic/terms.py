"""Terms and literals with their processes renamed, and the difference of two numbers as a sum."""

from __future__ import annotations

from typing import Any

from treville.parameterised.system import Term


def difference(left: Term, right: Term) -> tuple[dict[Term, Any], Any]:
    """left - right as factors of terms and a constant."""
    terms: dict[Term, Any] = {}
    constant: Any = 0
    for term, sign in ((left, 1), (right, -1)):
        if term[0] == "s":
            constant += sign * term[2]
            for inner, factor in term[1]:
                terms[inner] = terms.get(inner, 0) + sign * factor
        else:
            terms[term] = terms.get(term, 0) + sign
    return terms, constant


def rename_term(term: Term, place: dict[int, int]) -> Term:
    """The term with its processes renamed; processes that are not in `place` stay."""
    tag = term[0]
    if tag == "a":
        return ("a", term[1], tuple(place.get(i, i) for i in term[2]))
    if tag == "p":
        return ("p", place.get(term[1], term[1]))
    if tag == "r":
        reader = place.get(term[2], term[2])
        return ("r", term[1], reader, term[3], tuple(place.get(i, i) for i in term[4]))
    if tag == "s":
        return ("s", tuple((rename_term(inner, place), factor) for inner, factor in term[1]), term[2])
    return term


def rename_literal(literal: Any, place: dict[int, int]) -> Any:
    """The literal with its processes renamed, without normalising it again."""
    if literal[0] == "L":
        return ("L", literal[1], tuple((rename_term(t, place), f) for t, f in literal[2]), literal[3])
    return (literal[0], rename_term(literal[1], place), rename_term(literal[2], place))
