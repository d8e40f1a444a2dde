"""The picture on the page about `treville port` is the one that the command draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "port.md").read_text(encoding="utf-8")


def test_the_picture_is_what_the_command_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    arguments = ["examples/port/IRIW.litmus", "--source", "tso", "--target", "power", "--no-suggest"]
    assert main(["port", *arguments, "--svg", str(tmp_path)]) == 1
    (drawn,) = tmp_path.glob("*.svg")
    stored = ROOT / "docs" / "port" / drawn.name
    assert drawn.read_text() == stored.read_text()
    assert f"port/{drawn.name}" in PAGE
