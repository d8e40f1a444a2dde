"""Edits of texts, and what `patch` makes of their diff."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from treville.programs.edits.text import Edit, Moved, edited, place_in, unified

TEXT = "one two\nthree\nfour\n"


def test_edits_are_applied_together() -> None:
    edits = [Edit("f", 8, 8, "new\n"), Edit("f", 0, 3, "ONE"), Edit("f", 8, 13, "3")]
    assert edited(TEXT, edits) == "ONE two\nnew\n3\nfour\n"


def test_places_are_followed_both_ways() -> None:
    moved = Moved(TEXT, [Edit("f", 4, 4, "{mark}"), Edit("f", 8, 13, "3")])
    assert moved.place(4) == (1, 11)
    assert moved.origin(1, 11) == (1, 5)
    assert moved.origin(1, 6) == (1, 5)
    assert moved.place(14) == (3, 1)
    assert moved.origin(3, 1) == (3, 1)
    assert place_in(TEXT, 10) == (2, 3)


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
@pytest.mark.parametrize("after", ["one two\nx\nthree\nfour\n", "one two\nthree\nfour", "\nthree\nfour\n"])
def test_the_diff_is_what_patch_applies(tmp_path: Path, after: str) -> None:
    (tmp_path / "folder").mkdir()
    file = tmp_path / "folder" / "f.c"
    file.write_text(TEXT)
    diff = unified({"./folder/f.c": TEXT}, {"./folder/f.c": after})
    subprocess.run(["patch", "-p1", "-s"], input=diff, text=True, cwd=tmp_path, check=True)
    assert file.read_text() == after


def test_what_does_not_change_is_in_no_diff() -> None:
    assert unified({"f": TEXT}, {"f": TEXT}) == ""
