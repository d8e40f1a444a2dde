"""The page on what `treville check` writes names every field that there is, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import main
from treville.results.reports.report import SCHEMA
from treville.witness.graphml import _KEYS

pytest.importorskip("llvmlite")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "witnesses.md").read_text(encoding="utf-8")


def tables() -> list[set[str]]:
    """The fields that each table of the page explains."""
    found = []
    for rows in re.findall(r"\|---.*\n((?:\|.*\n)+)", PAGE):
        firsts = [row.split("|")[1] for row in rows.splitlines()]
        found.append({name for first in firsts for name in re.findall(r"`([\w-]+)`", first)})
    return found


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    main(["check", "--json", *arguments])
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_every_field_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    fields, witness, places, _ = tables()
    answers = [
        report(capsys, "examples/c/device_lock.c", "--model", "power"),
        report(capsys, "examples/c/letter.c", "--model", "rc11", "--property", "race"),
        report(capsys, "examples/c/transfer.c", "--property", "deadlock"),
        report(capsys, "examples/c/none.c"),
    ]
    answers.append(report(capsys, "examples/litmus/SB.litmus"))
    answers.append(report(capsys, "tests/c/safe/fibonacci.c", "-D", "N=12", "--timeout", "0.2"))
    assert set().union(*answers) == fields
    assert all(answer["schema"] == SCHEMA for answer in answers)
    assert [answer["status"] for answer in answers] == ["done", "done", "done", "error", "done", "unknown"]
    shown = [answer["witness"] for answer in answers[:3]]
    assert set().union(*shown) == witness
    events = [event for one in shown for event in [*one["events"], *one.get("waiting", [])]]
    assert set().union(*events) == places


def test_every_key_of_graphml_is_explained() -> None:
    assert tables()[3] == {name for name, _ in _KEYS}


def test_the_version_is_the_one_of_the_code() -> None:
    assert f"the version of the format, now {SCHEMA}\n" in PAGE
