"""What is installed: every file of the package that is not Python is named in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "treville"


def test_all_data_is_installed() -> None:
    """An editable installation has the files of the repository, whatever is named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["treville"]
    named = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    data = {p for p in PACKAGE.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".so")}
    assert data - named == set()
