"""A litmus test in assembly or C as something to repair.

What must not be is the state of the condition (for `forall`: any other), and under models of C a data race if
that was asked for.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

from treville.models.model import Model
from treville.models.races import defines_races, races_in, races_of
from treville.passes.program import Context, map_to_architecture
from treville.programs.edits.table import Table
from treville.programs.edits.text import edited
from treville.programs.ir import Program
from treville.programs.litmus import layout, parse
from treville.programs.litmus.states import FinalValue, state_fields, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.executions import Judged, executions
from treville.questions.outcomes import outcomes_of_all_runs
from treville.questions.repair import assembly
from treville.questions.repair.applying import applied
from treville.questions.repair.marking import shows_gaps
from treville.questions.repair.sites import Assignment, Site, SiteKind
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.records import replace
from treville.results import Budget, BudgetExceeded, Unsupported, Verdict

# Executions that are taken from one answer, of so many candidates.
_EXECUTIONS = 6
_CANDIDATES = 20_000
_NONE: frozenset[int] = frozenset()


def is_bad(test: LitmusTest, state: tuple[FinalValue, ...]) -> bool:
    """Is it a state that must not be reached?"""
    return state_satisfies(test, state) != (test.quantifier is Quantifier.FORALL)


class LitmusSubject(Subject):
    """A test with its sites; subclasses know how they are written."""

    def __init__(self, text: str, file: str, races: bool, bound: int | None) -> None:
        self.file = file
        self.texts = {file: text}
        self.races = races
        self.bound = bound
        self.test = self.read(text)
        self.program = self.test.program

    def read(self, text: str) -> LitmusTest:
        """The test of a text."""
        return parse(text, self.file)

    def ask(self, assignment: Assignment, model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        test = replace(self.test, program=self.made(assignment, marked=False))
        answer = self._asked(test, model, budget)
        if answer.verdict is not Verdict.FAIL:
            return answer
        marked = shows_gaps(model)
        if marked:
            test = replace(self.test, program=self.made(assignment, marked=True))
        lower = partial(map_to_architecture, context=Context(model, None, test.dialect))
        race = answer.reason.startswith("data race")
        found = tuple(
            Violation(
                judged.execution, model, assignment, lower, test.program, answer.reason, race, marked=marked
            )
            for judged in self._violating(test, model, race, budget)
        )
        return replace(answer, violations=found)

    def _asked(self, test: LitmusTest, model: Model, budget: Budget) -> Asked:
        try:
            found = outcomes_of_all_runs(test, model, self.bound, budget)
        except Unsupported as error:
            return Asked(Verdict.UNKNOWN, reason=error.complaint)
        bad = next((state for state in found.states if is_bad(test, state)), None)
        if bad is not None:
            told = " ".join(f"{name}={value};" for name, value in state_fields(test, bad))
            return Asked(Verdict.FAIL, reason=f"it can end in {told}")
        races = {axiom.name for axiom in races_of(model)} if defines_races(model) and self.races else set()
        if not races.isdisjoint(found.flags):
            return Asked(Verdict.FAIL, reason=f"data race ({', '.join(sorted(races & set(found.flags)))})")
        if found.unfinished:
            reason = f"a loop was cut at the bound {found.bound}"
            return Asked(Verdict.UNKNOWN, reason=reason)
        return Asked(Verdict.PASS)

    def _violating(self, test: LitmusTest, model: Model, race: bool, budget: Budget) -> list[Judged]:
        """Some of the executions, while they can be listed."""
        ending = None if race else partial(is_bad, test)
        allowed = executions(test, model, "allowed", self.bound or 2, budget, _CANDIDATES, ending=ending)
        chosen = (judged for judged in allowed if not race or races_in(judged.evaluation))
        return list(islice(_listed(chosen), _EXECUTIONS))

    def confirm(self, texts: Mapping[str, str], model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        return self._asked(replace(self.test, program=self.again(texts)), model, budget)

    def made(self, assignment: Assignment, marked: bool) -> Program:
        """See `Subject`."""
        return applied(self.program, self.sites, assignment, self.usable if marked else _NONE)

    def again(self, texts: Mapping[str, str]) -> Program:
        """See `Subject`."""
        return self.read(texts.get(self.file, self.texts[self.file])).program

    @abstractmethod
    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""


def _listed(found: Iterator[Judged]) -> Iterator[Judged]:
    try:
        yield from found
    except BudgetExceeded:
        return


class AssemblySubject(LitmusSubject):
    """A test in assembly."""

    def __init__(self, text: str, file: str, races: bool = False, bound: int | None = None) -> None:
        super().__init__(text, file, races, bound)
        self.table = Table(layout.split(text.removeprefix("\ufeff"), file))
        self.sites, self.spots, self.program = assembly.sites_of(self.test, self.table)
        self.usable = {site.number for site in self.sites}

    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""
        inserted: dict[tuple[int, int], str] = {}
        replaced: dict[tuple[int, int], str] = {}
        for site in self.sites:
            level = assignment[site.number]
            if level != site.present:
                spot = self.spots[site.number]
                where = inserted if site.kind is SiteKind.GAP else replaced
                where[spot.thread, spot.number] = site.levels[level].text
        edits = self.table.edits(inserted, replaced)
        return {self.file: edited(self.texts[self.file], edits)} if edits else {}

    def written(self, site: Site, level: int) -> tuple[str, str]:
        """See `Subject`."""
        return site.levels[site.present].text, site.levels[level].text
