"""Programs -> litmus tests of RISC-V."""

from __future__ import annotations

from treville.programs.litmus.writing.assembly import AssemblyWriter
from treville.programs.litmus.writing.program import Access, Branch, Role, Spelling

_OFFSET, _ADDRESS, _STORED = 28, 29, 30  # registers that nobody looks at
_SWAP = "amoswap.w{order} {{register}},{{stored}},({{pointer}})"


_SIDES = ("r", "w", "rw")


def _fence(before: str, after: str, cost: int) -> Spelling:
    above = [
        f"fence.{one}.{other}"
        for one in _SIDES
        for other in _SIDES
        if one in before and other in after and (one, other) != (before, after)
    ]
    if (before, after) == ("rw", "rw"):
        above.append("fence.tso")
    return Spelling(f"fence.{before}.{after}", Role.FENCE, f"fence {before},{after}", cost, tuple(above))


class RISCVWriter(AssemblyWriter):
    """Plain accesses, swaps with acquire and release, reserved accesses, fences."""

    dialect = "RISCV"
    spellings = (
        Spelling("r", Role.READ, "lw {register},0({pointer})"),
        Spelling("w", Role.WRITE, "sw {stored},0({pointer})"),
        Spelling("amoswap", Role.EXCHANGE, _SWAP.format(order=""), 1),
        Spelling("amoswap.aq", Role.EXCHANGE, _SWAP.format(order=".aq"), 2, ("amoswap",)),
        Spelling("amoswap.rl", Role.EXCHANGE, _SWAP.format(order=".rl"), 2, ("amoswap",)),
        Spelling("amoswap.aq.rl", Role.EXCHANGE, _SWAP.format(order=".aq.rl"), 3,
                 ("amoswap", "amoswap.aq", "amoswap.rl")),
        Spelling("lrsc", Role.EXCHANGE, "lr.w {register},({pointer})", 2, (),
                 "sc.w x31,{stored},({pointer})"),
        _fence("r", "r", 1), _fence("r", "w", 1), _fence("w", "r", 1), _fence("w", "w", 1),
        _fence("r", "rw", 2), _fence("w", "rw", 2), _fence("rw", "r", 2), _fence("rw", "w", 2),
        Spelling("fence.tso", Role.FENCE, "fence.tso", 3,
                 ("fence.r.r", "fence.r.w", "fence.r.rw", "fence.w.w", "fence.rw.w")),
        _fence("rw", "rw", 4),
    )  # fmt: skip

    def value(self, number: int) -> str:
        """See `AssemblyWriter`."""
        return f"x{5 + number}"

    def pointer(self, location: int) -> str:
        """See `AssemblyWriter`."""
        return f"x{14 + location}"

    def access(self, access: Access, number: int) -> list[str]:
        """See `AssemblyWriter`."""
        lines, pointer = [], self.pointer(access.location)
        if access.address:
            lines += [*self._nothing(_OFFSET, access.address), f"add x{_ADDRESS},{pointer},x{_OFFSET}"]
            pointer = f"x{_ADDRESS}"
        if access.spelling.writes:
            lines += self._nothing(_STORED, access.data)
            lines.append(
                f"ori x{_STORED},x{_STORED},{access.value}"
                if access.data
                else f"li x{_STORED},{access.value}"
            )
        names = {"register": self.value(number), "stored": f"x{_STORED}", "pointer": pointer}
        return [*lines, *(text.format(**names) for text in access.spelling.texts)]

    def _nothing(self, target: int, reads: tuple[int, ...]) -> list[str]:
        """Zero, computed from what was read."""
        if not reads:
            return []
        lines, last = [], self.value(reads[0])
        for read in reads[1:]:
            lines.append(f"xor x{target},{last},{self.value(read)}")
            last = f"x{target}"
        return [*lines, f"xor x{target},{last},{last}"]

    def branch(self, branch: Branch, label: str) -> list[str]:
        """See `AssemblyWriter`."""
        return [f"bne {self.value(branch.read)},x0,{label}", f"{label}:"]
