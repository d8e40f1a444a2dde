"""Two models -> a report of tests that tell them apart; one model -> a report of its conformance suite.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`. What was found before a limit stays in the report.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.keys import key_of
from treville.campaigns.kind import Kind, Limits, Telling, nobody
from treville.campaigns.loading import load_model
from treville.campaigns.model_keys import model_key
from treville.campaigns.outputs import file_name
from treville.campaigns.vacuity import about_model
from treville.models.model import Model
from treville.questions.comparison.dialects import dialect_for
from treville.questions.comparison.search import (
    MOST_THREADS,
    Difference,
    Scope,
    Search,
    distinctly_named,
    forbidden_execution,
)
from treville.questions.comparison.suite import Suite, conformance_suite
from treville.questions.executions import Judged
from treville.records import dataclass, field, replace
from treville.results import Budget, BudgetExceeded, Verdict, as_warnings
from treville.results.progress import READING
from treville.results.reports.compare import CompareReport, RelaxedAxiom, Separation
from treville.results.reports.report import Artifact, Status
from treville.witness.explanation import Explanation, explain
from treville.witness.scene import make_scene
from treville.witness.words import explanation_text, headline

EVENTS = 6
BOTH, LEFT, RIGHT = "both", "left", "right"


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville compare` was asked to do with every pair of models. `folder` is where tests
    go, `svg` where pictures go."""

    events: int = EVENTS
    threads: int = MOST_THREADS
    locations: int | None = None
    dialect: str | None = None
    direction: str = BOTH
    all: bool = False
    folder: str = ""
    svg: str = ""
    limits: Limits = field(default_factory=Limits)

    def scope(self, dialect: str) -> Scope:
        """Where to look."""
        return Scope(dialect, self.events, self.threads, self.locations)


@dataclass(frozen=True, slots=True)
class CompareQuestion:
    """Two models, or one (`right` is empty) for its suite."""

    left: str
    right: str
    options: Options = field(default_factory=Options)

    @property
    def file(self) -> str:
        """What it is about."""
        return f"{self.left} {self.right}".strip()

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Compare(Kind[CompareQuestion, CompareReport]):
    """Which tests tell two models apart?"""

    name = "compare"
    report = CompareReport

    def blank(self, question: CompareQuestion) -> CompareReport:
        """Nothing is known."""
        options = question.options
        return CompareReport(
            file=question.file,
            left=question.left,
            right=question.right,
            events=options.events,
            threads=options.threads,
            locations=options.locations,
            direction=options.direction,
            all=options.all,
        )

    def answers(
        self, questions: Sequence[CompareQuestion], telling: Telling[CompareReport]
    ) -> Iterator[CompareReport]:
        """The reports, one by one."""
        for question in questions:
            yield answer(question, telling)

    def key(self, question: CompareQuestion) -> str:
        """The contents of both models, and the options."""
        options = replace(question.options, limits=Options().limits)
        models = (model_key(question.left), model_key(question.right))
        return key_of(self.name, question.file, models, options)


KIND = Compare()


def answer(question: CompareQuestion, telling: Telling[CompareReport] | None = None) -> CompareReport:
    """The report of a question."""
    started = time.monotonic()
    draft = Draft(KIND.blank(question))
    guarded(draft, lambda: _Comparison(draft, question, telling or nobody()).fill())
    return replace(draft.report, seconds=round(time.monotonic() - started, 4))


_TELLS = {
    BOTH: "tells them apart",
    LEFT: "is allowed by the left one and forbidden by the right one",
    RIGHT: "is allowed by the right one and forbidden by the left one",
}


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """One direction: the names of both models as they were given, the one that forbids, and the search."""

    allowing: str
    forbidding: str
    model: Model
    search: Search


