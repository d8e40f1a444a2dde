"""LLVM IR after inlining -> the same, in which variables that are accessed outside stay in memory.

SROA drops an access at a known offset that is outside its variable: the program may do anything there, so
also nothing. Which variables may have such an access is found here, whatever the order of instructions; a
call that no pass looks into lets them stay, and each access to them is checked when it is reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treville.programs.c.llvm import ArrayType, StructType, Type, size_of, struct_offsets
from treville.programs.c.marks import KEEP, KNOWN
from treville.programs.c.terms import Terms
from treville.programs.c.text_blocks import NAME, NAMES, TextBlock, reaches, text_blocks
from treville.programs.c.tokens import Tokens

MOST_PLACES = 8

Place = tuple[str, int | None]  # a variable, and an offset into it (None: any)

_ALLOCA = re.compile(rf"^  ({NAME}) = alloca (.+?)(?:, align \d+)?(?:, !dbg.*)?$")
_GEP = re.compile(
    rf"^  ({NAME}) = getelementptr (?:(?:inbounds|nuw|nusw) )*(.+?), ptr ({NAME})"
    r"((?:, i\d+ -?\d+)+)(?:, !dbg.*)?$"
)
_LOAD = re.compile(rf"^  ({NAME}) = load (?:atomic )?(?:volatile )?(.+?), ptr ({NAME})[, ]")
_STORE = re.compile(rf"^  store (?:atomic )?(?:volatile )?(.+), ptr ({NAME})[, ]")
_POINTER = rf"ptr (?:align \d+ )?({NAME}|@\S+?)"
_FILL = re.compile(
    rf"^  call void @llvm\.mem(?:cpy|move|set)\.[\w.]+\({_POINTER}, (?:{_POINTER}|i8 \S+), i64 (\d+),"
)
_STORED_POINTER = re.compile(rf"^  store ptr ({NAME}), ptr ({NAME}),")
_CHOSEN = re.compile(rf"^  ({NAME}) = (?:phi ptr|select i1) ")
_OF = rf"\.p0\((?:i64 -?\d+, )?ptr (?:nonnull )?({NAME})\)"
_ENDED = re.compile(rf"^  call void @llvm\.lifetime\.end{_OF}")
_LIFE = re.compile(rf"^ +(?:call void @llvm\.lifetime\.(?:start|end){_OF}|#dbg)")
_INDEX = re.compile(r"i\d+ (-?\d+)")


def with_kept_variables(text: str) -> str | None:
    """The module with calls, None if no variable needs one."""
    terms, kept = Terms(), 0
    out: list[str] = []
    function: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith("%"):
            terms.define(line)
        function = [] if line.startswith("define ") else function
        if function is None:
            out.append(line)
            continue
        function.append(line)
        if line == "}":
            seen = _Function(function, terms)
            calls = dict.fromkeys(seen.outside(), KEEP) | dict.fromkeys(seen.dangling(), KNOWN)
            kept += len(calls)
            out += _with_calls(function, calls)
            function = None
    declared = [f"declare void @{name}(ptr)" for name in (KEEP, KNOWN)]
    return "\n".join([*out, *declared]) if kept else None


def _with_calls(lines: list[str], calls: dict[str, str]) -> Iterator[str]:
    for line in lines:
        yield line
        if calls and (made := _ALLOCA.match(line)) and made[1] in calls:
            yield f"  call void @{calls[made[1]]}(ptr {made[1]})"


class _Function:
    """Where the pointers of a function may point."""

    def __init__(self, lines: list[str], terms: Terms) -> None:
        self.whole = lines
        self.lines = [line for line in lines if "ptr" in line or "alloca" in line]
        self.terms = terms
        self.types = {m[1]: m[2] for line in self.lines if (m := _ALLOCA.match(line))}
        self.sizes: dict[str, int] = {}
        self.places: dict[str, set[Place]] = {name: {(name, 0)} for name in self.types}
        self.held: dict[str, set[Place]] = {}  # in variables that hold pointers

    def outside(self) -> set[str]:
        """The variables that may be accessed outside."""
        if not self.types:
            return set()
        changed = True
        while changed:
            changed = sum(self._follow(line) for line in self.lines) > 0
        return {name for line in self.lines for name in self._outside(line)}

    def dangling(self) -> set[str]:
        """The variables that a pointer variable may still point to when it is read after their end."""
        ends: dict[str, list[int]] = {}
        for number, line in enumerate(self.whole):
            if ended := _ENDED.match(line):
                ends.setdefault(ended[1], []).append(number)
        if not ends:
            return set()
        blocks = text_blocks(self.whole, range(1, len(self.whole)))
        return {name for name in ends if self._is_known_later(name, ends[name], blocks)}

    def _is_known_later(self, name: str, ends: list[int], blocks: dict[str, TextBlock]) -> bool:
        """Is a pointer to the variable used after an end, directly or out of another variable?"""
        pointers = {each for each, places in self.places.items() if name in {place[0] for place in places}}
        holders = {each for each, places in self.held.items() if name in {place[0] for place in places}}

        def uses(number: int) -> bool:
            line = self.whole[number]
            return not _LIFE.match(line) and not pointers.isdisjoint(NAMES.findall(line))

        def begins(number: int) -> bool:
            return (begun := _LIFE.match(self.whole[number])) is not None and begun[1] == name

        if reaches(blocks, [end + 1 for end in ends], uses, begins):
            return True
        return any(self._is_read(holder, pointers, ends, blocks) for holder in holders)

    def _is_read(
        self, holder: str, pointers: set[str], starts: list[int], blocks: dict[str, TextBlock]
    ) -> bool:
        """Is the variable read before it gets another value than those pointers?"""

        def finds(number: int) -> bool:
            read = _LOAD.match(self.whole[number])
            return read is not None and holder in {place[0] for place in self._of(read[3])}

        def stops(number: int) -> bool:
            stored = _STORE.match(self.whole[number])
            return stored is not None and stored[2] == holder and stored[1].split()[-1] not in pointers

        return reaches(blocks, starts, finds, stops)

    def _follow(self, line: str) -> bool:
        """Where the pointer points that a line makes or stores; whether that is news."""
        if made := _GEP.match(line):
            by = self._offset(made[2], made[4])
            moved = {(name, at if at is None else at + by) for name, at in self._of(made[3])}
            return self._add(self.places, made[1], moved)
        if read := _LOAD.match(line):
            found = {place for holder, _ in self._of(read[3]) for place in self.held.get(holder, ())}
            return read[2] == "ptr" and self._add(self.places, read[1], found)
        if stored := _STORED_POINTER.match(line):
            holders, given = self._of(stored[2]), self._of(stored[1])
            return sum(self._add(self.held, holder, given) for holder, _ in holders) > 0
        if chosen := _CHOSEN.match(line):
            found = {place for name in NAMES.findall(line)[1:] for place in self._of(name)}
            return self._add(self.places, chosen[1], found)
        return False

    def _of(self, name: str) -> set[Place]:
        return self.places.get(name, set())

    def _add(self, table: dict[str, set[Place]], name: str, places: set[Place]) -> bool:
        known = table.setdefault(name, set())
        new = {place for place in places - known if (place[0], None) not in known}
        if len(known) + len(new) > MOST_PLACES:
            anywhere: set[Place] = {(variable, None) for variable, _ in known | new}
            new = anywhere - known
        known |= new
        return bool(new)

    def _outside(self, line: str) -> Iterator[str]:
        """The variables that a line may access outside."""
        if read := _LOAD.match(line):
            yield from self._missed(read[3], self._size(read[2]))
        elif stored := _STORE.match(line):
            yield from self._missed(stored[2], self._size(stored[1]))
        elif filled := _FILL.match(line):
            for name in filled[1], filled[2] or "":
                yield from self._missed(name, int(filled[3]))

    def _missed(self, pointer: str, size: int) -> Iterator[str]:
        for name, at in self._of(pointer):
            if name not in self.sizes:
                self.sizes[name] = self._size(self.types[name])
            if at is None or at < 0 or at + size > self.sizes[name]:
                yield name

    def _size(self, text: str) -> int:
        """The size of a type that may be followed by a value, or by how many of it there are."""
        tokens = Tokens(text)
        size = size_of(self.terms.type(tokens))
        if tokens.accept(","):
            self.terms.type(tokens)
            count = tokens.next()
            return size * int(count) if count.isdigit() else 1 << 62
        return size

    def _offset(self, kind_text: str, indices: str) -> int:
        kind: Type = self.terms.type(Tokens(kind_text))
        total = 0
        for number, index in enumerate(map(int, _INDEX.findall(indices))):
            if number and isinstance(kind, StructType):
                total += struct_offsets(kind)[index]
                kind = kind.fields[index]
                continue
            if number and isinstance(kind, ArrayType):
                kind = kind.element
            total += index * size_of(kind)
        return total
