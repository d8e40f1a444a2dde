"""Compiled programs that are kept: found again by what they were made of, and by nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from treville.programs.c import cache, read_unit
from treville.programs.includes import SEARCHED

pytest.importorskip("ziglang")

PROGRAM = '#include "one.h"\n#include <assert.h>\nint main(void) { assert(ONE); return 0; }\n'


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what is kept; programs are in the one beside it, which is the current one."""
    for name in ("PATH", "TREVILLE_CLANG", *SEARCHED):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("program.c").write_text(PROGRAM)
    Path("one.h").write_text("#define ONE 1\n")
    return tmp_path / "kept"


def made(defines: tuple[str, ...] = (), includes: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> bool:
    """Was the program made anew, not found?"""
    calls: list[int] = []

    def make() -> str:
        calls.append(1)
        return f"text {len(calls)}"

    assert cache.kept(Path("program.c"), defines, includes, others, make) == "text 1"
    return bool(calls)


def found_again() -> bool:
    return made() and not made()


def test_what_was_made_is_found(kept: Path) -> None:
    assert found_again()
    assert not made()
    assert [path.stat().st_mode & 0o777 for path in kept.iterdir()] == [0o600]


def _changed_header() -> None:
    Path("one.h").write_text("#define ONE 2\n")


def _other_header_of_that_name() -> None:
    Path("assert.h").write_text("")  # of another folder, so far: only lines with quotes look here
    Path("one.h").write_text('#include "assert.h"\n')


def _new_file_before_a_header() -> None:
    Path("more.h").write_text("")  # so far it was not there


@pytest.mark.parametrize("change", [_changed_header, _other_header_of_that_name, _new_file_before_a_header])
def test_other_contents_are_another_program(kept: Path, change: Callable[[], None]) -> None:
    Path("one.h").write_text('#define ONE 1\n#if 0\n#include "more.h"\n#endif\n')
    assert found_again()
    change()
    assert found_again()


def test_options_folders_and_makers_count(
    kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Path("other.c").write_text("int x;\n")
    Path("with").mkdir()
    assert found_again()
    assert made(defines=("N=1",))
    assert made(includes=("with",))
    assert not made(includes=("with",))
    assert made(others=("other.c",))
    Path("with/one.h").write_text("")  # it comes later, but might not
    assert made(includes=("with",))
    (tmp_path / "here" / "sub").mkdir()
    for name in ("program.c", "one.h"):
        (tmp_path / "here" / "sub" / name).write_text(Path(name).read_text())
    monkeypatch.chdir(tmp_path / "here" / "sub")
    assert made(), "names are relative to the current folder"
    monkeypatch.setattr(cache, "_makers", lambda _: ["another compiler"])
    assert found_again()


@pytest.mark.parametrize(
    "line",
    ['#define H "one.h"\n#include H', "#if __has_include(<x.h>)\n#endif", "int t = sizeof __TIME__;",
     '# /* */ inc\\\nlude H', "%:include H", '#embed H', "#include_next H"],
)  # fmt: skip
def test_programs_whose_headers_cannot_be_told_are_not_kept(kept: Path, line: str) -> None:
    Path("one.h").write_text(f"{line}\n")
    assert made()
    assert made()
    assert not any(kept.iterdir())


def test_headers_that_may_be_read_in_place_of_shipped_ones_are_not_told(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := Path("headers") / "bits").mkdir(parents=True)
    assert made(includes=("headers",))
    assert not made(includes=("headers",))
    (folder / "alltypes.h").write_text("")  # what <pthread.h> includes
    assert made(includes=("headers",))
    assert made(includes=("headers",))
    monkeypatch.setenv("CPATH", "headers")
    assert made()
    assert made()


def test_other_compilers_and_no_folder_keep_nothing(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREVILLE_CLANG", "clang-of-mine")
    assert made()
    assert made()
    monkeypatch.delenv("TREVILLE_CLANG")
    monkeypatch.setenv(cache.VARIABLE, "")
    assert made()
    assert made()
    assert not list(kept.glob("*"))


def test_a_folder_that_others_can_write_to_is_not_used(kept: Path) -> None:
    assert found_again()
    kept.chmod(0o777)
    assert made()
    kept.chmod(0o700)
    assert not made()


@pytest.mark.parametrize("size", [0, 5, 14, 40, -1])
def test_what_is_damaged_is_made_anew(kept: Path, size: int) -> None:
    """Whoever was killed while writing, or wrote at the same time as another one."""
    assert found_again()
    (place,) = kept.iterdir()
    whole = place.read_bytes()
    place.write_bytes(whole[:size] if size >= 0 else whole[:-1] + bytes([whole[-1] ^ 1]))
    (kept / f"{place.name}.new").write_bytes(b"of somebody who was killed")
    assert found_again()
    assert [path.name for path in kept.iterdir()] == [place.name]


def test_another_program_in_the_same_place_is_told_apart(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "PLACES", 1)
    assert found_again()
    Path("one.h").write_text("")
    assert found_again()
    assert len(list(kept.iterdir())) == 1


def test_links_are_not_followed(kept: Path, tmp_path: Path) -> None:
    assert found_again()
    (place,) = kept.iterdir()
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert found_again()
    assert not place.is_symlink()


def test_what_is_too_large_or_changes_meanwhile_is_not_kept(kept: Path) -> None:
    def make() -> str:
        Path("one.h").write_text("#define ONE 3\n")
        return "of the new file"

    assert cache.kept(Path("program.c"), (), (), (), make) == "of the new file"
    assert found_again()
    large = os.urandom(2 * cache.LARGEST).hex()
    Path("one.h").write_text("")
    for _ in range(2):
        assert cache.kept(Path("program.c"), (), (), (), lambda: large) == large
    assert made()


def test_a_program_is_the_same_from_the_cache(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite")
    first = read_unit(Path("program.c"))
    assert len(list(kept.iterdir())) == 1
    monkeypatch.setattr("treville.programs.c.compile.llvm_text", lambda *_: pytest.fail("it is kept"))
    assert read_unit(Path("program.c")) == first
    with pytest.raises(pytest.fail.Exception):
        read_unit(Path("program.c"), sandbox=True)
