"""The files of a C program -> sites: room for fences between statements, calls with an order, fences.

Places are those of the source as it is typed. What a macro does is changed in the macro, if it is defined in
one of the program's own files; its uses are one site, and so are all uses of a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from treville.programs.edits import c_orders
from treville.programs.edits.c_orders import KernelCall, Ordered
from treville.programs.edits.c_statements import Room, rooms
from treville.programs.edits.c_tokens import CallText, Macro, Word, calls_in, generated_from, words_of
from treville.programs.edits.text import place_in
from treville.programs.includes import included
from treville.questions.repair.applying import KERNEL
from treville.questions.repair.primitives import C11_FENCES, FULL_FENCE, KERNEL_FENCES
from treville.questions.repair.sites import Choice, Level, Site, SiteKind
from treville.records import NamedTuple, dataclass, field
from treville.results import Span


class Style(StrEnum):
    """How a program asks for order."""

    STANDARD = "C11"
    CPP = "C++"
    GNU = "GNU C"
    KERNEL = "kernel"
    SYNC = "__sync_synchronize"


FENCES_OF: Mapping[Style, tuple[Level, ...]] = {
    Style.STANDARD: C11_FENCES,
    Style.CPP: C11_FENCES,
    Style.GNU: C11_FENCES,
    Style.KERNEL: KERNEL_FENCES,
    Style.SYNC: FULL_FENCE,
}


def style_of(texts: Mapping[str, str]) -> Style:
    """The style of a program, by what it uses."""
    whole = "\n".join(texts.values())
    if any(word in whole for word in ("lkmm.h", "READ_ONCE", "smp_")):
        return Style.KERNEL
    if any(file.endswith((".cpp", ".cc", ".cxx")) for file in texts):
        return Style.CPP
    if "stdatomic.h" in whole or "memory_order_" in whole:
        return Style.STANDARD
    return Style.GNU if "__atomic_" in whole else Style.SYNC


def fence_text(style: Style, level: Level) -> str:
    """The call that makes a fence."""
    match style:
        case Style.STANDARD:
            return f"atomic_thread_fence(memory_order_{level.text})"
        case Style.CPP:
            return f"std::atomic_thread_fence(std::memory_order_{level.text})"
        case Style.GNU:
            return f"__atomic_thread_fence(__ATOMIC_{level.text.upper()})"
        case Style.KERNEL:
            return level.text
        case Style.SYNC:
            return "__sync_synchronize()"


_OF_HEADER = re.compile(r"\batomic_|memory_order|stdatomic\.h")
Read: TypeAlias = Mapping[str, tuple[list[Word], dict[str, Macro]]]
Written: TypeAlias = Room | Ordered | KernelCall | CallText


@dataclass(slots=True)
class Sources:
    """The program's files and their sites. `written` tells for each site what stands there (a `CallText` is a
    fence of the kernel or of GNU C), `failing` the calls whose order is that of a failed exchange; `at` where
    instructions of sites come from, by file and offset; `named` the macros that stand for a word."""

    texts: Mapping[str, str]
    style: Style
    sites: list[Site] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    failing: set[int] = field(default_factory=set)
    needs: list[tuple[Choice, list[Choice]]] = field(default_factory=list)
    at: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)

    def style_in(self, file: str) -> Style:
        """The style of one file: C11's words need a header, which not all files include."""
        lacks = self.style is Style.STANDARD and not self._knows(file, set())
        return Style.GNU if lacks else self.style

    def _knows(self, file: str, seen: set[str]) -> bool:
        """Does the file, or one that it includes, have C11's words?"""
        if file in seen or _OF_HEADER.search(self.texts[file]):
            return file not in seen
        seen.add(file)
        names = {Path(name).name for _, name in included(self.texts[file].encode()) or ()}
        return any(self._knows(other, seen) for other in self.texts if Path(other).name in names)

    def add(
        self,
        kind: SiteKind,
        file: str,
        offset: int,
        levels: tuple[Level, ...],
        present: int,
        written: Written,
        does: str = "",
    ) -> int:
        """A new site."""
        text = self.texts[file]
        line, column = place_in(text, offset)
        span = Span(file, line, column, 1, text.split("\n")[line - 1])
        self.sites.append(Site(len(self.sites), kind, span, levels, present, does))
        self.written.append(written)
        return len(self.sites) - 1


def sources_of(texts: Mapping[str, str], style: Style | None = None, read: Read | None = None) -> Sources:
    """The sites of files, in the order in which they stand there; `read` are their words and macros, if they
    are not those of the whole files."""
    sources = Sources(texts, style or style_of(texts))
    read = read or {file: _typed(text) for file, text in texts.items()}
    macros = _Macros(texts, {file: macros for file, (_, macros) in read.items()})
    inside, sources.named = macros.with_one_call(), macros.words
    seen: dict[tuple[str, int], list[int]] = {}
    for file, (words, _) in read.items():
        for room in rooms(words):
            sources.add(SiteKind.GAP, file, room.at, FENCES_OF[sources.style_in(file)], 0, room)
        calls = [(call.name.start, Found(file, call)) for call in calls_in(words)]
        calls += [(word.start, inside[word.text]) for word in words if word.text in inside]
        for offset, (where, call) in calls:
            key = where, call.name.start
            if key not in seen:
                seen[key] = list(_of_call(sources, where, call))
            if seen[key]:
                sources.at.setdefault((file, offset), []).extend(seen[key])
    return sources


def _typed(text: str) -> tuple[list[Word], dict[str, Macro]]:
    """The words and macros that people typed: what was made of another file is made anew some day."""
    words, macros = words_of(text)
    end = generated_from(text)
    return (words, macros) if end is None else ([word for word in words if word.start < end], macros)


