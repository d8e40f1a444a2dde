"""A case -> what the command ends with and prints, as text that is the same on every machine.

Commands run in this process, in the folder of the repository, with the compiler that the `ziglang` package
brings: other compilers make other instructions of the same C.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.snapshots.cases import OUT, ROOT, Case
from tests.snapshots.normalising import normalised

from treville.cli.main import main

# `PATH` leads to no clang, and lines are as wide on every terminal.
_ENVIRONMENT = {"PATH": "", "COLUMNS": "100", "LANG": "C.UTF-8", "NO_COLOR": "1"}
_UNSET = ("TREVILLE_CLANG", "TREVILLE_TRACEBACK", "FORCE_COLOR")


def answer(case: Case) -> str:
    """The exit code, what was printed (`!` marks standard error), and the files that were written."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [argument.replace(OUT, folder) for argument in case.arguments]
        code, out, err = _run(arguments, case.standard_input)
        lines = [f"exit {code}"]
        lines += [f"  {line}" for line in _printed(out, folder)]
        lines += [f"! {line}" for line in _printed(err, folder)]
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                lines.append(f"  file {OUT}/{path.relative_to(folder)}")
                lines += [f"    {line}" for line in _printed(path.read_text(encoding="utf-8"), folder)]
    return "\n".join(line.rstrip() for line in lines)


def _printed(text: str, folder: str) -> list[str]:
    return normalised(text.replace(folder, OUT).replace(str(ROOT), "{root}")).splitlines()


def _run(arguments: list[str], standard_input: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with _surroundings(standard_input), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stop:  # how argparse ends
            code = stop.code if isinstance(stop.code, int) else 1
    return code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def _surroundings(standard_input: str) -> Iterator[None]:
    text = (ROOT / standard_input).read_text(encoding="utf-8") if standard_input else ""
    with (
        contextlib.chdir(ROOT),
        mock.patch.dict(os.environ, _ENVIRONMENT),
        mock.patch("sys.stdin", io.StringIO(text)),
    ):
        for name in _UNSET:
            os.environ.pop(name, None)
        yield
