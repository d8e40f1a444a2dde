"""What a method ends in: a certificate that the targets are unreachable, or a firing sequence into one.

Certificates are plain data; `checking` decides whether they prove anything. An `Answer` without evidence
says why the method gave up.
"""

from __future__ import annotations

from treville.petri.halfspace import HalfSpace
from treville.petri.net import Bound, Box, Marking
from treville.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Combination:
    """Non-negative multipliers of half spaces; their weighted sum alone excludes a target."""

    multipliers: tuple[tuple[int, int], ...]  # (index of a half space, multiplier)


@dataclass(frozen=True, slots=True)
class Invariant:
    """The markings in all `half_spaces` and outside all `boxes`; each half space is inductive by itself.

    `combinations` names, per target that no single half space and no box excludes, the sum that does.
    """

    half_spaces: tuple[HalfSpace, ...]
    boxes: tuple[Box, ...] = ()
    combinations: dict[int, Combination] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cover:
    """The markings below one of `limits`, whose entries may be infinite: an inductive downward-closed set."""

    limits: tuple[tuple[Bound, ...], ...]


@dataclass(frozen=True, slots=True)
class Markings:
    """Every reachable marking of a net that has finitely many."""

    markings: frozenset[Marking]


@dataclass(frozen=True, slots=True)
class FiringSequence:
    """An initial marking and transitions (by index) whose firing ends in a target."""

    initial: Marking
    steps: tuple[int, ...]


Evidence = Invariant | Cover | Markings | FiringSequence


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one method: evidence, or the reason why it ended without an answer."""

    evidence: Evidence | None
    reason: str = ""
