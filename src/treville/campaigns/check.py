"""One program under one model -> a report.

A C program is compiled once and checked under each model for each property; litmus tests are left to
`campaigns.check_litmus`. `answers` never raises: wrong input, exhausted budgets and bugs of Treville become
reports.
"""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from functools import cache, partial
from pathlib import Path

from treville.campaigns.check_task import Options, Question
from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text
from treville.campaigns.keys import key_of, program_key, text_key, unrepeatable
from treville.campaigns.kind import Kind, Telling
from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.model_keys import model_key
from treville.campaigns.vacuity import about_model, about_program
from treville.engines import registry
from treville.engines.contract import GaveUp, Refuted
from treville.engines.task import ProgramTask
from treville.models.model import Model
from treville.passes.program import Context
from treville.programs.c import SUFFIXES, Unit, is_program, read_sources, read_unit
from treville.programs.ir import Stop
from treville.programs.litmus import DIALECTS
from treville.programs.loops import given_bounds, place_of
from treville.questions.reachability import Answer, in_turn, reachability
from treville.records import replace
from treville.results import (
    Budget,
    BudgetExceeded,
    InputError,
    Notice,
    Verdict,
    as_warnings,
    disk,
    temporary,
)
from treville.results.progress import READING
from treville.results.properties import Error, Property
from treville.results.reports.check import CheckReport
from treville.results.reports.report import Status
from treville.witness.naming import line_name

DEFAULT_MODEL = "sc"
_COMMENTS = re.compile(r"\A(?:\s*\(\*.*?\*\))*", re.DOTALL)
_LLVM = re.compile(r"^(?:; ModuleID|source_filename =|target triple|define .*@main\()", re.MULTILINE)
_HOLDS = {
    Property.SAFETY: "no assertion can fail, no error of memory",
    Property.ASSERTION: "no assertion can fail",
    Property.MEMORY: "memory is used as it may be",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock: no thread waits for ever",
    Property.LIVENESS: "every thread ends if scheduling is fair",
    Property.VALID_MEMSAFETY: "memory is used as it may be, and none is lost",
    Property.VALID_DEREF: "every access is to an object that is there",
    Property.VALID_FREE: "every free is right",
    Property.VALID_MEMTRACK: "no memory is lost",
}
_SO_FAR = {
    Property.SAFETY: "no assertion fails, no error of memory",
    Property.ASSERTION: "no assertion fails",
    Property.MEMORY: "no error of memory",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock",
    Property.LIVENESS: "no thread waits for ever",
    Property.VALID_MEMSAFETY: "no error of memory",
    Property.VALID_DEREF: "no wrong access",
    Property.VALID_FREE: "no wrong free",
    Property.VALID_MEMTRACK: "no memory is lost",
}
# A violation tells more than what is not known, and that more than what holds.
_WEIGHT = {Verdict.FAIL: 2, Verdict.UNKNOWN: 1, Verdict.PASS: 0}
_KNOW_RACES = (registry.AUTO, "formulas", "eager", "lazy")


class Check(Kind[Question, CheckReport]):
    """Can a program violate a property?"""

    name = "check"
    report = CheckReport

    def blank(self, question: Question) -> CheckReport:
        """Nothing is known."""
        return CheckReport(
            file=question.file,
            model=question.model,
            property=question.goal.value,
            bound=question.options.bound or None,
        )

    def answers(self, questions: Sequence[Question], telling: Telling[CheckReport]) -> Iterator[CheckReport]:
        """The reports, one by one; the front end runs once."""
        source = cache(partial(read_question, questions[0]))
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            fill = _fill_litmus if _is_litmus(question) else partial(_fill, source=source)
            guarded(draft, partial(fill, draft, question, telling))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def read(self, question: Question) -> None:
        """The test's text, or what the compiler makes of the program and the lines that messages show."""
        options = question.options
        if question.model or options.bell:
            load_model(question.model or DEFAULT_MODEL, options.variants, options.bell)
        if _is_litmus(question):
            input_text(question.file, question.text)
            return
        read_sources(read_question(question))

    def key(self, question: Question) -> str:
        """The contents of the program and of the model, the property, the options."""
        options = replace(question.options, limits=Options().limits)
        if _is_litmus(question):
            content = text_key(question.file, question.text)
        elif question.text is not None:
            content = unrepeatable()
        else:
            content = program_key((question.file, *options.others), options.includes)
        model = model_key(question.model, options.variants, options.bell)
        return key_of(self.name, question.file, content, model, question.goal, options, question.picture)


