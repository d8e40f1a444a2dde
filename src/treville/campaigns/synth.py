"""Tests and a space of models -> a report."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from treville.campaigns.expectations import checked, expected_tests, given_tests, named_tests
from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import read_text
from treville.campaigns.keys import key_of, text_key, unrepeatable
from treville.campaigns.kind import Kind, Limits, StaysHere, Telling
from treville.campaigns.loading import load_model
from treville.campaigns.model_keys import model_key
from treville.models.library import find_model
from treville.questions.comparison.dialects import dialect_for, own_dialect
from treville.questions.synthesis.answer import Answer, Found, Judgement, judge
from treville.questions.synthesis.decide import synthesise
from treville.questions.synthesis.explaining import commented, uncommented
from treville.questions.synthesis.problem import Method, Problem, Requirement, Space
from treville.questions.synthesis.sketches import Sketch, read_sketch, without_title
from treville.questions.synthesis.uniqueness import Learner, Learnt, Oracle
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.records import dataclass, field, replace
from treville.results import Budget, BudgetExceeded, disk
from treville.results.progress import READING
from treville.results.reports.report import Artifact, Status
from treville.results.reports.synth import AskedTest, GivenTest, HeldBack, SynthReport
from treville.results.verdict import Verdict

# The tests that an oracle is asked for that is about no architecture, if nobody says which.
_ANY = "PPC"
_STILL_LOOKING = "a model explains the tests, and other models that do were still looked for"


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville synth` was asked. Files are expanded already."""

    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    column: str = ""
    root: str = ""
    base: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    weaker: str = ""
    sketch: str = ""
    axioms: int | None = None
    size: int | None = None
    recursion: int = 0
    method: str = Method.AUTO.value
    unique: bool = False
    events: int = 4
    oracle: str = ""
    ask: bool = False
    dialect: str = ""
    holdout: float = 0.0
    seed: int = 0
    output: str = ""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Question:
    """One synthesis; `file` names what it is made from."""

    file: str
    options: Options

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


def _nobody_knows(_: object) -> None:
    """Nobody is there to tell the outcome of a test."""


class Synth(Kind[Question, SynthReport]):
    """Which model explains the tests?"""

    name = "synth"
    report = SynthReport

    def __init__(self, ask: Oracle = _nobody_knows) -> None:
        """`ask` is who is asked for outcomes of tests that are missing."""
        self.ask = ask
        self.talks = ask is not _nobody_knows

    def blank(self, question: Question) -> SynthReport:
        """Nothing is known."""
        return SynthReport(file=question.file, method=question.options.method)

    def answers(self, questions: Sequence[Question], telling: Telling[SynthReport]) -> Iterator[SynthReport]:
        """The reports, one by one."""
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, telling, self.ask))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def read(self, question: Question) -> None:
        """One question about whole folders, read as it is answered."""
        raise StaysHere("models are learnt where the tests are")

    def key(self, question: Question) -> str:
        """The texts of all tests, also of those that results name, of the models, and the options."""
        options = replace(question.options, limits=Limits())
        tests = [*options.allowed, *options.forbidden, *options.expect]
        for path in options.expect:
            tests += named_tests(path, options.column, options.root)
        texts = [text_key(test, None) for test in tests]
        models = model_key(options.weaker), model_key(options.oracle)
        return key_of(self.name, question.file, texts, models, _sketch_key(options.sketch), options)


KIND = Synth()


def _sketch_key(path: str) -> str:
    """The text of a sketch; what it includes may have changed."""
    if path and disk.is_file(Path(path)) and "include" in disk.read_text(path):
        return unrepeatable()
    return text_key(path, None) if path else ""


