"""The programs of paper 003: lists of SV-COMP'15, whose expected results are in the files' names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cases import Case, Expected

LISTS = ("sc", "tso", "pso")


def cases(root: Path) -> Iterator[Case]:
    """The programs of the three lists that the checkout has, each under the model of its list."""
    folder = root / "benchmarks" / "svcomp15"
    for model in LISTS:
        for line in sorted(set((folder / f"list.i.svcomp15.{model}").read_text().split())):
            file = folder / line
            if file.is_file():
                expected = Expected.UNSAFE if "false-unreach" in file.name else Expected.SAFE
                arguments = ("check", "--model", model, "--property", "unreach-call")
                yield Case("walcyrie", f"{model}/{file.parent.name}", file, arguments, expected)
