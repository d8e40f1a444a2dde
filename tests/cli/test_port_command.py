"""`treville port` from the outside: text, tables, JSON, pictures, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
SB, MP = str(EXAMPLES / "SB.litmus"), str(EXAMPLES / "MP.litmus")
HANDSHAKE = str(EXAMPLES.parent / "port" / "handshake.pts")
PETERSON = str(Path(__file__).resolve().parents[1] / "c" / "safe" / "peterson.c")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def port(*arguments: str) -> int:
    return main(["port", *arguments])


def test_a_new_state_fails_with_its_cycle_and_fences(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(SB, "--source", "sc", "--target", "tso") == 1
    out = capsys.readouterr().out
    assert "SB: FAIL (state portability from sc to tso)" in out
    assert "New state: under tso it ends in" in out
    assert 'axiom "sc" of sc' in out
    assert "the cycle closes" in out
    assert "Portable with" in out
    assert out.count(": new fence MFENCE") == 2


def test_a_portable_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(MP, "--source", "sc", "--target", "tso", "--notion", "trace") == 0
    assert "no execution is new; all loops are covered" in capsys.readouterr().out


def test_several_targets_make_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(SB, MP, "--source", "sc", "--target", "tso", "--target", "pso") == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [["Program", "tso", "pso"], ["SB", "FAIL", "FAIL"], ["MP", "PASS", "FAIL"]]


def test_json_has_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(SB, MP, "--source", "sc", "--target", "tso", "--json", "--jobs", "2") == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [report["verdict"] for report in reports] == ["FAIL", "PASS"]
    assert all(report["schema"] == 2 and report["complete"] for report in reports)
    finding = reports[0]["findings"][0]
    assert finding["direction"] == "new"
    assert set(finding["state"].values()) == {0}
    assert len(finding["cycle"]) == 4


def test_programs_of_porthos_are_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(HANDSHAKE, "--source", "tso", "--target", "power") == 1
    out = capsys.readouterr().out
    assert "1:got=0" in out
    assert "handshake.pts:7:3: new fence lwsync;" in out
    assert port(HANDSHAKE, "--source", "sc", "--target", "tso") == 0


def test_loops_of_porthos_can_be_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A thread that never ends has no final state, unless its loop is left."""
    file = tmp_path / "endless.pts"
    file.write_text("{x, y} thread t0 { while true { x := 1; a <- y } } thread t1 { y := 1; b <- x }")
    asked = (str(file), "--source", "sc", "--target", "tso", "--no-suggest")
    assert port(*asked) == 0
    assert "a loop was cut at the bound" in capsys.readouterr().out
    assert port(*asked, "--leave-loops", "--bound", "1") == 1
    assert "loops are left after 1 rounds, whatever their conditions say" in capsys.readouterr().out
    for other in (SB, PETERSON):
        assert port(other, "--source", "sc", "--target", "tso", "--leave-loops") == 2
        assert "only loops of .pts programs can be left" in capsys.readouterr().err


def test_what_is_lost_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert port(SB, "--source", "tso", "--target", "sc") == 0
    assert port(SB, "--source", "tso", "--target", "sc", "--direction", "both") == 1
    assert "Lost state: under tso it ends in" in capsys.readouterr().out


def test_pictures_are_drawn(tmp_path: Path) -> None:
    assert port(SB, "--source", "sc", "--target", "tso", "--svg", str(tmp_path), "--no-suggest") == 1
    (picture,) = tmp_path.glob("*.svg")
    assert "allowed by tso" in picture.read_text()


def test_errors_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.litmus"
    wrong.write_text("X86 wrong\n{}\n P0 ;\n FLY EAX ;\nexists (x=1)\n")
    assert port(str(wrong), "--source", "sc", "--target", "tso") == 2
    assert "wrong.litmus:4" in capsys.readouterr().err
    assert port(str(tmp_path / "absent.litmus"), "--source", "sc", "--target", "tso") == 2
    assert port(SB, "--source", "sc", "--target", "nothing") == 2
    assert "there is no model 'nothing'" in capsys.readouterr().err
    assert port(SB, str(wrong), "--source", "sc", "--target", "tso") == 2


def test_a_spent_budget_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    iriw = str(EXAMPLES / "IRIW.litmus")
    assert port(iriw, "--source", "sc", "--target", "power", "--timeout", "0.000001") == 3
    assert "UNKNOWN" in capsys.readouterr().out


@pytest.mark.parametrize("target", ["aarch64", pytest.param("power", marks=pytest.mark.slow)])
def test_suggested_fences_are_no_stronger_than_needed(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("llvmlite")
    spinlock = str(EXAMPLES.parent / "port" / "spinlock.c")
    assert port(spinlock, "--source", "tso", "--target", target, "--json") == 1
    suggestion = json.loads(capsys.readouterr().out)["suggestion"]
    assert suggestion["optimal"] is True
    assert len(suggestion["changes"]) == 2
    assert all("seq_cst" not in change["after"] for change in suggestion["changes"])
    assert suggestion["diff"].startswith("--- a/")
    for define in ("FENCED", "FIXED"):
        assert port(spinlock, "-D", define, "--source", "tso", "--target", target) == 0


def test_who_does_not_ask_for_changes_is_pointed_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    asked = (SB, "--source", "sc", "--target", "tso")
    assert port(*asked, "--no-suggest") == 1
    assert "treville repair" in capsys.readouterr().out
    assert port(*asked) == 1
    assert "treville repair" not in capsys.readouterr().out


def test_c_programs_name_lines(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    assert port(PETERSON, "-D", "F=0", "--source", "sc", "--target", "tso") == 1
    out = capsys.readouterr().out
    assert "tso does not keep the order of:" in out
    assert "line 9 `STORE(flag[me], 1);`" in out
    assert "peterson.c:11:5: new fence atomic_thread_fence(memory_order_seq_cst);" in out
    assert port(PETERSON, "-D", "F=1", "--source", "sc", "--target", "tso", "--json") == 0
