"""Numbers and C types as litmus tests write them."""

from __future__ import annotations

from treville.programs.operators import wrap

_LONGEST = 300


def parse_number(word: str) -> int:
    """A decimal or hexadecimal number, as a signed number of 64 bits."""
    hexadecimal = "x" in word or "X" in word
    if len(word) > _LONGEST:
        word = ("0x" if hexadecimal else "") + word[-_LONGEST:].lstrip("-xX")
    value = int(word.replace("_", ""), 16 if hexadecimal else 10)
    return value if -(1 << 63) <= value < 1 << 63 else wrap(value, 64)


_TYPE_BITS = {
    "char": 8, "int8_t": 8, "uint8_t": 8, "bool": 8, "_Bool": 8,
    "short": 16, "int16_t": 16, "uint16_t": 16,
    "long": 64, "int64_t": 64, "uint64_t": 64, "intptr_t": 64, "uintptr_t": 64, "atomic64_t": 64,
    "atomic_long": 64, "atomic_long_t": 64, "size_t": 64, "pteval_t": 64, "ins_t": 32,
    "int128": 128, "uint128": 128, "int128_t": 128, "uint128_t": 128,
}  # fmt: skip


def bits_of_type(name: str, pointer: bool = False, default: int = 32) -> int:
    """The width of a C type as litmus tests name them."""
    if pointer:
        return 64
    for word in name.split():
        bits = _TYPE_BITS.get(word) or _TYPE_BITS.get(word.removeprefix("__")) or 0
        if bits:
            return bits
    return default


def is_unsigned(name: str) -> bool:
    """Does the type's name say that its values are not negative?"""
    return "uint" in name or "unsigned" in name or "size_t" in name
