"""Files, folders and lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.campaigns.inputs import expand, read_text
from treville.results import InputError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.litmus", "a.litmus", "notes.txt", "deep/c.litmus"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "all").write_text("b.litmus # the second\n\n# nothing\n@more\n")
    (tmp_path / "more").write_text("deep\n")
    return tmp_path


def _names(tree: Path, *arguments: str) -> list[str]:
    return [Path(found).relative_to(tree).as_posix() for found in expand(arguments, (".litmus",))]


def test_a_folder_stands_for_its_tests_in_sorted_order(tree: Path) -> None:
    assert _names(tree, str(tree)) == ["a.litmus", "b.litmus", "deep/c.litmus"]


def test_a_list_is_relative_to_its_own_folder_and_may_name_lists(tree: Path) -> None:
    assert _names(tree, f"@{tree / 'all'}") == ["b.litmus", "deep/c.litmus"]


def test_a_file_is_taken_whatever_its_ending(tree: Path) -> None:
    assert _names(tree, str(tree / "notes.txt")) == ["notes.txt"]


def test_a_list_that_includes_itself_is_an_error_with_its_place(tree: Path) -> None:
    (tree / "more").write_text("a.litmus\n@all\n")
    with pytest.raises(InputError, match="includes itself") as caught:
        _names(tree, f"@{tree / 'all'}")
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_a_missing_list_or_file_is_an_input_error(tree: Path) -> None:
    with pytest.raises(InputError, match="cannot read the list"):
        _names(tree, f"@{tree / 'none'}")
    with pytest.raises(InputError, match="cannot read the file"):
        read_text(str(tree / "none"))


def test_bytes_outside_of_utf_8_do_not_matter_but_binary_files_are_refused(tree: Path) -> None:
    (tree / "a.litmus").write_bytes(b"(* \xff *)")
    assert "\ufffd" in read_text(str(tree / "a.litmus"))
    (tree / "a.litmus").write_text("X86 A", encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16"):
        read_text(str(tree / "a.litmus"))
