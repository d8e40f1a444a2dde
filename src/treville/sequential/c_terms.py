"""Terms of a program -> expressions of C: what threads compute between their steps.

Numbers are those of the IR: signed, of 64 bits, wrapped where an operator says so. A term that is needed more
than once becomes a variable of its thread, set where it is needed first.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.events.symbolic_terms import (
    TRUE,
    Any,
    Apply,
    Both,
    Choose,
    Condition,
    Constant,
    Either,
    Equal,
    Free,
    NonZero,
    Read,
    Terms,
    Unknown,
    Value,
)
from treville.relations import EventId

# The operators in C, on `long long` a and b; `bits` is the width of the operation.
_OPERATORS = {
    "add": "wrap((long long)((unsigned long long)a + (unsigned long long)b), bits)",
    "sub": "wrap((long long)((unsigned long long)a - (unsigned long long)b), bits)",
    "mul": "wrap((long long)((unsigned long long)a * (unsigned long long)b), bits)",
    "and": "wrap(a & b, bits)",
    "or": "wrap(a | b, bits)",
    "xor": "wrap(a ^ b, bits)",
    "not": "wrap(~a, bits)",
    "neg": "wrap((long long)(0 - (unsigned long long)a), bits)",
    "shl": "b < 0 || b >= bits ? 0 : wrap((long long)((unsigned long long)a << b), bits)",
    "lshr": "b < 0 || b >= bits ? 0 : wrap((long long)(bare(a, bits) >> b), bits)",
    "ashr": "wrap(a, bits) >> (b < 0 || b >= bits ? bits - 1 : b)",
    "sdiv": "b == 0 ? 0 : b == -1 ? wrap((long long)(0 - (unsigned long long)a), bits) : wrap(a / b, bits)",
    "srem": "b == 0 ? wrap(a, bits) : b == -1 ? 0 : wrap(a % b, bits)",
    "udiv": "bare(b, bits) == 0 ? 0 : wrap((long long)(bare(a, bits) / bare(b, bits)), bits)",
    "urem": "bare(b, bits) == 0 ? wrap(a, bits) : wrap((long long)(bare(a, bits) % bare(b, bits)), bits)",
    "eq": "wrap(a, bits) == wrap(b, bits)",
    "ne": "wrap(a, bits) != wrap(b, bits)",
    "lt": "wrap(a, bits) < wrap(b, bits)",
    "le": "wrap(a, bits) <= wrap(b, bits)",
    "gt": "wrap(a, bits) > wrap(b, bits)",
    "ge": "wrap(a, bits) >= wrap(b, bits)",
    "ult": "bare(a, bits) < bare(b, bits)",
    "ule": "bare(a, bits) <= bare(b, bits)",
    "ugt": "bare(a, bits) > bare(b, bits)",
    "uge": "bare(a, bits) >= bare(b, bits)",
    "smax": "wrap(a, bits) > wrap(b, bits) ? wrap(a, bits) : wrap(b, bits)",
    "smin": "wrap(a, bits) < wrap(b, bits) ? wrap(a, bits) : wrap(b, bits)",
    "umax": "wrap(bare(a, bits) > bare(b, bits) ? a : b, bits)",
    "umin": "wrap(bare(a, bits) < bare(b, bits) ? a : b, bits)",
    "lnot": "!a",
    "zext": "(long long)bare(a, bits)",
    "sext": "wrap(a, bits)",
}
_UNARY = ("not", "neg", "lnot", "zext", "sext")
_PLAIN = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

WIDTHS = """\
/* The lowest bits of a number, without and with a sign. */
unsigned long long bare(long long a, int bits)
{
    return bits >= 64 ? (unsigned long long)a : (unsigned long long)a & ((1ULL << bits) - 1);
}

