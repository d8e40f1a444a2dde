"""What the initialisers of locks look like: `PTHREAD_MUTEX_INITIALIZER` and the like in compiled programs.

Those of Linux are zeros, but for the kind of a mutex. macOS marks every object with a number of its own,
which stands for zeros; what it marks otherwise (mutexes that are recursive or check) is refused.
"""

from __future__ import annotations

from treville.programs.c.llvm import (
    Aggregate,
    ArrayType,
    IntType,
    Module,
    Number,
    StructType,
    Type,
    Value,
    Zero,
)
from treville.results import Unsupported

# The first fields of the C library's mutex on Linux; the fifth is its kind.
_GNU_MUTEX = tuple(IntType(bits) for bits in (32, 32, 32, 32, 32, 16, 16))
_KIND = 4
_APPLE_MARKS = frozenset((0x32AAABA7, 0x3CB0B1BB, 0x2DA8B3B4, 0x30B1BCBA))  # mutex, condition, rwlock, once
_APPLE_KINDS = frozenset((0x32AAABA1, 0x32AAABA2, 0x32AAABA3))


def is_apples(module: Module) -> bool:
    """Was the program compiled for macOS or one of its relatives?"""
    return any(system in module.target for system in ("apple", "darwin", "macos"))


def has_kind(kind: Type, value: Value | None) -> bool:
    """Is there a mutex in a variable whose initialiser says that it is no ordinary one?"""
    if not isinstance(value, Aggregate):
        return False
    if isinstance(kind, StructType) and kind.fields[: len(_GNU_MUTEX)] == _GNU_MUTEX:
        return value.items[_KIND][1] not in (Number(0), Zero())
    return any(has_kind(*item) for item in value.items)


def without_mark(kind: Type, value: Value | None) -> Value | None:
    """An initialiser of macOS, as Linux would have it."""
    if not isinstance(value, Aggregate) or not isinstance(kind, StructType) or len(value.items) != 2:
        return value
    (_, mark), (rest, _) = value.items
    if kind.fields[0] != IntType(64) or not isinstance(rest, ArrayType) or not isinstance(mark, Number):
        return value
    if mark.value in _APPLE_KINDS:
        raise Unsupported("a mutex of another kind than the usual, by its initialiser")
    return Zero() if mark.value in _APPLE_MARKS else value
