"""What can be typed in each dialect of litmus tests: its fences, and the orders of its accesses.

Strengths are the pairs of accesses that a fence keeps in order (`RW`: a read before a write); what only works
together with a branch is `control`. A fence or an order is at most as strong as another if its strength is
part of the other's.
"""

from __future__ import annotations

from treville.questions.repair.sites import Level

_NO_FENCE = Level("", frozenset())
_ALL = "RR RW WR WW control"


def _fences(*described: tuple[str, str, str]) -> tuple[Level, ...]:
    return (
        _NO_FENCE,
        *(
            Level(text, frozenset(strength.split()), frozenset(tags.split()))
            for text, tags, strength in described
        ),
    )


FENCES: dict[str, tuple[Level, ...]] = {
    "X86": _fences(("MFENCE", "MFENCE", _ALL)),
    "X86_64": _fences(("mfence", "MFENCE", _ALL)),
    "PPC": _fences(
        ("isync", "ISYNC", "control"), ("lwsync", "LWSYNC", "RR RW WW control"), ("sync", "SYNC", _ALL)
    ),
    "ARM": _fences(("ISB", "ISB", "control"), ("DMB ST", "DMB.ST", "WW"), ("DMB", "DMB", _ALL)),
    "AArch64": _fences(
        ("ISB", "ISB", "control"), ("DMB ST", "DMB.ST", "WW"), ("DMB LD", "DMB.LD", "RR RW control"),
        ("DMB SY", "DMB.SY", _ALL),
    ),
    "RISCV": _fences(
        ("fence w,w", "Fence.w.w", "WW"), ("fence r,r", "Fence.r.r", "RR"),
        ("fence r,w", "Fence.r.w", "RW"), ("fence rw,w", "Fence.rw.w", "RW WW"),
        ("fence r,rw", "Fence.r.rw", "RR RW"), ("fence.tso", "Fence.tso", "RR RW WW"),
        ("fence w,r", "Fence.w.r", "WR"), ("fence rw,rw", "Fence.rw.rw", _ALL),
    ),
    "PTS": _fences(("lwsync", "LWSYNC", "RR RW WW control"), ("sync", "SYNC", _ALL)),
}  # fmt: skip
"""The fences of each dialect in assembly, weak ones first; the last one is full."""

C11_FENCES = (
    _NO_FENCE,
    Level("acquire", frozenset({"acquire"}), frozenset({"ACQ"})),
    Level("release", frozenset({"release"}), frozenset({"REL"})),
    Level("acq_rel", frozenset({"acquire", "release"}), frozenset({"ACQ_REL"})),
    Level("seq_cst", frozenset({"acquire", "release", "sc"}), frozenset({"SC", "MFENCE"})),
)
FULL_FENCE = (_NO_FENCE, C11_FENCES[-1])
KERNEL_FENCES = (
    _NO_FENCE,
    Level("smp_rmb()", frozenset({"RR"}), frozenset({"Rmb"})),
    Level("smp_wmb()", frozenset({"WW"}), frozenset({"Wmb"})),
    Level("smp_mb()", frozenset({"RR", "WW", "all"}), frozenset({"Mb", "MB"})),
)