class _Comparison:
    """A report on its way."""

    def __init__(
        self, draft: Draft[CompareReport], question: CompareQuestion, telling: Telling[CompareReport]
    ) -> None:
        self.draft = draft
        self.question = question
        self.options = question.options
        self.telling = telling
        limits = self.options.limits
        self.pictures: list[Artifact] = []
        self.budget = Budget(limits.seconds, limits.memory, listener=telling.progress)

    def fill(self) -> None:
        """Load the models, look, tell."""
        with self.budget.stage(READING):
            left = load_model(self.question.left)
            right = load_model(self.question.right) if self.question.right else left
            dialect = dialect_for(left, right, self.options.dialect)
        models = (left, right) if self.question.right else (left,)
        warnings = as_warnings((), *map(about_model, models))
        self.draft.report = replace(self.draft.report, dialect=dialect, warnings=warnings)
        if self.question.right:
            self._compare(left, right, self.options.scope(dialect))
        else:
            self._suite(left, self.options.scope(dialect))

    # -- two models --------------------------------------------------------------------------------------

    def _compare(self, left: Model, right: Model, scope: Scope) -> None:
        """Both directions grow together, so that what is known is known of both."""
        ways = {
            LEFT: _Way(
                self.question.left, self.question.right, right, Search(left, right, scope, self.budget)
            ),
            RIGHT: _Way(
                self.question.right, self.question.left, left, Search(right, left, scope, self.budget)
            ),
        }
        wanted = (LEFT, RIGHT) if self.options.direction == BOTH else (self.options.direction,)
        searches = [ways[way] for way in wanted]
        found: list[tuple[Difference, _Way]] = []
        try:
            self._look(searches, found, scope)
        except BudgetExceeded as error:
            if not found:
                raise
            beyond = f"{error.reason}: tests of more than {self.draft.report.searched or 0} accesses"
            reason = f"{beyond} were not all looked at"
            self.draft.report = replace(self.draft.report, reason=reason, limit=error.limit)
        if not found:
            reason = f"no test of up to {scope.events} accesses {_TELLS[self.options.direction]}"
            self.draft.report = replace(
                self.draft.report, verdict=Verdict.PASS, status=Status.DONE, reason=reason
            )

    def _look(
        self,
        searches: Sequence[_Way],
        found: list[tuple[Difference, _Way]],
        scope: Scope,
    ) -> None:
        """Put the differences into the report, and into a list: the first of each direction, or all."""
        unfinished = list(searches)
        for size in range(1, scope.events + 1):
            for way in tuple(unfinished):
                for difference in way.search.of_size(size, minimal=self.options.all):
                    found.append((difference, way))
                    if not self.options.all:
                        unfinished.remove(way)
                        break
                self._tell(found)
            self.draft.report = replace(self.draft.report, searched=size)
            if not unfinished:
                break

    def _tell(self, found: Sequence[tuple[Difference, _Way]]) -> None:
        """What is known stands if the worker is stopped."""
        if len(found) == len(self.draft.report.differences):
            return
        tests = distinctly_named([difference for difference, _ in found])
        known = {each.text: each for each in self.draft.report.differences}
        shown = [
            known.get(test.text) or self._shown(test, way.model, way.allowing, way.forbidding)
            for test, (_, way) in zip(tests, found, strict=True)
        ]
        self.draft.report = replace(
            self.draft.report,
            differences=tuple(shown),
            verdict=Verdict.FAIL,
            status=Status.DONE,
            artifacts=tuple(self._artifacts(shown)),
        )
        self.telling.provisional(self.draft.report)

    def _shown(
        self, difference: Difference, forbidding: Model, allowed_by: str, forbidden_by: str
    ) -> Separation:
        """A difference for people; models have the names that they were given by."""
        judged = forbidden_execution(difference, forbidding, self.budget)
        axiom = judged.evaluation.violated[0]
        explanation = explain(judged.execution, forbidding, judged.evaluation.values, axiom)
        text = explanation_text(explanation, judged.execution, difference.test.program, forbidding)
        if self.options.svg:
            self._draw(difference, forbidding, judged, explanation)
        return Separation(
            allowed_by=allowed_by,
            forbidden_by=forbidden_by,
            events=difference.events,
            threads=difference.threads,
            locations=difference.locations,
            test=difference.name,
            condition=difference.condition,
            axiom=axiom.name,
            text=difference.text,
            explanation=text,
            written=self._file(difference.name),
        )

    def _draw(
        self, difference: Difference, forbidding: Model, judged: Judged, explanation: Explanation
    ) -> None:
        from treville.witness import svg

        scene = make_scene(
            judged.execution, difference.test.program, explanation,
            model=forbidding, values=judged.evaluation.values,
        )  # fmt: skip
        scene.title = difference.name
        scene.footer = difference.condition
        forbidden = headline(explanation, forbidding)
        scene.subtitle = f"allowed by {difference.allowed_by}, forbidden: {forbidden}"
        stem = file_name(f"{difference.name}-{difference.allowed_by}-{difference.forbidden_by}")
        self.pictures.append(Artifact(str(Path(self.options.svg) / f"{stem}.svg"), svg.draw(scene)))

    def _artifacts(self, shown: Iterable[Separation]) -> Iterator[Artifact]:
        """The tests, and the pictures."""
        yield from (Artifact(each.written, each.text) for each in shown if each.written)
        yield from self.pictures

    def _file(self, name: str) -> str | None:
        folder = self.options.folder
        return str(Path(folder) / f"{file_name(name)}.litmus") if folder else None

    # -- one model ---------------------------------------------------------------------------------------

    def _suite(self, model: Model, scope: Scope) -> None:
        known = [Suite((), ())]
        unfinished: BudgetExceeded | None = None
        try:
            known.append(conformance_suite(model, scope, self.budget, known.append))
        except BudgetExceeded as error:
            unfinished = error
        suite = known[-1]
        shown = tuple(self._shown(t, model, t.allowed_by, self.question.left) for t in suite.tests)
        unknown = sum(bool(each.given_up) for each in suite.noticed)
        self.draft.report = replace(
            self.draft.report,
            differences=shown,
            relaxations=_relaxed(suite),
            artifacts=tuple(self._artifacts(shown)),
            searched=scope.events,
            verdict=Verdict.UNKNOWN if unknown else Verdict.PASS,
            status=Status.UNKNOWN if unknown else Status.DONE,
            reason=f"{unknown} relaxations could not be decided" if unknown else "",
        )
        if unfinished is not None:
            raise unfinished


def _relaxed(suite: Suite) -> tuple[RelaxedAxiom, ...]:
    return tuple(
        RelaxedAxiom(
            axiom=each.relaxation.axiom,
            left_out=each.relaxation.left_out,
            noticed_by=each.tests,
            reason=each.given_up,
        )
        for each in suite.noticed
    )
