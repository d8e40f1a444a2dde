"""The tables and the example of the page on histories are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from treville.histories.hierarchy import WITNESSES
from treville.histories.levels import LEVELS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "history.md"


def test_the_tables_name_every_level_and_every_witness() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in LEVELS:
        assert re.search(rf"^\| {re.escape(name)}( \(`cache`\))? \|", text, re.MULTILINE), name
    for history, levels in WITNESSES:
        assert f"| `{history.replace('||', '∥')}` | {', '.join(levels.split())} |" in text


def test_the_example_in_the_page_is_the_example_in_the_folder() -> None:
    assert (ROOT / "examples" / "histories" / "album.jsonl").read_text() in PAGE.read_text()
