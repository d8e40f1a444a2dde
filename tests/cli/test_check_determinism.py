"""The same question has the same answer in every process: verdict, reason and execution, to the letter.

Python orders sets of strings anew in each process; `PYTHONHASHSEED` chooses how.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llvmlite")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "import sys; from treville.cli.main import main; sys.exit(main(sys.argv[1:]))"
SEEDS = [("0", "4242"), pytest.param(("0", "1", "4242", "0", "random"), marks=pytest.mark.slow)]

QUESTIONS = {
    "states": "examples/c/mailbox.c --model tso --model pso",
    "lazy": "tests/c/safe/peterson.c --model power --engine lazy --bound 2",
    "eager": "tests/c/safe/mcs_lock.c --model aarch64 --engine eager --bound 2",
    "race": "examples/c/letter.c --model rc11 --property race",
    "waiting": "examples/c/transfer.c --property deadlock,liveness --engine lazy",
    "kernel": "tests/c/safe/kernel_store_buffering.c --model lkmm",
}


def run(question: str, seed: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", *question.split(), *options],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key != "seconds"}
    return value


@pytest.mark.parametrize("seeds", SEEDS, ids=len)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_answers_do_not_depend_on_the_order_of_sets(question: str, seeds: tuple[str, ...]) -> None:
    answers = [
        [without_times(json.loads(line)) for line in run(question, seed, "--json").splitlines()]
        for seed in seeds
    ]
    assert answers[0]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_the_text_of_an_execution_is_the_same_in_every_process(seeds: tuple[str, ...]) -> None:
    texts = {run("examples/c/mailbox.c --model pso", seed) for seed in seeds}
    assert len(texts) == 1
    assert "not sequentially consistent" in texts.pop()


def test_some_of_the_questions_have_executions() -> None:
    reports = [json.loads(line) for line in run(QUESTIONS["states"], "0", "--json").splitlines()]
    assert [report["verdict"] for report in reports] == ["PASS", "FAIL"]
    assert reports[1]["witness"]["events"]
