"""What each C11 operation becomes on each target, as data.

x86, Power and ARMv7 follow paper 004, Table 2.1 (LLVM's mappings); read-modify-writes and fences follow the
same compiler. AArch64 uses LDAR, STLR and the single-instruction atomics of LSE; RISC-V follows the table
"Mappings from C/C++ primitives to RISC-V primitives" of its manual. SPARC's models and Alpha have no mapping
in the papers: theirs put the weakest fence of the model wherever an order needs one.
"""

from __future__ import annotations

from typing import TypeAlias

from treville.records import dataclass, field

Tags: TypeAlias = frozenset[str]
NOTHING: Tags = frozenset()

RELAXED, ACQUIRE, RELEASE, BOTH, SEQUENTIAL = "RLX", "ACQ", "REL", "ACQ_REL", "SC"
ORDERS = (RELAXED, ACQUIRE, RELEASE, BOTH, SEQUENTIAL)
ACQUIRING = (ACQUIRE, BOTH, SEQUENTIAL)
RELEASING = (RELEASE, BOTH, SEQUENTIAL)


@dataclass(frozen=True, slots=True)
class Access:
    """A load or a store: the fence before it, its tags, the fence after it (no tags: no fence)."""

    before: Tags = NOTHING
    tags: Tags = NOTHING
    after: Tags = NOTHING


@dataclass(frozen=True, slots=True)
class Update:
    """A read-modify-write: the fence before it, the tags of its two halves, the fence after it."""

    before: Tags = NOTHING
    read: Tags = NOTHING
    write: Tags = NOTHING
    after: Tags = NOTHING


@dataclass(frozen=True, slots=True)
class Mapping:
    """One target. An order that a table lacks needs nothing. `full` is the strongest fence, nothing where
    no fence means anything; atomic blocks stand between two of them. `reserves`: read-modify-writes are loops
    of load-reserve and store-conditional, so that a branch compares what a compare-exchange loaded."""

    name: str
    full: Tags
    loads: dict[str, Access] = field(default_factory=dict)
    stores: dict[str, Access] = field(default_factory=dict)
    updates: dict[str, Update] = field(default_factory=dict)
    fences: dict[str, Tags] = field(default_factory=dict)
    reserves: bool = False


def _tags(*names: str) -> Tags:
    return frozenset(names)


ATOMIC = _tags("X")
MFENCE, SYNC, LWSYNC = _tags("MFENCE"), _tags("SYNC"), _tags("LWSYNC")
DMB, DMB_LOADS = _tags("DMB.ISH"), _tags("DMB.ISHLD")


def _sc() -> Mapping:
    return Mapping("sc", NOTHING, updates=dict.fromkeys(ORDERS, Update(NOTHING, ATOMIC, ATOMIC)))


def _x86() -> Mapping:
    """Locked instructions empty the store buffer, whatever their order."""
    return Mapping(
        "tso",
        MFENCE,
        stores={SEQUENTIAL: Access(after=MFENCE)},
        updates=dict.fromkeys(ORDERS, Update(NOTHING, ATOMIC, ATOMIC)),
        fences={SEQUENTIAL: MFENCE},
    )


def _pso() -> Mapping:
    """As x86, with the order of two stores to be asked for; atomic instructions empty all store buffers."""
    stores = _tags("MEMBAR.SS")
    return Mapping(
        "pso",
        MFENCE,
        stores={RELEASE: Access(stores), SEQUENTIAL: Access(stores, after=MFENCE)},
        updates=dict.fromkeys(ORDERS, Update(MFENCE, ATOMIC, ATOMIC, MFENCE)),
        fences={RELEASE: stores, BOTH: stores, SEQUENTIAL: MFENCE},
    )


