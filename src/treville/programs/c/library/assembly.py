"""Inline assembly: fences and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.llvm import InlineAsm

if TYPE_CHECKING:
    from treville.programs.c.body import Body

_FENCES = {
    "mfence": "MFENCE", "sync": "SYNC", "hwsync": "SYNC", "lwsync": "LWSYNC", "isync": "ISYNC",
    "eieio": "EIEIO", "sfence": "SFENCE", "lfence": "LFENCE", "dmb": "DMB", "dmb sy": "DMB.SY",
    "dmb ish": "DMB.ISH",
    "dmb st": "DMB.ST", "dmb ishst": "DMB.ISHST", "dmb ld": "DMB.LD", "dmb ishld": "DMB.ISHLD", "dsb": "DSB",
    "dsb sy": "DSB.SY", "dsb ish": "DSB.ISH", "isb": "ISB", "fence rw,rw": "Fence.rw.rw",
    "fence r,rw": "Fence.r.rw", "fence rw,w": "Fence.rw.w", "fence w,w": "Fence.w.w",
    "fence r,r": "Fence.r.r",
}  # fmt: skip


def assembly(body: Body, code: InlineAsm) -> None:
    """Fences; an empty template is a compiler barrier, which orders nothing here."""
    for part in code.template.replace("\\0A", ";").replace("\\09", " ").split(";"):
        text = " ".join(part.split()).lower()
        if not text or text in ("nop", "pause", "rep nop", "yield"):
            continue
        if text.startswith("lock") and "add" in text:
            text = "mfence"  # a locked instruction on the stack, the old idiom for a full fence
        tag = _FENCES.get(text.replace(", ", ","))
        if tag is None:
            raise body.unsupported(f'inline assembly "{text}"')
        body.emit(ir.Fence(frozenset({tag})))
