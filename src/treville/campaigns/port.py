"""One program and a pair of models -> a report.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text, read_text
from treville.campaigns.keys import key_of, program_key, text_key
from treville.campaigns.kind import Kind, Limits, StaysHere, Telling, nobody
from treville.campaigns.loading import cannot_leave_loops, load_model, load_test
from treville.campaigns.model_keys import model_key
from treville.campaigns.outputs import PictureName
from treville.campaigns.source_changes import source_change
from treville.campaigns.vacuity import about_model, about_test
from treville.campaigns.walk import cycle_of
from treville.models.evaluate import evaluate
from treville.passes.program import Context
from treville.programs.c import Unit, is_program, read_sources, read_unit
from treville.programs.compile_to import LANGUAGE_OF
from treville.programs.ir import Program
from treville.programs.litmus.states import state_object
from treville.programs.litmus.test import LitmusTest
from treville.programs.pts import SUFFIX as PTS
from treville.questions.portability import (
    Finding,
    Portability,
    Question,
    observed_test,
    portability,
    program_portability,
    program_subject,
)
from treville.questions.portability.reordered import steps_of
from treville.questions.portability.suggesting import PortedSubject, explain_finding
from treville.questions.repair.c_program import Asking, Compiling, CSubject
from treville.questions.repair.costs import read_costs
from treville.questions.repair.decide import Wanted, repaired
from treville.questions.repair.of_test import litmus_subject
from treville.questions.repair.pts import PtsSubject
from treville.questions.repair.subject import Subject
from treville.records import dataclass, field, replace
from treville.results import Budget, BudgetExceeded, Span, TrevilleError, Verdict, as_warnings
from treville.results.defaults import BOUND
from treville.results.progress import READING
from treville.results.reports.port import Found, Pair, PortReport, Spot, Suggestion
from treville.results.reports.report import Artifact, State, Status
from treville.witness.explanation import Explanation
from treville.witness.scene import make_scene
from treville.witness.words import execution_text, explanation_text, headline


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville port` was asked to do with every program."""

    notion: str = "state"
    direction: str = "new"
    observe: str = "condition"
    bound: int = BOUND
    engine: str = "auto"
    dead: bool = False
    solver: str = "clasp"
    leave_loops: bool = False
    limits: Limits = field(default_factory=Limits)
    suggest: bool = False
    svg: str = ""
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class PortQuestion:
    """One file and a pair of models. `text` is what standard input held."""

    file: str
    source: str
    target: str
    options: Options = field(default_factory=Options)
    picture: PictureName = field(default_factory=PictureName)
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Port(Kind[PortQuestion, PortReport]):
    """Does a program behave under one model as under the other?"""

    name = "port"
    report = PortReport

    def blank(self, question: PortQuestion) -> PortReport:
        """Nothing is known."""
        options = question.options
        return PortReport(
            file=question.file,
            source=question.source,
            target=question.target,
            notion=options.notion,
            direction=options.direction,
            observe=options.observe,
            bound=options.bound,
            dead=options.dead,
        )

    def answers(
        self, questions: Sequence[PortQuestion], telling: Telling[PortReport]
    ) -> Iterator[PortReport]:
        """The reports, one by one."""
        for question in questions:
            yield answer(question, telling)

    def read(self, question: PortQuestion) -> None:
        """Both models, the test's text or what the compiler makes of the program. Changed programs, as
        suggestions are, are compiled again and again."""
        compiled = question.text is None and is_program(Path(question.file))
        if compiled and question.options.suggest:
            raise StaysHere("changes are suggested where the sources are")
        for name in (question.source, question.target):
            load_model(name)
        input_text(question.file, question.text)
        if compiled:
            read_sources(_unit(question))

    def key(self, question: PortQuestion) -> str:
        """The contents of the program and of both models, the options."""
        options = replace(question.options, limits=Options().limits)
        if question.text is None and is_program(Path(question.file)):
            content = program_key((question.file, *options.others), options.includes)
        else:
            content = text_key(question.file, question.text)
        models = (model_key(question.source), model_key(question.target))
        return key_of(self.name, question.file, content, models, options, question.picture)


