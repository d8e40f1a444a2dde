"""One program and the models that it must be right under -> a report with the changes that make it so.

`answers` never raises: wrong input, exhausted budgets and bugs of Treville become reports.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text, read_text
from treville.campaigns.keys import key_of, program_key, text_key
from treville.campaigns.kind import Kind, Limits, StaysHere, Telling
from treville.campaigns.loading import load_model
from treville.campaigns.model_keys import model_key
from treville.campaigns.outputs import PictureName, file_name
from treville.campaigns.source_changes import failing_execution, source_change
from treville.campaigns.vacuity import about_model, about_program, about_test
from treville.models.model import Model
from treville.passes.program import Context
from treville.programs.c import is_program
from treville.programs.edits.text import patched_from
from treville.programs.litmus import DIALECTS
from treville.programs.pts import SUFFIX as PTS
from treville.questions.repair.c_program import Asking, Compiling, CSubject
from treville.questions.repair.costs import read_costs
from treville.questions.repair.decide import Repaired, Wanted, files_to_keep, repaired
from treville.questions.repair.litmus import LitmusSubject
from treville.questions.repair.of_test import litmus_subject
from treville.questions.repair.pts import PtsSubject
from treville.questions.repair.subject import Subject
from treville.records import dataclass, field, replace
from treville.results import Budget, InputError, Notice, Verdict, as_warnings, disk
from treville.results.progress import READING
from treville.results.properties import Property
from treville.results.reports.repair import Checked, RepairReport
from treville.results.reports.report import Artifact, Status
from treville.witness.scene import make_scene
from treville.witness.words import headline

_GOALS = (Property.SAFETY, Property.ASSERTION, Property.MEMORY, Property.RACE)


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville repair` was asked to do with every program."""

    goal: Property = Property.SAFETY
    wanted: Wanted = field(default_factory=Wanted)
    costs: str = ""
    bound: int | None = None
    engine: str = "auto"
    limits: Limits = field(default_factory=Limits)
    variants: tuple[str, ...] = ()
    bell: str = ""
    svg: str = ""
    compiling: Compiling = field(default_factory=Compiling)


@dataclass(frozen=True, slots=True)
class Question:
    """A file, the models (none: the one of its language), and the file for the patch. `text` is what standard
    input held."""

    file: str
    models: tuple[str, ...]
    options: Options = field(default_factory=Options)
    output: str = ""
    picture: PictureName = field(default_factory=PictureName)
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Repair(Kind[Question, RepairReport]):
    """Which fences and orders make a program right?"""

    name = "repair"
    report = RepairReport

    def blank(self, question: Question) -> RepairReport:
        """Nothing is known."""
        options = question.options
        return RepairReport(
            file=question.file,
            models=question.models,
            property=options.goal.value,
            weaken=options.wanted.weaken,
            bound=options.bound,
        )

    def answers(
        self, questions: Sequence[Question], telling: Telling[RepairReport]
    ) -> Iterator[RepairReport]:
        """The reports, one by one."""
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, telling))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def read(self, question: Question) -> None:
        """The test's text and what else is read with it. Changed programs are compiled again and again."""
        if _is_compiled(question):
            raise StaysHere("programs are repaired where their sources are")
        super().read(question)

    def key(self, question: Question) -> str:
        """The contents of the program, of the models and of the costs, the options."""
        options = replace(question.options, limits=Limits())
        compiling = options.compiling
        if _is_compiled(question):
            content = program_key((question.file, *compiling.others), compiling.includes)
        else:
            content = text_key(question.file, question.text)
        models = tuple(model_key(name, options.variants, options.bell) for name in question.models)
        costs = text_key(options.costs, None) if options.costs else ""
        return key_of(
            self.name, question.file, content, models, costs, options, question.output, question.picture
        )


KIND = Repair()


def _is_compiled(question: Question) -> bool:
    return question.text is None and is_program(Path(question.file))


def _fill(draft: Draft[RepairReport], question: Question, telling: Telling[RepairReport]) -> None:
    options = question.options
    if options.goal not in _GOALS:
        known = ", ".join(_GOALS)
        raise InputError(f"fences and orders do not decide {options.goal}", None, f"choose from {known}")
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        table = read_costs(options.costs)
        subject = _subject(question)
        models = _models(question, subject)
        names = tuple(model.name for model in models)
        test = subject.test.name if isinstance(subject, LitmusSubject) else ""
        warnings = as_warnings(_about(subject, question), *(about_model(model) for model in models))
        draft.report = replace(draft.report, models=names, test=test, warnings=warnings)
    dialect = subject.test.dialect if isinstance(subject, LitmusSubject) else ""
    contexts = [Context(model, options.goal if not dialect else None, dialect) for model in models]
    begun = draft.report

    def tell(answer: Repaired) -> None:
        telling.provisional(_told(begun, answer, question))

    found = repaired(subject, contexts, options.wanted, table, budget, tell)
    draft.report = _told(begun, found, question)


