"""Small programs that try to fool the front end: each says in its first line what is to be found.

`// EXPECT sc:PASS tso:FAIL rc11:REFUSED` names verdicts by model; REFUSED is an error that says where.
Without a property (`sc:safety:FAIL`) it is about assertions. What follows `-D NAME` is expected with that
macro defined: a program that is right has a twin that is wrong.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAMS = sorted(p for p in (Path(__file__).parent / "hostile").glob("*.*") if p.suffix in (".c", ".ll"))
_EXPECTED = re.compile(r"([\w-]+):(?:([a-z-]+):)?(PASS|FAIL|UNKNOWN|REFUSED)")


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_program_does_not_fool_us(path: Path) -> None:
    first = path.read_text().split("\n", 1)[0]
    asked = 0
    for number, part in enumerate(first.split("-D ")):
        defines = (part.split()[0],) if number else ()
        for model, goal, verdict in _EXPECTED.findall(part):
            asked += 1
            assert _found(path, model, Property(goal or "assertion"), defines) == verdict, (model, part)
    assert asked, f"{path.name} has no line // EXPECT"


def _found(path: Path, model: str, goal: Property, defines: tuple[str, ...]) -> str:
    options = Options(seconds=60, properties=(goal,), defines=defines)
    report = next(iter(answers(str(path), [model], options)))
    if report["status"] != "error":
        return str(report["verdict"])
    assert re.search(r"not supported", report["reason"]), report["reason"]
    return "REFUSED"
