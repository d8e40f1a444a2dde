"""The tests and the sources -> which tests reach a mutant, and how long each of them takes.

One run of the tests against marked sources (see `marking.py`) tells for every test which statements it runs.
What it tells is kept for each file of tests until that file, the sources or what tests share changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zlib
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

from marking import Marks
from mutants import Mutant

HERE = Path(__file__).resolve().parent
OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "observing", "-m", "not slow", "--tb=no")


@dataclass(frozen=True, slots=True)
class Test:
    """A test, the seconds of CPU time that it takes, and the marks of the statements that it runs."""

    name: str
    seconds: float
    ran: bytes

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.name.split("::")[0]


class Recording:
    """What the tests of a repository run."""

    def __init__(self, root: Path, kept: Path) -> None:
        self.root, self.kept = root, kept
        self.marks = Marks(root / "src")
        files = {path: kept / f"{key}.json" for path, key in _keys(root).items()}
        missing = {path: record for path, record in files.items() if not record.is_file()}
        if missing:
            self._record(missing)
        for record in set(kept.glob("*.json")) - set(files.values()):
            record.unlink()
        self.tests = [test for record in files.values() for test in _read(record)]
        self.seconds = {test.name: test.seconds for test in self.tests}

    def _record(self, missing: dict[Path, Path]) -> None:
        print(f"what do the tests run? asking {len(missing)} files", flush=True)
        self.kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="recording-") as scratch:
            copy = Path(scratch) / "src"
            self.marks.write(copy, Path(scratch) / "marks")
            names = {path.relative_to(self.root).as_posix(): str(record) for path, record in missing.items()}
            where = Path(scratch) / "records.json"
            where.write_text(json.dumps(names))
            ran = subprocess.run(
                [sys.executable, "-m", "pytest", *OPTIONS, *names],
                cwd=self.root,
                env=environment(copy, MUTATION_RECORDS=str(where)),
                capture_output=True,
                text=True,
                check=False,
            )
        for line in ran.stdout.splitlines():
            if line.startswith(("FAILED ", "ERROR ")):
                print(f"left out, since it fails without mutants: {line}")

    def reaching(self, mutant: Mutant) -> list[Test]:
        """The tests that run the statement with the mistake, the quickest first.

        What runs when a module is imported, or when tests are collected, is noted for few of the tests that
        depend on it. Then these are all tests that run anything in the file; if there are none, all tests."""
        name = Path(mutant.file).relative_to("src").as_posix()
        if name in self.marks.models:
            numbers = [self.marks.models[name]]
        elif (found := self.marks.at(name, mutant.line)).in_function:
            numbers = [found.number]
        else:
            numbers = [found.number for found in self.marks.statements[name] if found.in_function]
        reaching = [test for test in self.tests if any(test.ran[number] for number in numbers)]
        at_import = name not in self.marks.models and not found.in_function
        return sorted(reaching or (self.tests if at_import else []), key=lambda test: test.seconds)


def environment(sources: Path, **more: str) -> dict[str, str]:
    """The environment of a run of tests that imports the package from these sources."""
    path = f"{sources}{os.pathsep}{HERE}"
    return {**os.environ, "PYTHONPATH": path, **more}


def _keys(root: Path) -> dict[Path, str]:
    """For each file of tests a hash of what its record depends on."""
    own = sorted((root / "tests").rglob("test_*.py"))
    others = [path for folder in ("src", "tests", "examples") for path in (root / folder).rglob("*")]
    shared = hashlib.sha256()
    for path in (*sorted(set(others) - set(own)), HERE / "marking.py", HERE / "observing.py"):
        if path.is_file() and "__pycache__" not in path.parts:
            shared.update(path.read_bytes())
    return {path: hashlib.sha256(shared.digest() + path.read_bytes()).hexdigest() for path in own}


def _read(record: Path) -> list[Test]:
    if not record.is_file():
        return []
    stored = json.loads(record.read_text())
    return [Test(name, seconds, zlib.decompress(b64decode(ran))) for name, seconds, ran in stored]
