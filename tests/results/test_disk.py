"""What was asked of the disk can be played back where the files are not, and nothing else is found there."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.campaigns.loading import load_model
from treville.models.identity import fingerprint
from treville.results import disk


def test_what_was_read_is_played_back_and_nothing_else(tmp_path: Path) -> None:
    known, other = tmp_path / "known", tmp_path / "other"
    known.write_text("one")
    other.write_text("two")
    with disk.recording() as tape:
        assert disk.read_text(known) == "one"
        assert disk.is_file(known)
    known.write_text("changed")
    with disk.playing(tape):
        assert disk.read_text(known) == "one"
        assert not disk.is_file(other)
        with pytest.raises(FileNotFoundError):
            disk.read_bytes(other)
    assert disk.read_text(known) == "changed"


def test_a_model_travels_with_what_it_includes_also_when_it_is_known_already(tmp_path: Path) -> None:
    (tmp_path / "own.cat").write_text('"own"\ninclude "part.cat"\nacyclic order as one\n')
    (tmp_path / "part.cat").write_text("let order = po | rf\n")
    name = str(tmp_path / "own.cat")
    before = fingerprint(load_model(name))
    with disk.recording() as tape:
        load_model(name)
    assert any(asked[1].endswith("part.cat") for asked in tape)
    for path in tmp_path.iterdir():
        path.unlink()
    with disk.playing(tape):
        assert fingerprint(load_model(name)) == before


def test_what_was_made_is_made_once() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("text")
        return "text"

    with disk.recording() as tape:
        for _ in range(2):
            disk.made("program", ("option",), make)
    with disk.playing(tape):
        assert disk.made("program", ("option",), lambda: "other") == "text"
        with pytest.raises(FileNotFoundError):
            disk.made("program", ("other",), lambda: "other")
    assert made == ["text"]
