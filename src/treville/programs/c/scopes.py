"""LLVM IR before any pass -> the same, with marks where the lives of variables of inner blocks begin and end.

Without optimisation clang writes no such marks, but its notes for debuggers say in which block of the source
a variable is declared, and where each instruction comes from. Only variables whose address is used for more
than loads and stores get marks: a pointer to them may be known for longer than they live.
"""

from __future__ import annotations

import re

from treville.programs.c.escaping import BEGIN_OF_LIFE, END_OF_LIFE
from treville.programs.c.text_blocks import NAME, NAMES, TextBlock, reaches, text_blocks
from treville.records import dataclass

_DECLARED = re.compile(rf"^ +#dbg_declare\(ptr ({NAME}), !(\d+),")
_LITERAL = re.compile(r"^  (%\.compoundliteral\d*) = alloca ")
_VARIABLE = re.compile(r"^!(\d+) = !DILocalVariable\(.*?scope: !(\d+)")
_BLOCK = re.compile(r"^!(\d+) = distinct !DILexicalBlock(?:File)?\(scope: !(\d+)")
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(.*?scope: !(\d+)")
_PLACE = re.compile(r", !dbg !(\d+)")
_ACCESS = re.compile(rf"^  (?:{NAME} = load [^%]*|store .*), ptr ({NAME})[, ]")
_GIVEN = re.compile(rf"^  store ptr ({NAME}),")


@dataclass(frozen=True)
class _Notes:
    """What the notes for debuggers say."""

    variables: dict[str, str]  # the scope of each
    outer: dict[str, str]  # the scope around each inner one
    locations: dict[str, str]  # the scope of each


def with_lives(text: str) -> str:
    """The module with marks."""
    if "!DILexicalBlock(" not in text or "#dbg_declare" not in text:
        return text
    lines = text.split("\n")
    notes = _Notes(*(_pairs(pattern, lines) for pattern in (_VARIABLE, _BLOCK, _LOCATION)))
    marks: dict[int, list[str]] = {}  # what is to stand before a line
    start = 0
    for number, line in enumerate(lines):
        if line.startswith("define "):
            start = number
        elif line == "}":
            _Function(lines, start, number, notes).mark(marks)
    if not marks:
        return text
    out = [each for number, line in enumerate(lines) for each in (*marks.get(number, ()), line)]
    for name in (BEGIN_OF_LIFE, END_OF_LIFE):
        if f"@{name}.p0(ptr" not in text:
            out.append(f"declare void @{name}.p0(ptr)")
    return "\n".join(out)


def _pairs(pattern: re.Pattern[str], lines: list[str]) -> dict[str, str]:
    return {match[1]: match[2] for line in lines if (match := pattern.match(line))}


class _Function:
    """The lines of a function, by blocks."""

    def __init__(self, lines: list[str], start: int, end: int, notes: _Notes) -> None:
        self.lines, self.notes = lines, notes
        self.inside = range(start + 1, end)
        self.blocks: dict[str, TextBlock] = {}
        self.begins: dict[str, int] = {}  # where variables are declared, and literals written

    def mark(self, marks: dict[int, list[str]]) -> None:
        """Add the marks of all variables that need some."""
        declared = [(m[1], m[2], n) for n in self.inside if (m := _DECLARED.match(self.lines[n]))]
        scopes = {name: self.notes.variables.get(number, "") for name, number, _ in declared}
        self.begins = {name: place for name, _, place in declared} | self._literals()
        for name, place in self.begins.items():
            scope = scopes[name] if name in scopes else self._scope(place)
            if scope not in self.notes.outer or not self._is_handed_on(name):
                continue
            self.blocks = self.blocks or text_blocks(self.lines, self.inside)
            ends = self._ends(self._inner(scope))
            if not self._lives_on(name, ends):
                marks.setdefault(place, []).append(f"  call void @{BEGIN_OF_LIFE}.p0(ptr {name})")
                for end in ends:
                    marks.setdefault(end, []).append(f"  call void @{END_OF_LIFE}.p0(ptr {name})")

    def _literals(self) -> dict[str, int]:
        """The compound literals, of which nobody takes notes, and the lines where they are first named."""
        made = [m[1] for n in self.inside if (m := _LITERAL.match(self.lines[n]))]
        named = {name: [n for n in self.inside if name in NAMES.findall(self.lines[n])] for name in made}
        return {name: places[1] for name, places in named.items() if len(places) > 1}

    def _scope(self, line: int) -> str:
        """The scope that an instruction belongs to, if somebody says so."""
        place = _PLACE.search(self.lines[line])
        return self.notes.locations.get(place[1], "") if place else ""

    def _is_handed_on(self, name: str) -> bool:
        """Is the address, or one inside, used for more than accesses?"""
        names = {name}
        for n in self.inside:
            line = self.lines[n]
            if name not in line or _DECLARED.match(line) or " = alloca " in line:
                continue
            if not names.intersection(NAMES.findall(line)):
                continue
            given = _GIVEN.match(line)
            if (given and given[1] in names) or not _ACCESS.match(line):
                return True
        return False

    def _inner(self, scope: str) -> set[str]:
        """A scope and those inside it."""
        found = {scope}
        for inner in self.notes.outer:
            way, at = [inner], inner
            while at not in found and (at := self.notes.outer.get(at, "")):
                way.append(at)
            if at in found:
                found.update(way)
        return found

    def _is_in(self, line: int, scopes: set[str]) -> bool | None:
        """Does an instruction belong to one of the scopes? None where nobody says."""
        scope = self._scope(line)
        return scope in scopes if scope else None

    def _ends(self, scopes: set[str]) -> list[int]:
        """The lines before which control leaves the scopes."""
        last = {name: self._last(block, scopes) for name, block in self.blocks.items()}
        before: dict[str, bool] = {}
        for name, block in self.blocks.items():
            for target in block.targets:
                before[target] = before.get(target, False) or bool(last[name])
        ends = []
        for name, block in self.blocks.items():
            was = before.get(name, False)
            for line in block.lines:
                is_in = self._is_in(line, scopes)
                if " = phi " in self.lines[line] or is_in is None:
                    continue
                if was and not is_in:
                    ends.append(line)
                was = is_in
        return ends

    def _last(self, block: TextBlock, scopes: set[str]) -> bool | None:
        found = (self._is_in(line, scopes) for line in reversed(block.lines))
        return next((is_in for is_in in found if is_in is not None), None)

    def _lives_on(self, name: str, ends: list[int]) -> bool:
        """Is the variable named behind an end, without being declared again? Then the notes are not to be
        trusted."""
        return reaches(
            self.blocks,
            ends,
            finds=lambda line: line != self.begins[name] and name in NAMES.findall(self.lines[line]),
            stops=lambda line: line == self.begins[name],
        )
