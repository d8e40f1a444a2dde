"""C++ programs with threads and atomics: each says in its first line what is found under which model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.reporting import Options, answers

pytest.importorskip("llvmlite")

PROGRAMS = sorted((Path(__file__).parent / "cpp").glob("*.cpp"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_expected_verdicts(path: Path) -> None:
    expected = dict(re.findall(r"(\w+):(PASS|FAIL)", path.read_text().partition("\n")[0]))
    reports = list(answers(str(path), list(expected), Options(seconds=60)))
    assert {r["model"]: (r["verdict"], r["status"]) for r in reports} == {
        model: (verdict, "done") for model, verdict in expected.items()
    }


def test_what_the_headers_lack_is_said_by_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "streams.cpp"
    path.write_text('#include <iostream>\nint main() { std::cout << "hello"; }\n')
    [report] = answers(str(path), ["sc"], Options())
    assert report["status"] == "error"
    assert "iostream" in report["reason"]
