"""RISC-V register names: `a0`, `fp`, `zero` -> `x10`, `x8`, `x0` (RISC-V manual, calling convention)."""

from __future__ import annotations


def _names() -> dict[str, str]:
    names = {f"x{number}": f"x{number}" for number in range(32)}
    ordered = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"]
    ordered += [f"a{number}" for number in range(8)]
    ordered += [f"s{number}" for number in range(2, 12)]
    ordered += [f"t{number}" for number in range(3, 7)]
    names |= {name: f"x{number}" for number, name in enumerate(ordered)}
    names["fp"] = "x8"
    return names


_NAMES = _names()


def register_name(written: str) -> str | None:
    """The name `x<number>` of a register, whatever it is called in the source; None if it is no register.

    >>> register_name("a0"), register_name("X5"), register_name("y")
    ('x10', 'x5', None)
    """
    return _NAMES.get(written) or _NAMES.get(written.lower())
