"""Least fixpoints by certificates instead of the solver's rules (paper 004, section 5.5.2, Figure 5.3).

A pair of a recursive relation holds exactly if the body of one of its rules does; a body supports it only if
the recursive pairs in the body were derived in earlier rounds. The rounds are numbers in the thesis, which is
what the solvers z3 and sat are given (`solving.back_ends.clauses`). Here they are an order: an edge from each
pair that a chosen support uses, in the acyclic graph that the solver knows anyway. Only pairs that really
depend on themselves need one.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.formulas.formula import Formula, Literal, Vertex
from treville.solving.back_ends.clauses import cyclic_atoms


def with_certificates(formula: Formula) -> Formula:
    """An equivalent formula in which no atom depends on itself through rules."""
    cyclic = cyclic_atoms(formula)
    straight = [(head, body) for head, body in formula.rules if head not in cyclic]
    result = Formula(
        formula.atoms, list(formula.choices), straight, list(formula.forbidden),
        list(formula.at_most_one_of), list(formula.edges), formula.graph_nodes,
    )  # fmt: skip
    vertex = dict(zip(cyclic, result.vertices(len(cyclic)), strict=True))
    result.choices += cyclic
    supports: dict[Literal, list[Literal]] = {atom: [] for atom in cyclic}
    for head, body in formula.rules:
        if head in cyclic:
            inner = [literal for literal in body if cyclic.get(literal) == cyclic[head]]
            supports[head].append(
                _support(result, head, body, [vertex[other] for other in inner], vertex[head])
            )
    for atom, ways in supports.items():
        result.require(-atom, *ways)
    return result


def _support(
    result: Formula, head: Literal, body: Sequence[Literal], inner: list[Vertex], own: Vertex
) -> Literal:
    """A literal that can only hold if the body does and its recursive pairs came earlier."""
    result.forbid(-head, *body)
    if not inner:
        return result.both(*body)
    support = result.choice()
    for literal in body:
        result.forbid(support, -literal)
    for other in inner:
        result.edge(other, own, support)
    return support
