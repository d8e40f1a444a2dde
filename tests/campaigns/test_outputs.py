"""Pictures of a batch get names of their own, and folders that cannot be written are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treville.campaigns.outputs import distinct_names, picture_names, write_text
from treville.cli.main import main
from treville.results import InputError

SB = (Path(__file__).resolve().parents[2] / "examples" / "litmus" / "SB.litmus").read_text()


def test_stems_are_enough_where_they_differ() -> None:
    assert distinct_names(["a/SB.litmus", "b/MP.litmus"]) == {"a/SB.litmus": "SB", "b/MP.litmus": "MP"}


def test_folders_tell_files_of_one_name_apart() -> None:
    names = distinct_names(["x/a/SB.litmus", "y/a/SB.litmus", "y/b/SB.litmus", "LB.litmus"])
    assert list(names.values()) == ["x-a-SB", "y-a-SB", "b-SB", "LB"]


def test_endings_tell_files_of_one_folder_apart() -> None:
    names = distinct_names(["test.c", "test.litmus"])
    assert list(names.values()) == ["test.c", "test.litmus"]


@given(st.lists(st.text("ab /._", min_size=1, max_size=6), unique=True, max_size=8))
def test_no_two_paths_share_a_name(paths: list[str]) -> None:
    names = distinct_names(paths)
    assert list(names) == paths
    assert len(set(names.values())) == len(paths)
    assert not any("/" in name or " " in name for name in names.values())


def test_models_of_one_name_are_told_apart() -> None:
    names = picture_names(["SB.litmus"], ["tso", "a/mine.cat", "b/mine.cat"])
    stems = [name.stem(file, "mine" if model != "tso" else model) for (file, model), name in names.items()]
    assert stems == ["SB-tso", "SB-a-mine", "SB-b-mine"]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_tests_of_one_name_in_a_batch_have_a_picture_each(tmp_path: Path, jobs: str) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "SB.litmus").write_text(SB)
    drawn = tmp_path / "drawn"
    arguments = ["--quiet", "--jobs", jobs, "--model", "sc", "--svg", str(drawn)]
    assert main(["litmus", *arguments, str(tmp_path / "first"), str(tmp_path / "second")]) == 0
    assert sorted(path.name for path in drawn.iterdir()) == ["first-SB-sc.svg", "second-SB-sc.svg"]


def test_a_folder_that_is_a_file_cannot_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "picture.svg", "<svg/>")
