"""Small programs that try to fool the front end: each says in its first line what is to be found.

`// EXPECT sc:PASS tso:FAIL rc11:REFUSED` names verdicts by model; REFUSED is an error that says where.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.c"))
_EXPECTED = re.compile(r"([\w-]+):(PASS|FAIL|UNKNOWN|REFUSED)")


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_program_does_not_fool_us(path: Path) -> None:
    first = path.read_text().split("\n", 1)[0]
    expected = dict(_EXPECTED.findall(first))
    assert expected, f"{path.name} has no line // EXPECT"
    options = Options(seconds=60, properties=(Property.ASSERTION,))
    found = {}
    for report in answers(str(path), list(expected), options):
        refused = report["status"] == "error"
        assert not refused or re.search(r"not supported", report["reason"]), report["reason"]
        found[report["model"] if not refused else next(iter(expected))] = (
            "REFUSED" if refused else report["verdict"]
        )
    assert found == expected