def _by_fences(name: str, full: Tags, acquire: Tags, release: Tags) -> Mapping:
    """A target that orders by fences alone: one after what acquires, one before what releases."""
    return Mapping(
        name,
        full,
        loads={ACQUIRE: Access(after=acquire), SEQUENTIAL: Access(full, after=acquire)},
        stores={RELEASE: Access(release), SEQUENTIAL: Access(full)},
        updates=_fenced_updates(full, acquire, release),
        fences={ACQUIRE: acquire, RELEASE: release, BOTH: acquire | release, SEQUENTIAL: full},
        reserves=name in ("alpha", "power"),
    )


def _fenced_updates(full: Tags, acquire: Tags, release: Tags) -> dict[str, Update]:
    return {
        RELAXED: Update(NOTHING, ATOMIC, ATOMIC),
        ACQUIRE: Update(NOTHING, ATOMIC, ATOMIC, acquire),
        RELEASE: Update(release, ATOMIC, ATOMIC),
        BOTH: Update(release, ATOMIC, ATOMIC, acquire),
        SEQUENTIAL: Update(full, ATOMIC, ATOMIC, acquire),
    }


def _armv7() -> Mapping:
    return Mapping(
        "armv7",
        DMB,
        loads={ACQUIRE: Access(after=DMB), SEQUENTIAL: Access(after=DMB)},
        stores={RELEASE: Access(DMB), SEQUENTIAL: Access(DMB, after=DMB)},
        updates=_fenced_updates(DMB, DMB, DMB),
        fences=dict.fromkeys((ACQUIRE, RELEASE, BOTH, SEQUENTIAL), DMB),
        reserves=True,
    )


def _aarch64() -> Mapping:
    acquire, release = _tags("A"), _tags("L")
    return Mapping(
        "aarch64",
        DMB,
        loads={ACQUIRE: Access(tags=acquire), SEQUENTIAL: Access(tags=acquire)},
        stores={RELEASE: Access(tags=release), SEQUENTIAL: Access(tags=release)},
        updates={
            order: Update(
                NOTHING,
                ATOMIC | (acquire if order in ACQUIRING else NOTHING),
                ATOMIC | (release if order in RELEASING else NOTHING),
            )
            for order in ORDERS
        },
        fences={ACQUIRE: DMB_LOADS, RELEASE: DMB, BOTH: DMB, SEQUENTIAL: DMB},
    )


def _riscv() -> Mapping:
    full, acquire, release = _tags("Fence.rw.rw"), _tags("Fence.r.rw"), _tags("Fence.rw.w")
    annotation = {ACQUIRE: "Acq", RELEASE: "Rel", BOTH: "AcqRel", SEQUENTIAL: "AcqRel"}
    updates = {}
    for order in ORDERS:
        tags = _tags("X", "AMO") | (_tags(annotation[order]) if order in annotation else NOTHING)
        updates[order] = Update(NOTHING, tags, tags)
    return Mapping(
        "riscv",
        full,
        loads={ACQUIRE: Access(after=acquire), SEQUENTIAL: Access(full, after=acquire)},
        stores={RELEASE: Access(release), SEQUENTIAL: Access(release)},
        updates=updates,
        fences={ACQUIRE: acquire, RELEASE: release, BOTH: _tags("Fence.tso"), SEQUENTIAL: full},
        reserves=True,
    )


def _rmo() -> Mapping:
    full = _tags("MEMBAR")
    return _by_fences("rmo", full, _tags("MEMBAR.LL", "MEMBAR.LS"), _tags("MEMBAR.LS", "MEMBAR.SS"))


def _alpha() -> Mapping:
    return _by_fences("alpha", MFENCE, MFENCE, MFENCE)


_BUILDERS = {
    "sc": _sc,
    "svcomp": _sc,
    "tso": _x86,
    "pso": _pso,
    "rmo": _rmo,
    "alpha": _alpha,
    "power": lambda: _by_fences("power", SYNC, LWSYNC, LWSYNC),
    "armv7": _armv7,
    "aarch64": _aarch64,
    "riscv": _riscv,
}
HARDWARE = tuple(_BUILDERS)


def mapping_of(target: str) -> Mapping:
    """The mapping of a hardware target."""
    return _BUILDERS[target]()
