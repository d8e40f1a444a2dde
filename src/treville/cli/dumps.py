"""How `--dump` answers: in workers, within the limits, one text after the other."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from treville.campaigns.dump import KIND, Question
from treville.cli.batch import answer_batch, limits_of
from treville.rendering.whole import PlainText


def answer_dumps(
    files: Sequence[str],
    models: Sequence[str],
    stage: str,
    made: Callable[[str, str], Callable[[], str]],
    options: argparse.Namespace,
) -> int:
    """Print a stage of every input under every model; `made` says who makes the text."""
    questions = (
        Question(file, stage, made(file, model), limits_of(options)) for file in files for model in models
    )
    return int(answer_batch(KIND, questions, len(files) * len(models), files, options, lambda _: PlainText()))
