"""Every final state that litmus tests can reach under memory models."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from treville.campaigns.batch import run_batch
from treville.campaigns.herd import herd_block
from treville.campaigns.litmus_task import OWN_MODEL, Options
from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.results import PRIVATE_FIELDS, Journal
from treville.cli.arguments import (
    add_growing_bound,
    add_inputs,
    add_jobs,
    add_json,
    add_limits,
    add_models,
    add_pictures,
    chosen_variants,
    exit_of_error,
    found_inputs,
    memory_in_bytes,
)
from treville.cli.litmus_text import Summary, Table, print_error, witness_block
from treville.results.verdict import ExitCode, batch_exit, report_line

_SUFFIXES = TEST_SUFFIXES
_STAGES = ("program", "passes", "compiled", "unrolled", "events", "relations", "formula")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville litmus`."""
    add_inputs(parser, "tests, folders of tests, lists of tests")
    add_models(parser, "the model of the test's dialect")
    add_json(parser, "test and model")
    add_growing_bound(parser, "loops")
    parser.add_argument(
        "--engine",
        choices=("auto", "enumerate", "eager", "lazy", "clocks", "conflicts"),
        default="auto",
        help="how to search (clocks and conflicts: other encodings, for shipped models)",
    )
    _add_limits(parser)
    _add_witness_options(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("batches and limits")
    add_jobs(group)
    add_limits(group, "test and model")
    group.add_argument(
        "--resume", metavar="FILE", help="keep results in FILE; what it already holds is not run again"
    )
    group.add_argument("--quiet", "-q", action="store_true", help="no progress, no summary")


def _add_witness_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("executions")
    group.add_argument(
        "--explain",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="say which axiom forbids an outcome, and the cycle (default: for a single test)",
    )
    group.add_argument(
        "--executions", choices=("all", "allowed", "forbidden"), help="walk through candidate executions"
    )
    add_pictures(group, "executions")
    group.add_argument("--dump", choices=_STAGES, metavar="STAGE", help=f"print {', '.join(_STAGES)}")
    group.add_argument("--show", metavar="REL,...", default="", help="the relations that pictures show")


def run(options: argparse.Namespace) -> int:
    """Answer every test under every model; the exit code says whether all got an answer."""
    files = found_inputs(options, _SUFFIXES, "litmus tests")
    models = list(dict.fromkeys(options.model)) or [OWN_MODEL]
    variants = chosen_variants(options)
    for name in models:
        if name != OWN_MODEL:
            load_model(name, variants, options.bell)
    if options.dump:
        return _dump(files, models, variants, options)
    alone = len(files) == 1 and not options.json
    asked = Options(
        bound=options.bound,
        seconds=options.timeout,
        memory=memory_in_bytes(options),
        variants=variants,
        bell=options.bell,
        engine=options.engine,
        explain=alone if options.explain is None else options.explain,
        executions=options.executions or "",
        svg=options.svg,
        dot=options.dot,
        show=tuple(name for name in options.show.split(",") if name),
    )
    return int(_run_and_print(files, models, asked, options))


def _dump(files: list[str], models: list[str], variants: tuple[str, ...], options: argparse.Namespace) -> int:
    from treville.cli.dump_test import dump_test

    for file in files:
        for name in models:
            asked = "" if name == OWN_MODEL else name
            print(dump_test(file, asked, options.dump, options.bound, variants, options.bell))
    return int(ExitCode.PASS)


def _run_and_print(files: list[str], models: list[str], asked: Any, options: argparse.Namespace) -> ExitCode:
    summary = Summary(len(files) * len(models), quiet=options.quiet)
    journal = Journal(options.resume) if options.resume else nullcontext()
    codes: set[ExitCode] = set()
    started = time.monotonic()
    with journal as stored:
        reports = run_batch(files, models, asked, options.jobs, stored)
        for report in _printed(reports, files, models, options):
            summary.add(report)
            codes.add(exit_of(report))
            if report["status"] != "done" and not options.json:
                summary.clear()
                print_error(report)
    summary.finish(time.monotonic() - started)
    return batch_exit(codes)


def _printed(
    reports: Iterator[dict[str, Any]], files: list[str], models: list[str], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Print each report as it comes, and pass it on."""
    table = Table(files, models) if len(models) > 1 and not options.json else None
    for report in reports:
        if options.json:
            shown = {key: value for key, value in report.items() if key not in PRIVATE_FIELDS}
            print(report_line(shown), flush=True)
        elif table is not None:
            table.add(report)
        elif report["observation"] is not None:
            print(herd_block(report), flush=True)
            print(witness_block(report), end="", flush=True)
        yield report
    if table is not None:
        table.finish()


def exit_of(report: dict[str, Any]) -> ExitCode:
    """`treville litmus` reports facts: any answer is a success."""
    answered = ExitCode.PASS if report["status"] == "done" else ExitCode.UNKNOWN
    return exit_of_error(report) or answered
