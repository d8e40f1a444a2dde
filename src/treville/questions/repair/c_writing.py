"""Sites of C files and an assignment -> edits: what people would type, and what the compiler gets to see.

The compiler gets the *skeleton*: a call that marks every room for a fence, and exchanges with two orders, so
that failure has events of its own; no line moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treville.programs.edits import c_orders
from treville.programs.edits.c_orders import KernelCall, Ordered
from treville.programs.edits.c_statements import Room
from treville.programs.edits.text import Edit, edited
from treville.questions.repair.applying import KERNEL
from treville.questions.repair.c_sites import Sources, fence_text
from treville.questions.repair.primitives import KERNEL_FENCES
from treville.questions.repair.sites import Assignment, Site

_BLANK = re.compile(r"[ \t]*")


MARK = '{{extern void treville_place(int)__asm__("treville_place");treville_place({});}}'
LITMUS_MARK = "treville_place({});"
"""The statements that tell where there is room for a fence."""


def skeleton(sources: Sources, mark: str) -> list[Edit]:
    """The edits that make the program tell where its sites are."""
    edits: list[Edit] = []
    for site, written in zip(sources.sites, sources.written, strict=True):
        file = site.span.file
        if isinstance(written, Room):
            here = mark.format(site.number)
            if written.end is not None:
                edits.append(Edit(file, written.end, written.end, "}"))
                here = "{" + here
            edits.append(Edit(file, written.at, written.at, here))
        elif isinstance(written, Ordered) and written.does == "fence":
            assert written.word is not None
            edits.append(Edit(file, *written.word, written.words["SC"]))
        elif isinstance(written, Ordered) and written.failure is not None:
            if site.number in sources.failing:
                edits.append(Edit(file, *written.failure, written.words["RLX"]))
            elif written.word is not None:
                edits.append(Edit(file, *written.word, written.words["SC"]))
    return edits


def patches(sources: Sources, assignment: Assignment) -> list[Edit]:
    """What is to be typed for an assignment."""
    edits: list[Edit] = []
    for site in sources.sites:
        if assignment[site.number] != site.present:
            edits += _patch(sources, site, assignment[site.number])
    return edits


def _patch(sources: Sources, site: Site, level: int) -> Iterator[Edit]:
    file, text = site.span.file, sources.texts[site.span.file]
    written = sources.written[site.number]
    chosen = site.levels[level]
    match written:
        case Room():
            yield from _new_fence(text, file, written, f"{fence_text(sources.style_in(file), chosen)};")
        case Ordered(does="fence") if not chosen.tags:
            yield _taken_away(text, file, written.call.name.start, written.call.end)
        case Ordered() if site.number in sources.failing:
            assert written.failure is not None
            yield Edit(file, *written.failure, written.words[chosen.order])
        case Ordered(does="fence"):
            assert written.word is not None
            order = next(tag for tag in chosen.tags if tag in written.words)
            yield Edit(file, *written.word, written.words[order])
        case Ordered():
            yield from c_orders.with_order(written, chosen.order, file)
        case KernelCall():
            yield from c_orders.with_kernel_order(written, chosen.order.removeprefix(KERNEL), file, text)
        case _ if not chosen.tags:
            yield _taken_away(text, file, written.name.start, written.end)
        case _:
            assert chosen in KERNEL_FENCES
            yield Edit(file, written.name.start, written.end, chosen.text)


def _new_fence(text: str, file: str, room: Room, fence: str) -> Iterator[Edit]:
    """A line of its own where the statement has one, else in the same line."""
    start = text.rfind("\n", 0, room.at) + 1
    alone = not text[start : room.at].strip()
    if room.end is not None:
        yield from _braces(text, file, room, fence, alone)
    elif not alone:
        yield Edit(file, room.at, room.at, f"{fence} ")
    elif room.closes:
        assert room.beside is not None
        yield Edit(file, start, start, f"{_indent(text, room.beside)}{fence}\n")
    else:
        yield Edit(file, room.at, room.at, f"{fence}\n{text[start : room.at]}")


def _braces(text: str, file: str, room: Room, fence: str, alone: bool) -> Iterator[Edit]:
    """The only statement of an `if` or a loop becomes a block."""
    assert room.end is not None
    assert room.beside is not None
    before = len(text[: room.at].rstrip())
    plain = "//" not in text[text.rfind("\n", 0, before) + 1 : before] and not text[:before].endswith("*/")
    if not alone or not plain:
        yield Edit(file, room.at, room.at, f"{{ {fence} ")
        yield Edit(file, room.end, room.end, " }")
        return
    yield Edit(file, before, before, " {")
    yield Edit(file, room.at, room.at, f"{fence}\n{_indent(text, room.at)}")
    yield Edit(file, room.end, room.end, f"\n{_indent(text, room.beside)}}}")


def _indent(text: str, offset: int) -> str:
    """How far the line of an offset is indented."""
    match = _BLANK.match(text, text.rfind("\n", 0, offset) + 1)
    return match.group() if match else ""


def _taken_away(text: str, file: str, start: int, end: int) -> Edit:
    """A call that is a statement goes with its semicolon, and with its line if nothing else is there."""
    semicolon = re.compile(r"\s*;").match(text, end)
    end = semicolon.end() if semicolon else end
    line, behind = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    behind = len(text) if behind < 0 else behind
    if not text[line:start].strip() and not text[end:behind].strip() and semicolon:
        return Edit(file, line, min(behind + 1, len(text)), "")
    return Edit(file, start, end, "" if semicolon else "(void)0")


def before_and_after(sources: Sources, site: Site, level: int) -> tuple[str, str]:
    """What stands at a site, and what would stand there, as people see it."""
    text = sources.texts[site.span.file]
    written, chosen = sources.written[site.number], site.levels[level]
    if isinstance(written, Room):
        return "", f"{fence_text(sources.style_in(site.span.file), chosen)};"
    call = written if not isinstance(written, Ordered | KernelCall) else written.call
    start, end = call.name.start, call.end
    edits = [
        Edit(edit.file, edit.start - start, edit.end - start, edit.text)
        for edit in _patch(sources, site, level)
        if start <= edit.start <= edit.end <= end
    ]
    old = text[start:end]
    return " ".join(old.split()), " ".join(edited(old, edits).split()) if edits else ""
