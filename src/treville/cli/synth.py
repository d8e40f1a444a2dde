"""Which memory model explains these test results? Finds axioms and judges them on every test."""

from __future__ import annotations

import argparse
import sys

from treville.campaigns.inputs import expand
from treville.campaigns.loading import TEST_SUFFIXES
from treville.campaigns.synth import KIND, Options, Question, Synth
from treville.cli.arguments import natural, positive
from treville.cli.batch import add_running, answer_batch, limits_of
from treville.programs.litmus.writing import WRITERS
from treville.questions.comparison import Difference
from treville.questions.synthesis.problem import Method
from treville.rendering.whole import WholeText
from treville.results.errors import InputError

_PATHS = "FILE|DIR|@LIST"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville synth`."""
    tests = parser.add_argument_group("tests")
    tests.add_argument("--allowed", nargs="+", default=[], metavar=_PATHS, help="tests that can succeed")
    tests.add_argument("--forbidden", nargs="+", default=[], metavar=_PATHS, help="tests that cannot")
    tests.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="FILE",
        help="results of tests: lines of `treville litmus --json`, a herd7 log, a .jsonl or .csv table",
    )
    tests.add_argument("--column", default="", metavar="NAME", help="which column of a table has the results")
    tests.add_argument("--root", default="", metavar="DIR", help="the folder that --expect names tests in")
    tests.add_argument(
        "--holdout",
        type=_share,
        default=0.0,
        metavar="P",
        help="keep back this share of the tests (0.5, 50%%)",
    )
    tests.add_argument("--seed", type=natural, default=0, metavar="N", help="which tests are kept back (0)")
    space = parser.add_argument_group("models to look for")
    space.add_argument("--base", type=_names, default=(), metavar="R,S,...", help="base relations and sets")
    space.add_argument("--minus", type=_names, default=(), metavar="R,...", help="what may be subtracted")
    space.add_argument("--weaker", default="", metavar="M", help="a model that is known to hold")
    space.add_argument("--sketch", default="", metavar="F.cat", help="a model whose free names are holes")
    space.add_argument("--axioms", type=positive, default=None, metavar="K", help="at most so many axioms")
    space.add_argument("--size", type=positive, default=None, metavar="N", help="the largest size of a term")
    space.add_argument(
        "--recursion",
        type=natural,
        default=0,
        metavar="K",
        help="so many holes may be defined recursively (0)",
    )
    space.add_argument(
        "--method",
        choices=[each.value for each in Method],
        default=Method.AUTO.value,
        help="how to look (auto)",
    )
    unique = parser.add_argument_group("is the model determined by the tests?")
    unique.add_argument(
        "--unique", action="store_true", help="look for other models, and for tests that tell them apart"
    )
    unique.add_argument(
        "--events", type=positive, default=4, metavar="N", help="reads and writes of such tests (4)"
    )
    unique.add_argument("--oracle", default="", metavar="M", help="a model that knows their outcomes")
    unique.add_argument("--ask", action="store_true", help="ask for their outcomes here")
    unique.add_argument(
        "--dialect", choices=sorted(WRITERS), default="", help="of tests for --oracle, where none are given"
    )
    add_running(parser, "synthesis")
    parser.add_argument("-o", "--output", default="", metavar="NEW.cat", help="write the model to a file")


def run(options: argparse.Namespace) -> int:
    """Look for a model; 0 if there is one, 1 if none can exist."""
    allowed = tuple(expand(options.allowed, TEST_SUFFIXES))
    forbidden = tuple(expand(options.forbidden, TEST_SUFFIXES))
    for side, given in (("--allowed", options.allowed), ("--forbidden", options.forbidden)):
        if given and not (allowed if side == "--allowed" else forbidden):
            raise InputError(f"no tests found for {side}", None, f"looked for *{', *'.join(TEST_SUFFIXES)}")
    if (options.oracle or options.ask) and not options.unique:
        options.unique = True
    if not (allowed or forbidden or options.expect or options.oracle):
        raise InputError("no tests were given", None, "use --allowed and --forbidden, or --expect FILE")
    asked = Options(
        allowed=allowed,
        forbidden=forbidden,
        expect=tuple(options.expect),
        column=options.column,
        root=options.root,
        base=options.base,
        minus=options.minus,
        weaker=options.weaker,
        sketch=options.sketch,
        axioms=options.axioms,
        size=options.size,
        recursion=options.recursion,
        method=options.method,
        unique=options.unique,
        events=options.events,
        oracle=options.oracle,
        ask=options.ask,
        dialect=options.dialect,
        holdout=options.holdout,
        seed=options.seed,
        output=options.output,
        limits=limits_of(options),
    )
    named = [*options.expect, *options.allowed, *options.forbidden]
    question = Question(" ".join(named) or options.oracle, asked)
    kind = Synth(_asked_here) if options.ask else KIND
    return answer_batch(kind, [question], 1, [question.file], options, lambda _style: WholeText())


def _asked_here(difference: Difference) -> bool | None:
    """Ask the person at the terminal for the outcome of a test."""
    print(f"\n{difference.text.rstrip()}\n", file=sys.stderr)
    while True:
        print(
            "Can this outcome be seen? (y)es, (n)o, (?) I do not know: ", end="", file=sys.stderr, flush=True
        )
        word = sys.stdin.readline().strip().lower()
        if word[:1] in ("y", "n", "?", ""):
            return {"y": True, "n": False}.get(word[:1])


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _share(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share of the tests") from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"a share between 0 and 1 is needed, not {text}")
    return value
