"""The parsed form of a `.cub` file: what `parser` makes and `resolve` turns into a `System`.

Every node keeps the offset of its first character, so that later complaints can point at it.
"""

from __future__ import annotations

from treville.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier in a term: a variable, constant, constructor, process variable or `let` name."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class ProcessNumber:
    """`#n`, the n-th process of a file with `number_procs`."""

    number: int
    at: int


@dataclass(frozen=True, slots=True)
class Cell:
    """`A[p, q]`."""

    array: str
    indices: tuple[Name | ProcessNumber, ...]
    at: int


@dataclass(frozen=True, slots=True)
class ReadBy:
    """`p @ X` or `p @ A[q]`: what process p sees."""

    process: Name | ProcessNumber
    of: Name | Cell
    at: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number literal; `real` tells whether it had a point."""

    text: str
    real: bool
    at: int


@dataclass(frozen=True, slots=True)
class Sum:
    """`base + factor * name` (or `+ factor` without a name); `base` is None for `2 * C` alone."""

    base: Term | None
    factor: str
    real: bool
    name: Name | None
    at: int


Term = Name | ProcessNumber | Cell | ReadBy | Number | Sum


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    at: int


@dataclass(frozen=True, slots=True)
class Fence:
    """`fence()`."""

    at: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two terms and one of `= <> < <= > >=`."""

    operator: str
    left: Term
    right: Term
    at: int


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    body: Formula
    at: int


@dataclass(frozen=True, slots=True)
class Joined:
    """`parts` joined by one of `&& || => <=>` (the last two always have two parts)."""

    operator: str
    parts: tuple[Formula, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if .. then .. else ..`."""

    condition: Formula
    then: Formula
    otherwise: Formula
    at: int


@dataclass(frozen=True, slots=True)
class Quantified:
    """`forall`, `exists`, `forall_other` or `exists_other` over pairwise distinct processes."""

    kind: str
    variables: tuple[Name, ...]
    body: Formula
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A predicate applied to terms or formulas."""

    name: str
    arguments: tuple[Term | Formula, ...]
    at: int


Formula = Truth | Fence | Comparison | Not | Joined | Conditional | Quantified | Call


@dataclass(frozen=True, slots=True)
class Action:
    """An assignment: `cases` are (condition or None for `_`, value); no cases at all means `?`."""

    target: str
    indices: tuple[Name | ProcessNumber, ...] | None
    cases: tuple[tuple[Formula | None, Term], ...]
    is_case: bool
    at: int


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """`type t` (no constructors) or `type t = A | B`."""

    name: str
    constructors: tuple[Name, ...]
    at: int


@dataclass(frozen=True, slots=True)
class SymbolDeclaration:
    """A `var`, `const` or `array` (`arity` counts its indices, 0 for a plain one)."""

    kind: str
    name: str
    arity: int
    type: Name
    weak: bool
    at: int


@dataclass(frozen=True, slots=True)
class Clause:
    """`init`, `unsafe` or `invariant`."""

    kind: str
    name: str
    parameters: tuple[Name, ...]
    body: Formula
    at: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A macro."""

    name: str
    parameters: tuple[Name, ...]
    body: Formula
    at: int


@dataclass(frozen=True, slots=True)
class TransitionDeclaration:
    """A transition; `actor` is the position of the bracketed parameter, -1 without one."""

    name: str
    parameters: tuple[Name, ...]
    actor: int
    guard: Formula
    lets: tuple[tuple[Name, Term], ...]
    actions: tuple[Action, ...]
    at: int


@dataclass(frozen=True, slots=True)
class File:
    """A whole file; the number of processes is 0 when it is not bounded."""

    processes: int
    types: tuple[TypeDeclaration, ...]
    symbols: tuple[SymbolDeclaration, ...]
    clauses: tuple[Clause, ...]
    predicates: tuple[Predicate, ...]
    transitions: tuple[TransitionDeclaration, ...]
