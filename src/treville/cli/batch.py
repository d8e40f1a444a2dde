"""The options that all commands with inputs share, and what they do with the reports of a batch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from treville.campaigns.inputs import STANDARD_INPUT, expand, given_text
from treville.campaigns.kind import Kind, Limits, Question
from treville.campaigns.outputs import write_text
from treville.campaigns.run import Settings, run
from treville.cli.arguments import megabytes, positive, seconds_or_none
from treville.cli.terminal import Terminal
from treville.rendering.github import annotation
from treville.rendering.style import Style, Text, harmless
from treville.results.defaults import SECONDS
from treville.results.errors import InputError, SchedulerLost
from treville.results.reports.report import Report, as_object
from treville.results.verdict import ExitCode, batch_exit

if TYPE_CHECKING:
    from treville.campaigns.journal import Journal

Q = TypeVar("Q", bound=Question)
R = TypeVar("R", bound=Report)
INPUTS = "FILE|DIR|@LIST|-"


def add_batch(parser: argparse.ArgumentParser, inputs: str, each: str, *, optional: bool = False) -> None:
    """The inputs of a command, and how a batch of questions is run. `each` says what a question is about."""
    number = "*" if optional else "+"
    parser.add_argument("inputs", nargs=number, metavar=INPUTS, help=f"{inputs}; - is standard input")
    add_running(parser, each)


def add_running(parser: argparse.ArgumentParser, each: str) -> None:
    """How a batch of questions is run, and what is told of it."""
    group = parser.add_argument_group("batches and limits")
    group.add_argument("--jobs", "-j", type=positive, default=1, metavar="N", help="processes (1)")
    group.add_argument(
        "--timeout",
        type=seconds_or_none,
        default=SECONDS,
        metavar="S",
        help=f"seconds for each {each}, 0 for no limit ({SECONDS:g})",
    )
    group.add_argument(
        "--memory", type=megabytes, default=None, metavar="MB", help="megabytes of memory (no limit)"
    )
    group.add_argument(
        "--resume", metavar="FILE", help="keep answers in FILE; what it already holds is not asked again"
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS|local[:N]",
        default="",
        help="answer on a cluster of Dask, or on one of N workers made here (--jobs prepare inputs)",
    )
    group.add_argument("--quiet", "-q", action="store_true", help="no progress, no summary")
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help=f"one JSON object a line for each {each}")
    group.add_argument("--junit", metavar="FILE", help="write a report in JUnit's XML")
    group.add_argument("--sarif", metavar="FILE", help="write failures as SARIF 2.1.0")
    group.add_argument(
        "--annotate",
        action="store_true",
        help="failures and errors as annotations for GitHub, on standard error",
    )
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="coloured words (auto)"
    )


def limits_of(options: argparse.Namespace) -> Limits:
    """The limits of each question."""
    return Limits(options.timeout, options.memory)


def found_inputs(options: argparse.Namespace, suffixes: Sequence[str], what: str) -> list[str]:
    """The files that the arguments stand for, each once; that there are none is the user's mistake."""
    files = list(dict.fromkeys(expand(options.inputs, tuple(suffixes))))
    if not files:
        raise InputError(f"no {what} found", None, f"looked for *{', *'.join(suffixes)} below the folders")
    return files


def text_of(file: str) -> str | None:
    """What standard input holds where that is the input."""
    return given_text() if file == STANDARD_INPUT else None


def answer_batch(
    kind: Kind[Q, R],
    questions: Iterable[Q],
    total: int,
    files: Sequence[str],
    options: argparse.Namespace,
    text: Callable[[Style], Text[R]],
    shown: Callable[[R], dict[str, Any]] = as_object,
) -> ExitCode:
    """Answer all questions and print what they find: text, or `shown` as JSON."""
    terminal = Terminal(total, options.color, files=files, quiet=options.quiet, summary=len(files) > 1)
    answers = _Answers(options, terminal, text(terminal.style), shown)
    settings = Settings(options.jobs, len(files) >= options.jobs, options.cluster)
    journal = _journal(kind, options.resume, terminal) if options.resume else None
    try:
        with (
            nullcontext() if journal is None else journal,
            closing(run(kind, questions, settings, journal, terminal)) as reports,
        ):
            for report in reports:
                answers.take(report)
        answers.finish()
    except KeyboardInterrupt:
        advice = _how_to_go_on("interrupted", terminal.done, total, options)
        terminal.warn(advice)
        raise KeyboardInterrupt(advice) from None
    except SchedulerLost as error:
        raise SchedulerLost(_how_to_go_on(str(error), terminal.done, total, options)) from None
    finally:
        terminal.clear()
        answers.codes |= _write_summaries(kind.name, answers.kept, options, terminal)
    terminal.finish()
    return answers.exit_code()


