"""Does a program behave under the target's memory model as it does under the source's?"""

from __future__ import annotations

import argparse
from typing import Any

from treville.cli.arguments import natural, positive, seconds
from treville.results.errors import InputError
from treville.results.verdict import EXIT_OF, ExitCode, Verdict, batch_exit, report_line

_SUFFIXES = (".litmus", ".c", ".i", ".ll", ".bc")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville port`."""
    parser.add_argument("inputs", nargs="+", metavar="FILE|DIR|@LIST", help="programs, folders, or lists")
    parser.add_argument("--source", required=True, metavar="M", help="the model it was written for")
    parser.add_argument(
        "--target", required=True, action="append", metavar="M", help="the new model; repeat for a table"
    )
    parser.add_argument(
        "--notion", choices=("trace", "state"), default="state", help="compare executions or states (state)"
    )
    parser.add_argument(
        "--direction",
        choices=("new", "both"),
        default="new",
        help="only what the target adds, or also what it lacks (new)",
    )
    parser.add_argument(
        "--observe",
        choices=("condition", "all"),
        default="condition",
        help="states over what the test observes, or every register and location (condition)",
    )
    parser.add_argument("--bound", "--unroll", type=natural, default=2, metavar="K", help="loop bound (2)")
    parser.add_argument(
        "--engine", choices=("auto", "enumerate", "eager", "lazy"), default="auto", help="how to search"
    )
    parser.add_argument(
        "--solver",
        choices=("clasp", "certificates", "z3", "sat"),
        default="clasp",
        help="for --engine eager: clasp, or recursion by certificates (clasp)",
    )
    parser.add_argument(
        "--dead",
        action="store_true",
        help="look at syntactically dead executions first (states) or only (traces)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--svg", metavar="DIR", default="", help="draw what differs")
    parser.add_argument(
        "--suggest",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="look for fences that make it portable (default: for a single program)",
    )
    group = parser.add_argument_group("C programs")
    group.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument(
        "-I", dest="includes", action="append", default=[], metavar="DIR", help="look for headers there"
    )
    _add_limits(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("batches and limits")
    group.add_argument("--jobs", "-j", type=positive, default=1, metavar="N", help="processes (1)")
    group.add_argument("--timeout", type=seconds, metavar="S", help="seconds for each program and target")
    group.add_argument("--memory", type=positive, metavar="MB", help="megabytes for each process")


def run(options: argparse.Namespace) -> int:
    """Answer for every program and target; 0 if all are portable, 1 if one is not."""
    from treville.campaigns.inputs import expand
    from treville.campaigns.litmus import load_model
    from treville.campaigns.portability import Options, run_batch
    from treville.cli.port_text import Printer

    files = list(expand(options.inputs, _SUFFIXES))
    if not files:
        raise InputError("no programs found", None, f"looked for {', '.join(_SUFFIXES)} below the folders")
    targets = list(dict.fromkeys(options.target))
    for name in (options.source, *targets):
        load_model(name)
    alone = len(files) == 1
    asked = Options(
        notion=options.notion,
        direction=options.direction,
        observe=options.observe,
        bound=options.bound,
        engine=options.engine,
        dead=options.dead,
        solver=options.solver,
        seconds=options.timeout,
        memory=None if options.memory is None else options.memory * 1_000_000,
        suggest=alone if options.suggest is None else options.suggest,
        svg=options.svg,
        defines=tuple(options.defines),
        includes=tuple(options.includes),
    )
    printer = None if options.json else Printer(files, targets)
    codes = set()
    for report in run_batch(files, options.source, targets, asked, options.jobs):
        codes.add(exit_of(report))
        if printer is None:
            print(report_line(report), flush=True)
        else:
            printer.add(report)
    return int(batch_exit(codes))


def exit_of(report: dict[str, Any]) -> ExitCode:
    """The exit code of one report."""
    if report["status"] == "error":
        return ExitCode.INTERNAL if report.get("internal") else ExitCode.INPUT
    return EXIT_OF[Verdict(report["verdict"])]