def _fill(
    draft: Draft[SynthReport],
    question: Question,
    telling: Telling[SynthReport],
    ask: Oracle,
) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        requirements = _requirements(options)
        dialect = _dialect(options, requirements)
    learnt, kept_back = _split(requirements, options.holdout, options.seed)
    vocabulary, space, sketch = _space(options, dialect)
    problem = Problem(dialect, tuple(learnt), space)
    draft.report = replace(draft.report, tests=len(learnt))
    writer = _Writer(question, problem, budget)

    def on_found(found: Found) -> None:
        if not judge(found.resolved(), problem.requirements, budget, "judging the model").unknown:
            answer = Answer(Verdict.PASS, found=found, method=Method.ENUMERATE)
            better = writer.report(draft.report, answer, None)
            draft.report = replace(better, warnings=("a smaller model was still looked for",))
            telling.provisional(draft.report)

    def on_learnt(learnt: Learnt) -> None:
        if learnt.answer.found is not None:
            known = replace(draft.report, tests=len(learnt.problem.requirements))
            answer = replace(learnt.answer, verdict=Verdict.UNKNOWN, reason=_STILL_LOOKING)
            draft.report = writer.report(known, answer, None, learnt, final=False)
            telling.provisional(draft.report)

    learned: Learnt | None = None
    if options.unique:
        learner = Learner(problem, vocabulary, sketch, options.events, budget, on_learnt)
        learned = _learn(learner, options, ask)
        answer = learned.answer
        writer.problem = learned.problem
        draft.report = replace(draft.report, tests=len(learned.problem.requirements))
    else:
        try:
            answer = synthesise(problem, vocabulary, sketch, budget, on_found)
        except BudgetExceeded:
            if draft.report.model is None:
                raise
            return
    draft.report = replace(draft.report, warnings=())
    judged = None
    if answer.found is not None and kept_back:
        judged = judge(answer.found.resolved(), kept_back, budget, "judging what was kept back")
    draft.report = writer.report(draft.report, answer, judged, learned)


def _learn(learner: Learner, options: Options, ask: Oracle) -> Learnt:
    """Ask for the tests that are missing: a model, the person at the terminal, or nobody."""
    if options.oracle:
        return learner.from_model(load_model(options.oracle))
    return learner.by_asking(ask if options.ask else _nobody_knows)


def _dialect(options: Options, requirements: Sequence[Requirement]) -> str:
    """That of the tests; without tests that of the oracle. Raises `InputError` where tests of it have no
    meaning under the oracle."""
    if not options.oracle:
        return checked(requirements)
    oracle = load_model(options.oracle)
    if requirements:
        asked = checked(requirements)
    else:
        asked = options.dialect or own_dialect(oracle) or _ANY
    return dialect_for(oracle, oracle, asked)


def _requirements(options: Options) -> list[Requirement]:
    out = given_tests(options.allowed, True) + given_tests(options.forbidden, False)
    for path in options.expect:
        out += expected_tests(path, options.column, options.root)
    return out


def _split(
    requirements: Sequence[Requirement], share: float, seed: int
) -> tuple[list[Requirement], list[Requirement]]:
    """What is learnt from, and a random share of the tests that is kept back."""
    if not share:
        return list(requirements), []
    tests = list(dict.fromkeys(each.file for each in requirements))
    random.Random(seed).shuffle(tests)
    back = set(tests[: round(share * len(tests))])
    learnt = [each for each in requirements if each.file not in back]
    return learnt, [each for each in requirements if each.file in back]


def _space(options: Options, dialect: str) -> tuple[Vocabulary, Space, Sketch | None]:
    known, folder, weaker = "", None, None
    if options.weaker:
        weaker = load_model(options.weaker)
        path = find_model(options.weaker)
        known, folder = without_title(read_text(str(path))), path.parent
    vocabulary = Vocabulary(dialect, known, folder)
    vocabulary.resolved(options.base)
    vocabulary.resolved(options.minus, "--minus")
    sketch = None
    if options.sketch:
        path = Path(options.sketch)
        sketch = read_sketch(vocabulary.prelude, read_text(options.sketch), options.sketch, path.parent)
    space = Space(
        options.base, options.minus, options.axioms, options.size, options.recursion,
        _method(options), weaker,
    )  # fmt: skip
    return vocabulary, space, sketch


def _method(options: Options) -> Method:
    """Small models that explain few tests are seldom what is meant: who asks for tests gets larger ones."""
    asked = Method(options.method)
    return Method.PARTS if asked is Method.AUTO and options.unique and not options.base else asked


