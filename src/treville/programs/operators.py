"""The operators of IR expressions: what each computes on ints, wrapped to a width."""

from __future__ import annotations

from collections.abc import Callable


def wrap(value: int, bits: int) -> int:
    """The signed two's complement number of `bits` bits that is congruent to `value`.

    >>> wrap(255, 8), wrap(127, 8), wrap(-129, 8)
    (-1, 127, 127)
    """
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def unsigned(value: int, bits: int) -> int:
    """The unsigned reading of a signed number of `bits` bits."""
    return value & ((1 << bits) - 1)


def _signed_quotient(a: int, b: int) -> int:
    return 0 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def _reverse_bits(value: int, bits: int) -> int:
    return wrap(int(format(unsigned(value, bits), f"0{bits}b")[::-1], 2), bits)


def _reverse_bytes(value: int, group: int, bits: int) -> int:
    """The bytes of each group of `group` bits (0: all) in reverse order."""
    size = (group or bits) // 8
    octets = unsigned(value, bits).to_bytes(bits // 8, "little")
    reversed_groups = b"".join(octets[at : at + size][::-1] for at in range(0, bits // 8, size))
    return wrap(int.from_bytes(reversed_groups, "little"), bits)


# `bits` is the width of the operation; comparisons give 0 or 1 and compare at that width.
OPERATORS: dict[str, Callable[[tuple[int, ...], int], int]] = {
    "add": lambda v, bits: wrap(v[0] + v[1], bits),
    "sub": lambda v, bits: wrap(v[0] - v[1], bits),
    "mul": lambda v, bits: wrap(v[0] * v[1], bits),
    "and": lambda v, bits: wrap(v[0] & v[1], bits),
    "or": lambda v, bits: wrap(v[0] | v[1], bits),
    "xor": lambda v, bits: wrap(v[0] ^ v[1], bits),
    "not": lambda v, bits: wrap(~v[0], bits),
    "neg": lambda v, bits: wrap(-v[0], bits),
    "shl": lambda v, bits: wrap(v[0] << v[1], bits) if 0 <= v[1] < bits else 0,
    "lshr": lambda v, bits: wrap(unsigned(v[0], bits) >> v[1], bits) if 0 <= v[1] < bits else 0,
    "ashr": lambda v, bits: wrap(v[0], bits) >> (v[1] if 0 <= v[1] < bits else bits - 1),
    "sdiv": lambda v, bits: wrap(_signed_quotient(v[0], v[1]), bits),
    "srem": lambda v, bits: wrap(v[0] - v[1] * _signed_quotient(v[0], v[1]), bits),
    "udiv": lambda v, bits: wrap(unsigned(v[0], bits) // (unsigned(v[1], bits) or 1 << bits), bits),
    "urem": lambda v, bits: wrap(unsigned(v[0], bits) % (unsigned(v[1], bits) or 1 << bits), bits),
    "eq": lambda v, bits: int(wrap(v[0], bits) == wrap(v[1], bits)),
    "ne": lambda v, bits: int(wrap(v[0], bits) != wrap(v[1], bits)),
    "lt": lambda v, bits: int(wrap(v[0], bits) < wrap(v[1], bits)),
    "le": lambda v, bits: int(wrap(v[0], bits) <= wrap(v[1], bits)),
    "gt": lambda v, bits: int(wrap(v[0], bits) > wrap(v[1], bits)),
    "ge": lambda v, bits: int(wrap(v[0], bits) >= wrap(v[1], bits)),
    "ult": lambda v, bits: int(unsigned(v[0], bits) < unsigned(v[1], bits)),
    "ule": lambda v, bits: int(unsigned(v[0], bits) <= unsigned(v[1], bits)),
    "ugt": lambda v, bits: int(unsigned(v[0], bits) > unsigned(v[1], bits)),
    "uge": lambda v, bits: int(unsigned(v[0], bits) >= unsigned(v[1], bits)),
    "smax": lambda v, bits: max(wrap(v[0], bits), wrap(v[1], bits)),
    "smin": lambda v, bits: min(wrap(v[0], bits), wrap(v[1], bits)),
    "umax": lambda v, bits: wrap(max(unsigned(v[0], bits), unsigned(v[1], bits)), bits),
    "umin": lambda v, bits: wrap(min(unsigned(v[0], bits), unsigned(v[1], bits)), bits),
    "reverse_bits": lambda v, bits: _reverse_bits(v[0], bits),
    "reverse_bytes": lambda v, bits: _reverse_bytes(v[0], v[1], bits),
    "leading_zeros": lambda v, bits: bits - unsigned(v[0], bits).bit_length(),
    "lnot": lambda v, _bits: int(not v[0]),
    "zext": lambda v, bits: unsigned(v[0], bits),  # `bits` is the width extended from
    "sext": lambda v, bits: wrap(v[0], bits),  # likewise
}
