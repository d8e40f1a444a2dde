"""A litmus test in C as something to repair: functions `P0(...) { ... }` are statements like those of C."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from treville.passes.program import Ready
from treville.programs.edits.c_statements import Room
from treville.programs.edits.c_tokens import words_of
from treville.programs.edits.text import edited
from treville.programs.litmus import layout
from treville.questions.repair.c_sites import Sources, Style, sources_of
from treville.questions.repair.c_skeleton import Skeleton
from treville.questions.repair.c_writing import LITMUS_MARK, before_and_after, patches
from treville.questions.repair.litmus import LitmusSubject
from treville.questions.repair.sites import Assignment, Site


class CLitmusSubject(LitmusSubject):
    """A test in C, with C11's or the kernel's primitives."""

    def __init__(self, text: str, file: str, races: bool, bound: int | None) -> None:
        super().__init__(text, file, races, bound)
        self.sources = _sources(text, file, kernel=self.test.dialect == "LKMM")
        self.sites = self.sources.sites
        skeleton = Skeleton(self.sources, self._read_skeleton, LITMUS_MARK)
        self.program = skeleton.program()
        self.usable = skeleton.usable
        self.needs = self.sources.needs
        self.liked = skeleton.liked

    def _read_skeleton(self, texts: Mapping[str, str]) -> Ready:
        return Ready(self.read(texts[self.file]).program)

    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""
        edits = patches(self.sources, assignment)
        return {self.file: edited(self.texts[self.file], edits)} if edits else {}

    def written(self, site: Site, level: int) -> tuple[str, str]:
        """See `Subject`."""
        return before_and_after(self.sources, site, level)


def _sources(text: str, file: str, kernel: bool) -> Sources:
    """The sites of a test. Instructions know their statement, not their call: where a statement has several
    calls with an order, none of them is a site."""
    part = layout.split(text, file).program
    words, _ = words_of(part.text)
    shifted = [word._replace(start=word.start + part.offset) for word in words]
    style = Style.KERNEL if kernel else Style.STANDARD
    found = sources_of({file: text}, style, {file: (shifted, {})})
    starts = sorted(each.at for each in found.written if isinstance(each, Room) and not each.closes)
    by_statement: dict[tuple[str, int], list[list[int]]] = {}
    for (name, offset), numbers in found.at.items():
        place = bisect_right(starts, offset) - 1
        if place >= 0:
            by_statement.setdefault((name, starts[place]), []).append(numbers)
    found.at = {where: calls[0] for where, calls in by_statement.items() if len(calls) == 1}
    return found
