"""Litmus tests in assembly: fences before instructions, orders by other names of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treville.fences import PLACE
from treville.programs.edits.table import Cell, Table
from treville.programs.edits.text import place_in
from treville.programs.ir import Branch, Fence, Instruction, Load, Program, Store, StoreExclusive, Thread
from treville.programs.litmus.test import LitmusTest
from treville.questions.repair.primitives import FENCES
from treville.questions.repair.sites import Level, Site, SiteKind
from treville.records import dataclass, replace
from treville.results import Span

_PLAIN = r"(?P<rest>[BH]?\s+[WX]\w+\s*,\s*\[\s*[WX]\w+\s*(?:,\s*#0\s*)?\])$"
_READ = re.compile(rf"(?P<name>LDR|LDAPR|LDAR){_PLAIN}", re.IGNORECASE)
_WRITE = re.compile(rf"(?P<name>STR|STLR){_PLAIN}", re.IGNORECASE)
_EXCLUSIVE = re.compile(r"(?P<name>LDXR|LDAXR|STXR|STLXR)(?P<rest>[BH]?\s.*)$", re.IGNORECASE)
_UPDATE = re.compile(
    r"(?P<name>SWP|CAS|LD(?:ADD|SET|CLR|EOR|[SU]MAX|[SU]MIN))(?P<order>AL|A|L)?(?P<rest>[BH]?\s.*)$",
    re.IGNORECASE,
)
_RISCV = re.compile(
    r"(?P<name>(?:amo\w+|lr|sc)\.[wd])(?P<order>\.aqrl|\.aq\.rl|\.aq|\.rl)?(?P<rest>\s.*)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a site is: the thread, the number of an instruction there, and whether it is in front of it."""

    thread: int
    number: int


def sites_of(test: LitmusTest, table: Table) -> tuple[list[Site], list[Spot], Program]:
    """The sites of a test, where they are, and the program whose instructions know them."""
    found: list[Site] = []
    spots: list[Spot] = []
    threads = []
    for thread, code in enumerate(test.program.threads):
        own = list(_in_thread(test.dialect, table, thread, code))
        marks: dict[tuple[int, SiteKind], Site] = {}
        for number, kind, levels, at, does in own:
            cell = table.threads[thread][number]
            line, column = place_in(table.text, cell.at)
            length, line_text = len(cell.text), table.text.split("\n")[line - 1]
            span = Span(table.file, line, column, length, line_text)
            site = Site(len(found), kind, span, levels, at, does)
            marks[number, kind] = site
            found.append(site)
            spots.append(Spot(thread, number))
        threads.append(_marked(code, marks))
    return found, spots, replace(test.program, threads=tuple(threads))


def _in_thread(
    dialect: str, table: Table, thread: int, code: Thread
) -> Iterator[tuple[int, SiteKind, tuple[Level, ...], int, str]]:
    """The sites of a thread, by the numbers of instructions: gaps before accesses and branches behind the
    first access, fences of the dialect, accesses with orders."""
    by_number: dict[int, list[Instruction]] = {}
    for instruction in code.instructions:
        by_number.setdefault(instruction.index, []).append(instruction)
    loops = bool(code.labels)
    behind = False
    fences = FENCES[dialect]
    for number, parts in sorted(by_number.items()):
        if number >= len(table.threads[thread]):
            break
        accesses = any(isinstance(part, Load | Store | StoreExclusive) for part in parts)
        jumps = any(isinstance(part, Branch) for part in parts)
        if (accesses and (behind or loops)) or (jumps and behind):
            yield number, SiteKind.GAP, fences, 0, ""
        behind = behind or accesses
        present = _fence_level(fences, parts)
        if present is not None:
            yield number, SiteKind.FENCE, fences, present, ""
        if accesses:
            ordered = _ordered(dialect, table.threads[thread][number])
            if ordered is not None:
                yield number, SiteKind.ACCESS, *ordered


