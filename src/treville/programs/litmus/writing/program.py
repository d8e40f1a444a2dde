"""Small programs without loops, as a writer of litmus tests takes them: accesses, fences, branches.

A dialect spells its instructions (`Spelling`); a program says which of them stand where, what they depend on,
and which final state is asked for. `writing.write` turns it into the text of a test.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from treville.records import dataclass

LOCATIONS = ("x", "y", "z", "a", "b", "c", "d", "e")
"""Names of locations, in the order in which they are used."""
AND = " /\\ "
"""Between the parts of a condition."""


class Role(StrEnum):
    """What an instruction does to memory."""

    READ = "read"
    WRITE = "write"
    EXCHANGE = "exchange"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Spelling:
    """An instruction of a dialect. `name` stands for it in the names of tests, `text` in their code, where
    the writer of the dialect fills in what is in braces (an exchange by two instructions has a second text).
    `cost` says how far it is from the simplest instruction of its role, `above` names those that it is meant
    to be stronger than; `plain`: it is not atomic."""

    name: str
    role: Role
    text: str
    cost: int = 0
    above: tuple[str, ...] = ()
    second: str = ""
    plain: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The code of its instructions."""
        return (self.text, self.second) if self.second else (self.text,)

    @property
    def reads(self) -> bool:
        """Does a register get a value?"""
        return self.role in (Role.READ, Role.EXCHANGE)

    @property
    def writes(self) -> bool:
        """Is something stored?"""
        return self.role in (Role.WRITE, Role.EXCHANGE)


@dataclass(frozen=True, slots=True)
class Access:
    """A read, write or exchange. `value` is what it stores; `address` and `data` are the earlier reads of
    the thread, counted from 0, that its address and its value depend on."""

    spelling: Spelling
    location: int
    value: int = 0
    address: tuple[int, ...] = ()
    data: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Barrier:
    """A fence."""

    spelling: Spelling


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch on what the read of that number found; all that follows is behind it. Where branches go two
    ways (C), the thread goes on if that was `value`."""

    read: int
    value: int


Item: TypeAlias = Access | Barrier | Branch


@dataclass(frozen=True, slots=True)
class Outcome:
    """A final state: what was read, by the thread and number of the read, and what locations hold."""

    registers: tuple[tuple[int, int, int], ...]
    memory: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class WrittenProgram:
    """A test to be written."""

    name: str
    threads: tuple[tuple[Item, ...], ...]
    outcome: Outcome
    comment: str = ""

    def accesses(self, thread: int) -> list[Access]:
        """The accesses of a thread, in order."""
        return [item for item in self.threads[thread] if isinstance(item, Access)]
