"""What conditions speak of -> observables (registers, locations, cells, arrays) and values."""

from __future__ import annotations

import re

from treville.programs.draft import ProgramDraft
from treville.programs.litmus.condition.tokens import (
    INSTRUCTION,
    LABEL,
    NAME,
    NUMBER,
    SIGN,
    Tokens,
)
from treville.programs.litmus.initial import (
    LabelOf,
    RegisterNamer,
    code_address,
    thread_index,
)
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.literals import parse_number
from treville.programs.litmus.observed_registers import Observation
from treville.programs.litmus.test import (
    ArrayOf,
    CellOf,
    Observable,
    RegisterOf,
)

_THREAD = re.compile(r"P\d+$")
_NUMBERED = re.compile(r"\d+:(\D+)(\d{1,9})$")
_NOWHERE = -0x7FFF_FFF1  # the address of a label that does not exist: no register ever holds it


def _register_order(register: RegisterOf) -> tuple[int, str, int]:
    """Numbered registers by number; the others first, in the order in which they are mentioned."""
    name = _NUMBERED.match(register.shown)
    return (register.thread, name.group(1), int(name.group(2))) if name else (register.thread, "", 0)


class ObservableReader(Tokens):
    """Reads registers, locations and values; collects the observables that a condition looks at."""

    def __init__(
        self,
        sections: Sections,
        program: ProgramDraft,
        register: RegisterNamer,
        observation: Observation | None = None,
    ) -> None:
        super().__init__(sections)
        self.program, self.register = program, register
        self.observation = observation
        self.widths: dict[Observable, int] = {}
        self.seen: dict[tuple[int, str, str], RegisterOf] = {}
        self.found: dict[Observable, None] = {}

    def bits_of(self, observable: Observable) -> int:
        """The width at which a number is compared with the observable."""
        return self.widths.get(observable, 64)

    def other_observable(self) -> Observable | None:
        """A right-hand side that is not a constant: `1:r2`, `[y]`, `*y`."""
        kind, word, _ = self.tokens[self.place]
        following = self.tokens[self.place + 1] if kind else (0, "", 0)
        if word == "*" and kind == SIGN:
            self.step()
            return self.observable()
        if word == "[" and kind == SIGN:
            return self.observable()
        if (kind == NUMBER or (kind == NAME and _THREAD.match(word))) and following[1] == ":":
            return self.observable()
        return None

    def value(self) -> int:
        """A constant: a number, the address of a location or of a label."""
        kind, word, offset = self.tokens[self.place]
        if kind == NUMBER:
            self.step()
            return parse_number(word)
        if kind == LABEL:
            self.step()
            return self.label_value(word, offset)
        if kind == INSTRUCTION or word in ("NOP", "nop"):
            raise self.unsupported("instructions as values (self-modifying code)")
        self.take("&")
        if self.kind != NAME:
            if self.word in ("(", ":"):
                raise self.unsupported("page-table entries and memory tags")
            raise self.fail("a value")
        name = self.word
        self.step()
        location = self.program.location(name)
        if self.word == "[":
            self.step()
            index = self.number()
            self.expect("]")
            return location.address + index * location.cell_bytes
        if self.word in (":", "("):
            raise self.unsupported(f"'{name}{self.word}'")
        return location.address

    def label_value(self, word: str, offset: int) -> int:
        """The address of a label of a thread."""
        thread, _, label = word.split('"')[1].partition(":")
        if not thread.lstrip("P").isdecimal():
            raise self.fail('label:"P0:name"')
        place = LabelOf(parse_number(thread.lstrip("P")), label)
        index = thread_index(self.sections, self.program, place.thread, self.base + offset)
        if place.label not in self.program.threads[index].labels:
            return _NOWHERE
        return code_address(self.program, index, place.label)

    def observable(self) -> Observable:
        """`0:r1`, `P0:r1`, `x`, `[x]`, `x[1]`"""
        kind, word, offset = self.tokens[self.place]
        if kind == NUMBER or (kind == NAME and _THREAD.match(word) and self.tokens[self.place + 1][1] == ":"):
            self.step()
            self.expect(":")
            return self.register_of(parse_number(word.lstrip("P")), offset)
        if self.take("["):
            found = self.cell(self.identifier(), offset)
            self.expect("]")
            return found
        if kind == NAME and word[0] == "%":
            return self.symbolic_register()
        return self.cell(self.identifier(), offset)

    def register_of(self, number: int, offset: int) -> RegisterOf:
        """A register of the thread of that number."""
        index = thread_index(self.sections, self.program, number, self.base + offset)
        at = self.tokens[self.place][2]
        name, shown = self.register(index, self.identifier(), self.base + at)
        return self.seen_register(index, name, f"{number}:{shown}")

    def seen_register(self, thread: int, name: str, shown: str) -> RegisterOf:
        """The register at the width at which states show it."""
        found = self.seen.get((thread, name, shown))
        if found is None:
            how = self.observation
            if how is None:
                found = RegisterOf(thread, name, shown)
            else:
                found = RegisterOf(thread, how.register(thread, name), shown, how.unsigned(thread, name))
                self.widths[found] = how.bits(thread, name)
            self.seen[thread, name, shown] = found
        return found

    def symbolic_register(self) -> RegisterOf:
        """A register `%name` of the first thread that uses it."""
        word, offset = self.word, self.base + self.tokens[self.place][2]
        self.step()
        for index, thread in enumerate(self.program.threads):
            name, shown = self.register(index, word, offset)
            if name in thread.registers:
                return self.seen_register(index, name, f"{index}:{shown}")
        raise self.sections.error(f"no thread uses the register {word}", offset, len(word))

    def cell(self, name: str, offset: int) -> Observable:
        """A location, a whole array, or one of its cells."""
        if self.word == "(" or self.word == ":":
            raise self.unsupported(f"'{name}{self.word}'")
        location = self.program.location(name)
        if self.take("["):
            index = self.number()
            self.expect("]")
            cells = len(location.initial)
            if not 0 <= index < cells:
                message = f"{name} has {cells} cells, no cell {index}"
                raise self.sections.error(message, self.base + offset, len(name))
            unsigned = location.bits if location.unsigned else 0
            cell = CellOf(location.address + index * location.cell_bytes, f"{name}[{index}]", unsigned)
            self.widths[cell] = location.bits
            return cell
        found: Observable
        unsigned = location.bits if location.unsigned else 0
        if len(location.initial) > 1:
            size = location.cell_bytes
            addresses = tuple(location.address + size * i for i in range(len(location.initial)))
            found = ArrayOf(addresses, name, unsigned)
        else:
            found = CellOf(location.address, name, unsigned)
        self.widths[found] = location.bits
        return found

    def observe(self, observable: Observable) -> None:
        """Let final states show it."""
        self.found[observable] = None

    def observables(self) -> list[Observable]:
        """Each observable once: registers by thread and number, then memory by name."""
        registers = [found for found in self.found if isinstance(found, RegisterOf)]
        memory = [found for found in self.found if not isinstance(found, RegisterOf)]
        if len(registers) > 1:
            registers.sort(key=_register_order)
        if len(memory) > 1:
            memory.sort(key=lambda found: found.shown)
        return [*registers, *memory]
