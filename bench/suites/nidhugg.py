"""Nidhugg's tests: whether an assertion can fail, under SC or the model that a file's first line names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cases import Case, Expected

MODELS = ("sc", "tso", "pso", "power")


def cases(root: Path) -> Iterator[Case]:
    """The programs of `tests/litmus` and `tests/smoke` with the results stored there (`Allow`: a failure)."""
    for family in ("litmus", "smoke"):
        folder = root / "tests" / family
        for line in (folder / "reference.results.txt").read_text().splitlines():
            found = re.match(r"(\S+) (Allow|Forbid) :", line)
            file = folder / "C-tests" / f"{found[1]}.c" if found else folder
            if not found or not file.is_file():
                continue
            arguments = ("check", "--model", _model(file), "--property", "assertion,memory")
            expected = Expected.UNSAFE if found[2] == "Allow" else Expected.SAFE
            yield Case("nidhugg", family, file, arguments, expected)


def _model(file: Path) -> str:
    first = file.read_text(errors="replace").partition("\n")[0]
    options = first.partition("nidhuggc:")[2] if first.startswith("//") else ""
    return next((model for model in MODELS if f"-{model}" in options), "sc")