KIND = Port()


def answer(question: PortQuestion, telling: Telling[PortReport] | None = None) -> PortReport:
    """The report of a question."""
    started = time.monotonic()
    draft = Draft(KIND.blank(question))
    guarded(draft, lambda: _fill(draft, question, telling or nobody()))
    return replace(draft.report, seconds=round(time.monotonic() - started, 4))


# -- the answer ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Asked:
    """A program and how to ask about it: about the program itself, and about versions of it with fences.
    `view` is a test with the program and its name; `state` shows a state."""

    view: LitmusTest
    ask: Callable[[Program, Question, Budget], Portability]
    state: Callable[[Finding], State]
    subject: Callable[[], Subject]


def _fill(draft: Draft[PortReport], asked_about: PortQuestion, telling: Telling[PortReport]) -> None:
    options = asked_about.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        question = Question(
            load_model(asked_about.source), load_model(asked_about.target), options.notion, options.direction,
            options.observe, options.bound, options.engine, options.dead, options.solver,
        )  # fmt: skip
        compiled = asked_about.text is None and is_program(Path(asked_about.file))
        asked = _program(asked_about) if compiled else _test(asked_about, question)
    warnings = as_warnings(
        asked.view.program.notices, about_model(question.source), about_model(question.target),
        () if compiled else about_test(asked.view),
    )  # fmt: skip
    draft.report = replace(draft.report, test=asked.view.name, warnings=warnings)
    found = asked.ask(asked.view.program, question, budget)
    found.complete = found.complete and not (options.leave_loops and asked.view.program.notices)
    done = found.verdict is not Verdict.UNKNOWN
    draft.report = replace(
        draft.report,
        status=Status.DONE if done else Status.UNKNOWN,
        verdict=found.verdict,
        reason=found.reason,
        complete=found.complete if done else None,
        engine=found.engine,
        differences=found.differences,
    )
    if done and not found.complete:
        draft.report = replace(draft.report, reason=_about_bound(draft.report))
    findings = tuple(_described(finding, asked) for finding in found.findings)
    drawn = tuple(_drawn(f, asked, asked_about) for f in found.findings) if options.svg else ()
    draft.report = replace(draft.report, findings=findings, artifacts=drawn)
    if options.suggest and found.verdict is Verdict.FAIL:
        telling.provisional(draft.report)
        draft.report = replace(draft.report, suggestion=_suggestion(asked, question, budget))


def _about_bound(report: PortReport) -> str:
    if report.verdict is Verdict.PASS:
        return f"a loop was cut at the bound {report.bound} (raise --bound)"
    if report.notion == "state":
        return f"a loop was cut at the bound {report.bound}: longer runs may reach the state on both machines"
    return ""


def _test(asked: PortQuestion, question: Question) -> _Asked:
    leave_after = asked.options.bound if asked.options.leave_loops else None
    test = load_test(input_text(asked.file, asked.text), asked.file, leave_after)
    shown = observed_test(test, question)

    def ask(program: Program, question: Question, budget: Budget) -> Portability:
        return portability(replace(test, program=program), question, budget)

    def subject() -> Subject:
        text = input_text(asked.file, asked.text)
        if asked.file.endswith(PTS):
            return PtsSubject(text, asked.file, leave_after)
        return litmus_subject(text, asked.file)

    return _Asked(test, ask, lambda finding: state_object(shown, finding.state), subject)


