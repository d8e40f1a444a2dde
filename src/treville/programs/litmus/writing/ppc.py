"""Programs -> litmus tests of Power."""

from __future__ import annotations

from treville.programs.litmus.writing.assembly import AssemblyWriter
from treville.programs.litmus.writing.program import Access, Branch, Role, Spelling

_OFFSET, _STORED = 10, 12  # registers that nobody looks at


class PPCWriter(AssemblyWriter):
    """Plain accesses, reserved ones, fences."""

    dialect = "PPC"
    spellings = (
        Spelling("r", Role.READ, "lwz{index} {register},{address}"),
        Spelling("w", Role.WRITE, "stw{index} {stored},{address}"),
        Spelling("rmw", Role.EXCHANGE, "lwarx {register},{address}", 1, (), "stwcx. {stored},{address}"),
        Spelling("sync", Role.FENCE, "sync", 3, ("lwsync", "eieio")),
        Spelling("lwsync", Role.FENCE, "lwsync", 2, ("eieio",)),
        Spelling("eieio", Role.FENCE, "eieio", 2),
        Spelling("isync", Role.FENCE, "isync", 1),
    )

    def value(self, number: int) -> str:
        """See `AssemblyWriter`."""
        return f"r{number + 1}"

    def pointer(self, location: int) -> str:
        """See `AssemblyWriter`."""
        return f"r{20 + location}"

    def access(self, access: Access, number: int) -> list[str]:
        """See `AssemblyWriter`."""
        lines, pointer, spelling = [], self.pointer(access.location), access.spelling
        indexed = bool(access.address) or spelling.role is Role.EXCHANGE
        address = f"r0,{pointer}" if indexed else f"0({pointer})"
        if access.address:
            lines += self._nothing(_OFFSET, access.address)
            address = f"r{_OFFSET},{pointer}"
        if spelling.writes:
            lines += self._nothing(_STORED, access.data)
            lines.append(
                f"addi r{_STORED},r{_STORED},{access.value}"
                if access.data
                else f"li r{_STORED},{access.value}"
            )
        names = {"register": self.value(number), "stored": f"r{_STORED}", "address": address}
        return [*lines, *(text.format(**names, index="x" * indexed) for text in spelling.texts)]

    def _nothing(self, target: int, reads: tuple[int, ...]) -> list[str]:
        """Zero, computed from what was read."""
        if not reads:
            return []
        lines, last = [], self.value(reads[0])
        for read in reads[1:]:
            lines.append(f"xor r{target},{last},{self.value(read)}")
            last = f"r{target}"
        return [*lines, f"xor r{target},{last},{last}"]

    def branch(self, branch: Branch, label: str) -> list[str]:
        """See `AssemblyWriter`."""
        register = self.value(branch.read)
        return [f"cmpw {register},{register}", f"beq {label}", f"{label}:"]
