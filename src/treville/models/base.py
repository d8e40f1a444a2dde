"""The base sets and relations that an execution gives to a model: every name with its kind and meaning.

A model resolves without a test, so a name is accepted when some dialect has it; a name that a test's
dialect does not provide is empty there. Names of annotations declared by a bell file are added while
that model is resolved.
"""

from __future__ import annotations

from treville.models.model import RELATION, SET

RELATIONS: dict[str, str] = {
    "po": "program order: earlier and later event of one thread",
    "addr": "from a read to an access whose address depends on it",
    "data": "from a read to a write whose value depends on it",
    "ctrl": "from a read to every event after a branch that depends on it",
    "rmw": "from the read to the write of one read-modify-write",
    "amo": "the part of rmw that single atomic instructions make",
    "lxsx": "the part of rmw that load-exclusive and store-exclusive pairs make",
    "rf": "reads-from: from a write to the reads that return its value",
    "co": "coherence: the order of the writes to one location",
    "loc": "accesses to the same location",
    "int": "events of the same thread",
    "ext": "events of different threads; initial writes belong to none",
    "id": "every event and itself",
    "si": "events of the same instruction instance",
    "sm": "accesses that are parts of one access; without mixed sizes the identity on them",
    "same-instance": "events of the same instruction instance",
    "same-value": "accesses that carry the same value",
    "iico_data": "intra-instruction data order",
    "iico_ctrl": "intra-instruction control order",
    "iico_order": "intra-instruction order without dependency",
    "partial_po": "program order before it is closed; the same as po",
    "rf-reg": "reads-from of registers; empty, dependencies are base relations",
    "pick-addr": "address dependencies through the condition of a conditional select",
    "pick-data": "data dependencies through the condition of a conditional select",
    "pick-ctrl": "control dependencies through the condition of a conditional select",
    "pick-dep": "any pick dependency",
    "inv-domain": "invalidation domains of page tables; empty",
    "inv-scope": "invalidation domains of page tables; empty",
    "same-low-order-bits": "accesses with equal offsets in their page; the same as loc",
    "asw": "additional synchronisation of C11: initialisation and thread creation",
    "allocptr": "allocations and their releases; none",
    "allocmem": "allocations and accesses to them; none",
    "same-tag-loc": "tag accesses of the same location; none",
    "lo": "order of the operations on one C11 mutex",
    "jo": "thread joins of C11",
}

_COMMON = {
    "R": "reads",
    "W": "writes",
    "M": "reads and writes",
    "F": "fences",
    "B": "branches",
    "BR": "branches",
    "BCC": "conditional branches",
    "IW": "initial writes",
    "FW": "final writes: the last of each observed location",
    "I": "initial writes",
    "RMW": "accesses of read-modify-writes",
    "AMO": "accesses of single atomic instructions",
    "EX": "accesses of exclusives",
    "X": "accesses of atomic instructions",
    "A": "acquire (atomic, in C) accesses",
    "Q": "weaker acquire (RCpc) reads",
    "L": "release writes",
    "P": "plain accesses",
    "NoRet": "reads whose value no register gets",
    "Exp": "explicit accesses",
    "NExp": "implicit accesses; none",
    "AMOEX": "accesses of single atomic instructions",
    "T": "tag accesses; none",
    "Rreg": "register reads; none",
    "Wreg": "register writes; none",
    "ADDR": "register reads for an address; none",
    "DATA": "register reads for data; none",
    "NDATA": "register reads for an address; none",
    "PoD": "points of divergence; none",
    "SPURIOUS": "spurious writes; none",
    "FAULT": "faults; none",
    "TLBI": "TLB invalidations; none",
    "DC.CVAU": "cache maintenance; none",
    "IC.IALLU": "cache maintenance; none",
    "IC.IALLUIS": "cache maintenance; none",
    "IC.IVAU": "cache maintenance; none",
    "EXC-ENTRY": "exception entries; none",
    "EXC-RET": "exception returns; none",
    "SVC": "supervisor calls; none",
    "PTE": "page-table accesses; none",
    "PTEV": "valid page-table entries; none",
    "PTEINV": "invalid page-table entries; none",
    "AF": "access-flag updates; none",
    "DB": "dirty-bit updates; none",
    "MMU": "faults of the MMU; none",
    "D-MMU": "faults of the MMU; none",
    "I-MMU": "faults of the MMU; none",
    "Translation": "translation faults; none",
    "AccessFlag": "access-flag faults; none",
    "Permission": "permission faults; none",
    "TagCheck": "tag-check faults; none",
    "Instr": "instruction fetches; none",
    "Restricted-CMODX": "modified instructions; none",
    "C": "commits; none",
    "UNDEF": "undefined instructions; none",
}

