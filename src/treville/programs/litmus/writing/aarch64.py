"""Programs -> litmus tests of AArch64."""

from __future__ import annotations

from treville.programs.litmus.writing.assembly import AssemblyWriter
from treville.programs.litmus.writing.program import Access, Branch, Role, Spelling

_OFFSET, _ADDRESS, _STORED = 10, 11, 12  # registers that nobody looks at


class AArch64Writer(AssemblyWriter):
    """Plain, acquire and release accesses, swaps, exclusive accesses, barriers."""

    dialect = "AArch64"
    spellings = (
        Spelling("r", Role.READ, "LDR {register},{address}"),
        Spelling("w", Role.WRITE, "STR {stored},{address}"),
        Spelling("acq", Role.READ, "LDAR {register},{address}", 2, ("r", "acqpc")),
        Spelling("acqpc", Role.READ, "LDAPR {register},{address}", 1, ("r",)),
        Spelling("rel", Role.WRITE, "STLR {stored},{address}", 1, ("w",)),
        Spelling("swp", Role.EXCHANGE, "SWP {stored},{register},{address}", 1),
        Spelling("swpa", Role.EXCHANGE, "SWPA {stored},{register},{address}", 2, ("swp",)),
        Spelling("swpl", Role.EXCHANGE, "SWPL {stored},{register},{address}", 2, ("swp",)),
        Spelling("swpal", Role.EXCHANGE, "SWPAL {stored},{register},{address}", 3, ("swp", "swpa", "swpl")),
        Spelling("ldxr", Role.EXCHANGE, "LDXR {register},{address}", 2, (), "STXR W13,{stored},{address}"),
        Spelling("dmb.sy", Role.FENCE, "DMB SY", 3, ("dmb.ld", "dmb.st")),
        Spelling("dmb.ld", Role.FENCE, "DMB LD", 2),
        Spelling("dmb.st", Role.FENCE, "DMB ST", 2),
        Spelling("isb", Role.FENCE, "ISB", 1),
        Spelling("dsb.sy", Role.FENCE, "DSB SY", 5, ("dmb.ld", "dmb.st", "dmb.sy", "dsb.ld", "dsb.st")),
        Spelling("dsb.ld", Role.FENCE, "DSB LD", 4, ("dmb.ld",)),
        Spelling("dsb.st", Role.FENCE, "DSB ST", 4, ("dmb.st",)),
    )

    def value(self, number: int) -> str:
        """See `AssemblyWriter`."""
        return f"W{number}"

    def shown(self, number: int) -> str:
        """Conditions look at whole registers."""
        return f"X{number}"

    def pointer(self, location: int) -> str:
        """See `AssemblyWriter`."""
        return f"X{20 + location}"

    def access(self, access: Access, number: int) -> list[str]:
        """See `AssemblyWriter`."""
        lines, pointer = [], self.pointer(access.location)
        indexed = access.spelling.name in ("r", "w")
        address = f"[{pointer}]"
        if access.address:
            lines += self._nothing(_OFFSET, access.address)
            address = f"[{pointer},W{_OFFSET},SXTW]"
            if not indexed:
                lines.append(f"ADD X{_ADDRESS},{pointer},W{_OFFSET},SXTW")
                address = f"[X{_ADDRESS}]"
        if access.spelling.writes:
            lines += self._nothing(_STORED, access.data)
            lines.append(
                f"ADD W{_STORED},W{_STORED},#{access.value}"
                if access.data
                else f"MOV W{_STORED},#{access.value}"
            )
        names = {"register": self.value(number), "stored": f"W{_STORED}", "address": address}
        return [*lines, *(text.format(**names) for text in access.spelling.texts)]

    def _nothing(self, target: int, reads: tuple[int, ...]) -> list[str]:
        """Zero, computed from what was read."""
        if not reads:
            return []
        lines, last = [], self.value(reads[0])
        for read in reads[1:]:
            lines.append(f"EOR W{target},{last},{self.value(read)}")
            last = f"W{target}"
        return [*lines, f"EOR W{target},{last},{last}"]

    def branch(self, branch: Branch, label: str) -> list[str]:
        """See `AssemblyWriter`."""
        return [f"CBNZ {self.value(branch.read)},{label}", f"{label}:"]
