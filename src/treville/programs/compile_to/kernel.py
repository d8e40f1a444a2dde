"""The Linux kernel's primitives on hardware: accesses as C11 orders, barriers as the kernel's own macros.

Accesses with an order become what C11 accesses of that order become; a read-modify-write that is fully
ordered stands between two full fences anyway. Barriers follow the kernel's `arch/*/include/asm/barrier.h`.
A spin lock is a word that is taken by an acquiring read-modify-write and given back by a releasing store, and
`smp_mb__after_unlock_lock` a full fence where these two do not make one. RCU is no instruction: it only means
something to the kernel's model.
"""

from __future__ import annotations

from treville.programs.compile_to.mappings import (
    ACQUIRE,
    BOTH,
    DMB,
    DMB_LOADS,
    LWSYNC,
    MFENCE,
    NOTHING,
    RELAXED,
    RELEASE,
    SYNC,
    Tags,
)
from treville.programs.ir import Fence, Instruction, Load, Store
from treville.records import replace
from treville.results import Unsupported

_ORDERS = {
    "ONCE": RELAXED, "MB": RELAXED, "NORETURN": RELAXED, "ACQUIRE": ACQUIRE, "RELEASE": RELEASE,
    "LKR": ACQUIRE, "LKW": ACQUIRE, "UL": RELEASE, "LF": RELAXED, "RL": RELAXED, "RU": RELAXED,
}  # fmt: skip
_TAGS = frozenset(_ORDERS) | {"Once", "Acquire", "Release", "Mb", "Noreturn"}
_AROUND_ATOMICS = ("Before-atomic", "After-atomic", "After-spinlock")
_BARRIERS = frozenset({"Rmb", "Wmb", "Barrier", "After-unlock-lock", *_AROUND_ATOMICS})
_RCU = frozenset(
    {"Rcu-lock", "Rcu-unlock", "Sync-rcu", "Srcu-lock", "Srcu-unlock", "Sync-srcu", "After-srcu-read-unlock"}
)


def _barriers(reads: Tags, writes: Tags, atomics: Tags, locks: Tags = NOTHING) -> dict[str, Tags]:
    return {
        "Rmb": reads, "Wmb": writes, "Barrier": NOTHING, "After-unlock-lock": locks,
        **dict.fromkeys(_AROUND_ATOMICS, atomics),
    }  # fmt: skip


# Alpha does not keep dependencies, so whatever returns a value has a full fence behind it there
# (arch/alpha/include/asm/rwonce.h, atomic.h).
_ON_ALPHA = {RELAXED: ACQUIRE, RELEASE: BOTH}
MEMBAR, FENCE = frozenset({"MEMBAR"}), frozenset({"Fence.rw.rw"})
_FENCES: dict[str, dict[str, Tags]] = {
    "sc": _barriers(NOTHING, NOTHING, NOTHING),
    "svcomp": _barriers(NOTHING, NOTHING, NOTHING),
    # Locked instructions need no fence around them, but one that fails is a plain read here.
    "tso": _barriers(NOTHING, NOTHING, MFENCE),
    "pso": _barriers(NOTHING, frozenset({"MEMBAR.SS"}), MFENCE),
    "rmo": _barriers(frozenset({"MEMBAR.LL"}), frozenset({"MEMBAR.SS"}), MEMBAR, MEMBAR),
    "alpha": _barriers(MFENCE, MFENCE, MFENCE),
    "power": _barriers(LWSYNC, LWSYNC, SYNC, SYNC),
    "armv7": _barriers(DMB, frozenset({"DMB.ST"}), DMB),
    "aarch64": _barriers(DMB_LOADS, frozenset({"DMB.ISHST"}), DMB),
    "riscv": _barriers(frozenset({"Fence.r.r"}), frozenset({"Fence.w.w"}), FENCE, FENCE),
}


def is_kernel_access(instruction: Instruction) -> bool:
    """Is it an access that one of the kernel's macros makes?"""
    return isinstance(instruction, Load | Store) and bool(instruction.tags & (_TAGS | _RCU))


def without_kernel(instruction: Instruction, target: str) -> Instruction | None:
    """What a primitive of the kernel is in terms of C11 and the target's fences; None: nothing. Other
    instructions stay what they are."""
    if not isinstance(instruction, Load | Store | Fence):
        return instruction
    if instruction.tags & _RCU:
        raise Unsupported(
            "RCU has no meaning under a model of hardware",
            instruction.span,
            "check it under the kernel's model (--model lkmm)",
        )
    if isinstance(instruction, Fence):
        barrier = next((tag for tag in instruction.tags if tag in _BARRIERS), None)
        if barrier is None:
            return instruction
        fence = _FENCES[target][barrier]
        return replace(instruction, tags=fence) if fence else None
    order = next((_ORDERS[tag] for tag in sorted(instruction.tags) if tag in _ORDERS), None)
    if order is None:
        return instruction
    if target == "alpha" and "NORETURN" not in instruction.tags and _returns(instruction):
        order = _ON_ALPHA.get(order, order)
    return replace(instruction, tags=(instruction.tags - _TAGS) | {order, "A"})


def _returns(access: Load | Store) -> bool:
    """Is it a read, or the second half of a read-modify-write?"""
    return isinstance(access, Load) or access.link
