"""A mutant -> what the tests say of it, in a copy of the sources."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from mutants import Mutant
from recording import OPTIONS, Recording, Test, environment

KILLED, TIMEOUT, CRASHED = "killed", "killed by timeout", "killed by a crash"
SURVIVED, UNREACHED = "survived", "reached by no test"
_PASSED, _FAILED, _NOT_COLLECTED = 0, 1, 2
_NEAR = 20.0  # seconds of the tests in the module's own folder that are run before all others
_WAIT = 600.0  # seconds without CPU time: tests that wait for each other


class Runner:
    """Applies mutants to a copy of `src`, one after another, and runs tests against it."""

    def __init__(self, root: Path, scratch: Path, recording: Recording, limit: float) -> None:
        self.root, self.scratch, self.recording, self.limit = root, scratch, recording, limit
        self.copy = scratch / "src"
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(root / "src", self.copy, ignore=ignored)  # which keeps times
        compileall.compile_dir(self.copy, quiet=1)
        self.reliable: dict[str, bool] = {}

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """What becomes of the mutant, and the test that killed it."""
        reaching = self.recording.reaching(mutant)
        if not reaching:
            return UNREACHED, ""
        for tests in self._stages(mutant, reaching):
            status, killer = self._with_mistake(mutant, tests)
            if status != SURVIVED:
                return status, killer
        return SURVIVED, f"{len(reaching)} tests"

    def _stages(self, mutant: Mutant, reaching: list[Test]) -> list[list[Test]]:
        """Some tests of the module's own folder, which start soon, then the others within the limit."""
        folder = f"tests/{Path(mutant.file).parts[2]}/"
        near = _within(_NEAR, [test for test in reaching if test.file.startswith(folder)])
        chosen = set(near)
        far = [test for test in _within(self.limit, reaching) if test not in chosen]
        return [stage for stage in (near, far) if stage]

    def _with_mistake(self, mutant: Mutant, tests: list[Test]) -> tuple[str, str]:
        path = self.copy / Path(mutant.file).relative_to("src")
        path.write_bytes(mutant.apply(path.read_bytes()))
        try:
            status, killer = self._run(tests)
        finally:
            # With its old time, to which its bytecode belongs.
            shutil.copy2(self.root / mutant.file, path)
        blamed = [test for test in tests if test.name == killer]
        if status == KILLED and blamed and not self._is_reliable(blamed[0]):
            return self._with_mistake(mutant, [test for test in tests if test.name != killer])
        return status, killer

    def _is_reliable(self, test: Test) -> bool:
        """Does it pass alone and without a mistake? One that does not tells nothing."""
        if test.name not in self.reliable:
            self.reliable[test.name] = self._run([test])[0] == SURVIVED
            if not self.reliable[test.name]:
                print(f"fails without mutants as well: {test.name}")
        return self.reliable[test.name]

    def _run(self, tests: list[Test]) -> tuple[str, str]:
        chosen = self.scratch / "tests.json"
        chosen.write_text(json.dumps([(test.name, test.seconds) for test in tests]))
        files = sorted({test.file for test in tests})
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", *OPTIONS, f"--basetemp={self.scratch / 'made'}", *files],
            cwd=self.root,
            env=environment(self.copy, MUTATION_TESTS=str(chosen), PYTHONDONTWRITEBYTECODE="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=_WAIT + 20 * sum(test.seconds for test in tests))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return TIMEOUT, ""
        return _verdict(process.returncode, output)


def _verdict(code: int, output: str) -> tuple[str, str]:
    if code == _PASSED:
        return SURVIVED, ""
    if code == -signal.SIGPROF:
        return TIMEOUT, ""
    failed = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    killer = failed[0].split(" - ")[0].split(" ", 1)[1] if failed else f"exit code {code}"
    return (KILLED if code in (_FAILED, _NOT_COLLECTED) else CRASHED), killer


def _within(limit: float, tests: list[Test]) -> list[Test]:
    """As many of the first tests as take that long together."""
    chosen: list[Test] = []
    for test in tests:
        limit -= test.seconds
        if limit < 0 and chosen:
            break
        chosen.append(test)
    return chosen
