"""A `.pts` file -> a litmus test.

A file declares locations, all 0 at first, then threads over them, then perhaps a condition as litmus tests
have it. States are those of the paper: the values of all locations and registers. Accesses are C11's, and so
is what they are compiled to; fences are those of x86 and Power.
"""

from __future__ import annotations

import re
from pathlib import Path

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.c.terms import WIDTH, Tokens
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.layout import Part, Sections, blank_comments
from treville.programs.litmus.test import CellOf, LitmusTest, Observable, RegisterOf
from treville.programs.pts.statements import ThreadReader
from treville.records import replace
from treville.results import InputError, Notice, Source

DIALECT = "PTS"

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|<:-|<-|:=|==|!=|<=|>=|&&|\|\||/\\|\\/|\S")
_LINE_COMMENT = re.compile(r"//[^\n]*")
_NUMBERED = re.compile(r"t(\d{1,4})$")


def read(text: str, name: str, leave_after: int | None = None) -> LitmusTest:
    """See `programs.pts.parse`."""
    text = text.removeprefix("\ufeff")
    source = Source(name, text)
    clean = blank_comments(source, text, 0)
    clean = _LINE_COMMENT.sub(lambda comment: " " * len(comment.group()), clean)
    if leave_after == 0:
        raise InputError("loops cannot be left before their first round", None, "raise --bound")
    reader = _FileReader(_tokenise(clean, source), leave_after)
    program = reader.program()
    sections = Sections(source, DIALECT, Path(name).stem)
    end = reader.end
    sections.conditions = Part(clean[end:], end)

    def register(thread: int, word: str, offset: int) -> tuple[str, str]:
        if word not in reader.registers[thread]:
            raise sections.error(f"{program.threads[thread].name} has no register {word}", offset, len(word))
        return word, word

    declared = set(program.locations)
    test = read_conditions(sections, program, DIALECT, register)
    for other in program.locations.keys() - declared:
        place = re.search(rf"\b{re.escape(other)}\b", sections.conditions.text)
        offset = end + (place.start() if place else 0)
        raise sections.error(f"there is no location {other}", offset, len(other))
    return replace(test, observed=tuple(_state(program, reader.registers)))


def _state(program: ProgramDraft, registers: list[dict[str, None]]) -> list[Observable]:
    """All registers and locations."""
    found: list[Observable] = []
    for index, (thread, names) in enumerate(zip(program.threads, registers, strict=True)):
        found += [RegisterOf(index, name, f"{thread.name[1:]}:{name}") for name in names]
    found += [CellOf(location.address, location.name) for location in program.locations.values()]
    return found


def _tokenise(text: str, source: Source) -> Tokens:
    found = [(match.group(), match.start()) for match in _TOKEN.finditer(text)]
    words, offsets = [word for word, _ in found], [offset for _, offset in found]
    # Empty words at the end, so that looking ahead needs no test.
    return Tokens(words + [""] * 4, offsets + [len(text)] * 4, source, 0)


class _FileReader:
    """Reads the parts of a file in turn."""

    def __init__(self, tokens: Tokens, leave_after: int | None) -> None:
        self.tokens, self.leave_after = tokens, leave_after
        self.place = 0
        self.draft = ProgramDraft()
        self.registers: list[dict[str, None]] = []

    @property
    def end(self) -> int:
        """Where the threads end in the text."""
        return self.tokens.offsets[self.place]

    def program(self) -> ProgramDraft:
        """`{x, y} thread t0 { ... } ...`"""
        self._locations()
        words = self.tokens.words
        names = []
        while words[self.place] == "thread":
            name = words[self.place + 1]
            if not name[:1].isalpha():
                raise self._error(1, f"expected a thread's name, found {self._found(1)}")
            if name in names:
                raise self._error(1, f"there is a thread {name} already")
            names.append(name)
            self._thread()
        if not names:
            raise self._error(0, f"expected 'thread', found {self._found(0)}", "thread t0 { ... }")
        for thread, number in zip(self.draft.threads, _numbers(names), strict=True):
            thread.name = f"P{number}"
        return self.draft

    def _locations(self) -> None:
        words = self.tokens.words
        if words[0] != "{":
            raise self._error(
                0, f"expected the locations in braces, found {self._found(0)}", "begin with {x, y}"
            )
        self.place = 1
        while words[self.place] != "}":
            name = words[self.place]
            if not (name[:1].isalpha() or name[:1] == "_"):
                raise self._error(0, f"expected the name of a location, found {self._found(0)}")
            if name in self.draft.locations:
                raise self._error(0, f"there is a location {name} already")
            self.draft.location(name).bits = WIDTH
            self.place += 1
            if words[self.place] == ",":
                self.place += 1
            elif words[self.place] != "}":
                raise self._error(0, f"expected ',' or '}}', found {self._found(0)}")
        self.place += 1

    def _thread(self) -> None:
        self.place += 2
        thread = ThreadDraft("")
        self.draft.threads.append(thread)
        reader = ThreadReader(self.tokens, self.place, thread, self.draft, self.leave_after)
        reader.block()
        self.registers.append(reader.registers)
        self.draft.notices += [
            Notice(f"loops are left after {self.leave_after} rounds, whatever their conditions say", span)
            for span in reader.left[:1]
        ]
        self.place = reader.place

    def _found(self, ahead: int) -> str:
        word = self.tokens.words[self.place + ahead]
        return f"'{word}'" if word else "the end of the file"

    def _error(self, ahead: int, message: str, hint: str = "") -> InputError:
        at = self.place + ahead
        length = max(1, len(self.tokens.words[at]))
        return InputError(message, self.tokens.source.span(self.tokens.offsets[at], length), hint)


def _numbers(names: list[str]) -> list[int]:
    """The numbers of threads `t0`, `t3`; where one is called otherwise, they are counted."""
    found = [_NUMBERED.match(name) for name in names]
    numbers = [int(match.group(1)) for match in found if match is not None]
    return numbers if len(set(numbers)) == len(names) else list(range(len(names)))
