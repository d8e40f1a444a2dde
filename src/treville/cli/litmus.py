"""Every final state that litmus tests can reach under memory models."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from treville.campaigns.litmus import KIND
from treville.campaigns.litmus_task import OWN_MODEL, Options, Question
from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.outputs import PictureName, picture_names
from treville.cli.arguments import add_growing_bound, add_models, add_pictures, chosen_variants
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.cli.dumps import answer_dumps
from treville.engines.registry import AUTO, NAMED_OUTCOMES
from treville.rendering.litmus import litmus_text

_SUFFIXES = TEST_SUFFIXES
_STAGES = ("program", "passes", "compiled", "unrolled", "events", "relations", "formula")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville litmus`."""
    add_batch(parser, "tests, folders of tests, lists of tests", "test and model")
    add_models(parser, "the model of the test's dialect")
    add_growing_bound(parser, "loops")
    parser.add_argument(
        "--engine",
        choices=NAMED_OUTCOMES,
        default=AUTO,
        help="how to search (clocks and conflicts: other encodings, for shipped models)",
    )
    _add_witness_options(parser)


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
        limits=limits_of(options),
        variants=variants,
        bell=options.bell,
        engine=options.engine,
        explain=alone if options.explain is None else options.explain,
        executions=options.executions or "",
        svg=options.svg,
        dot=options.dot,
        show=tuple(name for name in options.show.split(",") if name),
    )
    names = picture_names(files, models) if options.svg or options.dot else {}
    questions = (
        Question(file, model, asked, names.get((file, model), PictureName()), text_of(file))
        for file in files
        for model in models
    )
    total = len(files) * len(models)
    text = lambda style: litmus_text(files, models, style)  # noqa: E731 - short, and used once
    return answer_batch(KIND, questions, total, files, options, text)


def _dump(files: list[str], models: list[str], variants: tuple[str, ...], options: argparse.Namespace) -> int:
    from treville.cli.dump_test import dump_test

    def made(file: str, name: str) -> Callable[[], str]:
        asked = "" if name == OWN_MODEL else name
        return partial(
            dump_test, file, asked, options.dump, options.bound, variants, options.bell, text_of(file)
        )

    return answer_dumps(files, models, options.dump, made, options)
