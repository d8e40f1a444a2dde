"""With `--sandbox` a C file sees shipped headers, its own folder and those of `-I`, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.cli.main import main

pytest.importorskip("llvmlite")
pytest.importorskip("ziglang")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
SECRET = "treville_secret_4711"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that an untrusted program should not see."""
    folder = tmp_path / "private"
    folder.mkdir()
    path = folder / "secret.h"
    path.write_text(f"int {SECRET} = 1;\n")
    return path


def _checked(program: str, folder: Path, *options: str) -> int:
    folder.mkdir(exist_ok=True)
    file = folder / "program.c"
    file.write_text(program)
    return main(["check", *options, str(file)])


def _seen(path: Path) -> str:
    """Passes where the file is not there."""
    return f"""#include <assert.h>
    #if __has_include("{path}")
    int main(void) {{ assert(0); }}
    #else
    int main(void) {{ return 0; }}
    #endif
    """


def test_shipped_headers_and_the_own_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "own.h").write_text("#define ONE 1\n")
    program = """#include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <genmc.h>
    #include "own.h"
    int main(void) { assert(ONE == 1); return 0; }
    """
    assert _checked(program, tmp_path / "box", "--sandbox") == 0


def test_whether_other_files_exist_cannot_be_told(tmp_path: Path, secret: Path) -> None:
    assert _checked(_seen(secret), tmp_path / "box") == 1
    assert _checked(_seen(secret), tmp_path / "box", "--sandbox") == 0
    assert _checked(_seen(Path("../private/secret.h")), tmp_path / "box", "--sandbox") == 0
    assert _checked(_seen(secret), tmp_path / "box", "--sandbox", "-I", str(secret.parent)) == 1


@pytest.mark.parametrize(
    "directive",
    [
        '#include "{secret}"',
        '#include "../private/secret.h"',
        '#include "linked.h"',
        '#include "folder/secret.h"',
        '#define NAME "{secret}"\n#include NAME',
        '#/**/inc\\\nlude "{secret}"',
        '%:include "{secret}"',
        '#import "{secret}"',
        'char data[] = {{\n#embed "{secret}"\n}};',
        '#pragma GCC dependency "{secret}"\n#include "{secret}"',
    ],
)
def test_other_files_cannot_be_read(
    directive: str, tmp_path: Path, secret: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    box = tmp_path / "box"
    box.mkdir()
    (box / "linked.h").symlink_to(secret)
    (box / "folder").symlink_to(secret.parent)
    program = f"{directive.format(secret=secret)}\nint main(void) {{ return 0; }}\n"
    assert _checked(program, box, "--sandbox") == 2
    assert SECRET not in "".join(capfd.readouterr())


def test_lines_of_other_files_are_not_shown(
    tmp_path: Path, secret: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # LLVM names files by what their folders share with this one
    program = f'#include <assert.h>\nint main(void) {{\n# 1 "{secret}"\nassert(0);\n}}\n'
    assert _checked(program, tmp_path / "box") == 1
    assert SECRET in capfd.readouterr().out
    assert _checked(program, tmp_path / "box", "--sandbox") == 1
    assert SECRET not in "".join(capfd.readouterr())


def test_inputs_that_lead_elsewhere_are_refused(tmp_path: Path, secret: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    (box / "program.c").symlink_to(secret)
    (box / "compile_commands.json").write_text("[]")
    (box / "@options.c").write_text("int main(void) { return 0; }")
    assert main(["check", "--sandbox", str(box / "program.c")]) == 2
    assert main(["check", "--sandbox", str(box / "compile_commands.json")]) == 2
    assert main(["check", "--sandbox", str(box / "@options.c")]) == 2
