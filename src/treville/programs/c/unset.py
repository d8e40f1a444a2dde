"""LLVM IR before any pass -> the same, in which local variables without a value say so.

LLVM takes a variable that has a value on some ways only to have that value on all ways. So a variable that
may be read before it is written, and every part of an array or a struct, is given the result of a call that
no pass looks into (`treville.unset.i32`), and reads that may find it are marked (`treville.read.i32`): those
of the variable, and all through pointers, but for those that hand on a struct as a number. Arrays of many
elements stay in memory (`treville.begin`). `unset_values` drops what says nothing once LLVM's passes are
done; `library.unset` has what calls mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from treville.programs.c.escaping import BEGIN_OF_LIFE
from treville.programs.c.llvm import ArrayType, IntType, PointerType, StructType, Type, scalars
from treville.programs.c.marks import BEGIN, READ, UNSET
from treville.programs.c.terms import Terms
from treville.programs.c.text_blocks import NAME, NAMES, text_blocks
from treville.programs.c.tokens import Tokens
from treville.records import dataclass

MOST_PARTS = 64

_ALLOCA = re.compile(rf"^  ({NAME}) = alloca ([^,\n]+)(?:, align \d+)?(?:, !dbg.*)?$")
_KIND = r"(?:atomic )?(?:volatile )?"
_ORDER = r"(?: [a-z_]+)?"
_LOAD = re.compile(
    rf"^  ({NAME}) = load {_KIND}(i\d+|ptr), ptr ({NAME}|@[^, ]+|getelementptr.*\)){_ORDER},"
)
_CALL = re.compile(
    rf"^  ({NAME}) = (?:tail |notail )?call (?:(?:zeroext|signext|noundef|nonnull|noalias) )*(i\d+|ptr) "
)
_STORE = re.compile(rf"^  store {_KIND}(?:i\d+|ptr) (.+?), ptr ({NAME}){_ORDER},")
_DECLARED = re.compile(rf"^ +#dbg_declare\(ptr ({NAME}),")
_FILLED = re.compile(rf"^  call void @llvm\.mem(?:cpy|set)\.[\w.]+\(ptr (?:align \d+ )?({NAME}),")
# What the compiler makes for itself: arguments, and copies that it fills at once.
_TEMPORARY = re.compile(
    r'^%"?(?:agg\.|ref\.tmp|coerce|tmp|byval|cleanup|saved_stack|__vla|\.compound)|\.addr\d*"?$'
)
_ELEMENT = re.compile(
    rf"^  ({NAME}) = getelementptr (?:(?:inbounds|nuw|nusw) )*(.+?), ptr [^,]+"
    r"((?:, i\d+ [^,]+)+?)(?:, !dbg.*)?$"
)
_NUMBER = re.compile(r"i\d+|ptr")
_MASKED = re.compile(rf"^  ({NAME}) = (?:and|or) ")
# The unit of a bit-field, and what is made of it to see the field alone.
_FIELDS = re.compile(r"^%bf\.load\d*$")
_FIELD = re.compile(r"^  (%bf\.(?:clear|lshr|ashr|shl)\d*) = (?:and|lshr|ashr|shl) (i\d+) %bf\.")
# What is read to be handed on as a whole: structs as arguments and results.
_HANDED_ON = re.compile(r'^%"?(?:coerce|retval)|^%\d+$')
_HANDING_ON = re.compile(rf"^  (?:(?:{NAME} = )?(?:(?:tail |notail )?call |cmpxchg |atomicrmw )|ret |store )")


@dataclass(frozen=True, slots=True)
class _Function:
    """The lines of a function; its variables that hold one number, those of them that are read too early, and
    the parts (offset, type) of its arrays and structs. `large` are those that have too many, `first` has the
    types of first parts: who reads something else there hands on a whole struct."""

    lines: list[str]
    single: frozenset[str]
    unset: frozenset[str]
    parts: Mapping[str, list[tuple[int, str]]]
    kinds: Mapping[str, str]
    large: frozenset[str]
    first: Mapping[str, str]


def with_unset_variables(text: str) -> str:
    """The module with marks."""
    terms = Terms()
    pieces: list[str | _Function] = []
    lines: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith("%"):
            terms.define(line)
        if line.startswith("define "):
            lines = []
        if lines is None:
            pieces.append(line)
            continue
        lines.append(line)
        if line == "}":
            pieces.append(_function(lines, terms))
            lines = None
    if not any(isinstance(p, _Function) and (p.unset or p.parts or p.large or p.first) for p in pieces):
        return text
    used = set[str]()
    marked = [[piece] if isinstance(piece, str) else _with_marks(piece, used) for piece in pieces]
    return "\n".join([line for piece in marked for line in piece] + [_declaration(n) for n in sorted(used)])


def _declaration(name: str) -> str:
    if name == BEGIN:
        return f"declare void @{name}(ptr)"
    kind = name.rsplit(".", 1)[1]
    return f"declare void @{name}({kind})" if name.startswith(READ) else f"declare {kind} @{name}()"


def _function(lines: list[str], terms: Terms) -> _Function:
    found = [match for line in lines if (match := _ALLOCA.match(line))]
    given = _given(lines)
    variables = {m[1]: m[2] for m in found if m[1] not in given and not _TEMPORARY.search(m[1])}
    numbers = {m[1] for m in found if _NUMBER.fullmatch(m[2])}
    unset = _read_too_early(lines, numbers & variables.keys())
    whole = variables.keys() - numbers
    parts = {name: made for name in whole if (made := _parts(lines, name, variables[name], terms))}
    large = {name for name, made in parts.items() if len(made) > MOST_PARTS}
    first = {m[1]: text for m in found if (text := _first(terms.type(Tokens(m[2]))))}
    elements = [match for line in lines if (match := _ELEMENT.match(line))]
    first |= {m[1]: text for m in elements if (text := _first(_inner(m, terms)))}
    few = {name: made for name, made in parts.items() if name not in large}
    return _Function(lines, frozenset(numbers), frozenset(unset), few, variables, frozenset(large), first)


def _with_marks(function: _Function, used: set[str]) -> list[str]:
    """`used`: the functions that marks call."""
    declared = {match[1] for line in function.lines if (match := _DECLARED.match(line))}
    mentions = _Mentions(function.lines, function.single)
    out: list[str] = []
    for line in function.lines:
        out.append(line)
        begun = _DECLARED.match(line) or _ALLOCA.match(line)
        name = begun[1] if begun else ""
        if begun and (name not in declared or begun.re is _DECLARED):
            if name in function.unset:
                out += _mark(name, function.kinds[name], name, used)
            for offset, kind in function.parts.get(name, ()):
                out += _mark_part(name, offset, kind, used)
            if name in function.large:
                used.add(BEGIN)
                out.append(f"  call void @{BEGIN}(ptr {name})")
        if (field := _FIELD.match(line)) and mentions.is_last(field[1]):
            used.add(f"{READ}{field[2]}")
            out.append(f"  call void @{READ}{field[2]}({field[2]} {field[1]}){_place(line)}")
        if (read := _LOAD.match(line)) and _may_be_unset(read, function, mentions) and mentions.look_at(read):
            used.add(f"{READ}{read[2]}")
            out.append(f"  call void @{READ}{read[2]}({read[2]} {read[1]}){_place(line)}")
        if (call := _CALL.match(line)) and mentions.use_result(call[1]):
            used.add(f"{READ}{call[2]}")
            out.append(f"  call void @{READ}{call[2]}({call[2]} {call[1]}){_place(line)}")
    return out


def _place(line: str) -> str:
    place = re.search(r", !dbg !\d+$", line)
    return place[0] if place else ""


def _may_be_unset(read: re.Match[str], function: _Function, mentions: _Mentions) -> bool:
    """May it read a variable that has no value, by its name or through a pointer?"""
    handed_on = function.first.get(read[3], read[2]) != read[2] and mentions.hand_on(read[1])
    if _FIELDS.match(read[1]):
        return False  # what is looked at is a part of it
    return read[3] in function.unset or (read[3] not in function.single and not handed_on)


def _given(lines: list[str]) -> set[str]:
    """The parameters: variables that are named before they are declared, to hold what is given."""
    found: set[str] = set()
    named: set[str] = set()
    for line in lines:
        if declared := _DECLARED.match(line):
            found |= {declared[1]} & named
        elif "ptr %" in line and BEGIN_OF_LIFE not in line:
            named.update(NAMES.findall(line))
    return found


class _Mentions:
    """Where the names of a function are mentioned; `single` are its variables that hold one number."""

    def __init__(self, lines: list[str], single: frozenset[str]) -> None:
        self.single = single
        self.structs = {match[1] for line in lines if (match := _ALLOCA.match(line))} - single
        self.lines: dict[str, list[str]] = {}
        for line in lines:
            for name in set(NAMES.findall(line)):
                self.lines.setdefault(name, []).append(line)

    def look_at(self, read: re.Match[str]) -> bool:
        """Does it matter what is read? `(void)x` says that it does not, and a bit-field that is written takes
        its neighbours along; who calls a function that ends without a result need not ask for one. What an
        atomic operation reads of a struct fills another one."""
        uses = self.lines[read[1]][1:]
        if " = load atomic " in read[0] and all(map(self._fills, uses)):
            return False
        if not uses or read[3] == "%retval" or self._are_written_back(uses, read[3]):
            return False
        return not _HANDED_ON.match(read[3]) or not self.hand_on(read[1])

    def hand_on(self, value: str) -> bool:
        """Is a value given to others, and nothing else done with it? To keep it in a variable is more."""
        return all(_HANDING_ON.match(use) and not self._keeps(use) for use in self.lines[value][1:])

    def _keeps(self, line: str) -> bool:
        stored = _STORE.match(line)
        if stored is None or stored[2] == "%retval" or _TEMPORARY.search(stored[2]):
            return False
        return stored[2] in self.single

    def use_result(self, result: str) -> bool:
        """Is the result of a call used? A struct that is returned as a number is stored in one."""
        uses = self.lines[result][1:]
        return bool(uses) and not all(map(self._fills, uses))

    def _fills(self, line: str) -> bool:
        stored = _STORE.match(line)
        return stored is not None and (stored[2].startswith("%coerce") or stored[2] in self.structs)

    def is_last(self, field: str) -> bool:
        """Is it what a program sees of a bit-field, and no step on the way there?"""
        uses = self.lines[field][1:]
        return bool(uses) and not any(_FIELD.match(use) or " = or " in use for use in uses)

    def _are_written_back(self, uses: list[str], pointer: str) -> bool:
        while len(uses) == 1 and (masked := _MASKED.match(uses[0])):
            uses = self.lines[masked[1]][1:]
        return len(uses) == 1 and (stored := _STORE.match(uses[0])) is not None and stored[2] == pointer


def _mark(name: str, kind: str, target: str, used: set[str]) -> Iterator[str]:
    used.add(f"{UNSET}{kind}")
    value = f'%"{name.strip("%").strip(chr(34))} unset"' if target == name else f'{target[:-1]} value"'
    yield f"  {value} = call {kind} @{UNSET}{kind}()"
    yield f"  store {kind} {value}, ptr {target}"


def _mark_part(name: str, offset: int, kind: str, used: set[str]) -> Iterator[str]:
    part = f'%"{name.strip("%").strip(chr(34))} unset {offset}"'
    yield f"  {part} = getelementptr i8, ptr {name}, i64 {offset}"
    yield from _mark(name, kind, part, used)


# -- which variables -------------------------------------------------------------------------------------


def _parts(lines: list[str], name: str, kind_text: str, terms: Terms) -> list[tuple[int, str]]:
    """(offset, type) of the parts of an array or a struct; none if it is
    filled as a whole where it begins."""
    kind = terms.type(Tokens(kind_text))
    if not isinstance(kind, (ArrayType, StructType)):
        return []
    mentions = [line for line in lines if name in NAMES.findall(line) and not _DECLARED.match(line)]
    if len(mentions) < 2 or ((filled := _FILLED.match(mentions[1])) and filled[1] == name):
        return []
    found = [(offset, _text_of(part)) for offset, part in scalars(kind)]
    return found if all(text for _, text in found) else []


def _inner(element: re.Match[str], terms: Terms) -> Type:
    """The type of what an address is that of."""
    kind = terms.type(Tokens(element[2]))
    for index in element[3].split(", ")[2:]:
        if isinstance(kind, ArrayType):
            kind = kind.element
        elif isinstance(kind, StructType):
            kind = kind.fields[int(index.split()[1])]
    return kind


def _first(kind: Type) -> str:
    """The type of the first part of an array or a struct."""
    parts = scalars(kind) if isinstance(kind, (ArrayType, StructType)) else []
    return _text_of(parts[0][1]) if parts else ""


def _text_of(kind: Type) -> str:
    if isinstance(kind, IntType):
        return f"i{kind.bits}" if kind.bits <= 64 else ""
    return "ptr" if isinstance(kind, PointerType) else ""


def _read_too_early(lines: list[str], single: set[str]) -> set[str]:
    """The variables that are read where they may not have been written: forward over the blocks, the
    variables that surely have a value."""
    blocks = text_blocks(lines, range(1, len(lines)))
    surely: dict[str, set[str]] = {next(iter(blocks)): set()}
    early: set[str] = set()
    work = list(surely)
    while work:
        name = work.pop()
        known = set(surely[name])
        for line in blocks[name].lines:
            early |= _step(lines[line], known, single)
        for target in blocks[name].targets:
            met = known & surely[target] if target in surely else known
            if target in blocks and (target not in surely or met != surely[target]):
                surely[target] = met
                work.append(target)
    return early


def _step(line: str, known: set[str], single: set[str]) -> set[str]:
    """What a line reads that has no value yet; `known` changes as the line says."""
    if (stored := _STORE.match(line)) and stored[2] in single:
        known.add(stored[2])
    elif declared := _DECLARED.match(line):
        known.discard(declared[1])
    elif (read := _LOAD.match(line)) and read[3] in single:
        return {read[3]} - known
    return set()
