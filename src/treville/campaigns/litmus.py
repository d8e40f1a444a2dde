"""One litmus test under one model -> a report.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text
from treville.campaigns.keys import key_of, text_key
from treville.campaigns.kind import Kind, Telling, nobody
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.model_keys import model_key
from treville.campaigns.vacuity import about_model, about_states, about_test
from treville.engines.registry import OUTCOMES
from treville.engines.schedule import OUTCOME_SLICES
from treville.models.model import Model
from treville.programs.litmus.states import state_object, state_order, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.outcomes import UNKNOWN, Outcomes, outcomes, outcomes_of_all_runs
from treville.records import replace
from treville.results import Budget, BudgetExceeded, Verdict, as_warnings
from treville.results.progress import READING
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Status


class Litmus(Kind[Question, LitmusReport]):
    """Which final states a litmus test can reach."""

    name = "litmus"
    report = LitmusReport

    def blank(self, question: Question) -> LitmusReport:
        """Nothing is known."""
        options = question.options
        return LitmusReport(
            file=question.file, model=question.model, bound=options.bound, variant=_variant(options)
        )

    def answers(
        self, questions: Sequence[Question], telling: Telling[LitmusReport]
    ) -> Iterator[LitmusReport]:
        """The reports, one by one."""
        for question in questions:
            yield answer(question, telling)

    def key(self, question: Question) -> str:
        """The test's text, the model's content, the options."""
        options = replace(question.options, limits=Options().limits)
        model = model_key(question.model, options.variants, options.bell)
        content = text_key(question.file, question.text)
        return key_of(self.name, question.file, content, model, options, question.picture)

    def warm_up(self) -> None:
        """The engines import what they need when they are made."""
        for each in OUTCOME_SLICES:
            OUTCOMES[each.engine]()


KIND = Litmus()


def answer(question: Question, telling: Telling[LitmusReport] | None = None) -> LitmusReport:
    """The report of a question."""
    started = time.monotonic()
    draft = Draft(KIND.blank(question))
    guarded(draft, lambda: _fill(draft, question, telling or nobody()))
    return replace(draft.report, seconds=round(time.monotonic() - started, 4))


def _variant(options: Options) -> str:
    """What changes the meaning of a model beside its name."""
    return ",".join([*options.variants, *([f"bell={options.bell}"] if options.bell else [])])


def _fill(draft: Draft[LitmusReport], question: Question, telling: Telling[LitmusReport]) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        test = load_test(input_text(question.file, question.text), question.file)
        name = question.model or own_model(test)
        draft.report = replace(
            draft.report,
            test=test.name,
            condition=test.quantifier.value,
            condition_text=test.condition_text,
            model=name,
        )
        model = load_model(name, options.variants, options.bell)
    notices = [*test.program.notices, *about_model(model), *about_test(test)]
    draft.report = replace(draft.report, warnings=as_warnings(notices))
    found = _outcomes(test, model, options, budget)
    warnings = as_warnings(notices, about_states(test, len(found.states)))
    draft.report = replace(_filled(draft.report, test, found), warnings=warnings)
    # Only where all runs were looked at something never happens.
    options = replace(options, bound=found.bound, explain=options.explain and found.observation != UNKNOWN)
    if options.explain or options.executions or options.svg or options.dot:
        from treville.campaigns.walk import walk

        telling.provisional(draft.report)
        try:
            walk(draft, replace(question, options=options), test, model, budget)
        except BudgetExceeded as error:
            note = f"not all executions were looked at: {error.reason}"
            draft.report = replace(draft.report, note=note)


def _outcomes(test: LitmusTest, model: Model, options: Options, budget: Budget) -> Outcomes:
    if options.bound is not None and options.as_herd:
        return outcomes(test, model, options.bound, budget, options.engine, options.alias)
    return outcomes_of_all_runs(test, model, options.bound, budget, options.engine, options.alias)


def _filled(report: LitmusReport, test: LitmusTest, found: Outcomes) -> LitmusReport:
    good = sum(state_satisfies(test, state) for state in found.states)
    bad = len(found.states) - good
    negated = test.quantifier is Quantifier.NOT_EXISTS
    verdict, reason = _verdict(found)
    undecided = found.observation == UNKNOWN and verdict is Verdict.UNKNOWN
    return replace(
        report,
        status=Status.UNKNOWN if undecided else Status.DONE,
        verdict=verdict,
        reason=reason,
        holds=found.holds,
        condition_holds=found.condition_holds,
        observation=found.observation,
        states=tuple(state_object(test, state) for state in sorted(found.states, key=state_order)),
        states_complete=found.complete,
        flags=tuple(found.flags),
        positive=found.positive,
        negative=found.negative,
        positive_states=bad if negated else good,
        negative_states=good if negated else bad,
        engine=found.engine,
        bound=found.bound,
        bound_reached=found.bound_reached,
        unfinished=found.unfinished,
    )


def _verdict(found: Outcomes) -> tuple[Verdict, str]:
    if found.undefined:
        return Verdict.UNKNOWN, f"undefined behaviour ({', '.join(found.flags)})"
    cut = f"a loop was cut at the bound {found.bound}"
    if found.condition_holds is None:
        seen = f"{len(found.states)} final state{'s' if len(found.states) != 1 else ''}"
        reason = f"{cut}, and what was explored ({seen}) does not decide (raise --bound)"
        return Verdict.UNKNOWN, reason
    told = found.unfinished and (found.observation != UNKNOWN or not found.complete)
    return Verdict.PASS if found.condition_holds else Verdict.FAIL, f"{cut} (raise --bound)" if told else ""
