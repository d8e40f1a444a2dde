"""`port` against what `litmus` lists, for tests that every model sees compiled its own way."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.questions.port_by_litmus import random_asked
from tests.seeds import conclusive

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.questions.portability import Question, portability
from treville.results import Budget, TooLarge

# A branch around nothing that matters, and a write behind it that only some models let it control.
KERNEL = """C kernel
{}
P0(int *x, int *y)
{
	int a = READ_ONCE(*x);
	smp_store_release(y, 1);
}
P1(int *x, int *y, int *z)
{
	int b = READ_ONCE(*y);
	if (b == 1) {
		WRITE_ONCE(*z, 1);
	}
	WRITE_ONCE(*x, 1);
}
exists (0:a=1 /\\ 1:b=1)
"""
C11 = """C language
{}
P0(atomic_int *x, atomic_int *y)
{
	int a = atomic_load_explicit(x, memory_order_relaxed);
	atomic_store_explicit(y, 1, memory_order_release);
}
P1(atomic_int *x, atomic_int *y)
{
	int b = atomic_load_explicit(y, memory_order_relaxed);
	if (b == 2) { }
	atomic_store_explicit(x, 1, memory_order_relaxed);
}
exists (0:a=1 /\\ 1:b=1)
"""


@pytest.mark.parametrize("engine", ["auto", "eager", "lazy", "judged"])
@pytest.mark.parametrize("source", ["sc", "tso", "power", "aarch64"])
def test_a_branch_controls_what_is_behind_it_on_hardware_only(source: str, engine: str) -> None:
    test = parse(KERNEL, "kernel.litmus")
    assert outcomes(test, load_model(source)).observation == "Never"
    assert outcomes(test, load_model("lkmm")).observation == "Sometimes"
    for notion in ("state", "trace"):
        there = Question(load_model(source), load_model("lkmm"), notion, engine=engine)
        assert portability(test, there, Budget(20)).verdict.value == "FAIL"
        back = Question(load_model("lkmm"), load_model(source), notion, engine=engine)
        assert portability(test, back, Budget(20)).verdict.value == "PASS"


@pytest.mark.parametrize("source", ["sc", "tso", "power", "rc11", "c11"])
def test_imm_has_control_dependencies_to_the_end_of_a_thread(source: str) -> None:
    """Podkopaev, Lahav and Vafeiadis demand that they are closed under program order."""
    test = parse(C11, "language.litmus")
    assert outcomes(test, load_model("imm")).observation == "Never"
    question = Question(load_model(source), load_model("imm"), "state")
    assert portability(test, question, Budget(20)).verdict.value == "PASS"


def test_answers_are_the_difference_of_what_the_models_list() -> None:
    asked: Counter[str] = Counter()
    for seed in range(60):
        case = random_asked(seed, size=4)
        try:
            engine = ("auto", "eager", "lazy")[seed % 3]
            assert not case.disagreement(trace=seed % 4 == 0, engine=engine), (seed, case.text)
        except TooLarge:
            continue
        asked[case.test.dialect] += 1
    assert conclusive(min(asked[name] for name in ("C", "LKMM", "PPC", "AArch64")) > 5)
