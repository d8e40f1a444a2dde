"""What the commands' options share: groups declared once, numbers refused with a sentence.

A command's `add_arguments` calls the functions here for what it has in common with the others, and declares
only what is its own.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from treville.results.defaults import BOUND

_BYTES = 1_000_000  # in a megabyte, as --memory counts them
_LIFETIME = 3e9


def add_json(parser: argparse._ActionsContainer, each: str) -> None:
    """`--json`, with an object for each of what `each` says."""
    parser.add_argument("--json", action="store_true", help=f"one JSON object a line for each {each}")


def add_models(parser: argparse._ActionsContainer, default: str) -> None:
    """`--model`, repeatable, and what changes the meaning of a model's file."""
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="M",
        help=f"a shipped model or a .cat file; repeat for a table (default: {default})",
    )
    parser.add_argument(
        "--variant", action="append", default=[], metavar="V", help='cat\'s `if "V"`; repeat or use commas'
    )
    parser.add_argument("--bell", metavar="FILE", default="", help="annotations that the model uses")


def add_bound(parser: argparse._ActionsContainer) -> None:
    """`--bound`, as herd7 has it."""
    parser.add_argument(
        "--bound",
        "--unroll",
        type=natural,
        default=BOUND,
        metavar="K",
        help=f"how often loops are unrolled ({BOUND})",
    )


def add_growing_bound(parser: argparse._ActionsContainer, what: str) -> None:
    """`--bound` where it grows by itself."""
    parser.add_argument(
        "--bound",
        "--unroll",
        type=bound_or_auto,
        default=None,
        metavar="K|auto",
        help=f"how often {what} are unrolled (auto: deeper until the answer is conclusive)",
    )


def bound_or_auto(text: str) -> int | None:
    """A bound; None is one that grows by itself."""
    return None if text == "auto" else natural(text)


def add_front_end(parser: argparse.ArgumentParser) -> None:
    """What the compiler of C programs is told."""
    group = parser.add_argument_group("C programs")
    group.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument(
        "-I", dest="includes", action="append", default=[], metavar="DIR", help="a folder of headers"
    )
    group.add_argument(
        "--with",
        dest="others",
        action="append",
        default=[],
        metavar="FILE",
        help="another file of the same program (compile_commands.json stands for all files that it names)",
    )
    group.add_argument(
        "--sandbox",
        action="store_true",
        help="the compiler reads shipped headers, the file's own folder and those of -I, nothing else",
    )
    group.add_argument(
        "--no-cache", action=_NoCache, nargs=0, help="compile anew, and keep nothing for the next time"
    )


class _NoCache(argparse.Action):
    """Compiled programs are kept where a variable of the environment says, which workers inherit."""

    def __call__(self, *_: Any) -> None:
        os.environ["TREVILLE_CACHE"] = ""


def add_pictures(parser: argparse._ActionsContainer, what: str) -> None:
    """Folders for drawings of executions."""
    parser.add_argument("--svg", metavar="DIR", default="", help=f"draw {what} as SVG")
    parser.add_argument("--dot", metavar="DIR", default="", help=f"write {what} as Graphviz files")


def chosen_variants(options: argparse.Namespace) -> tuple[str, ...]:
    """The variants of the model, given one by one or with commas."""
    return tuple(name for given in options.variant for name in given.split(",") if name)


def natural(text: str) -> int:
    """A whole number, zero included."""
    return _whole(text, 0, None)


def positive(text: str) -> int:
    """A whole number above zero."""
    return _whole(text, 1, None)


def at_least_two_nodes(text: str) -> int:
    """The nodes of a list of writes."""
    if text.strip() == "1":
        raise argparse.ArgumentTypeError("a list needs 2 nodes: what memory holds, and one pending write")
    return positive(text)


def positive_up_to(most: int) -> Callable[[str], int]:
    """A whole number above zero that is not absurdly large."""
    return lambda text: _whole(text, 1, most)


def seconds_or_none(text: str) -> float | None:
    """A finite number of seconds, None for 0; more than a lifetime is as good as a lifetime."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(
            f"a positive number of seconds is needed, or 0 for no limit, not {text}"
        )
    return min(value, _LIFETIME) or None


def megabytes(text: str) -> int:
    """So many megabytes in bytes."""
    return positive(text) * _BYTES


def _whole(text: str, least: int, most: int | None) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"at least {least} is needed, not {value}")
    if most is not None and value > most:
        raise argparse.ArgumentTypeError(f"at most {most} is possible, not {value}")
    return value
