"""One program under one model -> a sequential program, and a report of what was bounded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from treville.campaigns import check, check_task
from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text
from treville.campaigns.keys import key_of, program_key, text_key, unrepeatable
from treville.campaigns.kind import Kind, Limits, Telling
from treville.campaigns.loading import load_model, load_test
from treville.campaigns.model_keys import model_key
from treville.events.symbolic_data import MarkKind
from treville.passes.program import Context
from treville.programs.c import Unit
from treville.programs.litmus.test import LitmusTest
from treville.questions.sequentialisation import Sequential, Wanted, sequentialised
from treville.records import dataclass, field, replace
from treville.results import Budget
from treville.results.progress import READING
from treville.results.properties import Property
from treville.results.reports.report import Artifact, Status
from treville.results.reports.sequentialise import SequentialiseReport


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville sequentialise` was asked to do with every file."""

    wanted: Wanted
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Question:
    """A program under a model, and the file to write. `text` is what standard input held."""

    file: str
    model: str
    options: Options
    output: str = ""
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Sequentialise(Kind[Question, SequentialiseReport]):
    """A program with threads as a sequential one."""

    name = "sequentialise"
    report = SequentialiseReport

    def blank(self, question: Question) -> SequentialiseReport:
        """Nothing is known."""
        wanted = question.options.wanted
        return SequentialiseReport(
            file=question.file,
            model=question.model,
            dialect=wanted.dialect.value,
            sma=wanted.sma,
            bound=wanted.bound,
            rounds=wanted.bounds.rounds,
            timestamps=wanted.bounds.timestamps,
            nodes=wanted.bounds.nodes,
            bits=wanted.bits,
            output=question.output or None,
        )

    def answers(
        self, questions: Sequence[Question], telling: Telling[SequentialiseReport]
    ) -> Iterator[SequentialiseReport]:
        """The reports, one by one; the front end runs once."""
        source = cache(partial(_read, questions[0]))
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, telling, source))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def key(self, question: Question) -> str:
        """The contents of the program and of the model, the options."""
        options = replace(question.options, limits=Limits())
        files = (question.file, *options.others)
        if _is_litmus(question):
            content = text_key(question.file, question.text)
        else:
            content = program_key(files, options.includes) if question.text is None else unrepeatable()
        return key_of(self.name, question.file, content, model_key(question.model), options, question.output)


KIND = Sequentialise()


def _is_litmus(question: Question) -> bool:
    return check.is_test(question.file, question.text)


def _read(question: Question) -> Unit | LitmusTest:
    options = question.options
    if _is_litmus(question):
        return load_test(input_text(question.file, question.text), question.file)
    asked = check_task.Options(
        defines=options.defines, includes=options.includes, others=options.others, limits=options.limits
    )
    return check.read_question(
        check_task.Question(question.file, question.model, options=asked, text=question.text)
    )


def _fill(
    draft: Draft[SequentialiseReport],
    question: Question,
    telling: Telling[SequentialiseReport],
    source: Callable[[], Unit | LitmusTest],
) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        model = load_model(question.model)
        unit = source()
    context = Context(model, Property.SAFETY)
    made = sequentialised(unit, context, options.wanted, question.file, budget)
    draft.report = _told(draft.report, made)


def _told(report: SequentialiseReport, made: Sequential) -> SequentialiseReport:
    plan = made.plan
    steps = sum(len(thread.steps) for thread in plan.threads)
    cut = any(mark.kind is MarkKind.CUT for mark, _ in plan.marks)
    shared = f"{len(plan.threads)} threads, {steps} steps, {len(plan.cells)} locations"
    bounded = f"loops go round {report.bound} times" if cut else "no loop is cut"
    reason = f"{shared}; {bounded}, {report.rounds} rounds"
    if report.model != "sc" and report.sma == "reference":
        reason += f", {report.nodes} writes in a store buffer"
    elif report.model != "sc":
        reason += f", timestamps below {report.timestamps}, {report.nodes} writes of a location"
    artifacts = (Artifact(report.output, made.text),) if report.output else ()
    return replace(
        report,
        status=Status.DONE,
        reason=reason,
        threads=len(plan.threads),
        steps=steps,
        locations=len(plan.cells),
        addresses=made.addresses,
        blocks=made.blocks,
        cut=cut,
        program=None if report.output else made.text,
        text=f"{report.output}: {report.file} under {report.model}\n  {reason}" if artifacts else made.text,
        artifacts=artifacts,
    )
