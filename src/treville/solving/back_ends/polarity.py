"""Which recursive atoms of a formula may have any solution of their rules, not only the least one?

Those that can only do harm (paper 004, section 4.5.7, after Knaster and Tarski): if they hold for more pairs
than they need, more is forbidden and the graph has more edges, and nothing is allowed by it. If some solution
of their rules satisfies all constraints, so does the least one, which is smaller. The axioms of a memory
model use their relations in this way, unless under a difference or in a flag that somebody asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treville.formulas.formula import TRUE, Formula, Literal


def of_any_fixpoint(formula: Formula, cyclic: Mapping[Literal, int]) -> set[Literal]:
    """Of the atoms that depend on themselves, each with the number of its cycle, those that may have any
    solution. Linear in the formula."""
    harmful = _harmful(formula, cyclic)
    exact = {cycle for atom, cycle in cyclic.items() if -atom in harmful}
    return {atom for atom, cycle in cyclic.items() if cycle not in exact}


def _harmful(formula: Formula, cyclic: Mapping[Literal, int]) -> set[Literal]:
    """The literals that make constraints harder to satisfy by being true. What nothing but
    its own cycle uses may be asked for either way."""
    rules: dict[Literal, list[Sequence[Literal]]] = {}
    for head, body in formula.rules:
        rules.setdefault(head, []).append(body)
    found: set[Literal] = set()
    for literals in (*formula.forbidden, *formula.at_most_one_of):
        found.update(literals)
    found.update(condition for _, _, condition in formula.edges)
    used = {abs(literal) for literal in found}
    for head, body in formula.rules:
        cycle = cyclic.get(head, -1)
        used.update(abs(literal) for literal in body if cyclic.get(abs(literal)) != cycle)
    for atom in formula.all_atoms():
        if atom not in used and atom != TRUE:
            found |= {atom, -atom}
    pending = list(found)
    while pending:
        literal = pending.pop()
        for body in rules.get(abs(literal), ()):
            for other in body if literal > 0 else [-each for each in body]:
                if other not in found:
                    found.add(other)
                    pending.append(other)
    return found
