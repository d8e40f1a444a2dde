"""Models that were found -> cat as people write it: named definitions, unions in few words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product

from treville.models.model import AxiomKind
from treville.questions.synthesis.terms import ChosenAxiom, Term, leaf, union, written

_RESTRICTED = re.compile(r"([^|]+) & \((\w+) \* (\w+)\)$")
_KINDS = {"M": ("R", "W"), "R": ("R",), "W": ("W",)}
_PAIRS = (("rfe", "rfi", "rf"), ("fre", "fri", "fr"), ("coe", "coi", "co"))
# Products of sets, the largest first; a set of pairs is the union of those that fit.
_PRODUCTS = tuple((a, b) for a in ("M", "R", "W") for b in ("M", "R", "W"))
_WIDTH = 100


def tidy(terms: Iterable[Term]) -> list[Term]:
    """The same union in fewer words: parts by the kinds of their ends become one, rfe and rfi are rf."""
    plain: list[Term] = []
    ends: dict[str, set[tuple[str, str]]] = {}
    for term in terms:
        found = _RESTRICTED.match(term.text)
        if found and found[2] in _KINDS and found[3] in _KINDS:
            ends.setdefault(found[1], set()).update(product(_KINDS[found[2]], _KINDS[found[3]]))
        else:
            plain.append(term)
    names = {term.text for term in plain}
    out = [
        term for term in plain if not any(term.text in pair[:2] and names >= {*pair[:2]} for pair in _PAIRS)
    ]
    out += [leaf(whole) for one, other, whole in _PAIRS if names >= {one, other}]
    for name, kinds in ends.items():
        if name not in names:
            out.append(_restricted(name, kinds))
    return sorted(out, key=lambda term: term.size)


def _restricted(name: str, kinds: set[tuple[str, str]]) -> Term:
    left, chosen = set(kinds), []
    for source, target in _PRODUCTS:
        covered = set(product(_KINDS[source], _KINDS[target]))
        if covered <= kinds and covered & left:
            chosen.append(f"{source} * {target}")
            left -= covered
    if chosen == ["M * M"]:
        return leaf(name)
    return leaf(f"{name} & ({' | '.join(chosen)})", 1 + len(chosen))


def definition(name: str, terms: Sequence[Term]) -> str:
    """`let name = ...`, over several lines if one is too long."""
    if not terms:
        return f"let {name} = 0\n"
    line = f"let {name} = {written(union(list(terms)))}\n"
    if len(line) <= _WIDTH:
        return line
    pieces = [written(term) if "|" not in term.text else f"({term.text})" for term in terms]
    return f"let {name} =\n    " + "\n  | ".join(pieces) + "\n"


def axiom_line(axiom: ChosenAxiom, name: str) -> str:
    """An axiom of a term; long unions get a definition."""
    return f"{axiom.kind} {written(axiom.term)} as {name}\n"


def axiom_names(axioms: Sequence[ChosenAxiom]) -> list[str]:
    """Names that tell the axioms apart."""
    words = {AxiomKind.ACYCLIC: "order", AxiomKind.IRREFLEXIVE: "no-return", AxiomKind.EMPTY: "excluded"}
    out: list[str] = []
    for axiom in axioms:
        word = words[axiom.kind]
        number = sum(name.rpartition("-")[0] == word or name == word for name in out)
        out.append(f"{word}-{number + 1}" if number else word)
    return out


def file_text(title: str, comment: Sequence[str], prelude: str, body: str) -> str:
    """A whole cat file."""
    lines = [line.replace("*)", "* )") for line in comment]
    head = "(* " + "\n   ".join(lines) + " *)\n\n" if lines else ""
    return f'{head}"{title}"\n\n{prelude}\n{body}'