def _program(asked: PortQuestion) -> _Asked:
    options = asked.options
    if options.leave_loops:
        raise cannot_leave_loops(asked.file)
    read_text(asked.file)  # a file that cannot be read is refused here, with a plain sentence
    program = _unit(asked).program(options.bound)
    subject = program_subject(program)
    shown = LitmusTest(Path(asked.file).stem, "C", program, observed=tuple(subject.observed))

    def ask(program: Program, question: Question, budget: Budget) -> Portability:
        return program_portability(program_subject(program), question, budget)

    def state(finding: Finding) -> State:
        failed = finding.state[0]
        if isinstance(failed, int) and failed:
            return {"assertion": subject.assertions[failed - 1]}
        return state_object(shown, subject.final(finding.execution)[1:])

    compiling = Compiling(options.defines, options.includes, options.others, options.sandbox)
    asking = Asking(bound=options.bound)
    return _Asked(shown, ask, state, lambda: CSubject(asked.file, compiling, asking))


def _unit(asked: PortQuestion) -> Unit:
    options = asked.options
    return read_unit(
        Path(asked.file), options.defines, options.includes, options.others, options.sandbox
    )


def _described(finding: Finding, asked: _Asked) -> Found:
    """A finding for people: the state, and which axiom forbids the execution."""
    explanation = explain_finding(finding)
    model, execution, program = finding.forbidden_by, finding.execution, asked.view.program
    return Found(
        direction=finding.direction,
        state=asked.state(finding),
        allowed_by=finding.allowed_by.name,
        forbidden_by=model.name,
        axiom=explanation.axiom.name,
        cycle=cycle_of(explanation),
        steps=_steps(finding, explanation),
        lines_matter=asked.view.dialect in LANGUAGE_OF,
        execution=execution_text(execution, program),
        text=explanation_text(explanation, execution, program, model),
    )


def _steps(finding: Finding, explanation: Explanation) -> tuple[Pair, ...]:
    """The pairs of accesses of one thread whose order makes up the cycle, and whether the model that allows
    the execution keeps it."""
    return tuple(
        Pair(
            thread=first.thread,
            first=_where(first.span, first.text),
            second=_where(second.span, second.text),
            kept=kept,
        )
        for first, second, kept in steps_of(finding, explanation)
        if first.span and second.span
    )


def _where(span: Span, text: str) -> Spot:
    return Spot(file=span.file, line=span.line, column=span.column, text=(text or span.line_text).strip())


def _drawn(finding: Finding, asked: _Asked, question: PortQuestion) -> Artifact:
    from treville.witness import svg

    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    explanation = explain_finding(finding)
    scene = make_scene(execution, asked.view.program, explanation, model=model, values=judged.values)
    scene.title = asked.view.name
    scene.footer = " ".join(f"{name}={value};" for name, value in asked.state(finding).items())
    scene.subtitle = f"allowed by {finding.allowed_by.name}, forbidden: {headline(explanation, model)}"
    stem = question.picture.stem(question.file, Path(question.source).stem, Path(question.target).stem)
    return Artifact(str(Path(question.options.svg) / f"{stem}-{finding.direction}.svg"), svg.draw(scene))


def _suggestion(asked: _Asked, question: Question, budget: Budget) -> Suggestion:
    """Changes that would make the program portable, or why there are none to suggest."""
    question = replace(question, direction="new")
    dialect = asked.view.dialect
    try:
        subject = PortedSubject(
            asked.subject(), lambda program, spent: asked.ask(program, question, spent), dialect
        )
        context = Context(question.target, None, dialect)
        found = repaired(subject, [context], Wanted(), read_costs(), budget)
    except BudgetExceeded as error:
        return Suggestion(note=f"no changes were found: {error.reason}")
    except TrevilleError as error:
        return Suggestion(note=f"no changes were found: {error}")
    if found.verdict is not Verdict.PASS and not found.changes:
        helpless = found.verdict is Verdict.FAIL
        return Suggestion(note="fences and orders do not help" if helpless else found.reason)
    changes = tuple(map(source_change, found.changes))
    note = "" if found.verdict is Verdict.PASS else found.reason
    return Suggestion(changes=changes, cost=found.cost, optimal=found.optimal, diff=found.diff, note=note)
