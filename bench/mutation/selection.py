"""A source file -> the test files that should notice a mistake in it, the nearest first.

Nearest are tests that mirror the module (the same folder and name), then those that import it themselves,
then those that reach it through imports, as far as they lie in folders that test the module's folder.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cache
from pathlib import Path

# The tests of a folder of the package, besides those in the folder of the same name.
BROADER = {
    "relations": ("models", "analysis", "solving", "histories"),
    "models": ("analysis", "solving", "questions", "witness"),
    "events": ("analysis", "encoding", "solving"),
    "analysis": ("encoding", "solving", "questions"),
    "encoding": ("solving", "questions"),
    "solving": ("questions",),
    "programs": ("events", "analysis", "solving"),
}
_PACKAGE = "treville"
_NEVER = 99
_IMPORT = re.compile(r"^\s*(?:from (\S+) import (\([^)]*\)|[^\n]*)|import (\S+))", re.MULTILINE)


class Selection:
    """Knows which files import which."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources = root / "src"
        self.tests = sorted((root / "tests").rglob("test_*.py"))
        self.helpers = {path.stem: path for path in (root / "tests").rglob("*.py") if path not in self.tests}

    def stages(self, file: str) -> list[list[Path]]:
        """Test files for a source file: first the near ones, then all others that reach it."""
        ranked = sorted((self._distance(test, file), test) for test in self._candidates(file))
        near = [test for distance, test in ranked if distance <= 1]
        far = [test for distance, test in ranked if 1 < distance < _NEVER]
        return [stage for stage in (near, far) if stage]

    def _candidates(self, file: str) -> list[Path]:
        folder = _folder(file)
        wanted = (folder, *BROADER.get(folder, ()))
        return [test for test in self.tests if test.relative_to(self.root / "tests").parts[0] in wanted]

    def _distance(self, test: Path, file: str) -> int:
        """0: mirrors the file; 1: imports it; more: through so many others."""
        parts = test.relative_to(self.root / "tests").parts
        if file.endswith(".cat"):
            return 1 if parts[0] == "models" else 2
        inside = Path(file).relative_to(Path("src") / _PACKAGE)
        if parts[0] == inside.parts[0] and test.stem.startswith(f"test_{inside.stem}"):
            return 0
        return self._steps(test).get(self.root / file, _NEVER)

    @cache  # noqa: B019 (there is one selection)
    def _steps(self, start: Path) -> dict[Path, int]:
        """How many imports away each file is."""
        found, pending = {start: 0}, deque([start])
        while pending:
            path = pending.popleft()
            for imported in self._imports(path):
                if imported not in found:
                    # Helpers of the tests count as the tests themselves.
                    found[imported] = found[path] + (self.sources in imported.parents)
                    pending.append(imported)
        return found

    @cache  # noqa: B019
    def _imports(self, path: Path) -> list[Path]:
        names: list[str] = []
        for module, members, alone in _IMPORT.findall(path.read_text()):
            names += [module or alone, *(f"{module}.{name}" for name in re.findall(r"\w+", members))]
        return [found for name in names if (found := self._file_of(name)) is not None]

    def _file_of(self, name: str) -> Path | None:
        if name.split(".")[0] != _PACKAGE:
            return self.helpers.get(name.strip(".").split(".")[-1])
        path = self.sources.joinpath(*name.split("."))
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
        return None


def _folder(file: str) -> str:
    """The folder of the package that a file lies in."""
    return Path(file).relative_to(Path("src") / _PACKAGE).parts[0]
