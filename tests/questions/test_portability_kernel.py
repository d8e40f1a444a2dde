"""Kernel litmus tests on hardware: what the kernel's model forbids, its barriers forbid on every machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.portability import Portability, Question, portability
from treville.results import Budget, Unsupported, Verdict

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus" / "LKMM"
KERNEL = (ROOT / "examples" / "port" / "kernel.litmus").read_text(encoding="utf-8")
MACHINES = ("sc", "tso", "power", "armv7", "aarch64", "riscv")


def ask(
    test: LitmusTest,
    source: str,
    target: str,
    notion: str = "state",
    direction: str = "new",
    engine: str = "auto",
) -> Portability:
    question = Question(load_model(source), load_model(target), notion, direction, engine=engine)
    return portability(test, question, Budget(60))


@pytest.mark.parametrize("engine", ["enumerate", "eager", "lazy"])
@pytest.mark.parametrize("machine", MACHINES)
def test_barriers_of_the_kernel_keep_their_promise(machine: str, engine: str) -> None:
    test = parse(KERNEL, "kernel.litmus")
    for notion in ("trace", "state"):
        assert ask(test, "lkmm", machine, notion=notion, engine=engine).verdict is Verdict.PASS


@pytest.mark.parametrize(("barrier", "weaker"), [("smp_wmb", "armv7"), ("smp_rmb", "power")])
def test_without_a_barrier_machines_differ(barrier: str, weaker: str) -> None:
    test = parse(KERNEL.replace(f"{barrier}();", "barrier();"), "kernel.litmus")
    assert ask(test, "tso", weaker).verdict is Verdict.FAIL
    assert ask(test, "lkmm", weaker).verdict is Verdict.PASS
    assert ask(test, "sc", "tso").verdict is Verdict.PASS


def test_read_copy_update_is_no_instruction() -> None:
    test = parse(KERNEL.replace("smp_rmb();", "rcu_read_lock(); rcu_read_unlock();"), "kernel.litmus")
    with pytest.raises(Unsupported, match="RCU"):
        ask(test, "lkmm", "power")


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not here")
def test_machines_do_nothing_that_the_kernel_forbids() -> None:
    compared = differing = 0
    for path in sorted(CORPUS.rglob("*.litmus"))[::260]:
        test = parse(path.read_text(), path.name)
        for machine in ("power", "armv7", "aarch64"):
            try:
                found = ask(test, "lkmm", machine, direction="both")
            except Unsupported:
                continue
            if found.verdict is Verdict.UNKNOWN:
                assert "undefined behaviour" in found.reason
                continue
            assert "new" not in [finding.direction for finding in found.findings], (path, machine)
            compared += 1
            differing += bool(found.findings)
    assert compared > 12
    assert 0 < differing < compared
