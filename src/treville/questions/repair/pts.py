"""A `.pts` program as something to repair: fences before statements that access memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from treville.fences import PLACE
from treville.programs.edits.text import Edit, edited, place_in
from treville.programs.ir import Fence, Instruction, Load, Store, Thread
from treville.programs.litmus.test import LitmusTest
from treville.programs.pts import parse
from treville.questions.repair.litmus import LitmusSubject
from treville.questions.repair.primitives import FENCES
from treville.questions.repair.sites import Assignment, Site, SiteKind
from treville.records import replace


class PtsSubject(LitmusSubject):
    """A program in the input language of Porthos; `leave_after` as its reader has it."""

    def __init__(self, text: str, file: str, leave_after: int | None = None) -> None:
        self.leave_after = leave_after
        super().__init__(text, file, False, None)
        self.sites = []
        self._at: dict[int, int] = {}
        self.program = replace(
            self.test.program, threads=tuple(self._marked(thread) for thread in self.test.program.threads)
        )
        self.usable = {site.number for site in self.sites}

    def read(self, text: str) -> LitmusTest:
        """See `LitmusSubject`."""
        return parse(text, self.file, self.leave_after)

    def _marked(self, thread: Thread) -> Thread:
        """The thread with room before every access but the first."""
        accesses = [at for at, each in enumerate(thread.instructions) if isinstance(each, Load | Store)]

        def with_room(at: int, instruction: Instruction) -> Iterator[Instruction]:
            if isinstance(instruction, Load | Store) and at > accesses[0]:
                site = self._site(instruction)
                if site is not None:
                    tags = frozenset({PLACE, site.tag})
                    yield Fence(tags, span=instruction.span, index=instruction.index)
            yield instruction

        return thread.rewritten(map(with_room, count(), thread.instructions))

    def _site(self, instruction: Instruction) -> Site | None:
        """One for each place of the source: loops that are left have their bodies several times."""
        span = instruction.span
        if span is None:
            return None
        known = next((site for site in self.sites if site.span == span), None)
        if known is None:
            known = Site(len(self.sites), SiteKind.GAP, span, FENCES["PTS"], 0)
            self.sites = [*self.sites, known]
            lines = self.texts[self.file].split("\n")
            self._at[known.number] = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
        return known

    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""
        text, edits = self.texts[self.file], []
        for site in self.sites:
            fence = site.levels[assignment[site.number]].text
            if fence:
                at = self._at[site.number]
                column = place_in(text, at)[1]
                indent = text[at - column + 1 : at]
                between = f"\n{indent}" if not indent.strip() else " "
                edits.append(Edit(self.file, at, at, f"{fence};{between}"))
        return {self.file: edited(text, edits)} if edits else {}

    def written(self, site: Site, level: int) -> tuple[str, str]:
        """See `Subject`."""
        return "", f"{site.levels[level].text};"
