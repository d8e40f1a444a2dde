"""Loops of litmus tests that are cut decide nothing: bounds grow, and what is still cut is not claimed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import Outcomes, outcomes, outcomes_of_all_runs

# Counts its rounds until another thread stops it.
COUNTING = """X86 counting
{ stop=0; }
 P0            | P1            ;
 MOV ECX,$0    | MOV [stop],$1 ;
 AGAIN:        |               ;
 ADD ECX,$2    |               ;
 MOV EAX,[stop]|               ;
 CMP EAX,$1    |               ;
 JNE AGAIN     |               ;
"""
# Only waits, and retries an exclusive store.
WAITING = """AArch64 waiting
{ 0:X1=x; 0:X5=go; 1:X1=x; 1:X5=go; }
 P0             | P1            ;
 A: LDR W4,[X5] | MOV W2,#7     ;
 CBZ W4,A       | STR W2,[X1]   ;
 B: LDXR W0,[X1]| DMB SY        ;
 ADD W2,W0,#1   | MOV W4,#1     ;
 STXR W3,W2,[X1]| STR W4,[X5]   ;
 CBNZ W3,B      |               ;
forall (x=8)
"""
# A constant number of rounds that all write.
WRITING = """C writing
{ x=0; }
P0(atomic_int* x) {
  int i = 0;
  while (i < 6) {
    i = i + 1;
    atomic_store_explicit(x, i, memory_order_relaxed);
  }
}
P1(atomic_int* x) { int r = atomic_load_explicit(x, memory_order_relaxed); }
"""


def answered(text: str, model: str, bound: int | None = None, engine: str = "auto") -> Outcomes:
    return outcomes_of_all_runs(parse(text, "test.litmus"), load_model(model), bound, engine=engine)


@pytest.mark.parametrize(
    ("condition", "observation", "holds"),
    [
        ("exists (0:ECX=10)", "Sometimes", True),
        ("~exists (0:ECX=10)", "Sometimes", False),
        ("forall (0:ECX=2 \\/ 0:ECX=4 \\/ 0:ECX=6)", "Sometimes", False),
        ("exists (0:ECX=1000)", "Unknown", None),
        ("~exists (0:ECX=1000)", "Unknown", None),
        ("exists (0:EAX=1)", "Unknown", True),
        ("forall (0:EAX=1)", "Unknown", None),
    ],
)
def test_what_a_finite_execution_shows_stands_and_nothing_else(
    condition: str, observation: str, holds: bool | None
) -> None:
    answer = answered(COUNTING + condition + "\n", "tso")
    assert (answer.observation, answer.holds) == (observation, holds)
    assert answer.unfinished
    assert not answer.complete


def test_a_bound_that_was_asked_for_is_herds_and_otherwise_not_enough() -> None:
    test = parse(COUNTING + "exists (0:ECX=10)\n", "test.litmus")
    assert outcomes(test, load_model("tso"), 2).observation == "Never"
    assert answered(COUNTING + "exists (0:ECX=10)\n", "tso", 2).observation == "Unknown"


@pytest.mark.parametrize("engine", ["enumerate", "eager", "lazy"])
def test_rounds_that_change_nothing_need_no_bound(engine: str) -> None:
    answer = answered(WAITING, "aarch64", engine=engine)
    assert (answer.observation, answer.bound, answer.unfinished) == ("Always", 2, False)


def test_a_loop_of_known_length_is_done_to_its_end() -> None:
    answer = answered(WRITING + "exists (1:r=6)\n", "rc11")
    assert (answer.observation, answer.unfinished, answer.complete) == ("Sometimes", False, True)
    assert answered(WRITING + "exists (1:r=7)\n", "rc11").observation == "Never"


def test_what_the_commands_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "counting.litmus"
    file.write_text(COUNTING + "~exists (0:ECX=1000)\n")
    for command, code in (("litmus", 3), ("check", 3)):
        assert main([command, str(file), "--json"]) == code
        report = json.loads(capsys.readouterr().out)
        assert (report["verdict"], report["status"], report["bound"]) == ("UNKNOWN", "unknown", 16)
        assert "was cut at the bound 16" in report["reason"]
    assert main(["litmus", str(file), "--no-explain"]) == 3
    assert "Loop Unknown" in capsys.readouterr().out
    assert main(["litmus", str(file), "--unroll", "2", "--no-explain"]) == 0
    assert "Loop Ok" in capsys.readouterr().out
    assert main(["check", str(file), "--bound", "2"]) == 3


@pytest.mark.parametrize("accessed", ["*x = 1", "atomic_store_explicit(x, 1, memory_order_relaxed)"])
def test_a_litmus_test_with_a_race_passes_for_its_condition_alone(
    accessed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "race.litmus"
    file.write_text(
        f"C race\n{{}}\nP0(atomic_int* x) {{ {accessed}; }}\n"
        "P1(atomic_int* x) { int r = atomic_load_explicit(x, memory_order_relaxed); }\n"
        "exists (1:r=1)\n"
    )
    racy = accessed.startswith("*")
    assert main(["check", str(file), "--model", "rc11", "--json"]) == int(racy)
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["violated"]) == (("FAIL", "race") if racy else ("PASS", None))
    assert main(["check", str(file), "--model", "rc11", "--property", "assertion"]) == 0
