"""LLVM IR before any pass -> the same, in which local variables without a value say so.

LLVM takes a variable that has a value on some ways only to have that value on all ways. So a variable that
may be read before it is written is given the result of a call that no pass looks into: `treville.unset.i32`
for a variable of its own, `treville.any.i32` for what is inside an array or a struct. The former's reads are
marked (`treville.read.i32`). `unset_values` drops what says nothing; `library.unset` has what calls mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treville.programs.c.llvm import ArrayType, IntType, PointerType, StructType, Type, scalars
from treville.programs.c.marks import ANY, READ, UNSET
from treville.programs.c.terms import Terms
from treville.programs.c.text_blocks import NAME, NAMES, text_blocks
from treville.programs.c.tokens import Tokens

MOST_PARTS = 16

_ALLOCA = re.compile(rf"^  ({NAME}) = alloca ([^,\n]+)(?:, align \d+)?(?:, !dbg.*)?$")
_LOAD = re.compile(rf"^  ({NAME}) = load (i\d+|ptr), ptr ({NAME}),")
_STORE = re.compile(rf"^  store (?:i\d+|ptr) (.+?), ptr ({NAME}),")
_DECLARED = re.compile(rf"^ +#dbg_declare\(ptr ({NAME}),")
_FILLED = re.compile(rf"^  call void @llvm\.mem(?:cpy|set)\.[\w.]+\(ptr (?:align \d+ )?({NAME}),")
# What the compiler makes for itself: arguments, and copies that it fills at once.
_TEMPORARY = re.compile(
    r'^%"?(?:agg\.|ref\.tmp|coerce|tmp|byval|cleanup|saved_stack|__vla|\.compound)|\.addr\d*"?$'
)
_BY_COMPUTED_INDEX = re.compile(rf"getelementptr [^\n]*ptr ({NAME}), i64 0, i64 %")


def with_unset_variables(text: str) -> str:
    """The module with marks."""
    terms, used = Terms(), set[str]()
    out: list[str] = []
    function: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith("%"):
            terms.define(line)
        if line.startswith("define "):
            function = []
        if function is None:
            out.append(line)
            continue
        function.append(line)
        if line == "}":
            out += _with_marks(function, terms, used)
            function = None
    out += [_declaration(name) for name in sorted(used)]
    return "\n".join(out) if used else text


def _declaration(name: str) -> str:
    kind = name.rsplit(".", 1)[1]
    return f"declare void @{name}({kind})" if name.startswith(READ) else f"declare {kind} @{name}()"


def _with_marks(lines: list[str], terms: Terms, used: set[str]) -> list[str]:
    found = [match for line in lines if (match := _ALLOCA.match(line))]
    given = _given(lines)
    variables = {m[1]: m[2] for m in found if m[1] not in given and not _TEMPORARY.search(m[1])}
    if not variables:
        return lines
    single = {name for name, kind in variables.items() if re.fullmatch(r"i\d+|ptr", kind)}
    unset = _read_too_early(lines, single)
    whole = variables.keys() - single
    parts = {name: made for name in whole if (made := _parts(lines, name, variables[name], terms))}
    if not unset and not parts:
        return lines
    declared = {match[1] for line in lines if (match := _DECLARED.match(line))}
    out: list[str] = []
    for line in lines:
        out.append(line)
        begun = _DECLARED.match(line) or _ALLOCA.match(line)
        name = begun[1] if begun else ""
        if begun and (name not in declared or begun.re is _DECLARED):
            if name in unset:
                out += _mark(name, variables[name], name, UNSET, used)
            for offset, kind in parts.get(name, ()):
                out += _mark_part(name, offset, kind, used)
        if (read := _LOAD.match(line)) and read[3] in unset and _is_looked_at(read, lines):
            used.add(f"{READ}{read[2]}")
            place = re.search(r", !dbg !\d+$", line)
            out.append(f"  call void @{READ}{read[2]}({read[2]} {read[1]}){place[0] if place else ''}")
    return out


def _given(lines: list[str]) -> set[str]:
    """The parameters: variables that are named before they are declared, to hold what is given."""
    found: set[str] = set()
    named: set[str] = set()
    for line in lines:
        if declared := _DECLARED.match(line):
            found |= {declared[1]} & named
        elif "ptr %" in line:
            named.update(NAMES.findall(line))
    return found


def _is_looked_at(read: re.Match[str], lines: list[str]) -> bool:
    """Does it matter what is read? `(void)x` says that it does not; who calls a function that ends without
    a result need not ask for one."""
    later = sum(read[1] in NAMES.findall(line) for line in lines if read[1] in line)
    return later > 1 and read[3] != "%retval"


def _mark(name: str, kind: str, target: str, what: str, used: set[str]) -> Iterator[str]:
    used.add(f"{what}{kind}")
    value = f'%"{name.strip("%").strip(chr(34))} unset"' if target == name else f'{target[:-1]} value"'
    yield f"  {value} = call {kind} @{what}{kind}()"
    yield f"  store {kind} {value}, ptr {target}"


def _mark_part(name: str, offset: int, kind: str, used: set[str]) -> Iterator[str]:
    part = f'%"{name.strip("%").strip(chr(34))} unset {offset}"'
    yield f"  {part} = getelementptr i8, ptr {name}, i64 {offset}"
    yield from _mark(name, kind, part, ANY, used)


# -- which variables -------------------------------------------------------------------------------------


def _parts(lines: list[str], name: str, kind_text: str, terms: Terms) -> list[tuple[int, str]]:
    """(offset, type) of the parts of an array or a struct that LLVM may put into registers; none if it is
    filled as a whole where it begins."""
    kind = terms.type(Tokens(kind_text))
    if not isinstance(kind, (ArrayType, StructType)):
        return []
    if any(match[1] == name for line in lines if (match := _BY_COMPUTED_INDEX.search(line))):
        return []
    mentions = [line for line in lines if name in NAMES.findall(line) and not _DECLARED.match(line)]
    if len(mentions) < 2 or ((filled := _FILLED.match(mentions[1])) and filled[1] == name):
        return []
    found = [(offset, _text_of(part)) for offset, part in scalars(kind)]
    return [] if len(found) > MOST_PARTS or not all(text for _, text in found) else found


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
