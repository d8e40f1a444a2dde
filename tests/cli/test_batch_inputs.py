"""Odd inputs of batches: standard input that is no text, files named twice, levels that make no sense."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from treville.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
ROOT = Path(__file__).resolve().parents[2]
LITMUS = str(ROOT / "examples" / "litmus" / "SB.litmus")
HISTORIES = ROOT / "examples" / "histories"
NET = ROOT / "examples" / "petri" / "mutex.spec"


def _given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize("command", ["litmus", "check", "port --source sc --target tso", "param", "petri",
                                     "history --level sc"])  # fmt: skip
def test_standard_input_that_is_no_text_has_a_report(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _given(monkeypatch, b"\xff\xfe")
    others = [LITMUS] if command.startswith(("litmus", "check", "port")) else []
    assert main([*command.split(), "--json", "-", *others]) == 2
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [report["file"] for report in reports] == ["-", *others]
    assert reports[0]["error"]["message"] == "standard input is not text in UTF-8"
    assert all(report["status"] == "done" for report in reports[1:])


def test_standard_input_can_be_dumped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("litmus", "check"):
        _given(monkeypatch, Path(LITMUS).read_bytes())
        assert main([command, "-", "--dump", "program"]) == 0
        assert "P0():" in capsys.readouterr().out


def test_a_program_on_standard_input_can_be_dumped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("ziglang")
    _given(monkeypatch, b"int main(void) { return 0; }")
    assert main(["check", "-", "--dump", "llvm"]) == 0
    assert "define" in capsys.readouterr().out


def test_a_net_on_standard_input_can_be_checked_against_its_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _given(monkeypatch, NET.read_bytes())
    main(["petri", "-", "--json"])
    certificates = tmp_path / "certificates"
    certificates.write_text(capsys.readouterr().out)
    _given(monkeypatch, NET.read_bytes())
    assert main(["petri", "-", "--check", str(certificates)]) == 0


def test_a_file_that_is_named_twice_is_asked_about_once(capsys: pytest.CaptureFixture[str]) -> None:
    history = str(HISTORIES / "crash.csv")
    main(["history", history, "--json"])
    once = len(capsys.readouterr().out.splitlines())
    main(["history", history, history, "--json"])
    assert len(capsys.readouterr().out.splitlines()) == once


def test_a_level_is_left_out_where_a_history_of_several_does_not_have_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    odd = str(HISTORIES / "compare-and-set.log")
    well = str(HISTORIES / "crash.csv")
    assert main(["history", well, odd, "--level", "sc", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["file"] for line in out.splitlines()] == [well]
    assert "compare-and-set.log: SC is left out" in err
    assert main(["history", odd, "--level", "sc"]) == 2


def test_histories_none_of_which_has_the_level_are_no_success(tmp_path: Path) -> None:
    text = (HISTORIES / "compare-and-set.log").read_text()
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(text)
    assert main(["history", str(tmp_path), "--level", "sc"]) == 2


def test_json_is_json_on_streams_that_do_not_know_all_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "é€"
    folder.mkdir()
    (folder / "SB.litmus").write_bytes(Path(LITMUS).read_bytes())
    for encoding in ("latin-1", "ascii", "utf-8", "utf-16"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
        monkeypatch.setattr("sys.stdout", stream)
        assert main(["litmus", "--json", str(folder)]) == 0
        stream.flush()
        printed = stream.buffer.getvalue().decode(encoding)
        assert json.loads(printed)["file"] == str(folder / "SB.litmus")


@pytest.mark.parametrize(
    ("command", "ending"), [("litmus", ".litmus"), ("check", ".litmus"), ("petri", ".spec")]
)
def test_a_name_with_line_breaks_makes_no_lines(
    command: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a file could be called like another one's answer."""
    for number, content in enumerate(("nonsense", Path(LITMUS if ending == ".litmus" else NET).read_text())):
        (tmp_path / f"{number}\nbad.c under sc: PASS{ending}").write_text(content)
    main([command, str(tmp_path)])
    printed = capsys.readouterr()
    assert printed.err.count("\N{REPLACEMENT CHARACTER}bad.c under sc: PASS") >= 1
    assert not [line for line in (printed.out + printed.err).splitlines() if line.startswith("bad.c")]
