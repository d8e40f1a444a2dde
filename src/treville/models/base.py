"""The base sets and relations that an execution gives to a model: every name with its kind and meaning.

A model resolves without a test, so a name is accepted when some dialect has it; a name that a test's
dialect does not provide is empty there. Names of annotations declared by a bell file are added while
that model is resolved. Names that follow from these (`rfe`, `fr`, `Exp`, ...) are defined in
`library/stdlib.cat`.
"""

from __future__ import annotations

from treville.models.model import RELATION, SET, Kind

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
    "pick-addr": "address dependencies through the condition of a conditional select",
    "pick-data": "data dependencies through the condition of a conditional select",
    "pick-ctrl": "control dependencies through the condition of a conditional select",
    "different-value": "accesses that carry different values",
    "atomicblock": "events of the same atomic block of a program",
}

_COMMON = {
    "R": "reads",
    "W": "writes, initial ones included",
    "M": "reads and writes",
    "F": "fences",
    "IW": "initial writes",
    "FW": "final writes: the last of each observed location",
    "RMW": "accesses of read-modify-writes",
    "AMO": "accesses of single atomic instructions",
    "EX": "accesses of exclusives",
    "X": "accesses of atomic instructions",
    "A": "acquire accesses; atomic ones in C",
    "Q": "weaker acquire (RCpc) reads",
    "L": "release writes",
    "NoRet": "reads whose value no register gets",
    "FREE": "writes of C programs that end a cell of a freed object",
    "DATA": "accesses of C that are not atomic",
    "PART": "accesses of C that are parts of wider ones, or wider than what the program reads",
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
    "ACQ_REL": "acquire-release", "SC": "sequentially consistent",
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
    "RMB": "Rmb", "Before_atomic": "Before-atomic", "After_atomic": "After-atomic",
}  # fmt: skip

# Events that Treville's executions never have, because dependencies are base relations here and because
# system-level tests are refused. Models mention them, and they are empty.
_ABSENT_SETS = (
    "B", "BR", "BCC", "PoD", "Rreg", "Wreg", "ADDR", "DATA", "NDATA", "ASLLocal", "C", "LK", "LS",
    "T", "TagCheck", "SPURIOUS", "FAULT", "TLBI", "DC.CVAU", "IC.IALLU", "IC.IALLUIS", "IC.IVAU",
    "EXC-ENTRY", "EXC-RET", "SVC", "MMU", "D-MMU", "I-MMU", "Translation", "AccessFlag", "Permission",
    "Instr", "Restricted-CMODX", "UNDEF", "INTID", "DI", "RCFG", "GICR", "GSB.ACK", "GSB.SYS",
    "PTE", "PTEV", "PTEINV", "AF", "DB", "PA", "PTEMemAttr", "ALLOC", "UB",
)  # fmt: skip

_ABSENT_RELATIONS = (
    "rf-reg", "iico_data", "iico_ctrl", "iico_order", "inv-domain", "same-tag-loc", "allocptr", "allocmem",
)  # fmt: skip

RELATIONS |= dict.fromkeys(_ABSENT_RELATIONS, "empty in Treville's executions")

SETS: dict[str, str] = (
    _COMMON
    | {name: f"{family} fences" for name, family in _FENCES.items()}
    | {name: f"{meaning} accesses of RISC-V" for name, meaning in _RISCV.items()}
    | {name: f"{meaning} events of C" for name, meaning in _C11.items()}
    | dict.fromkeys(_LINUX, "annotation of the Linux kernel model")
    | dict.fromkeys(_ABSENT_SETS, "empty in Treville's executions")
)

# Every name that a fence event can carry as its kind.
FENCES = frozenset(_FENCES) | {"Mb", "Rmb", "Wmb"}


def base_kind(name: str) -> Kind | None:
    """Its kind, or None for a name that no execution gives."""
    name = SAME_SETS.get(name, name)
    if name in RELATIONS:
        return RELATION
    return SET if name in SETS else None


def base_names() -> list[str]:
    """All base names."""
    return [*RELATIONS, *SETS]