long long wrap(long long a, int bits)
{
    unsigned long long low = bare(a, bits);
    if (bits < 64 && (low >> (bits - 1)) != 0)
        low |= ~((1ULL << bits) - 1);
    return (long long)low;
}
"""


class CannotSay(Exception):
    """An operator that has no C here."""


class Expressions:
    """Expressions of one program; `operators` are those that were used, `reads` the events whose values were
    (not all of them can happen: what depends on others never matters)."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.operators: set[str] = set()
        self.reads: set[EventId] = set()
        self.unknowns: dict[Value, str] = {}

    def functions(self) -> Iterator[str]:
        """The operators that were used, as functions."""
        for name in sorted(self.operators):
            parameters = "long long a, int bits" if name in _UNARY else "long long a, long long b, int bits"
            unused = "    (void)bits;\n" if name == "lnot" else ""
            yield f"long long op_{name}({parameters})\n{{\n{unused}    return {_OPERATORS[name]};\n}}\n"


class ThreadExpressions:
    """Expressions in the code of one thread: `set` are the terms that are variables by now."""

    def __init__(self, all_of: Expressions, thread: int) -> None:
        self.all, self.thread = all_of, thread
        self.terms = all_of.terms
        self.known: dict[tuple[str, int], str] = {}
        self.declared: list[str] = []
        self.pending: list[str] = []

    def take(self) -> list[str]:
        """The statements that have to come first."""
        taken, self.pending = self.pending, []
        return taken

    def _variable(self, kind: str, term: int, text: str) -> str:
        name = f"{'x' if kind == 'v' else 'c'}{term}_{self.thread}"
        self.known[kind, term] = name
        self.declared.append(f"static {'long long' if kind == 'v' else 'int'} {name};")
        self.pending.append(f"{name} = {text};")
        return name

    def value(self, value: Value) -> str:
        """A value."""
        known = self.known.get(("v", value))
        if known is not None:
            return known
        term = self.terms.values[value]
        match term:
            case Constant(number):
                return _number(number)
            case Read(event):
                self.all.reads.add(event)
                return f"r{event}"
            case Any() | Unknown():
                return self.all.unknowns.setdefault(value, f"n{value}")
            case Choose(cases):
                return self._variable("v", value, self._cases(cases))
            case Apply(name, args, bits):
                return self._apply(value, name, args, bits)

    def _cases(self, cases: tuple[tuple[Condition, Value], ...]) -> str:
        """A chain of choices, the last case for all the rest."""
        text = self.value(cases[-1][1])
        for condition, value in reversed(cases[:-1]):
            text = f"{self.condition(condition)} ? {self.value(value)} : {text}"
        return text

    def _apply(self, value: Value, name: str, args: tuple[Value, ...], bits: int) -> str:
        if name not in _OPERATORS:
            raise CannotSay(name)
        self.all.operators.add(name)
        texts = [self.value(arg) for arg in args[: 1 if name in _UNARY else 2]]
        return self._variable("v", value, f"op_{name}({', '.join([*texts, str(bits)])})")

    def condition(self, condition: Condition) -> str:
        """A condition, negated if it is negative."""
        if condition < 0:
            return "0" if -condition == TRUE else f"!{self._atom(-condition)}"
        return "1" if condition == TRUE else self._atom(condition)

    def _atom(self, condition: Condition) -> str:
        known = self.known.get(("c", condition))
        if known is not None:
            return known
        term = self.terms.conditions[condition]
        match term:
            case NonZero(value):
                text = f"{self.value(value)} != 0"
            case Equal(left, right):
                text = f"{self.value(left)} == {self.value(right)}"
            case Both(left, right):
                text = f"{self.condition(left)} && {self.condition(right)}"
            case Either(cases):
                text = " || ".join(self.condition(case) for case in cases)
            case Free(key) if key < 0:
                return "0"  # a byte that nobody set: nothing is told of those
            case Free(_):
                raise CannotSay("a store that may fail")
            case _:
                text = "1"
        return self._variable("c", condition, text)


def _number(number: int) -> str:
    if number == -(1 << 63):
        return "(-9223372036854775807LL - 1)"
    text = f"{number}LL" if abs(number) >= 1 << 31 else str(number)
    return f"({text})" if number < 0 else text
