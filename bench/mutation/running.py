"""A mutant -> what the tests say of it, in a copy of the sources."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from mutants import Mutant
from selection import Selection

KILLED, TIMEOUT, CRASHED, SURVIVED = "killed", "killed by timeout", "killed by a crash", "survived"
_FAILED, _NOTHING_TO_RUN = 1, 5


class Runner:
    """Applies mutants to a copy of `src`, one after another, and runs tests against it."""

    def __init__(self, root: Path, scratch: Path, limit: float) -> None:
        self.root, self.limit = root, limit
        self.copy = scratch / "src"
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(root / "src", self.copy, ignore=ignored)
        self.selection = Selection(root)

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """What becomes of the mutant, and the test that killed it."""
        path = self.copy / Path(mutant.file).relative_to("src")
        original = path.read_bytes()
        path.write_bytes(mutant.apply(original))
        try:
            return self._tests_say(mutant.file)
        finally:
            path.write_bytes(original)

    def complaints(self, file: str) -> str:
        """What the tests of a file complain about without any mutant: nothing, or the run means nothing."""
        status, killer = self._tests_say(file)
        return "" if status == SURVIVED else f"{status}: {killer}"

    def _tests_say(self, file: str) -> tuple[str, str]:
        for tests in self.selection.stages(file):
            status, killer = self._run(tests)
            if status != SURVIVED:
                return status, killer
        return SURVIVED, ""

    def _run(self, tests: list[Path]) -> tuple[str, str]:
        names = [test.relative_to(self.root).as_posix() for test in tests]
        options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--no-header", "--tb=no"]
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *names],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.copy), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return TIMEOUT, f"after {self.limit:g} s"
        if process.returncode in (0, _NOTHING_TO_RUN):
            return SURVIVED, ""
        failed = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        killer = failed[0].split(" - ")[0].split(" ", 1)[1] if failed else f"exit code {process.returncode}"
        return (KILLED if process.returncode == _FAILED else CRASHED), killer
