"""`treville repair`: the cheapest changes of a source that make a property hold, or that keep it.

    source -> sites -> the cheapest assignment -> files, read and checked from the beginning
           -> for each change the execution that it forbids
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from treville.events.execution import Execution
from treville.fences import PLACE
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.passes.joint import restricted
from treville.passes.program import Context
from treville.programs.edits.text import unified
from treville.programs.ir import Program
from treville.questions.repair.costs import Costs, Table
from treville.questions.repair.searching import Found, Search, cheapest
from treville.questions.repair.sites import (
    Assignment,
    Choice,
    Site,
    SiteKind,
    changed,
    present,
    site_of,
    with_levels,
)
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.records import dataclass, field, replace
from treville.results import Budget, BudgetExceeded, InputError, Unsupported, Verdict
from treville.witness.explanation import Explanation, explain

FENCES_ONLY, ORDERS_ONLY = "fences", "orders"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What may be changed. `weaken`: orders may only become weaker, and fences go; else stronger. `only`
    fences, or orders of accesses; nothing on lines to `keep`, given as a line, `FILE:LINE` or a file."""

    weaken: bool = False
    only: str = ""
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forbidden:
    """An execution that would be there without a change, and what forbids it with it: an axiom with its
    evidence, or, for a data race, nothing but that the accesses are ordered (`explanation` None)."""

    model: Model
    what: str
    execution: Execution
    program: Program
    judged: Evaluation
    explanation: Explanation | None


@dataclass(frozen=True, slots=True)
class Change:
    """A site with another level (or, where nothing weaker is enough, with its own), and what it forbids."""

    site: Site
    before: str
    after: str
    cost: int
    forbids: Forbidden | None


@dataclass(slots=True)
class Repaired:
    """The answer. `optimal`: nothing over these sites and within this bound is cheaper. `needed` are the
    orders and fences that weakening leaves. `refuted` is an execution that no change forbids."""

    verdict: Verdict
    reason: str = ""
    changes: list[Change] = field(default_factory=list)
    needed: list[Change] = field(default_factory=list)
    cost: int | None = None
    optimal: bool = False
    diff: str = ""
    checks: list[tuple[str, Asked]] = field(default_factory=list)
    asked: int = 0
    refuted: Forbidden | None = None
    sites: int = 0
    assignment: Assignment | None = None


def repaired(
    subject: Subject,
    contexts: Sequence[Context],
    wanted: Wanted,
    table: Table,
    budget: Budget,
    tell: Callable[[Repaired], None] = lambda _: None,
) -> Repaired:
    """The cheapest changes, or why there are none. Who listens is told the answer before it is known what
    each change forbids."""
    return _Repair(subject, contexts, wanted, table, budget, tell).answer()