KIND = Check()


def _is_litmus(question: Question) -> bool:
    return is_test(question.file, question.text)


def is_test(file: str, text: str | None) -> bool:
    """Is it a litmus test? `text` is what standard input held."""
    return file.endswith(TEST_SUFFIXES) if text is None else is_litmus(text)


def is_litmus(text: str) -> bool:
    """Standard input holds a litmus test if it begins with a dialect's name."""
    words = _COMMENTS.sub("", text).split(maxsplit=1)
    return bool(words) and words[0] in DIALECTS


def read_question(question: Question) -> Unit:
    """What standard input held is read as LLVM IR if it looks like that, else as C."""
    if question.text is None:
        return read(question.file, question.options)
    text = input_text(question.file, question.text)
    ending = "ll" if _LLVM.search(text) else "c"
    here = disk.here()
    includes = (*(str(here / folder) for folder in question.options.includes), str(here))
    others = tuple(str(here / other) for other in question.options.others)
    with temporary.folder() as folder, chdir(folder):
        path = Path(f"standard-input.{ending}")
        path.write_text(text, encoding="utf-8")
        return read(str(path), replace(question.options, includes=includes, others=others))


def _fill_litmus(draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport]) -> None:
    from treville.campaigns.check_litmus import fill_litmus

    fill_litmus(draft, question, telling)


def _fill(
    draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport], source: Callable[[], Unit]
) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    answers: list[Answer] = []
    try:
        with budget.stage(READING):
            model = load_model(question.model, options.variants, options.bell)
            named = question.model if question.model.endswith(".cat") else model.name
            draft.report = replace(draft.report, model=named)
            unit = source()
        answers.extend(_asked_in_turn(unit, model, question.goal, options, budget))
        warnings = as_warnings(*(_notices(a, question.file) for a in answers), about_model(model))
        draft.report = replace(draft.report, warnings=warnings)
        _conclude(draft, answers, question, telling)
        stats = {**draft.report.stats, "engine": _engines(answers)}
        if unit.module.compiler:
            stats["compiler"] = unit.module.compiler
        draft.report = replace(draft.report, stats=stats)
    except BudgetExceeded as error:
        raise _beside_what_holds(answers, error) from None
    except RecursionError:
        raise BudgetExceeded(
            "recursion, or threads that start threads, go too deep", "lower --bound"
        ) from None
    finally:
        seconds = {name: round(spent, 3) for name, spent in budget.stages.items()}
        draft.report = replace(draft.report, stats={**draft.report.stats, "seconds": seconds})


def _asked_in_turn(
    unit: Unit, model: Model, goal: Property, options: Options, budget: Budget
) -> Iterator[Answer]:
    """The answers to all that a property asks, up to the first that is a violation. Engines that do not know
    data races leave them to the others."""

    def ask(part: Property) -> Answer:
        context = Context(model, part, compile_to=options.compile_to, loops=options.loops)
        engine = engine_for(options, context)
        if part is not goal and engine not in _KNOW_RACES:
            engine = registry.AUTO
        return reachability(
            unit, context, options.bound or None, budget, engine, options.alias, options.rounds
        )

    for answer in in_turn(goal, model, ask):
        yield answer
        if answer.verdict is Verdict.FAIL:
            break


def _engines(answers: Sequence[Answer]) -> str:
    """Who answered, by the names of the registry."""
    return ", ".join(dict.fromkeys(answer.engine for answer in answers if answer.engine))


def _beside_what_holds(answers: Sequence[Answer], error: BudgetExceeded) -> BudgetExceeded:
    """Where one half was not decided, the other stands; what comes before races can be asked for alone."""
    held = [answer.task.property for answer in answers if answer.verdict is Verdict.PASS]
    if not held:
        return error
    told, advice = ", ".join(_HOLDS[each] for each in held), error.advice
    if Property.RACE in held:
        return BudgetExceeded(f"{told}; whether anything fails: {error.reason}", advice)
    advice = f"{advice}, or leave races out: --property assertion,memory"
    return BudgetExceeded(f"{told}; whether there are data races: {error.reason}", advice)


