"""The case studies of the documentation: its verdicts, with every encoding that knows the model."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from tests.asking import reach

from treville.models.library import load_model
from treville.programs.c import load_program
from treville.programs.compile_to import compile_program, target_of
from treville.programs.ir import Program
from treville.results import Budget

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "case-studies.md"
KNOWN = {"acyclicity": None, "clocks": ("sc", "tso", "pso", "power2012"), "conflicts": ("sc", "tso", "pso")}
BOUND = 3
SECONDS = 60


def documented() -> list[tuple[str, str, str, str]]:
    """(file, macro, model, verdict) of every cell of the tables of the page."""
    found: list[tuple[str, str, str, str]] = []
    models: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| program"):
            models = [cell.strip("`") for cell in cells[1:]]
        elif match := re.match(r"`(\w+\.c)(?: -D (\w+))?`", cells[0]):
            found += [
                (match[1], match[2] or "", model, verdict)
                for model, verdict in zip(models, cells[1:], strict=True)
            ]
    return found


@cache
def loaded(file: str, macro: str) -> Program:
    return load_program(ROOT / "examples" / "c" / file, BOUND, (macro,) if macro else ())


def test_the_page_has_three_studies() -> None:
    assert len({file for file, *_ in documented()}) == 3
    assert {verdict for *_, verdict in documented()} == {"PASS", "FAIL"}


@pytest.mark.parametrize("encoding", KNOWN)
@pytest.mark.parametrize(("file", "macro", "model", "verdict"), documented())
def test_the_verdicts_of_the_page(file: str, macro: str, model: str, verdict: str, encoding: str) -> None:
    pytest.importorskip("llvmlite")
    known = KNOWN[encoding]
    if known is not None and model not in known:
        pytest.skip("the encoding does not know the model")
    chosen = load_model(model)
    program = compile_program(loaded(file, macro), target_of(chosen.shipped, chosen.base_names()))
    answer = reach(program, chosen, BOUND, Budget(seconds=SECONDS), encoding)
    assert (answer.execution is not None) == (verdict == "FAIL")
    assert answer.execution is not None or answer.complete
