"""What the documentation names by name is there: files of the repository, options of the commands."""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from pathlib import Path

from treville.cli.main import COMMANDS
from treville.engines.registry import DECIDE

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("src", "tests", "bench", "docs", "examples")
INVENTED = {"m.cat", "NAME.cat"}


def _named(pattern: str) -> set[str]:
    return {name for page in PAGES for name in re.findall(pattern, page.read_text(encoding="utf-8"))}


def test_files_that_pages_name_exist() -> None:
    named = _named(r"`([\w/.-]+\.(?:py|cat|c|h|litmus|csv|cub|spec|jsonl))`") - INVENTED
    there = [f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
    assert len(named) > 30
    assert sorted(name for name in named if not any(path.endswith(f"/{name}") for path in there)) == []


def test_options_that_pages_name_exist() -> None:
    known = set()
    for module, _ in COMMANDS.values():
        parser = argparse.ArgumentParser()
        import_module(f"treville.cli.{module}").add_arguments(parser)
        known |= set(parser._option_string_actions)
    scripts = "".join(path.read_text() for path in (ROOT / "bench").rglob("*.py"))
    named = _named(r"`(--[a-z][\w-]*)")
    assert len(named) > 30
    assert sorted(name for name in named if name not in known and f'"{name}"' not in scripts) == []


def test_the_page_on_the_architecture_has_every_engine() -> None:
    page = (ROOT / "docs" / "how-it-works" / "architecture.md").read_text()
    rows = re.findall(r"^\| (`.+`) \| `\w+\.py` \|", page, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w-]+)`", row)]
    assert sorted(named) == sorted(name for name in DECIDE if ":" not in name)
