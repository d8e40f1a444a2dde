"""Includes stay inside the model's folder and the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.models.cat.files import LIBRARY, find_include
from treville.models.cat.resolve import resolve_file, resolve_text
from treville.results import InputError, Span

HERE = Span("m.cat", 1, 1)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.cat", "a/../../secret.cat", "..", "", "a\\b.cat", "x\0.cat"]
)
def test_includes_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.cat").write_text("acyclic po")
    inside = tmp_path / "model"
    inside.mkdir()
    with pytest.raises(InputError):
        find_include(name, inside, HERE)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.cat").write_text("acyclic po")
    inside = tmp_path / "model"
    inside.mkdir()
    (inside / "link.cat").symlink_to(tmp_path / "secret.cat")
    with pytest.raises(InputError, match="no such file"):
        find_include("link.cat", inside, HERE)


def test_the_own_folder_comes_before_the_library(tmp_path: Path) -> None:
    (tmp_path / "filters.cat").write_text("let mine = po")
    assert find_include("filters.cat", tmp_path, HERE).parent == tmp_path
    assert find_include("x86fences.cat", tmp_path, HERE).parent == LIBRARY


def test_coherence_is_always_native(tmp_path: Path) -> None:
    (tmp_path / "cos.cat").write_text("with co from linearisations(W, co0)")
    (tmp_path / "m.cat").write_text('include "cos.cat"\nacyclic po | co\n')
    assert len(resolve_file(tmp_path / "m.cat").axioms) == 1


def test_subfolders_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.cat").write_text("let a = po")
    (tmp_path / "m.cat").write_text('include "parts/a.cat"\nacyclic a\n')
    assert resolve_file(tmp_path / "m.cat").axioms[0].name == "acyclic a"


def test_circles_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.cat").write_text('include "b.cat"')
    (tmp_path / "b.cat").write_text('include "a.cat"')
    with pytest.raises(InputError, match="cycle"):
        resolve_file(tmp_path / "a.cat")


def test_includes_that_multiply_are_stopped(tmp_path: Path) -> None:
    for i in range(19):
        (tmp_path / f"f{i}.cat").write_text(f'include "f{i + 1}.cat"\n' * 3)
    (tmp_path / "f19.cat").write_text("let a = po\n")
    with pytest.raises(InputError, match="too many"):
        resolve_file(tmp_path / "f0.cat")


def test_unreadable_files_are_input_errors(tmp_path: Path) -> None:
    (tmp_path / "bytes.cat").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "huge.cat").write_text(" " * 1_000_001)
    (tmp_path / "folder.cat").mkdir()
    for name in ("bytes.cat", "huge.cat", "folder.cat", "missing.cat"):
        with pytest.raises(InputError):
            resolve_file(tmp_path / name)


def test_a_text_without_folder_sees_the_library() -> None:
    assert resolve_text('include "filters.cat"\nacyclic WW(po)').axioms
