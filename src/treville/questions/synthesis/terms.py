"""Terms of cat over named leaves: how large they are, and how they are written.

The size of a term counts the leaves and the operators with one argument: `po | rf` has 2, `(po; rf)+` has 3.
"""

from __future__ import annotations

from treville.models.model import AxiomKind, Operator
from treville.records import dataclass

_INFIX = {
    Operator.UNION: " | ",
    Operator.INTERSECTION: " & ",
    Operator.DIFFERENCE: " \\ ",
    Operator.COMPOSITION: "; ",
}
_POSTFIX = {Operator.PLUS: "+", Operator.STAR: "*", Operator.INVERSE: "^-1", Operator.OPTIONAL: "?"}
_LONGEST_LINE = 100


@dataclass(frozen=True, slots=True)
class Term:
    """A leaf (`BASE`, with its text) or an operator over terms."""

    op: Operator
    args: tuple[Term, ...] = ()
    text: str = ""
    size: int = 1

    def __str__(self) -> str:
        return written(self)

    def leaves(self) -> set[str]:
        """The texts of its leaves."""
        return {self.text} if self.op is Operator.BASE else set().union(*(a.leaves() for a in self.args))


def leaf(text: str, size: int = 1) -> Term:
    """A leaf; one that is more than a name may count as more than 1."""
    return Term(Operator.BASE, (), text, size)


def made(op: Operator, *args: Term) -> Term:
    """An operator over terms."""
    unary = 1 if len(args) == 1 else 0
    return Term(op, args, "", sum(each.size for each in args) + unary)


def union(terms: list[Term]) -> Term:
    """The union of some terms."""
    out = terms[0]
    for each in terms[1:]:
        out = made(Operator.UNION, out, each)
    return out


def written(term: Term) -> str:
    """The term in cat. Operators that associate need no brackets among themselves."""
    if term.op is Operator.BASE:
        return term.text
    if term.op in _POSTFIX:
        return _bracketed(term.args[0]) + _POSTFIX[term.op]
    first, second = term.args
    left = written(first) if first.op is term.op else _bracketed(first)
    associates = second.op is term.op and term.op is not Operator.DIFFERENCE
    right = written(second) if associates else _bracketed(second)
    return f"{left}{_INFIX[term.op]}{right}"


def _bracketed(term: Term) -> str:
    text = written(term)
    atomic = term.op in _POSTFIX or (term.op is Operator.BASE and _is_one_word(text))
    return text if atomic else f"({text})"


def _is_one_word(text: str) -> bool:
    return not any(mark in text for mark in " |&;\\*") or text.startswith("[")


@dataclass(frozen=True, slots=True)
class ChosenAxiom:
    """An axiom of the model that was found."""

    kind: AxiomKind
    term: Term

    @property
    def size(self) -> int:
        """The size of its term."""
        return self.term.size

    def __str__(self) -> str:
        return f"{self.kind} {written(self.term)}"