def _notices(answer: Answer, file: str) -> Iterator[Notice]:
    """What was assumed, and that no question was asked where the answer is not a failure."""
    task = answer.task
    yield from task.program.notices
    if Error.ASSERTION in task.property.errors and answer.verdict is not Verdict.FAIL:
        yield from about_program(task.program, file)


def engine_for(options: Options, context: Context) -> str:
    """The engine that the options ask for, by its name in the registry."""
    if (options.encoding, options.solver) != ("acyclicity", "clasp"):
        return registry.engine_name(options.encoding, options.solver)
    if options.engine != registry.AUTO:
        return options.engine
    # The machines know what the model's own architecture makes of C, and no other.
    if options.compile_to not in ("", replace(context, compile_to="").target()):
        return "lazy"
    return registry.AUTO if options.alias == "flow" else "formulas"


def read(file: str, options: Options) -> Unit:
    """A file compiled and read."""
    path = Path(file)
    if not is_program(path):
        known = ", ".join((*SUFFIXES, *TEST_SUFFIXES))
        raise InputError(f"{file}: not a program", hint=f"known endings: {known}")
    try:
        if not stat.S_ISREG(disk.stamp(path)[0]):
            raise InputError(f"cannot read {file}: it is no file")
        return read_unit(path, options.defines, options.includes, options.others, options.sandbox)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {file}: {reason}") from None


def _conclude(
    draft: Draft[CheckReport], answers: Sequence[Answer], question: Question, telling: Telling[CheckReport]
) -> None:
    """The answers as a report: a violation if there is one, else what is not known, else what holds."""
    worst = max(answers, key=lambda answer: _WEIGHT[answer.verdict])
    _tell(draft, worst, question, telling)
    if worst.verdict is Verdict.PASS:
        reason = ", ".join(_HOLDS[answer.task.property] for answer in answers)
        bound = max((a.decision.bound for a in answers if a.decision.bound), default=None)
        draft.report = replace(draft.report, reason=reason, bound=bound)


def _tell(
    draft: Draft[CheckReport], answer: Answer, question: Question, telling: Telling[CheckReport]
) -> None:
    """One answer as a report; failing executions are described and drawn."""
    decision, task = answer.decision, answer.task
    if isinstance(decision, GaveUp) and decision.bound is None:
        draft.report = replace(draft.report, stats=dict(decision.stats))
        raise decision.error or BudgetExceeded(decision.reason, decision.advice)
    draft.report = replace(
        draft.report,
        status=Status.DONE,
        verdict=answer.verdict,
        bound=decision.bound,
        stats=dict(decision.stats),
    )
    if isinstance(decision, Refuted):
        from treville.campaigns.check_witness import show_failure

        show_failure(draft, decision, task.model, task.property, question, telling)
    elif isinstance(decision, GaveUp):
        so_far = f"{_SO_FAR[task.property]} up to the bound {decision.bound}"
        cut = _cut(decision, draft.report.file)
        reason = f"{so_far}, but {cut} ({_advice(decision, task, question.options)})"
        draft.report = replace(draft.report, status=Status.UNKNOWN, reason=reason)


def _advice(gave_up: GaveUp, task: ProgramTask, options: Options) -> str:
    """Which bound to raise; loops that were given one of their own need that."""
    bounds = given_bounds(task.program, options.loops)
    places = sorted({place for i in gave_up.cut if (place := place_of(i)) is not None})
    own = [f"--loop {line}={bounds[file, line]}" for file, line in places if (file, line) in bounds]
    return "raise " + " and ".join(own + ["--bound"] * (len(own) < len(places) or not places))


def _cut(gave_up: GaveUp, file: str) -> str:
    """What was cut at the bound, with its lines."""
    places = {(i.reason if isinstance(i, Stop) else "the loop", i.span) for i in gave_up.cut}
    named = sorted(
        f"{what} in {line_name(span.file, span.line, file)}" for what, span in places if span is not None
    )
    if not named:
        return "a loop or recursion is cut there"
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} cut there"
