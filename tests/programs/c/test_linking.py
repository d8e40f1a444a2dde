"""Several files as one program, given by name or by a compilation database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reporting import Options, Report, answers

from treville.programs.c import read_unit
from treville.programs.c.commands import read_commands
from treville.results import InputError

pytest.importorskip("llvmlite")

MAIN = "#include <assert.h>\nint twice(int);\nint main() { assert(twice(2) == 4); }\n"
TWICE = "static int factor = FACTOR;\nint twice(int x) { return factor * x; }\n"


def only(path: Path, options: Options) -> Report:
    [report] = answers(str(path), ["sc"], options)
    return report


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.c").write_text(text)


@pytest.mark.parametrize(("factor", "verdict"), [(2, "PASS"), (3, "FAIL")])
def test_functions_of_another_file(tmp_path: Path, factor: int, verdict: str) -> None:
    write(tmp_path, main=MAIN, twice=TWICE)
    options = Options(others=(str(tmp_path / "twice.c"),), defines=(f"FACTOR={factor}",))
    assert only(tmp_path / "main.c", options)["verdict"] == verdict


def test_two_definitions_are_refused(tmp_path: Path) -> None:
    write(tmp_path, main=MAIN, twice=TWICE, again=TWICE)
    others = tuple(str(tmp_path / name) for name in ("twice.c", "again.c"))
    report = only(tmp_path / "main.c", Options(others=others, defines=("FACTOR=2",)))
    assert report["status"] == "error"
    assert "again.c cannot be linked" in report["reason"]
    assert "twice" in report["reason"]


@pytest.mark.parametrize(("factor", "verdict"), [(2, "PASS"), (3, "FAIL")])
def test_a_compilation_database_is_one_program(tmp_path: Path, factor: int, verdict: str) -> None:
    (tmp_path / "src").mkdir()
    write(tmp_path / "src", main=MAIN, twice=TWICE)
    command = f"cc -O2 -Wall -DFACTOR={factor} -o twice.o -c twice.c"
    database = [
        {"directory": "src", "file": "main.c", "arguments": ["cc", "-c", "main.c"]},
        {"directory": str(tmp_path / "src"), "file": "twice.c", "command": command},
    ]
    path = tmp_path / "compile_commands.json"
    path.write_text(json.dumps(database))
    assert only(path, Options())["verdict"] == verdict


def test_only_options_that_say_what_a_file_means_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    words = [
        "cc", "-I", "inc", "-Iother", "-isystem/usr/x", "-DA=1", "-D", "B", "-UC", "-std=gnu11", "-include",
        "pre.h", "-O2", "-fplugin=evil.so", "@evil", "-o", "out", "-Xclang", "-load", "-c", "a.c",
    ]  # fmt: skip
    path.write_text(json.dumps([{"directory": ".", "file": "a.c", "arguments": words}]))
    [command] = read_commands(path, (".c",))
    here = str(tmp_path)
    assert command.file == tmp_path / "a.c"
    assert command.options == (
        "-I", f"{here}/inc", "-I", f"{here}/other", "-isystem", "/usr/x", "-DA=1", "-DB", "-UC", "-std=gnu11",
        "-include", f"{here}/pre.h",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a compilation database"),
        ("{}", "a list of objects"),
        ("[1]", "a list of objects"),
        ("[{}]", 'no "file"'),
        ('[{"directory": ".", "file": "a.rs"}]', "names no C"),
        ('[{"directory": ".", "file": "a.c", "command": "cc \'"}]', "cannot be read"),
    ],
)
def test_wrong_databases(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_commands(path, (".c",))


@pytest.mark.parametrize("name", ["@evil.c", "@folder/evil.c"])
def test_a_name_is_no_file_of_options(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for each in (name, name[1:]):
        Path(each).parent.mkdir(exist_ok=True)
        Path(each).write_text("-o written" if each != name else "int main(void) { return 0; }")
    for asked in (name, f"./{name}", str(tmp_path / name)):
        [report] = answers(asked, ["sc"], Options())
        assert (report["status"], report["error"]["cause"]) == ("error", "input")
        assert "begins with @" in report["reason"]
    assert not Path("written").exists()


def test_modules_that_are_no_text_are_refused(tmp_path: Path) -> None:
    module = tmp_path / "bytes.ll"
    module.write_bytes(b'target datalayout = "e-m:e-\xef128:128"\ndefine i32 @main() {\n  ret i32 0\n}\n')
    with pytest.raises(InputError, match="it is no text"):
        read_unit(module)
