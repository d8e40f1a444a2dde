"""Words of C and IR terms: what the readers of C expressions and statements share."""

from __future__ import annotations

import re

from treville.programs.ir import Const, Expr, Op
from treville.programs.operators import OPERATORS
from treville.records import NamedTuple
from treville.results import Source

WIDTH = 64
CELL_BYTES = WIDTH // 8
PLAIN = frozenset({"NA", "Plain", "DATA"})
ZERO = Const(0)
ONE = Const(1)


_TOKEN = re.compile(
    r"[A-Za-z_]\w*|(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|\S"
)
TYPE_WORDS = frozenset(
    {
        "int", "char", "short", "long", "unsigned", "signed", "void", "bool", "_Bool", "const",
        "volatile", "static", "register", "struct", "union", "enum", "_Atomic", "intptr_t", "uintptr_t",
        "size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
        "uint64_t", "atomic_int", "atomic_uint", "atomic_bool", "atomic_long", "atomic_flag", "atomic_t",
        "atomic64_t", "atomic_long_t", "spinlock_t", "mtx_t", "__int128", "__int128_t", "__uint128_t",
        "int128_t", "uint128_t", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "__rcu",
    }
)  # fmt: skip

BINARY: dict[str, tuple[int, str]] = {
    "||": (1, "or"), "&&": (2, "and"), "|": (3, "or"), "^": (4, "xor"), "&": (5, "and"),
    "==": (6, "eq"), "!=": (6, "ne"), "<": (7, "lt"), "<=": (7, "le"), ">": (7, "gt"), ">=": (7, "ge"),
    "<<": (8, "shl"), ">>": (8, "ashr"), "+": (9, "add"), "-": (9, "sub"),
    "*": (10, "mul"), "/": (10, "sdiv"), "%": (10, "srem"),
}  # fmt: skip
_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def operate(name: str, *args: Expr) -> Expr:
    """The operator applied to the arguments, computed right away if they are all constants."""
    if all(type(argument) is Const for argument in args):
        return Const(OPERATORS[name](tuple(a.value for a in args), WIDTH))  # type: ignore[union-attr]
    return Op(name, args, WIDTH)


def truth(value: Expr) -> Expr:
    """1 if the value is not zero, else 0."""
    if type(value) is Op and (value.name in _COMPARISONS or value.name == "lnot"):
        return value
    return operate("ne", value, ZERO)


def negate(value: Expr) -> Expr:
    """1 if the value is zero, else 0."""
    if type(value) is Op and value.name in _OPPOSITE:
        return Op(_OPPOSITE[value.name], value.args, WIDTH)
    return operate("lnot", value)


class Tokens(NamedTuple):
    """The words of a program text (the last one is empty), and where they are in it and in the file."""

    words: list[str]
    offsets: list[int]
    source: Source
    base: int


class Cell(NamedTuple):
    """An operand that is in memory: it can be read, written, or have its address taken."""

    address: Expr


def tokenise(text: str, base: int, source: Source) -> Tokens:
    """The words of a text that begins at offset `base` of its file."""
    words: list[str] = []
    offsets: list[int] = []
    for match in _TOKEN.finditer(text):
        words.append(match.group())
        offsets.append(match.start())
    # Four empty words at the end, so that looking ahead needs no test.
    return Tokens(words + [""] * 4, offsets + [len(text)] * 4, source, base)


def is_name(word: str) -> bool:
    """Is the word an identifier (or keyword)?"""
    return word[:1].isalpha() or word[:1] == "_"
