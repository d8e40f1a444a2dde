"""Which fences are full: facts about tags that programs and models share.

A full fence of any architecture is a full fence to every model. `library/fullfences.cat` says the same in
cat, and a test that the two agree.
"""

from __future__ import annotations

FULL_FENCES = frozenset(
    {"MFENCE", "SYNC", "MEMBAR", "Mb", "Fence.rw.rw"}
    | {kind + domain for kind in ("DMB", "DSB") for domain in ("", ".SY", ".ISH", ".OSH")}
)
"""The tags of full fences: one for each architecture and spelling. A fence of C11 has its order instead."""
