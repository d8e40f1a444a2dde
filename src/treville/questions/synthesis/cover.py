"""Which axioms make a model: a cover problem (paper 004, section 6.2).

Every forbidden execution has to be hit by an axiom, every allowed test has to keep a witness that is not hit
by any, and the axioms are to be as small as possible together. The thesis backtracks over relevant relations;
here a solver chooses."""

from __future__ import annotations

from collections.abc import Iterable

from treville.formulas.formula import Formula, Literal
from treville.models.model import AxiomKind, Operator
from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.evaluation import violations
from treville.questions.synthesis.listing import Evidence
from treville.questions.synthesis.terms import ChosenAxiom, Term
from treville.records import dataclass
from treville.results import Budget
from treville.solving.optimum import Optimum

# Sizes count before the number of axioms.
_SIZE_COUNTS = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """An axiom and the executions that it forbids."""

    axiom: ChosenAxiom
    hits: int


class Candidates:
    """The relevant axioms seen so far (Theorem 13), of those that forbid the same the smallest."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.by_hits: dict[int, Candidate] = {}
        self.covered = 0
        self._harmful: set[tuple[AxiomKind, Term]] = set()
        # Few sets of witnesses differ, and many tests have some in common.
        self._needed = sorted(set(evidence.witnesses.values()), key=int.bit_count)
        self._witnesses = 0
        for mask in self._needed:
            self._witnesses |= mask

    def add(self, known: Known) -> None:
        """Look at the axioms over a term."""
        for kind in kinds_of(known.term):
            if self._inherits_harm(kind, known.term):
                continue
            hits = violations(self.evidence.world, kind, known.value)
            if not hits or hits in self.by_hits:
                continue
            if not self._harmless(hits):
                self._harmful.add((kind, known.term))
                continue
            if not hits & self.evidence.forbidden:
                continue
            self.by_hits[hits] = Candidate(ChosenAxiom(kind, known.term), hits)
            self.covered |= hits & self.evidence.forbidden

    def _inherits_harm(self, kind: AxiomKind, term: Term) -> bool:
        """Does a smaller relation cost an allowed test its last witness already? (Theorem 14)"""
        if term.op in (Operator.UNION, Operator.PLUS, Operator.STAR) and any(
            (kind, each) in self._harmful for each in term.args
        ):
            self._harmful.add((kind, term))
            return True
        return False

    def _harmless(self, hits: int) -> bool:
        """Does every allowed test keep a witness?"""
        if not hits & self._witnesses:
            return True
        return all(mask & ~hits for mask in self._needed)

    @property
    def complete(self) -> bool:
        """Is every forbidden execution hit by one of them?"""
        return not self.evidence.forbidden & ~self.covered

    def undominated(self) -> list[Candidate]:
        """Those for which no smaller or equal one forbids more of what is forbidden and less of the rest."""
        kept: list[tuple[Candidate, int, int]] = []
        forbidden, witnesses = self.evidence.forbidden, self._witnesses
        ordered = sorted(
            self.by_hits.values(), key=lambda c: (c.axiom.size, -(c.hits & forbidden).bit_count())
        )
        for candidate in ordered:
            good, bad = candidate.hits & forbidden, candidate.hits & witnesses
            if not any(not good & ~more and not less & ~bad for _, more, less in kept):
                kept.append((candidate, good, bad))
        return [candidate for candidate, _, _ in kept]


def kinds_of(term: Term) -> tuple[AxiomKind, ...]:
    """The axioms that a term is worth: that a relation is empty is only meant where it is the common part of
    two, or what is left of one. Otherwise hardly any program would have executions."""
    if term.op in (Operator.INTERSECTION, Operator.DIFFERENCE):
        return (AxiomKind.ACYCLIC, AxiomKind.IRREFLEXIVE, AxiomKind.EMPTY)
    return (AxiomKind.ACYCLIC, AxiomKind.IRREFLEXIVE)


def cheapest(candidates: Candidates, axioms: int | None, budget: Budget) -> list[ChosenAxiom] | None:
    """The smallest model over the candidates, or None."""
    usable = candidates.undominated()
    evidence = candidates.evidence
    numbers = [set(evidence.world.numbers(each.hits)) for each in usable]
    formula = Formula()
    chosen = [formula.choice() for _ in usable]
    hitting: dict[int, list[Literal]] = {}
    for literal, members in zip(chosen, numbers, strict=True):
        for number in members:
            hitting.setdefault(number, []).append(literal)
    for clause in _smallest(hitting.get(n, []) for n in evidence.world.numbers(evidence.forbidden)):
        formula.require(*clause)
    survives: dict[int, Literal] = {}
    for mask in set(evidence.witnesses.values()):
        witnesses = evidence.world.numbers(mask)
        if any(number not in hitting for number in witnesses):
            continue
        for number in witnesses:
            if number not in survives:
                survives[number] = formula.choice()
                for literal in hitting[number]:
                    formula.forbid(survives[number], literal)
        formula.require(*[survives[number] for number in witnesses])
    costs = {
        literal: _SIZE_COUNTS * each.axiom.size + 1 for literal, each in zip(chosen, usable, strict=True)
    }
    found = Optimum(formula, costs, chosen, axioms).best(chosen, budget)
    if found is None:
        return None
    return [each.axiom for literal, each in zip(chosen, usable, strict=True) if literal in found]


def _smallest(clauses: Iterable[list[Literal]]) -> list[frozenset[Literal]]:
    """The clauses that no other one implies."""
    kept: list[frozenset[Literal]] = []
    for clause in sorted(set(map(frozenset, clauses)), key=len):
        if not any(each <= clause for each in kept):
            kept.append(clause)
    return kept
