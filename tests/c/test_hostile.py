"""Small programs that try to fool the front end: each says in its first line what is to be found.

`// EXPECT sc:PASS tso:FAIL rc11:REFUSED` names verdicts by model; REFUSED is an error that says where.
Without a property (`sc:safety:FAIL`) it is about assertions. What follows `-D NAME` is expected with that
macro defined: a program that is right has a twin that is wrong.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treville.campaigns.check import answers
from treville.campaigns.check_task import Options
from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.c"))
_EXPECTED = re.compile(r"([\w-]+):(?:([a-z-]+):)?(PASS|FAIL|UNKNOWN|REFUSED)")


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_program_does_not_fool_us(path: Path) -> None:
    first = path.read_text().split("\n", 1)[0]
    asked = 0
    for part in first.split("-D "):
        name, _, rest = part.partition(" ")
        defines = () if ":" in name or name == "//" else (name,)
        for model, goal, verdict in _EXPECTED.findall(part if not defines else rest):
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
