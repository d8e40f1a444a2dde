"""Programs in the making: what front ends fill, piece by piece, before it becomes a `Program` of the IR.

`finished` makes the frozen thing. What is written down here is nobody else's yet, so it may still change.
"""

from __future__ import annotations

from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Instruction, Location, Program, Thread
from treville.records import dataclass, field
from treville.results import Notice


@dataclass(slots=True)
class LocationDraft:
    """See `ir.Location`."""

    name: str
    address: int
    bits: int = 32
    initial: list[int] = field(default_factory=lambda: [0])
    parts: tuple[tuple[int, int, int], ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    unsigned: bool = False

    @property
    def cell_bytes(self) -> int:
        """Distance between two cells."""
        return self.bits // 8

    def finished(self) -> Location:
        """The location as it is now."""
        return Location(
            self.name, self.address, self.bits, tuple(self.initial), self.parts, self.names, self.unsigned
        )


@dataclass(slots=True)
class ThreadDraft:
    """See `ir.Thread`."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    code_addresses: dict[int, str] = field(default_factory=dict)
    parameter: str = ""
    private: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    unset: set[str] = field(default_factory=set)

    def finished(self) -> Thread:
        """The thread as it is now."""
        return Thread(
            self.name, tuple(self.instructions), self.labels, self.registers, self.code_addresses,
            self.parameter, self.private, frozenset(self.unset),
        )  # fmt: skip


@dataclass(slots=True)
class ProgramDraft:
    """See `ir.Program`."""

    threads: list[ThreadDraft] = field(default_factory=list)
    locations: dict[str, LocationDraft] = field(default_factory=dict)
    code_names: dict[int, str] = field(default_factory=dict)
    functions: dict[str, ThreadDraft] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    def location(self, name: str) -> LocationDraft:
        """The global of that name, allocated at the next free address when it is new."""
        found = self.locations.get(name)
        if found is None:
            address = LOCATION_BASE + LOCATION_STRIDE * len(self.locations)
            found = self.locations[name] = LocationDraft(name, address)
        return found

    def finished(self) -> Program:
        """The program as it is now."""
        return Program(
            tuple(thread.finished() for thread in self.threads),
            {name: location.finished() for name, location in self.locations.items()},
            self.code_names,
            {name: body.finished() for name, body in self.functions.items()},
            notices=tuple(self.notices),
        )
