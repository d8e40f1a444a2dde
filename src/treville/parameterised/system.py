"""Transition systems over arrays indexed by processes: the data that every engine here works on.

Terms and literals are plain tuples, because the search makes and compares millions of them:

    ("k", value)                      an enumeration's constructor
    ("p", i)                          process i: a parameter's position in templates (negative: a bound
                                      variable), a process of the cube in cubes
    ("v", name)                       a variable or constant
    ("a", name, (i, ...))             a cell of an array
    ("r", event, i, name, (j, ...))   what process i sees in a weak variable or cell, at an event
    ("s", ((term, factor), ...), c)   a sum, only as the value of an update

    ("=", t, u)  ("!", t, u)          equal, different
    ("<", t, u)                       process t comes before process u
    ("L", op, ((term, factor), ...), c)   sum + c op 0, with op one of = ! <= (integers) r<= < (reals)
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

from treville.records import dataclass
from treville.results import Span

# Named processes (#1, ...) are numbered from here in templates, far above parameters.
NAMED = 100_000

Term = tuple[Any, ...]
Literal = tuple[Any, ...]
Cube = tuple[Literal, ...]
# A disjunction of cubes.
Disjunction = tuple[Cube, ...]


@dataclass(frozen=True, slots=True)
class Type:
    """`kind` is enum, int, real, proc or abstract; only enumerations have values."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable (arity 0), array, or constant of either form (`rigid`)."""

    name: str
    type: Type
    arity: int
    rigid: bool
    weak: bool


@dataclass(frozen=True, slots=True)
class Universal:
    """For all tuples of `count` distinct processes (bound as -1, -2, ...): one of `cubes` holds.

    With `other` the processes are also different from the transition's parameters.
    """

    count: int
    other: bool
    cubes: Disjunction


@dataclass(frozen=True, slots=True)
class Branch:
    """A case of an update: when one of `when` holds (cases before it excluded), the value is `value`.

    None as value means any value of the type.
    """

    when: Disjunction
    value: Term | None


@dataclass(frozen=True, slots=True)
class Update:
    """An assignment to a variable, or to every cell of an array (indices bound as -1, -2, ...)."""

    symbol: Symbol
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """A guarded simultaneous assignment; guards with `||` give several transitions of one name."""

    name: str
    parameters: tuple[str, ...]
    actor: int
    guard: Cube
    universals: tuple[Universal, ...]
    fence: bool
    updates: tuple[Update, ...]
    span: Span
    # Under a weak model: does it read, does it write weak memory?
    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Property:
    """A cube that must not be reachable; `parameters` processes, pairwise distinct."""

    name: str
    parameters: int
    cube: Cube
    span: Span


@dataclass(frozen=True, slots=True)
class InitialConstraint:
    """For all tuples of `count` distinct processes (0, 1, ...): one of `cubes` holds at the start."""

    count: int
    cubes: Disjunction


@dataclass(frozen=True, slots=True)
class System:
    """Everything about a file under one memory model. `processes` is 0 when it is not bounded.

    With `named` set, processes are called #1..#n in the file and are not interchangeable.
    """

    name: str
    model: str
    processes: int
    named: bool
    types: tuple[Type, ...]
    symbols: dict[str, Symbol]
    initial: tuple[InitialConstraint, ...]
    unsafe: tuple[Property, ...]
    invariants: tuple[Property, ...]
    transitions: tuple[Transition, ...]


def cubes_of(system: System) -> list[Cube]:
    """All conjunctions that a file's transitions, initial states and properties are made of."""
    found = [cube for constraint in system.initial for cube in constraint.cubes]
    found += [claim.cube for claim in (*system.unsafe, *system.invariants)]
    for transition in system.transitions:
        found.append(transition.guard)
        found += [cube for universal in transition.universals for cube in universal.cubes]
        found += [cube for update in transition.updates for branch in update.branches for cube in branch.when]
    return found


def compares_processes(system: System) -> bool:
    """Does it matter which process comes before which?"""
    return any(literal[0] == "<" for cube in cubes_of(system) for literal in cube)


def linear(op: str, terms: dict[Term, Any], constant: Any, *, integral: bool) -> Literal | bool:
    """The literal `terms + constant op 0` in normal form, or its truth value when it has no terms."""
    entries = sorted((term, factor) for term, factor in terms.items() if factor)
    if not entries:
        if op in ("=", "!"):
            return bool((constant == 0) == (op == "="))
        return bool(constant < 0 or (constant == 0 and op != "<"))
    if op in ("=", "!") and entries[0][1] < 0:
        entries = [(term, -factor) for term, factor in entries]
        constant = -constant
    if integral:
        if op == "<":
            op, constant = "<=", constant + 1
        divisor = gcd(*(int(factor) for _, factor in entries))
        if divisor > 1:
            if op != "<=" and constant % divisor:
                return op == "!"
            # For <= the quotient is rounded towards the tighter integer.
            constant = -((-constant) // divisor)
            entries = [(term, factor // divisor) for term, factor in entries]
    else:
        op = "r<=" if op == "<=" else op
        size = abs(Fraction(entries[0][1]))
        entries = [(term, _plain(factor / size)) for term, factor in entries]
        constant = _plain(constant / size)
    return ("L", op, tuple(entries), constant)


def _plain(number: Any) -> Any:
    """Fractions that are whole numbers as ints, so that equal literals are equal tuples."""
    fraction = Fraction(number)
    return int(fraction) if fraction.denominator == 1 else fraction


def equality(op: str, left: Term, right: Term) -> Literal | bool:
    """`left = right` or `left ! right` between terms that are not numbers, smaller term first."""
    if left == right:
        return op == "="
    if left[0] in "kp" and right[0] in "kp" and (left[0] == "k" or _told_apart(left[1], right[1])):
        return op == "!"
    return (op, left, right) if left < right else (op, right, left)


def _told_apart(left: int, right: int) -> bool:
    """Parameters are distinct, and so are named processes; bound variables can be equal to anything."""
    return left >= 0 <= right and (left >= NAMED) == (right >= NAMED)


def processes_of(term: Term) -> tuple[int, ...]:
    """The processes that a term mentions."""
    tag = term[0]
    if tag == "a":
        return tuple(term[2])
    if tag == "p":
        return (term[1],)
    if tag == "r":
        return (term[2], *term[4])
    if tag == "s":
        return tuple(i for inner, _ in term[1] for i in processes_of(inner))
    return ()


def terms_of(literal: Literal) -> tuple[Term, ...]:
    """The terms of a literal."""
    if literal[0] == "L":
        return tuple(term for term, _ in literal[2])
    return (literal[1], literal[2])


def literal_processes(literal: Literal) -> set[int]:
    """The processes that a literal mentions."""
    return {i for term in terms_of(literal) for i in processes_of(term)}