class Found(NamedTuple):
    """A call and the file that it stands in."""

    file: str
    call: CallText


class _Macros:
    """The macros of all files. What is defined in two of them is none."""

    def __init__(self, texts: Mapping[str, str], by_file: Mapping[str, Mapping[str, Macro]]) -> None:
        self.texts = texts
        self.known: dict[str, tuple[str, Macro]] = {}
        twice: set[str] = set()
        for file, macros in by_file.items():
            twice |= self.known.keys() & macros.keys()
            self.known |= {name: (file, macro) for name, macro in macros.items()}
        for name in twice:
            del self.known[name]
        bodies = [(name, macro.body) for name, (_, macro) in self.known.items()]
        self.words = {name: body[0].text for name, body in bodies if len(body) == 1}

    def with_one_call(self) -> dict[str, Found]:
        """The macros that have exactly one call with an order inside, and that call."""
        calls = {name: self._calls(name, 0) for name in self.known}
        return {name: found[0] for name, found in calls.items() if len(found) == 1}

    def _calls(self, name: str, depth: int) -> list[Found]:
        """The calls with an order that a macro makes; macros in macros are followed some steps."""
        file, macro = self.known[name]
        calls = calls_in(macro.body)
        found = [Found(file, call) for call in calls if self._is_ordered(call, self.texts[file])]
        if depth < 4:
            for word in macro.body:
                if word.is_name and word.text in self.known and word.text != name:
                    found += self._calls(word.text, depth + 1)
        return found

    def _is_ordered(self, call: CallText, text: str) -> bool:
        known = c_orders.ordered(call, text, self.words) or c_orders.kernel_call(call)
        return known is not None or call.name.text in (*c_orders.KERNEL_FENCES, c_orders.FULL_FENCE)


# -- calls ---------------------------------------------------------------------------------------------


def _of_call(sources: Sources, file: str, call: CallText) -> Iterator[int]:
    """The sites of a call: none, one, or two for a compare-exchange."""
    if sources.style is Style.KERNEL:
        yield from _of_kernel_call(sources, file, call)
        return
    if call.name.text == c_orders.FULL_FENCE:
        yield sources.add(SiteKind.FENCE, file, call.name.start, FULL_FENCE, 1, call)
        return
    found = c_orders.ordered(call, sources.texts[file], sources.named)
    if found is None:
        return
    offset = call.name.start
    if found.does == "fence":
        level = next((k for k, each in enumerate(C11_FENCES) if found.order in each.tags), None)
        level = 0 if found.order == "RLX" else level
        if level is not None:
            yield sources.add(SiteKind.FENCE, file, offset, C11_FENCES, level, found)
        return
    levels, does = LEVELS[found.does], DOES[found.does]
    present = next((k for k, level in enumerate(levels) if level.order == found.order), None)
    if present is not None:
        place = found.word[0] if found.word else offset
        yield sources.add(SiteKind.ACCESS, file, place, levels, present, found, does)
        failing = [k for k, level in enumerate(LEVELS["load"]) if level.order == found.failure_order]
        if found.failure is not None and failing:
            levels, present = LEVELS["load"], failing[0]
            number = sources.add(
                SiteKind.ACCESS, file, found.failure[0], levels, present, found, "reads"
            )
            sources.failing.add(number)
            sources.needs += _with_success(number)
            yield number


def _with_success(number: int) -> Iterator[tuple[Choice, list[Choice]]]:
    """A failed exchange has no stronger order than one that succeeds; that site is the one before."""
    for order, others in (("ACQ", ("ACQ", "ACQ_REL", "SC")), ("SC", ("SC",))):
        own = next(k for k, level in enumerate(LEVELS["load"]) if level.order == order)
        levels = [k for k, level in enumerate(LEVELS["update"]) if level.order in others]
        yield (number, own), [(number - 1, level) for level in levels]


def _of_kernel_call(sources: Sources, file: str, call: CallText) -> Iterator[int]:
    offset, name = call.name.start, call.name.text
    if name in c_orders.KERNEL_FENCES:
        level = next(k for k, each in enumerate(KERNEL_FENCES) if each.text == f"{name}()")
        yield sources.add(SiteKind.FENCE, file, offset, KERNEL_FENCES, level, call)
        return
    found = c_orders.kernel_call(call)
    if found is not None:
        levels = KERNEL_LEVELS[found.does]
        present = next(k for k, level in enumerate(levels) if level.order == KERNEL + found.order)
        yield sources.add(SiteKind.ACCESS, file, offset, levels, present, found, DOES[found.does])


DOES = {"load": "reads", "store": "writes", "update": "updates"}


def _levels(**strengths: str) -> tuple[Level, ...]:
    return tuple(
        Level(c_orders.C11_WORDS[order], frozenset(strength.split()), order=order)
        for order, strength in strengths.items()
    )


LEVELS = {
    "load": _levels(RLX="", ACQ="acquire", SC="acquire sc"),
    "store": _levels(RLX="", REL="release", SC="release sc"),
    "update": _levels(
        RLX="", ACQ="acquire", REL="release", ACQ_REL="acquire release", SC="acquire release sc"
    ),
}


def _kernel_levels(**strengths: str) -> tuple[Level, ...]:
    return tuple(
        Level(order, frozenset(strength.split()), order=KERNEL + ("" if order == "full" else f"_{order}"))
        for order, strength in strengths.items()
    )


KERNEL_LEVELS = {
    "load": _kernel_levels(relaxed="", acquire="acquire"),
    "store": _kernel_levels(relaxed="", release="release"),
    "update": _kernel_levels(
        relaxed="", acquire="acquire", release="release", full="acquire release full"
    ),
}
