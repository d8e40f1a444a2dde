"""Sites: the places of a source where an order can be asked for, and what can be typed there.

A site is a gap between two statements (or two instructions of a litmus test) where a fence may go, an access
or read-modify-write whose order can be changed, or a fence that is there. Its levels are what may stand
there, with how strong each is; an assignment chooses a level for every site. Instructions of the program
know their site by a tag, so that one program stands for all assignments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeAlias

from treville.programs.ir import Instruction
from treville.records import dataclass
from treville.results import Span

_SITE = "site "


class SiteKind(StrEnum):
    """What a change would be: a new fence, another order of an access, another fence or none."""

    GAP = "new fence"
    ACCESS = "memory order"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Level:
    """What may stand at a site. One level is at most as strong as another if its `strength` is part of the
    other's. `tags` are those of a fence (none: no fence); `order` is the order of an access."""

    text: str
    strength: frozenset[str]
    tags: frozenset[str] = frozenset()
    order: str = ""

    def at_most(self, other: Level) -> bool:
        """Is it at most as strong?"""
        return self.strength <= other.strength


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a file with the levels that it may have, the weakest first; `present` is the one that the
    source has. An access `does` reads, writes or updates."""

    number: int
    kind: SiteKind
    span: Span
    levels: tuple[Level, ...]
    present: int
    does: str = ""

    @property
    def tag(self) -> str:
        """What its instructions are tagged with."""
        return f"{_SITE}{self.number}"

    def upwards(self, level: int) -> list[int]:
        """The levels that are stronger, or as strong, the strongest first."""
        own = self.levels[level]
        above = [k for k, each in enumerate(self.levels) if own.at_most(each) and k != level]
        return sorted(above, key=lambda k: -len(self.levels[k].strength))

    def downwards(self, level: int) -> list[int]:
        """The levels that are weaker, the weakest first."""
        own = self.levels[level]
        below = [k for k, each in enumerate(self.levels) if each.strength < own.strength]
        return sorted(below, key=lambda k: len(self.levels[k].strength))


Assignment: TypeAlias = tuple[int, ...]
"""The number of a level for each site."""
Choice: TypeAlias = tuple[int, int]
"""The number of a site, and that of one of its levels."""


def site_of(tags: Iterable[str]) -> int | None:
    """The number of the site that tags tell of."""
    return next((int(tag[len(_SITE) :]) for tag in tags if tag.startswith(_SITE)), None)


def site_of_instruction(instruction: Instruction) -> int | None:
    """The number of the site that an instruction belongs to."""
    return site_of(getattr(instruction, "tags", ()))


def present(sites: Iterable[Site]) -> Assignment:
    """The source as it is."""
    return tuple(site.present for site in sites)


def changed(sites: Iterable[Site], assignment: Assignment) -> list[Site]:
    """The sites that an assignment changes."""
    return [site for site in sites if assignment[site.number] != site.present]


def with_levels(assignment: Assignment, levels: Mapping[int, int]) -> Assignment:
    """The assignment with other levels at some sites."""
    return tuple(levels.get(number, level) for number, level in enumerate(assignment))