class _Repair:
    """One question."""

    def __init__(
        self,
        subject: Subject,
        contexts: Sequence[Context],
        wanted: Wanted,
        table: Table,
        budget: Budget,
        tell: Callable[[Repaired], None],
    ) -> None:
        self.tell = tell
        self.subject = subject
        self.models = [context.model for context in contexts]
        self.wanted = wanted
        self.budget = budget
        self.costs = Costs(table, contexts)
        self.sites = [site for site in subject.sites if self._may_change(site)]
        self.so_far: Repaired | None = None

    def answer(self) -> Repaired:
        """See `repaired`."""
        start, choices = self._choices()
        known = None
        if self.wanted.weaken:
            known = present(self.subject.sites)
            asked = Search(self.subject, self.models, known, {}, self.budget).ask(known)
            if asked.verdict is not Verdict.PASS:
                return self._not_right(asked)
        found = cheapest(self.subject, self.models, start, choices, self.budget, known, self._so_far)
        answer = Repaired(Verdict.UNKNOWN, found.reason, asked=found.checks, sites=len(self.sites))
        if self.so_far and found.assignment == self.so_far.assignment and not found.optimal:
            return replace(self.so_far, asked=found.checks)
        if found.helpless:
            self._impossible(answer, found)
        elif found.assignment is not None:
            self._confirmed(answer, found)
        return answer

    def _so_far(self, assignment: Assignment) -> None:
        """Tell changes that are right before the cheapest are known."""
        answer = Repaired(Verdict.UNKNOWN, "these changes are right, the cheapest were not found in time")
        answer.sites = len(self.sites)
        if self._is_confirmed(answer, assignment):
            self._say(answer, assignment)
            self.so_far = answer
            self.tell(answer)

    def _may_change(self, site: Site) -> bool:
        if site.number not in self.subject.usable or _is_kept(site, self.wanted.keep):
            return False
        is_fence = site.kind is not SiteKind.ACCESS
        return is_fence != (self.wanted.only == ORDERS_ONLY) or not self.wanted.only

    def _choices(self) -> tuple[Assignment, dict[Choice, int]]:
        """Where the search begins, and what may be chosen instead at what price."""
        start = present(self.subject.sites)
        choices: dict[Choice, int] = {}
        for site in self.sites:
            first = self._first(site)
            start = with_levels(start, {site.number: first})
            lowest = self.costs.of(site, first)
            for level in self._levels(site, first):
                with suppress(Unsupported):  # a fence that one of the models does not know
                    choices[site.number, level] = max(0, self.costs.of(site, level) - lowest)
        return start, choices

    def _first(self, site: Site) -> int:
        below = site.downwards(site.present)
        return below[0] if self.wanted.weaken and below else site.present

    def _levels(self, site: Site, first: int) -> list[int]:
        own = site.levels[site.present]
        above = site.upwards(first)
        return [level for level in above if not self.wanted.weaken or site.levels[level].at_most(own)]

    # -- answers ---------------------------------------------------------------------------------------

    def _not_right(self, asked: Asked) -> Repaired:
        answer = Repaired(asked.verdict, sites=len(self.sites), asked=1)
        answer.reason = asked.reason
        if asked.verdict is Verdict.FAIL:
            answer.reason = f"it is not right as it is ({asked.reason}): repair it without --weaken first"
            answer.refuted = _shown(asked.violations[0]) if asked.violations else None
        return answer

    def _impossible(self, answer: Repaired, found: Found) -> None:
        answer.verdict = Verdict.FAIL
        what = self.wanted.only or "fences and orders"
        answer.reason = f"no {what} help: {found.reason}" if found.reason else f"no {what} help"
        if found.refuted is not None:
            answer.refuted = _shown(found.refuted)

    def _confirmed(self, answer: Repaired, found: Found) -> None:
        """The changed files are read and checked from the beginning; only then are changes told."""
        assert found.assignment is not None
        if not self._is_confirmed(answer, found.assignment):
            return
        finished = found.optimal or not found.reason
        answer.verdict = Verdict.PASS if finished else Verdict.UNKNOWN
        answer.optimal = found.optimal
        self._say(answer, found.assignment)
        self.tell(answer)
        explained = [] if self.wanted.weaken else answer.changes
        sites = [change.site for change in (*explained, *answer.needed)]
        forbids = {site: self._forbidden(found.assignment, site) for site in sites}
        answer.changes = [replace(each, forbids=forbids.get(each.site)) for each in answer.changes]
        answer.needed = [replace(each, forbids=forbids[each.site]) for each in answer.needed]

    def _is_confirmed(self, answer: Repaired, assignment: Assignment) -> bool:
        texts = self.subject.patched(assignment)
        answer.checks = [
            (model.name, self.subject.confirm(texts, model, self.budget)) for model in self.models
        ]
        for name, asked in answer.checks:
            if asked.verdict is not Verdict.PASS:
                answer.reason = f"the changed source is not confirmed under {name}: {asked.reason}"
                return False
        answer.diff = unified(self.subject.texts, texts)
        return True

    def _say(self, answer: Repaired, assignment: Assignment) -> None:
        """The changes, what they cost, and what is left."""
        answer.assignment = assignment
        answer.cost = self._cost(assignment)
        answer.changes = [self._change(assignment, site) for site in changed(self.subject.sites, assignment)]
        kept = [site for site in self.sites if self._is_needed(site, assignment)]
        answer.needed = [self._change(assignment, site) for site in kept if self.wanted.weaken]

    def _cost(self, assignment: Assignment) -> int:
        sites = self.sites if self.wanted.weaken else changed(self.subject.sites, assignment)
        costs = self.costs
        if self.wanted.weaken:
            return sum(costs.of(site, assignment[site.number]) for site in sites)
        return sum(costs.extra(site, assignment[site.number]) for site in sites)

    def _is_needed(self, site: Site, assignment: Assignment) -> bool:
        return bool(site.downwards(assignment[site.number]))

    def _change(self, assignment: Assignment, site: Site) -> Change:
        level = assignment[site.number]
        before, after = self.subject.written(site, level)
        cost = self.costs.of(site, level)
        cost -= 0 if self.wanted.weaken else self.costs.of(site, site.present)
        return Change(site, before, before if level == site.present else after, cost, None)

    def _forbidden(self, assignment: Assignment, site: Site) -> Forbidden | None:
        """The execution that is there as soon as one site has its next weaker level."""
        for level in reversed(site.downwards(assignment[site.number])):
            weaker = with_levels(assignment, {site.number: level})
            try:
                asked = Search(self.subject, self.models, weaker, {}, self.budget).ask(weaker)
            except BudgetExceeded:
                return None
            if asked.violations:
                return _shown(asked.violations[0], self.subject.sites, assignment)
        return None