class _Writer:
    """Answers -> reports, with the model's file."""

    def __init__(self, question: Question, problem: Problem, budget: Budget) -> None:
        self.question = question
        self.problem = problem
        self.budget = budget

    def report(
        self,
        report: SynthReport,
        answer: Answer,
        judged: Judgement | None,
        learnt: Learnt | None = None,
        final: bool = True,
    ) -> SynthReport:
        """The report of an answer; without reasons for the axioms where it is not the `final` one."""
        options = self.question.options
        found = answer.found
        model = None
        if found is not None and final:
            model = commented(found, self.problem, self.question.file, self.budget)
        elif found is not None:
            model = uncommented(found, self.question.file)
        report = replace(
            report,
            verdict=answer.verdict,
            status=Status.UNKNOWN if answer.verdict is Verdict.UNKNOWN else Status.DONE,
            reason=answer.reason,
            model=model,
            axioms=found.axioms if found else None,
            size=found.size if found else None,
            smallest=found.smallest if found else None,
            method=answer.method,
            executions=answer.executions,
            candidates=answer.candidates,
            holdout=_held_back(judged),
            contradiction=tuple(
                GivenTest(test=each.name, file=each.file, allowed=each.allowed)
                for each in answer.contradiction
            ),
            stages={name: round(seconds, 3) for name, seconds in self.budget.stages.items()},
            artifacts=(Artifact(options.output, model),) if options.output and model else (),
        )
        if learnt is not None:
            missing = tuple(
                AskedTest(test=each.difference.name, text=each.difference.text, allowed=each.allowed)
                for each in learnt.asked
            )
            unique = learnt.unique if final else None
            report = replace(report, unique=unique, events=self.question.options.events, missing=missing)
        return replace(report, text=_text(report, judged))


def _held_back(judged: Judgement | None) -> HeldBack | None:
    if judged is None:
        return None
    return HeldBack(right=judged.right, wrong=len(judged.wrong), unknown=len(judged.unknown))


def _text(report: SynthReport, judged: Judgement | None) -> str:
    lines = [f"{report.verdict.value}: {_headline(report)}"]
    for each in report.contradiction:
        lines.append(f"  {'allowed  ' if each.allowed else 'forbidden'}  {each.test} ({each.file})")
    if report.holdout is not None and judged is not None:
        held = report.holdout
        lines.append(f"  kept back: {held.right} right, {held.wrong} wrong, {held.unknown} unknown")
        for wrong in judged.wrong[:5]:
            lines.append(f"    {'forbids' if wrong.allowed else 'allows'} {wrong.name} ({wrong.file})")
    if report.missing is not None:
        lines += _told_apart(report)
    if report.model:
        lines += ["", report.model.rstrip()]
    return "\n".join(lines)


def _told_apart(report: SynthReport) -> list[str]:
    """Whether the tests determine the model, and which ones were missing."""
    missing = report.missing or ()
    lines = []
    if report.unique and missing:
        lines.append(f"  unique up to {report.events} events, with {len(missing)} tests that were missing:")
    elif report.unique:
        lines.append(f"  unique up to {report.events} events: no other model that was found differs")
    elif missing and (report.model is None or report.unique is None):
        lines.append(f"  after {len(missing)} tests that were asked for:")
    elif missing:
        lines.append(
            "  not unique: another model explains the tests as well, and differs in the last of these"
        )
    words = {True: "allowed", False: "forbidden", None: "unknown"}
    lines += [f"    {words[each.allowed]:<9}  {each.test}" for each in missing]
    if missing and missing[-1].allowed is None:
        lines += ["", *(f"    {line}" for line in missing[-1].text.rstrip().splitlines())]
    return lines


def _headline(report: SynthReport) -> str:
    if report.verdict is not Verdict.PASS:
        return report.reason
    axioms = f"{report.axioms} axiom{'s' if report.axioms != 1 else ''}"
    smallest = "no smaller one exists over this base" if report.smallest else f"by {report.method}"
    return (
        f"a model with {axioms} of size {report.size} explains {report.tests} requirements "
        f"({report.executions} executions forbidden, {report.candidates:,} candidates; {smallest})"
    )