def _subject(question: Question) -> Subject:
    options = question.options
    if _is_compiled(question):
        if question.file.endswith((".ll", ".bc", ".json")):
            raise InputError(f"{question.file}: there is no source to change", hint="repair .c files")
        read_text(question.file)  # a file that cannot be read is refused here, with a plain sentence
        asking = Asking(options.goal, options.bound, options.engine)
        return CSubject(question.file, options.compiling, asking)
    if options.goal is Property.MEMORY:
        raise InputError(f"{question.file}: a litmus test has no errors of memory")
    text = input_text(question.file, question.text)
    if question.file.endswith(PTS):
        return PtsSubject(text, question.file)
    return litmus_subject(text, question.file, options.goal is not Property.ASSERTION, options.bound)


def _models(question: Question, subject: Subject) -> list[Model]:
    names = question.models or (_own_model(subject),)
    return [load_model(name, question.options.variants, question.options.bell) for name in names]


def _about(subject: Subject, question: Question) -> Iterator[Notice]:
    """What makes the answer say little, what is not changed, and what is kept and not there."""
    for each in files_to_keep(question.options.wanted.keep, subject.texts):
        yield Notice(f"--keep {each}: nothing would be changed in a file of that name")
    if isinstance(subject, CSubject):
        program = subject.unit.program(1)
        yield from (*program.notices, *about_program(program, question.file), *subject.unchanged())
    elif isinstance(subject, LitmusSubject):
        yield from (*subject.test.program.notices, *about_test(subject.test))


def _own_model(subject: Subject) -> str:
    """The model of a test's dialect, or of the primitives that a program uses."""
    if isinstance(subject, LitmusSubject):
        return DIALECTS[subject.test.dialect]
    assert isinstance(subject, CSubject)
    return subject.own_model


# -- the report ----------------------------------------------------------------------------------------


def _told(report: RepairReport, found: Repaired, question: Question) -> RepairReport:
    done = found.verdict is not Verdict.UNKNOWN
    report = replace(
        report,
        status=Status.DONE if done else Status.UNKNOWN,
        verdict=found.verdict,
        reason=found.reason or _reason(found, report),
        sites=found.sites,
        changes=tuple(map(source_change, found.changes)),
        needed=tuple(map(source_change, found.needed)),
        cost=found.cost,
        optimal=found.optimal if found.cost is not None else None,
        diff=found.diff,
        checks=tuple(
            Checked(model=name, verdict=asked.verdict, reason=asked.reason) for name, asked in found.checks
        ),
        questions=found.asked,
        failing=failing_execution(found.refuted) if found.refuted else None,
    )
    if found.diff and (folder := patched_from(each.file for each in report.changes)) != disk.here():
        notice = f"files are elsewhere: the patch applies with patch -p1 -d {folder}"
        report = replace(report, warnings=(*report.warnings, notice))
    artifacts = [Artifact(question.output, found.diff)] if question.output and found.diff else []
    if question.options.svg:
        artifacts += _pictures(report, found, question)
    return replace(report, artifacts=tuple(artifacts))


def _reason(found: Repaired, report: RepairReport) -> str:
    if not found.changes:
        return "nothing can be weaker" if report.weaken else "nothing to do: it is right as it is"
    count = f"{len(found.changes)} change{'s' if len(found.changes) > 1 else ''}"
    least = "not known to be the cheapest"
    if found.optimal:
        least = f"nothing cheaper at {found.sites} places"
    return f"{count}, cost {found.cost}; {least}"


def _pictures(report: RepairReport, found: Repaired, question: Question) -> Iterator[Artifact]:
    """For each change, and each order that is needed, the execution that it forbids."""
    from treville.witness import svg

    stem = question.picture.file or file_name(Path(report.file).stem)
    drawn = [*found.changes, *found.needed]
    for number, change in enumerate(drawn, 1):
        forbids = change.forbids
        if forbids is not None:
            scene = make_scene(
                forbids.execution, forbids.program, forbids.explanation,
                model=forbids.model, values=forbids.judged.values,
            )  # fmt: skip
            scene.title = f"{Path(change.site.span.file).name}:{change.site.span.line}: {change.after}"
            if forbids.explanation is not None:
                scene.subtitle = f"forbidden: {headline(forbids.explanation, forbids.model)}"
            name = f"{stem}-repair-{number}.svg"
            yield Artifact(str(Path(question.options.svg) / name), svg.draw(scene))
