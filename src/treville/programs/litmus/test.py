"""A litmus test: a program with a question about its final states."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from treville.programs.ir import Program
from treville.records import NamedTuple, dataclass

# -- what a condition can look at ------------------------------------------------------------------


class RegisterOf(NamedTuple):
    """The final value of a register. `shown` is how states print it (`0:EAX`). `unsigned` is 0 or the
    width at which the value is printed as an unsigned number; so for the other observables."""

    thread: int
    register: str
    shown: str
    unsigned: int = 0


class CellOf(NamedTuple):
    """The final value of the memory cell at an address. `shown` is how states print it (`x`, `x[1]`)."""

    address: int
    shown: str
    unsigned: int = 0


class ArrayOf(NamedTuple):
    """The final values of all cells of an array; states print it as `{1,2}`."""

    addresses: tuple[int, ...]
    shown: str
    unsigned: int = 0


Observable: TypeAlias = RegisterOf | CellOf | ArrayOf


# -- conditions ------------------------------------------------------------------------------------


class Equals(NamedTuple):
    """The observable has the given value (for an array: these values)."""

    observable: Observable
    value: int | tuple[int, ...]


class SameValue(NamedTuple):
    """Two observables have equal values."""

    left: Observable
    right: Observable


class Not(NamedTuple):
    """Negation."""

    operand: Condition


class And(NamedTuple):
    """Conjunction of any number of operands; the empty one is true."""

    operands: tuple[Condition, ...]


class Or(NamedTuple):
    """Disjunction of any number of operands; the empty one is false."""

    operands: tuple[Condition, ...]


Condition: TypeAlias = Equals | SameValue | Not | And | Or
TRUE: Condition = And(())


class Quantifier(StrEnum):
    """Which of the final states are to satisfy the condition: some, none, or all."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


@dataclass(frozen=True, slots=True)
class LitmusTest:
    """A parsed test.

    `observed` lists what states range over: all that the
    condition and `locations` mention, each once. `filter` drops final states before anything is counted.
    `condition_text` is the source text of the condition. `dialect` is one of the names in
    `programs.litmus.DIALECTS`.
    """

    name: str
    dialect: str
    program: Program
    quantifier: Quantifier = Quantifier.EXISTS
    condition: Condition = TRUE
    condition_text: str = ""
    observed: tuple[Observable, ...] = ()
    filter: Condition | None = None
    file: str = ""