def _fence_level(fences: tuple[Level, ...], parts: list[Instruction]) -> int | None:
    if len(parts) != 1 or not isinstance(parts[0], Fence):
        return None
    tags = parts[0].tags
    return next((k for k, level in enumerate(fences) if level.tags and level.tags == tags), None)


def _marked(code: Thread, marks: dict[tuple[int, SiteKind], Site]) -> Thread:
    """The thread with tags on the instructions of sites, and fences without meaning in gaps."""

    def marked(instruction: Instruction, last: int | None) -> Iterator[Instruction]:
        number = instruction.index
        gap = marks.get((number, SiteKind.GAP))
        if gap is not None and number != last:
            yield Fence(frozenset({PLACE, gap.tag}), span=instruction.span, index=number)
        site = marks.get((number, SiteKind.FENCE)) or marks.get((number, SiteKind.ACCESS))
        if site is not None and isinstance(instruction, Fence | Load | Store | StoreExclusive):
            instruction = replace(instruction, tags=instruction.tags | {site.tag})
        yield instruction

    before = [None, *(instruction.index for instruction in code.instructions[:-1])]
    return code.rewritten(map(marked, code.instructions, before))


# -- orders of accesses ----------------------------------------------------------------------------------


def _ordered(dialect: str, cell: Cell) -> tuple[tuple[Level, ...], int, str] | None:
    """The levels of an access, the one that it has, and what it does; None: nothing else can be typed."""
    if dialect == "AArch64":
        levels, does = _of_aarch64(cell.text)
    elif dialect == "RISCV":
        levels, does = _of_riscv(cell.text)
    else:
        return None
    present = next((k for k, level in enumerate(levels) if level.text.lower() == cell.text.lower()), None)
    return None if present is None else (levels, present, does)


def _of_aarch64(text: str) -> tuple[tuple[Level, ...], str]:
    if match := _READ.match(text):
        return _renamed(match, ("LDR", "", ""), ("LDAPR", "Q", "pc"), ("LDAR", "A", "pc acquire")), "reads"
    if match := _WRITE.match(text):
        return _renamed(match, ("STR", "", ""), ("STLR", "L", "release")), "writes"
    if match := _EXCLUSIVE.match(text):
        if match["name"].upper().startswith("L"):
            return _renamed(match, ("LDXR", "", ""), ("LDAXR", "A", "acquire")), "reads"
        return _renamed(match, ("STXR", "", ""), ("STLXR", "L", "release")), "writes"
    if match := _UPDATE.match(text):
        stem = match["name"].upper()
        levels = _renamed(
            match, (stem, "", ""), (f"{stem}A", "A", "acquire"), (f"{stem}L", "L", "release"),
            (f"{stem}AL", "A L", "acquire release"),
        )  # fmt: skip
        return levels, "updates"
    return (), ""


def _renamed(match: re.Match[str], *names: tuple[str, str, str]) -> tuple[Level, ...]:
    """Levels by name, order and strength."""
    lower = match["name"].islower()
    return tuple(
        Level(f"{name.lower() if lower else name}{match['rest']}", frozenset(strength.split()), order=order)
        for name, order, strength in names
    )


def _of_riscv(text: str) -> tuple[tuple[Level, ...], str]:
    match = _RISCV.match(text)
    if match is None:
        return (), ""
    name, rest = match["name"], match["rest"]
    own = (match["order"] or "").lower()
    both = own if own in (".aqrl", ".aq.rl") else ".aq.rl"
    described = (
        ("", "", ""), (".aq", "Acq", "acquire"), (".rl", "Rel", "release"),
        (both, "AcqRel", "acquire release"),
    )  # fmt: skip
    levels = tuple(
        Level(f"{name}{order}{rest}", frozenset(strength.split()), order=tag)
        for order, tag, strength in described
    )
    return levels, "updates" if name.startswith("amo") else "reads" if name.startswith("lr") else "writes"
