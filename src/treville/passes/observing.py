"""What the states of a portability question range over: what the test observes, or all there is."""

from __future__ import annotations

import re

from treville.programs.flow import defined_register
from treville.programs.ir import Location, Program, Thread
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.records import replace

# Registers of front ends' own making (`old#`, `$1`, `EAX#final`, `flag.Z`) are not for people to see.
_REGISTER = re.compile(r"[A-Za-z_]\w*")


def observing_all(test: LitmusTest) -> LitmusTest:
    """The same test with states over every register that a thread sets and every location."""
    registers = [
        RegisterOf(number, register, f"{number}:{register}")
        for number, thread in enumerate(test.program.threads)
        for register in _registers(thread)
    ]
    observed: list[Observable] = [*registers, *observable_locations(test.program)]
    known = {_place(observable) for observable in test.observed}
    more = [observable for observable in observed if _place(observable) not in known]
    return replace(test, observed=(*test.observed, *more))


def _place(observable: Observable) -> tuple[object, ...]:
    """What an observable looks at, however it is shown. A register cast to its type counts as itself."""
    if isinstance(observable, RegisterOf):
        return (observable.thread, observable.register.removesuffix("#final"))
    return (observable.address,) if isinstance(observable, CellOf) else observable.addresses


def _registers(thread: Thread) -> list[str]:
    found = dict.fromkeys(map(defined_register, thread.instructions))
    return [register for register in found if register is not None and _REGISTER.fullmatch(register)]


def observable_locations(program: Program) -> list[Observable]:
    """Every location of a program, arrays and structures as a whole."""
    return [_location(location) for location in program.locations.values()]


def _location(location: Location) -> Observable:
    cells = tuple(location.address + i * location.cell_bytes for i in range(len(location.initial)))
    if location.parts:
        cells = tuple(location.address + offset for offset, _, _ in location.parts)
    return CellOf(cells[0], location.name) if len(cells) == 1 else ArrayOf(cells, location.name)
