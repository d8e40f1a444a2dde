"""Conjunctions of linear literals: equations solved by Gauss, the rest checked by Fourier-Motzkin.

Everything is exact (ints and Fractions). Over the integers bounds are rounded, but gaps between bounds of
several terms are not seen: the answer "consistent" can be wrong there, "contradictory" never is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from treville.parameterised.system import Cube, Literal, Term, linear

_MOST_CONSTRAINTS = 400
Row = tuple[dict[Term, Any], Any, bool]


def solve(literals: list[Literal], integral_names: set[str]) -> Cube | None:
    """The literals in normal form, None when they contradict each other."""
    equations: dict[Term, tuple[dict[Term, Any], Any]] = {}
    waiting = list(literals)
    bounds: dict[tuple[Any, ...], Literal] = {}
    different: set[Literal] = set()
    while True:
        progress = False
        rest: list[Literal] = []
        for literal in waiting:
            reduced = _substitute(literal, equations, integral_names) if equations else literal
            if reduced is True:
                continue
            if reduced is False:
                return None
            if reduced[1] == "=":
                _eliminate(reduced, equations)
                progress = True
            else:
                rest.append(reduced)
        waiting = rest
        if not progress:
            bounds, different = {}, set()
            found = _tighten(waiting, bounds, different)
            if found is None:
                return None
            if not found:
                break
            waiting = [*bounds.values(), *different, *found]
    kept = [*bounds.values(), *different]
    if len(kept) > 1 and _contradictory(kept):
        return None
    made = [_equation(term, value, integral_names) for term, value in equations.items()]
    return tuple(literal for literal in (*made, *kept) if not isinstance(literal, bool))


def _integral(entries: Any, names: set[str]) -> bool:
    term = entries[0][0]
    return (term[3] if term[0] == "r" else term[1]) in names


def _substitute(literal: Literal, equations: Any, names: set[str]) -> Any:
    if not any(term in equations for term, _ in literal[2]):
        return literal
    terms: dict[Term, Any] = {}
    constant = literal[3]
    for term, factor in literal[2]:
        if term in equations:
            inner, offset = equations[term]
            constant += factor * offset
            for other, other_factor in inner.items():
                terms[other] = terms.get(other, 0) + factor * other_factor
        else:
            terms[term] = terms.get(term, 0) + factor
    op = "<=" if literal[1] == "r<=" else literal[1]
    return linear(op, terms, constant, integral=_integral(literal[2], names))


def _eliminate(literal: Literal, equations: dict[Term, tuple[dict[Term, Any], Any]]) -> None:
    """Solve an equation for its last term with factor 1 or -1, and use that in the other equations."""
    entries, constant = literal[2], literal[3]
    chosen, factor = next(((t, f) for t, f in reversed(entries) if f in (1, -1)), entries[-1])
    if factor in (1, -1):
        inner = {t: -f * factor for t, f in entries if t != chosen}
        offset = -constant * factor
    else:
        inner = {t: Fraction(-f, factor) for t, f in entries if t != chosen}
        offset = Fraction(-constant, factor)
    for term, (others, base) in list(equations.items()):
        if chosen in others:
            share = others[chosen]
            merged = {t: f for t, f in others.items() if t != chosen}
            for t, f in inner.items():
                merged[t] = merged.get(t, 0) + share * f
            equations[term] = ({t: f for t, f in merged.items() if f}, base + share * offset)
    equations[chosen] = (inner, offset)


def _equation(term: Term, value: tuple[dict[Term, Any], Any], names: set[str]) -> Literal | bool:
    inner, offset = value
    terms = {t: -f for t, f in inner.items()}
    terms[term] = 1
    whole = all(f == int(f) for f in terms.values()) and offset == int(offset)
    return linear("=", terms, -offset, integral=whole and _integral(((term, 1),), names))


def _tighten(literals: list[Literal], bounds: Any, different: set[Literal]) -> list[Literal] | None:
    """Keep the tightest bound of every sum; new equations from touching bounds; None: contradiction."""
    for literal in literals:
        if literal[1] == "!":
            different.add(literal)
            continue
        key = literal[2]
        held = bounds.get(key)
        if held is None or (held[3], held[1] == "<") < (literal[3], literal[1] == "<"):
            bounds[key] = literal
    found: list[Literal] = []
    for key, literal in list(bounds.items()):
        opposite = bounds.get(tuple((t, -f) for t, f in key))
        if opposite is None or key[0][1] < 0:
            continue
        gap = literal[3] + opposite[3]
        if gap > 0 or (gap == 0 and "<" in (literal[1], opposite[1])):
            return None
        if gap == 0:
            found.append(("L", "=", key, literal[3]))
    if found:
        return found
    return _use_differences(bounds, different)


def _use_differences(bounds: Any, different: set[Literal]) -> list[Literal] | None:
    """A difference at the edge of a bound tightens it; one outside the bounds says nothing."""
    for literal in list(different):
        for sign in (1, -1):
            key = tuple((t, sign * f) for t, f in literal[2])
            constant = sign * literal[3]
            bound = bounds.get(key)
            if bound is None:
                continue
            if bound[3] > constant or (bound[3] == constant and bound[1] == "<"):
                different.discard(literal)
            elif bound[3] == constant:
                different.discard(literal)
                if bound[1] == "<=":
                    return [("L", "<=", key, constant + 1)]
                bounds[key] = ("L", "<", key, constant)
    return []


def _contradictory(literals: list[Literal]) -> bool:
    rows = [_row(literal) for literal in literals if literal[1] != "!"]
    if _infeasible(rows):
        return True
    # A difference contradicts only when both of its sides do.
    for literal in literals:
        if literal[1] == "!" and len(rows) > 1:
            below = (dict(literal[2]), literal[3], True)
            above = ({t: -f for t, f in literal[2]}, -literal[3], True)
            if _infeasible([*rows, below]) and _infeasible([*rows, above]):
                return True
    return False


def _row(literal: Literal) -> Row:
    return (dict(literal[2]), literal[3], literal[1] == "<")


def _infeasible(rows: list[Row]) -> bool:
    """Fourier-Motzkin; gives up (feasible) when it would grow too large."""
    while True:
        rows = [row for row in rows if row[0] or row[1] > 0 or (row[1] == 0 and row[2])]
        if any(not terms for terms, _, _ in rows):
            return True
        if not rows:
            return False
        term = _cheapest(rows)
        lower = [row for row in rows if row[0].get(term, 0) < 0]
        upper = [row for row in rows if row[0].get(term, 0) > 0]
        rest = [row for row in rows if term not in row[0]]
        if len(rest) + len(lower) * len(upper) > _MOST_CONSTRAINTS:
            return False
        rows = rest + [_combined(a, b, term) for a in lower for b in upper]


def _cheapest(rows: list[Row]) -> Term:
    counts: dict[Term, list[int]] = {}
    for terms, _, _ in rows:
        for term, factor in terms.items():
            counts.setdefault(term, [0, 0])[factor > 0] += 1
    return min(counts, key=lambda term: counts[term][0] * counts[term][1])


def _combined(lower: Row, upper: Row, term: Term) -> Row:
    up, down = upper[0][term], -lower[0][term]
    terms = {t: f * up for t, f in lower[0].items() if t != term}
    for t, f in upper[0].items():
        if t != term:
            total = terms.get(t, 0) + f * down
            if total:
                terms[t] = total
            else:
                del terms[t]
    return (terms, lower[1] * up + upper[1] * down, lower[2] or upper[2])


def entailed(known: Cube, literal: Literal) -> bool:
    """Does the literal follow from a normal form made by `solve`?"""
    if literal in known:
        return True
    terms = {term for fact in known for term, _ in fact[2]}
    if not all(term in terms for term, _ in literal[2]):
        return False
    rows: list[Row] = []
    for fact in known:
        if fact[1] == "=":
            rows.append((dict(fact[2]), fact[3], False))
            rows.append(({t: -f for t, f in fact[2]}, -fact[3], False))
        elif fact[1] != "!":
            rows.append(_row(fact))
    below: Row = (dict(literal[2]), literal[3], True)
    above: Row = ({t: -f for t, f in literal[2]}, -literal[3], True)
    op = literal[1]
    if op == "=":
        return _infeasible([*rows, below]) and _infeasible([*rows, above])
    if op == "!":
        side = (dict(literal[2]), literal[3], False), ({t: -f for t, f in literal[2]}, -literal[3], False)
        return _infeasible([*rows, *side])
    if op == "<=":
        return _infeasible([*rows, (above[0], above[1] + 1, False)])
    return _infeasible([*rows, above if op == "r<=" else (above[0], above[1], False)])
