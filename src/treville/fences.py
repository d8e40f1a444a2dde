"""What fences order: facts about tags that programs, models and encodings share.

A full fence of any architecture is a full fence to every model. A partial fence orders the pairs of accesses
that it orders on its own architecture, and nothing else. `library/fullfences.cat` and
`library/partialfences.cat` say the same in cat, and tests that they agree.
"""

from __future__ import annotations

from treville.records import NamedTuple

FULL_FENCES = frozenset(
    {"MFENCE", "SYNC", "MEMBAR", "Mb", "Fence.rw.rw"}
    | {kind + domain for kind in ("DMB", "DSB") for domain in ("", ".SY", ".ISH", ".OSH")}
)
"""The tags of full fences: one for each architecture and spelling. A fence of C11 has its order instead."""


class Pairs(NamedTuple):
    """Directions of accesses before and after a fence that keep their order. `returning`: of the reads before
    it only those whose value a register gets."""

    before: str
    after: str
    returning: bool = False


_LIGHT = (Pairs("R", "RW"), Pairs("W", "W"))
_LOADS = (Pairs("R", "RW", returning=True),)
_STORES = (Pairs("W", "W"),)

PARTIAL_FENCES: dict[str, tuple[Pairs, ...]] = {
    "LWSYNC": _LIGHT, "Fence.tso": _LIGHT, "EIEIO": _STORES, "SFENCE": _STORES, "LFENCE": (Pairs("R", "RW"),),
    **{f"DMB.{domain}ST": _STORES for domain in ("", "ISH", "OSH")},
    **{f"{kind}.{domain}LD": _LOADS for kind in ("DMB", "DSB") for domain in ("", "ISH", "OSH")},
    **{f"Fence.{before}.{after}": (Pairs(before.upper(), after.upper()),)
       for before in ("r", "w", "rw") for after in ("r", "w", "rw") if (before, after) != ("rw", "rw")},
}  # fmt: skip
"""What the tags of partial fences order under every model of hardware. (`dsb st` orders other pairs on ARMv7
than on AArch64, so it has no meaning elsewhere.)"""

INSTRUCTION_FENCES = frozenset({"ISYNC", "ISB", "Fence.i"})
"""Fences of the instruction stream: they order no accesses, except where a model says so."""


def orders(tags: frozenset[str], before: str, after: str) -> bool:
    """Does a fence with these tags order accesses of one direction before those of another, under every
    model? Models that mention it may let it order more."""
    return bool(tags & FULL_FENCES) or any(
        before in pairs.before and after in pairs.after
        for tag in tags
        for pairs in PARTIAL_FENCES.get(tag, ())
    )


PART = "PART"
"""The tag of what is left of an access that was taken apart, where another thread may notice."""

PLACE = "PLACE"
"""The tag of a fence that orders nothing, and only says that there is room for one."""
