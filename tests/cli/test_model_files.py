"""A model is what its file says: the file's name changes no verdict and no engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.models.cat.files import LIBRARY

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
PROGRAMS = Path(__file__).resolve().parents[1] / "c" / "safe"
# Every thread sees the writes of one location in one order, and that is all.
WEAK = (
    '"SC"\ninclude "cos.cat"\nacyclic po-loc | rf | co | fr as coherence\nempty rmw & (fre; coe) as atomic\n'
)
# Store buffering beside an atomic block that has nothing to do with it.
BUFFERING = """
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int x, y, z, a, b;
void *one(void *unused) { x = 1; a = y; return unused; }
void *two(void *unused) { y = 1; b = x; return unused; }
void *three(void *unused) { __VERIFIER_atomic_begin(); z++; __VERIFIER_atomic_end(); return unused; }
int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_create(&v, 0, three, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    assert(a == 1 || b == 1);
}
"""


@pytest.fixture
def weak(tmp_path: Path) -> str:
    path = tmp_path / "sc.cat"
    path.write_text(WEAK)
    return str(path)


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    main([*arguments, "--json"])
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("engine", ["auto", "eager", "lazy"])
def test_a_weak_model_called_sc_is_not_interleaved_for_the_sake_of_atomic_blocks(
    engine: str, weak: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("llvmlite")
    program = tmp_path / "buffering.c"
    program.write_text(BUFFERING)
    found = report(
        capsys, "check", str(program), "--model", weak, "--property", "assertion", "--engine", engine
    )
    assert found["verdict"] == "FAIL"
    found = report(
        capsys, "check", str(program), "--model", "sc", "--property", "assertion", "--engine", engine
    )
    assert found["verdict"] == "PASS"


def test_a_weak_model_called_sc_is_weak_to_litmus_and_port(
    weak: str, capsys: pytest.CaptureFixture[str]
) -> None:
    buffering = str(EXAMPLES / "SB.litmus")
    assert report(capsys, "litmus", buffering, "--model", weak)["observation"] == "Sometimes"
    assert report(capsys, "port", buffering, "--source", "sc", "--target", weak)["verdict"] == "FAIL"
    assert report(capsys, "port", buffering, "--source", weak, "--target", "sc")["verdict"] == "PASS"


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "rc11"])
def test_a_copy_of_a_shipped_model_gets_the_same_engines(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The machines answer for all bounds; the solver, which takes any model, names one."""
    pytest.importorskip("llvmlite")
    copy = tmp_path / ("power.cat" if model != "rc11" else "mine.cat")
    shutil.copy(LIBRARY / f"{model}.cat", copy)
    arguments = ("check", str(PROGRAMS / "peterson.c"), "--property", "assertion", "--engine", "states")
    shipped, copied = (report(capsys, *arguments, "--model", each) for each in (model, str(copy)))
    assert shipped["verdict"] in ("PASS", "FAIL")
    different = ("model", "seconds", "stages", "stats")
    assert {k: v for k, v in shipped.items() if k not in different} == {
        k: v for k, v in copied.items() if k not in different
    }


@pytest.mark.parametrize("encoding", ["clocks", "conflicts"])
def test_a_copy_of_a_shipped_model_gets_the_same_encodings(
    encoding: str, weak: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "mine.cat"
    shutil.copy(LIBRARY / "sc.cat", copy)
    arguments = ["litmus", str(EXAMPLES / "SB.litmus"), "--engine", encoding]
    assert report(capsys, *arguments, "--model", str(copy))["observation"] == "Never"
    assert main([*arguments, "--model", weak]) == 2
    assert "built in" in "".join(capsys.readouterr())