def _journal(kind: Kind[Q, R], file: str, terminal: Terminal) -> Journal:
    from treville.campaigns.journal import Journal

    return Journal(file, kind.name, terminal.warn)


class _Answers(Generic[R]):
    """What was answered so far, and how it is told: `printed` as text, or `shown` as JSON."""

    def __init__(
        self,
        options: argparse.Namespace,
        terminal: Terminal,
        printed: Text[R],
        shown: Callable[[R], dict[str, Any]],
    ) -> None:
        self.options = options
        self.terminal = terminal
        self.printed = printed
        self.shown = shown
        self.kept: list[R] = []  # for summaries
        self.codes: set[ExitCode] = set()
        self._told = ""  # the last complaint: questions about one file follow each other
        self._senseless = False  # was something asked that makes no sense for its input?

    def take(self, report: R) -> None:
        """Tell of one more report."""
        options, terminal = self.options, self.terminal
        if report.left_out:
            self._leave_out(report)
            return
        self.codes.add(report.exit_code)
        if options.junit or options.sarif:
            self.kept.append(report)
        if options.json:
            terminal.print_object(self.shown(report))
        else:
            self._print(report)
        if options.annotate:
            _annotate(report, terminal)
        for artifact in report.artifacts:
            self.codes |= _written(artifact.name, artifact.text, terminal)

    def finish(self) -> None:
        """There are no more."""
        if not self.options.json:
            self.terminal.print(self.printed.finish())

    def exit_code(self) -> ExitCode:
        """That of the whole batch."""
        return batch_exit({ExitCode.INPUT} if self._senseless and not self.codes else self.codes)

    def _leave_out(self, report: R) -> None:
        """A question that makes no sense for its input is told of if somebody asked it."""
        if report.reason:
            self.terminal.warn(report.reason)
            self._senseless = True

    def _print(self, report: R) -> None:
        """What is wrong with an input is told once, whatever was asked about it."""
        complaint = report.complaint()
        if complaint and complaint != self._told:
            self.terminal.warn(complaint)
            self._told = complaint
        self.terminal.print(self.printed.add(report))


def _how_to_go_on(why: str, done: int, total: int, options: argparse.Namespace) -> str:
    many = f"{done} of {total} questions are answered" if total > 1 else "the question is not answered"
    if options.resume:
        return f"{why}: {many}; the same command with --resume {options.resume} goes on from there"
    return f"{why}: {many}" + ("; with --resume FILE a later run goes on from there" if total > 1 else "")


def _annotate(report: Report, terminal: Terminal) -> None:
    line = annotation(report)
    if line:
        terminal.clear()
        print(harmless(line), file=sys.stderr, flush=True)


def _write_summaries(
    command: str, reports: Sequence[Report], options: argparse.Namespace, terminal: Terminal
) -> set[ExitCode]:
    """What other tools read; also of a batch that was interrupted."""
    codes: set[ExitCode] = set()
    if options.junit:
        from treville.rendering.junit import junit

        codes |= _written(options.junit, junit(command, reports), terminal)
    if options.sarif:
        from treville.rendering.sarif import sarif

        codes |= _written(options.sarif, sarif(command, reports), terminal)
    return codes


def _written(name: str, text: str, terminal: Terminal) -> set[ExitCode]:
    """Write a file; that it cannot be written is told, and ends nothing."""
    try:
        write_text(Path(name), text)
    except InputError as error:
        terminal.warn(str(error))
        return {ExitCode.INPUT}
    return set()