_FENCES = {
    "MFENCE": "x86", "SFENCE": "x86", "LFENCE": "x86",
    "SYNC": "Power", "LWSYNC": "Power", "EIEIO": "Power", "ISYNC": "Power",
    "DMB": "ARM", "DSB": "ARM", "ISB": "ARM",
    **{f"{kind}.{domain}{accesses}": "ARM" for kind in ("DMB", "DSB")
       for domain in ("ISH", "OSH", "NSH") for accesses in ("", "LD", "ST")},
    **{f"{kind}.{option}": "ARM" for kind in ("DMB", "DSB") for option in ("SY", "LD", "ST")},
    **{f"Fence.{before}.{after}": "RISC-V" for before in ("r", "w", "rw") for after in ("r", "w", "rw")},
    "Fence.i": "RISC-V", "Fence.tso": "RISC-V",
    "MEMBAR": "SPARC", "MEMBAR.LL": "SPARC", "MEMBAR.LS": "SPARC", "MEMBAR.SL": "SPARC", "MEMBAR.SS": "SPARC",
    "WMB": "Alpha",
}  # fmt: skip

_RISCV = {"Acq": "acquire", "Rel": "release", "AcqRel": "acquire-release", "Sc": "sequentially consistent"}

_C11 = {
    "NA": "non-atomic", "RLX": "relaxed", "CON": "consume", "ACQ": "acquire", "REL": "release",
    "ACQ_REL": "acquire-release", "SC": "sequentially consistent", "ATOMIC": "atomic",
    "LK": "mutex locks", "UL": "mutex unlocks", "LS": "successful mutex locks",
    "ATOMICLOC": "accesses to atomic locations", "MUTEXLOC": "accesses to mutexes",
    "NONATOMICLOC": "accesses to non-atomic locations",
    "RA": "release or acquire", "SCR": "seq_cst reads",
}  # fmt: skip

_LINUX = (
    "Once", "Plain", "Acquire", "Release", "Noreturn", "Mb", "Rmb", "Wmb", "Barrier", "Memb",
    "Rcu-lock", "Rcu-unlock", "Sync-rcu", "Srcu-lock", "Srcu-unlock", "Sync-srcu",
    "Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock", "After-srcu-read-unlock",
    "LKR", "LKW", "UL", "LF", "RL", "RU",
)  # fmt: skip

# Other spellings of the same sets, from other versions of the Linux kernel model and from Alpha.
SAME_SETS = {
    "ONCE": "Once", "ACQUIRE": "Acquire", "RELEASE": "Release", "NORETURN": "Noreturn", "MB": "Mb",
    "RMB": "Rmb",
}  # fmt: skip

# What only system-level tests have; such tests are refused, so these are empty.
_SYSTEM = (
    "INTID", "DI", "RCFG", "GICR", "GSB.ACK", "GSB.SYS", "PTENormal", "PTEDevice", "ASLLocal",
    "PTENon-shareable", "PTEInner-shareable", "PTEOuter-shareable", "PTEInner-non-cacheable",
    "PTEInner-write-through", "PTEInner-write-back", "PTEOuter-non-cacheable", "PTEOuter-write-through",
    "PTEOuter-write-back", "PTEDevice-GRE", "PTEDevice-nGRE", "PTEDevice-nGnRE", "PTEDevice-nGnRnE",
    "ALLOC", "FREE", "UB",
)  # fmt: skip

SETS: dict[str, str] = (
    _COMMON
    | {name: f"{family} fences" for name, family in _FENCES.items()}
    | {name: f"{meaning} accesses of RISC-V" for name, meaning in _RISCV.items()}
    | {name: f"{meaning} events of C" for name, meaning in _C11.items()}
    | dict.fromkeys(_LINUX, "annotation of the Linux kernel model")
    | dict.fromkeys(_SYSTEM, "events of system-level tests; none")
)

# Fences that order everything before them with everything after them, whatever the architecture.
FULL_FENCES = frozenset(
    {
        "MFENCE", "SYNC", "DMB", "DSB", "DMB.SY", "DSB.SY", "DMB.ISH", "DSB.ISH", "DMB.OSH", "DSB.OSH",
        "Fence.rw.rw", "MEMBAR", "Mb",
    }
)  # fmt: skip

# Every name that a fence event can carry as its kind.
FENCES = frozenset(_FENCES) | {"Mb", "Rmb", "Wmb"}


def base_kind(name: str) -> str | None:
    """`set`, `relation`, or None for a name that no execution gives."""
    name = SAME_SETS.get(name, name)
    if name in RELATIONS:
        return RELATION
    return SET if name in SETS else None


def base_names() -> list[str]:
    """All base names."""
    return [*RELATIONS, *SETS]
