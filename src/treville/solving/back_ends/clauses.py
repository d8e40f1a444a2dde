"""Formulas -> clauses and comparisons of clocks, for solvers that know neither rules nor graphs.

A defined atom becomes equivalent to the disjunction of its bodies. Atoms that depend on each other in a
cycle get levels: a body supports its head only if the atoms of the cycle in it have smaller levels, so that
the least solution is the only one; where any solution will do (`polarity`), levels can be left out. An edge
of the acyclic graph becomes "if the condition holds, the clock of its source is less than that of its target"
(paper 000, lemma 1); edges that no cycle can use are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treville.formulas.formula import TRUE, Formula, Literal
from treville.records import NamedTuple, dataclass, field
from treville.relations.graphs import components
from treville.solving.back_ends.polarity import of_any_fixpoint


class Less(NamedTuple):
    """If the condition (a literal) holds, one clock is less than another."""

    condition: Literal
    before: int
    after: int


@dataclass(slots=True)
class Clauses:
    """A formula in clauses. Variables up to `variables` are used, the first ones being the formula's atoms.
    `clocks` maps each clock to how many there are in its group: so many values are enough. `larger` atoms
    may hold although their least solution does not have them."""

    variables: int
    clauses: list[list[Literal]] = field(default_factory=list)
    comparisons: list[Less] = field(default_factory=list)
    clocks: dict[int, int] = field(default_factory=dict)
    larger: set[Literal] = field(default_factory=set)

    def new(self) -> Literal:
        """A new variable."""
        self.variables += 1
        return Literal(self.variables)


def clauses_of(formula: Formula, any_fixpoint: bool = False) -> Clauses:
    """The formula as clauses and comparisons. With `any_fixpoint` recursive atoms that can only do harm have
    any solution of their rules."""
    result = Clauses(formula.atoms)
    cyclic = cyclic_atoms(formula)
    if any_fixpoint:
        result.larger = of_any_fixpoint(formula, cyclic)
        cyclic = {atom: cycle for atom, cycle in cyclic.items() if atom not in result.larger}
    result.clauses.append([TRUE])
    result.clauses += [[-literal for literal in body] for body in formula.forbidden]
    for literals in formula.at_most_one_of:
        _at_most_one(result, literals)
    _define_atoms(result, formula, cyclic)
    _compare(result, [Less(condition, a, b) for a, b, condition in formula.edges], formula.graph_nodes)
    return result


def _at_most_one(result: Clauses, literals: Sequence[Literal]) -> None:
    """One after the other: `seen` holds from the first true literal on."""
    seen: Literal | None = None
    for literal in literals:
        following = result.new()
        result.clauses.append([-literal, following])
        if seen is not None:
            result.clauses += [[-seen, following], [-seen, -literal]]
        seen = following


def _define_atoms(result: Clauses, formula: Formula, component: Mapping[Literal, int]) -> None:
    bodies: dict[Literal, list[Sequence[Literal]]] = {}
    for head, body in formula.rules:
        bodies.setdefault(head, []).append(body)
    free = {TRUE, *formula.choices}
    levels: dict[Literal, int] = {}
    comparisons: list[Less] = []
    for atom in formula.all_atoms():
        if atom in free:
            continue
        cases = []
        for body in bodies.get(atom, []):
            result.clauses.append([atom, *(-literal for literal in body)])
            inner = [b for b in body if b > 0 and component.get(b) == component.get(atom, -1)]
            support = body[0] if len(body) == 1 and not inner else result.new()
            cases.append(support)
            if support > formula.atoms:
                result.clauses += [[-support, literal] for literal in body]
            for other in inner:
                before, after = (levels.setdefault(one, len(levels)) for one in (other, atom))
                comparisons.append(Less(support, before, after))
        result.clauses.append([-atom, *cases])
    if comparisons:
        shifted = [Less(c, formula.graph_nodes + a, formula.graph_nodes + b) for c, a, b in comparisons]
        _compare(result, shifted, formula.graph_nodes + len(levels))


def cyclic_atoms(formula: Formula) -> dict[Literal, int]:
    """Atoms that depend on themselves through rules, each with the number of its cycle."""
    successors: list[list[int]] = [[] for _ in range(formula.atoms + 1)]
    for head, body in formula.rules:
        successors[head] += [literal for literal in body if literal > 0]
    found = {
        atom: number
        for number, members in enumerate(components(successors))
        if len(members) > 1 or members[0] in successors[members[0]]
        for atom in map(Literal, members)
    }
    return dict(sorted(found.items()))


def _compare(result: Clauses, comparisons: list[Less], nodes: int) -> None:
    """Keep the comparisons between clocks of one strongly connected component."""
    successors: list[list[int]] = [[] for _ in range(nodes)]
    for _, before, after in comparisons:
        successors[before].append(after)
    together: list[list[int]] = [[] for _ in range(nodes)]
    for members in components(successors):
        for node in members:
            together[node] = members
    for comparison in comparisons:
        members = together[comparison.before]
        if comparison.before == comparison.after:
            result.clauses.append([-comparison.condition])
        elif members is together[comparison.after]:
            result.comparisons.append(comparison)
            result.clocks[comparison.before] = result.clocks[comparison.after] = len(members)
