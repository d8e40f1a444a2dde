"""`treville repair` on the command line: patches, exit codes, what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SB = str(ROOT / "examples" / "litmus" / "SB.litmus")
COHERENT = "X86 CoRR\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n"
SPINLOCK = ROOT / "examples" / "repair" / "spinlock.c"


def repair(*arguments: str) -> int:
    return main(["repair", *arguments])


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    repair(*arguments, "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_patch_is_written_and_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("patch") is None:
        pytest.skip("there is no patch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "SB.litmus").write_text(Path(SB).read_text())
    assert repair("SB.litmus", "-o", "fix.patch", "-q") == 0
    subprocess.run(["patch", "-p1", "-s", "-i", "fix.patch"], check=True)
    assert main(["check", "SB.litmus", "-q"]) == 1  # what `exists` asks for is reached no more
    assert repair("SB.litmus", "-q") == 0
    assert "MFENCE" in (tmp_path / "SB.litmus").read_text()


def test_pictures_of_what_is_forbidden(tmp_path: Path) -> None:
    assert repair(SB, "--svg", str(tmp_path), "-q") == 0
    assert len(list(tmp_path.glob("SB-repair-*.svg"))) == 2
    assert all("forbidden" in picture.read_text() for picture in tmp_path.glob("*.svg"))


def test_what_cannot_be_repaired_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CoRR.litmus").write_text(COHERENT)
    found = report(capsys, str(tmp_path / "CoRR.litmus"))
    assert found["verdict"] == "FAIL"
    assert "1:EAX=1" in found["failing"]["failure"]
    assert found["diff"] == ""
    assert repair(str(tmp_path / "CoRR.litmus")) == 1


def test_costs_of_users_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    costs = tmp_path / "costs.toml"
    costs.write_text("[tso]\nfences = { MFENCE = 1 }\n")
    assert report(capsys, SB, "--cost", str(costs))["cost"] == 2
    costs.write_text("[tso]\nfences = { MFENCE = -1 }\n")
    assert repair(SB, "--cost", str(costs)) == 2
    costs.write_text("[vax]\nfences = { MFENCE = 1 }\n")
    assert repair(SB, "--cost", str(costs)) == 2
    assert "no architecture is called 'vax'" in capsys.readouterr().err


def test_several_models_are_one_question(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    found = report(capsys, str(SPINLOCK), "--model", "rc11", "--model", "aarch64")
    assert found["models"] == ["rc11", "aarch64"]
    assert [check["verdict"] for check in found["checks"]] == ["PASS", "PASS"]
    assert [change["kind"] for change in found["changes"]] == ["memory order"] * 2


def test_files_elsewhere_and_files_to_keep_that_are_not_there_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "SB.litmus").write_text(Path(SB).read_text())
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    found = report(capsys, "../SB.litmus", "--keep", "SB.c:2", "--keep", "SB.litmus:1")
    assert found["warnings"] == [
        "--keep SB.c:2: nothing would be changed in a file of that name",
        "files are elsewhere: the patch applies with patch -p1 -d /",
    ]
    assert f"+++ b{tmp_path}/SB.litmus" in found["diff"]
    monkeypatch.chdir(tmp_path)
    assert report(capsys, "here/../SB.litmus")["diff"].startswith("--- a/SB.litmus")


def test_what_no_change_forbids_says_whether_it_is_an_interleaving(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "CoRR.litmus").write_text(COHERENT)
    found = report(capsys, str(tmp_path / "CoRR.litmus"))
    assert found["failing"]["text"] == "it is an interleaving: sequential consistency allows it, too"
    assert report(capsys, SB, "--only", "orders")["failing"]["text"] == ""


def test_programs_without_assertions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    text = "".join(line for line in SPINLOCK.read_text().splitlines(True) if "assert" not in line)
    (tmp_path / "spinlock.c").write_text(text)
    (warning,) = report(capsys, str(tmp_path / "spinlock.c"), "-D", "STRONG")["warnings"]
    assert "the program has no assertion that could fail" in warning


def test_a_limit_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    found = report(capsys, str(SPINLOCK), "--model", "power", "--timeout", "0.001")
    assert found["verdict"] == "UNKNOWN"
    assert found["changes"] == []


@pytest.mark.parametrize(
    "arguments",
    [("--property", "memory"), ("--keep", "4-"), ("--model", "nothing"), ("--cost", "nowhere.toml")],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...]) -> None:
    assert repair(SB, *arguments) == 2


def test_there_must_be_a_source(tmp_path: Path) -> None:
    (tmp_path / "program.ll").write_text("define i32 @main() { ret i32 0 }\n")
    assert repair(str(tmp_path / "program.ll")) == 2
