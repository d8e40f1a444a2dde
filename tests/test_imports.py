"""Imports point one way: no package imports one that comes after it, and starting is cheap."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "treville"

# What each package may import, beside itself.
_PIPELINE = (
    "relations", "results", "programs", "models", "events", "analysis", "passes", "formulas", "encoding",
    "solving", "engines",
)  # fmt: skip
ALLOWED: dict[str, set[str]] = {
    "relations": set(),
    "results": set(),
    "drawing": set(),
    "formulas": {"results"},
    "programs": {"relations", "results"},
    "models": {"relations", "results"},
    "events": {"relations", "results", "programs", "models"},
    "analysis": set(_PIPELINE[:5]),
    "passes": set(_PIPELINE[:6]),
    "encoding": {*_PIPELINE[:6], "formulas"},
    "solving": {*_PIPELINE[:6], "formulas", "encoding"},
    "engines": set(_PIPELINE[:10]),
    "witness": {"relations", "results", "programs", "models", "events", "drawing"},
    "questions": {*_PIPELINE, "witness"},
    "histories": {"relations", "results", "formulas", "solving", "witness", "drawing"},
    "parameterised": {"relations", "results", "solving", "witness", "drawing"},
    "petri": {"relations", "results", "solving", "witness", "drawing"},
    "campaigns": {*_PIPELINE, "witness", "questions", "histories", "parameterised", "petri"},
}
# Modules that every package may import.
SHARED = ("fences",)
ALLOWED["cli"] = {*ALLOWED, "cli"}
ALLOWED["web"] = set(ALLOWED)


def _packages() -> list[str]:
    return sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file())


def _imported(path: Path) -> set[str]:
    """The packages of Treville that a file imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            if node.module == "treville":
                found |= {f"treville.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("treville.")}


def test_every_package_has_its_place_in_the_order() -> None:
    packages = _packages()
    assert len(packages) > 10
    assert set(packages) <= set(ALLOWED)


@pytest.mark.parametrize("package", _packages())
def test_imports_point_one_way(package: str) -> None:
    wrong = []
    for path in sorted((SOURCE / package).rglob("*.py")):
        others = _imported(path) & set(_packages())
        wrong += [
            f"{path.relative_to(SOURCE)} imports {name}" for name in others - ALLOWED[package] - {package}
        ]
    assert wrong == []


def test_what_every_package_may_import_imports_nothing() -> None:
    """Modules beside the packages hold facts that packages share which may not see each other."""
    for name in SHARED:
        assert _imported(SOURCE / f"{name}.py") == set()


def test_only_the_command_line_prints() -> None:
    offenders = []
    for path in SOURCE.rglob("*.py"):
        if "cli" in path.parts or "web" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                offenders.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert offenders == []
