"""The parts that holes are filled with: relations of a dialect by the kinds of their ends, and their
compositions.

All parts lie inside of (po | rf | co | fr)+. Two parts with the same pairs in all executions are the same
part; of a pair that lies on no cycle of all parts together nothing can be learnt, so such pairs do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treville.models.model import Operator
from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.evaluation import apply
from treville.questions.synthesis.listing import Executions, Value
from treville.questions.synthesis.terms import Term, leaf, made
from treville.questions.synthesis.vocabulary import FENCES, ORDERS, Vocabulary, merged
from treville.results import Budget

_ENDS = ("M", "R", "W")
_ORDERED = ("po", "po-loc")
_DEPENDENCIES = ("addr", "data", "ctrl")
_COMMUNICATION = ("rfe", "fre", "coe", "rfi", "fri", "coi")
_OTHERS = ("rmw",)
# What manuals call a full fence beside the instruction of that name: tests of it are few.
_FULL_FENCES = {dialect: {"mfence": "mfence | po & (X * M | M * X)"} for dialect in ("X86", "X86_64")}
# What partial fences order at home; all together are one part: a fence without tests orders it, too.
_X86_FENCES = {"lfence": "lfence & (R * M)", "sfence": "sfence & (W * W)"}
_PARTIAL_FENCES = {
    "X86": _X86_FENCES,
    "X86_64": _X86_FENCES,
    "PPC": {"lwsync": "lwsync & (R * M | M * W)", "eieio": "eieio & (W * W)"},
    "ARM": {"dmb.st": "dmb.st & (W * W)"},
    "AArch64": {
        "fencerel(dmb.ld)": "fencerel(dmb.ld) & (R * M)",
        "fencerel(dmb.st)": "fencerel(dmb.st) & (W * W)",
    },
    "RISCV": {name: name for name in FENCES["RISCV"] if name != "fence.rw.rw"},
}


def parts_of(
    vocabulary: Vocabulary, world: Executions, size: int, budget: Budget, base: Sequence[str] = ()
) -> list[Known]:
    """All parts up to a number of composed leaves, cheapest first; over a `base`, or what the dialect has."""
    if base:
        leaves = distinct([each for each in vocabulary.values(base, world) if any(each.value)], [])
    else:
        leaves = _leaves(vocabulary, world)
    found = list(leaves)
    previous = leaves
    links = [each for each in leaves if each.term.size == 1 or _is_link(each.term)]
    for _ in range(1, size):
        longer = []
        for one in previous:
            budget.check()
            for other in links:
                value = apply(world, Operator.COMPOSITION, one.value, other.value)
                if any(value):
                    steps = (_between_accesses(one.term), _between_accesses(other.term))
                    longer.append(Known(made(Operator.COMPOSITION, *steps), value))
        longer = distinct(longer, found)
        found += longer
        previous = longer
    return sorted(found, key=lambda each: each.term.size)


def _is_link(term: Term) -> bool:
    """Is it worth to be composed with others, though its ends are restricted?"""
    return term.text.startswith("po-loc & ")


def _leaves(vocabulary: Vocabulary, world: Executions) -> list[Known]:
    """Relations that some execution has, restricted by the kinds of their ends where that makes a
    difference."""
    known = ORDERS.get(vocabulary.dialect, ())
    orders = [
        name for name, each in zip(known, vocabulary.values(known, world), strict=True) if any(each.value)
    ]
    return distinct([each for each in all_leaves(vocabulary, world, orders) if any(each.value)], [])


def all_leaves(vocabulary: Vocabulary, world: Executions, orders: Sequence[str] | None = None) -> list[Known]:
    """All relations of the dialect, also those that no test tells apart."""
    if orders is None:
        orders = ORDERS.get(vocabulary.dialect, ())
    texts: list[tuple[str, int]] = []
    for name in (*_COMMUNICATION, *_OTHERS):
        texts.append((name, 1))
    full = _FULL_FENCES.get(vocabulary.dialect, {})
    partial = _PARTIAL_FENCES.get(vocabulary.dialect, {})
    texts += [(text, 1) for text in full.values()]
    if partial:
        texts.append((" | ".join(partial.values()), 1))
    for name in (*_DEPENDENCIES, *FENCES.get(vocabulary.dialect, ()), *_ORDERED):
        usual = name not in full and name not in partial
        texts.append((name if name not in _ORDERED else f"{name} & (M * M)", 1 if usual else 2))
        texts += [(text, 2) for text in _restricted(name, _ENDS)]
    texts += [(text, 2) for text in _restricted("po", (*_ENDS, *orders)) if any(o in text for o in orders)]
    known = vocabulary.values([text for text, _ in texts], world)
    return [
        Known(leaf(_plain(text), size), each.value) for (text, size), each in zip(texts, known, strict=True)
    ]


def _restricted(name: str, ends: Sequence[str]) -> Iterator[str]:
    for source in ends:
        for target in ends:
            if (source, target) != ("M", "M"):
                yield f"{name} & ({source} * {target})"


def _plain(text: str) -> str:
    """Cycles of accesses do not notice whether fences have a place in program order."""
    return text.removesuffix(" & (M * M)")


def _between_accesses(term: Term) -> Term:
    """A step of a composition, which must not end at a fence: `po; po` would, wherever there is one."""
    return leaf("po & (M * M)", term.size) if term.text == "po" else term


def distinct(parts: Sequence[Known], known: Sequence[Known]) -> list[Known]:
    """Those that differ from each other and from what is known; the first, cheapest ones are kept."""
    seen = {each.value for each in known}
    out = []
    for each in sorted(parts, key=lambda part: part.term.size):
        if each.value not in seen:
            seen.add(each.value)
            out.append(each)
    return out


def on_cycles(parts: Sequence[Known], world: Executions) -> list[Known]:
    """The parts without pairs that are on no cycle of all parts together, each relation once."""
    nothing: Value = (0,) * len(world.groups)
    order = apply(world, Operator.PLUS, merged((each.value for each in parts), nothing))
    back = apply(world, Operator.INVERSE, order)
    cut = [Known(each.term, apply(world, Operator.INTERSECTION, each.value, back)) for each in parts]
    return distinct([each for each in cut if any(each.value)], [])