def _shown(
    violation: Violation, sites: Sequence[Site] = (), assignment: Assignment | None = None
) -> Forbidden:
    """An execution for people, as it is with a stronger assignment."""
    execution = violation.execution
    if assignment is not None:
        execution = violation.upgraded(sites, assignment)
    execution = _without_sites(execution)
    model = violation.model
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    found = [explain(execution, model, judged.values, axiom) for axiom in judged.violated]
    shortest = min(found, key=lambda each: len(each.hops()), default=None)
    return Forbidden(model, violation.what, execution, violation.program, judged, shortest)


def _without_sites(execution: Execution) -> Execution:
    """The execution without what only tells where sites are."""
    kept = [event for event in execution.events if PLACE not in event.tags]
    events = [
        replace(event, tags=frozenset(tag for tag in event.tags if site_of((tag,)) is None)) for event in kept
    ]
    return restricted(execution, events)


def _is_kept(site: Site, keep: Sequence[str]) -> bool:
    """Is it on a line, or in a file, that is to stay?"""
    file, line = site.span.file, site.span.line
    for each in keep:
        name, lines = _file_and_lines(each)
        if name and not _is_named(file, name):
            continue
        first, _, last = lines.partition("-")
        new = site.kind is SiteKind.GAP  # it stands before its line
        if not lines or int(first) + new <= line <= int(last or first):
            return True
    return False


def _file_and_lines(keep: str) -> tuple[str, str]:
    name, _, lines = keep.rpartition(":")
    return (name, lines) if lines.replace("-", "").isdigit() else (keep, "")


def _is_named(file: str, name: str) -> bool:
    return file == name or file.endswith(f"/{name}")


def files_to_keep(keep: Sequence[str], files: Iterable[str]) -> Iterator[str]:
    """What is to be kept of files that are not there."""
    known = list(files)
    for each in keep:
        name, _ = _file_and_lines(each)
        if name and not any(_is_named(file, name) for file in known):
            yield each


def checked_keep(keep: Sequence[str]) -> tuple[str, ...]:
    """Lines to keep, or an error."""
    for each in keep:
        lines = each.rpartition(":")[2]
        if lines.startswith("-") or lines.endswith("-"):
            raise InputError(f"--keep {each}: expected LINE, FIRST-LAST, FILE:LINE or FILE")
    return tuple(keep)
