"""What the pages on cat and on the models say is true of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treville.models.base import base_kind
from treville.models.cat.files import LIBRARY
from treville.models.cat.primitives import PRIMITIVES
from treville.models.cat.resolve import resolve_text
from treville.models.library import MODELS, list_models, load_model

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_of_cat_resolve() -> None:
    blocks = re.findall(r"```cat\n(.*?)```", (DOCS / "cat.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        assert resolve_text(block).axioms


def test_the_page_on_cat_names_what_exists() -> None:
    text = (DOCS / "cat.md").read_text()
    built_in = re.search(r"Built in: (.*?)\.\n", text, re.DOTALL)
    assert built_in is not None
    names = re.findall(r"`([^`]+)`", built_in.group(1))
    assert len(names) >= 10
    assert set(names) <= set(PRIMITIVES)
    for file in re.findall(r"`([a-z0-9-]+\.cat)`", text):
        assert (LIBRARY / file).is_file() or file == "m.cat", file
    for name in ("po", "pick-addr", "rf", "si", "MFENCE", "Fence.rw.w", "Rcu-lock", "NoRet"):
        assert base_kind(name) is not None
        assert f"`{name}`" in text


def test_the_page_on_models_lists_them_all() -> None:
    text = (DOCS / "models.md").read_text()
    rows = re.findall(r"^\| `([a-z0-9]+)` \|", text, re.MULTILINE)
    shipped = [info.name for info in list_models()]
    assert [name for name in rows if name in MODELS] == list(MODELS)
    assert set(shipped) <= set(rows)


@pytest.mark.parametrize("row", ["SB:", "MP:", "LB:", "CoRR:", "IRIW:"])
def test_the_table_of_verdicts_is_the_one_that_is_tested(row: str) -> None:
    from tests.models.test_library import OWN, TESTS

    text = (DOCS / "models.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith(f"| {row}"))
    cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
    candidate, _ = TESTS[row.rstrip(":")]
    expected = ["yes" if candidate.judge(load_model(name)).consistent else "no" for name in OWN]
    assert cells == expected
