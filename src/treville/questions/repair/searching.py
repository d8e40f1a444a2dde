"""Which stronger orders and further fences make a property hold, as cheaply as possible?

    cheapest assignment that agrees with what is known -> is it right? -> an execution that is not: what every
    repair must go beyond -> the next cheapest

Executions that were seen before are tried before the program is asked about again. What could not be decided
is no repair, and then nothing says that the answer is the cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from treville.models.model import Model
from treville.questions.repair.blocking import beyond
from treville.questions.repair.choosing import Chooser
from treville.questions.repair.sites import Assignment, Choice
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.records import dataclass, field
from treville.results import Budget, BudgetExceeded, Verdict


@dataclass(slots=True)
class Found:
    """A repair and how sure it is: `assignment` None is none. `helpless`: whatever is changed, the property
    does not hold, as the execution `refuted` shows. `reason` is why nothing better was found."""

    assignment: Assignment | None
    optimal: bool = False
    refuted: Violation | None = None
    reason: str = ""
    helpless: bool = False
    checks: int = 0
    seen: list[Violation] = field(default_factory=list)


# After so many questions without a repair, all that can be changed is tried.
_PATIENCE = 12
Telling: TypeAlias = Callable[[Assignment], None]


def cheapest(
    subject: Subject,
    models: Sequence[Model],
    start: Assignment,
    costs: Mapping[Choice, int],
    budget: Budget,
    known: Assignment | None = None,
    tell: Telling = lambda _: None,
) -> Found:
    """The cheapest assignment that is right under all models: what differs from `start` has costs. `known` is
    right already, if given. Who listens is told one that is right where the cheapest takes long."""
    return Search(subject, models, start, costs, budget, tell).run(known)


class Search:
    """The state of one search."""

    def __init__(
        self,
        subject: Subject,
        models: Sequence[Model],
        start: Assignment,
        costs: Mapping[Choice, int],
        budget: Budget,
        tell: Telling = lambda _: None,
    ) -> None:
        self.tell = tell
        self.subject = subject
        self.models = list(models)
        self.start = start
        self.costs = costs
        self.budget = budget
        self.found = Found(None)
        self.undecided = ""
        self.patience = _PATIENCE

    def run(self, known: Assignment | None) -> Found:
        """Begin with what costs nothing."""
        found = self.found
        found.assignment = known
        try:
            asked = self.ask(self.start)
            if asked.verdict is Verdict.PASS:
                return self._ended(self.start)
            return self._descend(asked)
        except BudgetExceeded as error:
            found.reason = f"{error.reason} ({error.advice})" if error.advice else error.reason
            return found

    def _descend(self, asked: Asked) -> Found:
        chooser = Chooser(self.subject.sites, self.start, self.costs, self.subject.needs, self.subject.liked)
        self._learn(chooser, self.start, asked)
        while True:
            if self.patience and self.found.checks >= self.patience:
                self.patience = 0
                self._look_at_most(chooser)
            assignment = chooser.cheapest(self.budget)
            if assignment is None:
                return self._helpless()
            known = next((v for v in self.found.seen if self._is_seen(v, assignment)), None)
            if known is not None:
                chooser.learn(beyond(known, self.subject.sites, self._both(known, assignment)))
                continue
            asked = self.ask(assignment)
            if asked.verdict is Verdict.PASS:
                return self._ended(assignment, optimal=not self.undecided)
            self._learn(chooser, assignment, asked)

    def _look_at_most(self, chooser: Chooser) -> None:
        """Any repair is better than none if the search takes long; that nothing helps ends it at once."""
        most = self._most()
        asked = self.ask(most)
        if asked.verdict is Verdict.FAIL:
            self._learn(chooser, most, asked)
        elif asked.verdict is Verdict.PASS and self.found.assignment is None:
            self.found.assignment = most
            self.tell(most)

    def _helpless(self) -> Found:
        """Nothing agrees with what was learnt: an execution is there whatever is changed, or something was
        not decided. All that could be done is asked about, for what was learnt is about single executions."""
        found = self.found
        if found.assignment is not None:
            return self._ended(found.assignment, optimal=False)
        most = self._most()
        asked = self.ask(most)
        if asked.verdict is Verdict.PASS:
            return self._ended(most, optimal=False)
        found.reason = asked.reason or self.undecided
        if asked.verdict is Verdict.FAIL:
            found.helpless = True
            found.refuted = asked.violations[0] if asked.violations else None
        return found

    def ask(self, assignment: Assignment) -> Asked:
        """The answer under the first model that does not let the property hold; that one is asked first the
        next time."""
        unknown: Asked | None = None
        for model in list(self.models):
            self.budget.check()
            self.found.checks += 1
            asked = self.subject.ask(assignment, model, self.budget)
            if asked.verdict is Verdict.FAIL:
                self.models.remove(model)
                self.models.insert(0, model)
                return asked
            if asked.verdict is Verdict.UNKNOWN:
                unknown = unknown or asked
        return unknown or Asked(Verdict.PASS)

    def _learn(self, chooser: Chooser, assignment: Assignment, asked: Asked) -> None:
        if asked.verdict is Verdict.UNKNOWN:
            self.undecided = self.undecided or asked.reason
            chooser.leave_out(assignment)
            return
        for violation in asked.violations:
            chooser.learn(beyond(violation, self.subject.sites, assignment))
        self.found.seen += asked.violations
        if not asked.violations:
            chooser.learn([assignment])

    def _is_seen(self, violation: Violation, assignment: Assignment) -> bool:
        return violation.stays(self.subject.sites, self._both(violation, assignment))

    def _both(self, violation: Violation, assignment: Assignment) -> Assignment:
        """At least as strong as the assignment and as the one that the execution was found under."""
        sites = self.subject.sites
        return tuple(
            one if site.levels[other].at_most(site.levels[one]) else other
            if site.levels[one].at_most(site.levels[other]) else self._top(site.number, one)
            for site, one, other in zip(sites, assignment, violation.under, strict=True)
        )  # fmt: skip

    def _top(self, number: int, level: int) -> int:
        return (self.subject.sites[number].upwards(level) or [level])[0]

    def _most(self) -> Assignment:
        """All sites at the strongest levels that have costs."""
        strongest = list(self.start)
        for number, level in self.costs:
            levels = self.subject.sites[number].levels
            if levels[strongest[number]].at_most(levels[level]):
                strongest[number] = level
        return tuple(strongest)

    def _ended(self, assignment: Assignment | None, optimal: bool = True) -> Found:
        self.found.assignment = assignment
        self.found.optimal = optimal and assignment is not None
        self.found.reason = self.undecided
        return self.found
