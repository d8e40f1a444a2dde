"""List the shipped memory models, show one, or check which is stronger than which on a suite of tests."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from treville.campaigns.inputs import expand
from treville.cli.arguments import add_json, seconds_or_none
from treville.cli.batch import INPUTS
from treville.cli.terminal import print_object
from treville.models.library import STRENGTH, ModelInfo, find_model, list_models
from treville.records import replace
from treville.results.errors import InputError
from treville.results.notices import warning_lines
from treville.results.reports.models import ModelEntry, StrengthReport
from treville.results.reports.report import as_object
from treville.results.verdict import EXIT_OF, ExitCode, batch_exit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville models`."""
    parser.add_argument("names", nargs="*", metavar="MODEL", help="show these models (default: list all)")
    add_json(parser, "model or pair of models")
    parser.add_argument(
        "--check",
        nargs="*",
        metavar=INPUTS,
        help="check the expected strength order on these tests (default: the examples)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds_or_none,
        default=10.0,
        metavar="S",
        help="seconds for each test and model (10)",
    )


def run(options: argparse.Namespace) -> int:
    """List, show, or check."""
    if options.check is not None:
        return _check(options)
    if not options.names:
        for info in list_models():
            if options.json:
                print_object(as_object(_entry(info)))
            else:
                print(_listed(info.name, info.title, info.aliases, info.citation))
        return int(ExitCode.PASS)
    texts = {name: find_model(name).read_text(encoding="utf-8", errors="replace") for name in options.names}
    for name, text in texts.items():
        if options.json:
            print_object(as_object(replace(_named(name), text=text)))
        else:
            print(text, end="")
    return int(ExitCode.PASS)


def _entry(info: ModelInfo) -> ModelEntry:
    return ModelEntry(model=info.name, title=info.title, aliases=info.aliases, citation=info.citation)


def _named(name: str) -> ModelEntry:
    """A shipped model by any of its names; of a file nothing is known but its text."""
    known = (info for info in list_models() if name in (info.name, *info.aliases))
    return next(map(_entry, known), ModelEntry(model=name, title="", citation=""))


def _listed(name: str, title: str, aliases: tuple[str, ...], citation: str) -> str:
    """A model with its other names and what its file says about itself."""
    also = f" (also: {', '.join(aliases)})" if aliases else ""
    lines = [f"{name}: {title}{also}"]
    for paragraph in citation.split("\n\n"):
        lines += textwrap.wrap(paragraph, 96, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def _check(options: argparse.Namespace) -> int:
    from treville.campaigns.strength import check_strength

    files = list(expand(options.check or [str(_examples())], (".litmus",)))
    if not files:
        raise InputError("no litmus tests found", None, "give tests to --check")
    for name in options.names:
        find_model(name)
    wanted = set(options.names)
    orders = [order for order in STRENGTH if not wanted or wanted & {order.stronger, order.weaker}]
    if not orders:
        return _nothing_expected(options)
    codes = []
    for result in check_strength(files, orders, options.timeout):
        codes.append(EXIT_OF[result.verdict])
        if options.json:
            print_object(as_object(result.as_report()))
        else:
            print(result.as_text())
    return int(batch_exit(codes))


def _nothing_expected(options: argparse.Namespace) -> int:
    """Models that no expected order mentions: nothing was compared."""
    reason = f"no expected order of strength mentions {' or '.join(options.names)}: nothing was compared"
    if options.json:
        nothing = StrengthReport(file=" ".join(options.names), reason=reason, warnings=(reason,))
        print_object(as_object(nothing))
    else:
        print("\n".join(warning_lines([reason], "")))
    return int(ExitCode.UNKNOWN)


def _examples() -> Path:
    """The examples of a source tree."""
    folder = Path(__file__).resolve().parents[3] / "examples" / "litmus"
    if not folder.is_dir():
        raise InputError("the example tests are not installed", None, "give tests to --check")
    return folder
