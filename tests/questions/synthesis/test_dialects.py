"""Accesses that carry an order: no model that is learnt is blind to them, in any dialect."""

from __future__ import annotations

import pytest

from treville.campaigns.loading import load_model, load_test
from treville.models.cat.resolve import resolve_text
from treville.models.model import Model
from treville.questions.comparison.alphabet import alphabet
from treville.questions.synthesis.answer import judge
from treville.questions.synthesis.decide import synthesise
from treville.questions.synthesis.problem import Method, Problem, Requirement, Space
from treville.questions.synthesis.vocabulary import FENCES, ORDERS, Vocabulary
from treville.results import Budget
from treville.results.verdict import Verdict

BASE = ("po", "rf", "co", "fr", "ACQ", "REL", "Acquire", "Release")
OF_C = """C {name}
{{ }}

P0(atomic_int *x, atomic_int *y) {{
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_{release});
}}

P1(atomic_int *x, atomic_int *y) {{
  int r0; int r1;
  r0 = atomic_load_explicit(y, memory_order_{acquire});
  r1 = atomic_load_explicit(x, memory_order_relaxed);
}}

exists (1:r0=1 /\\ 1:r1=0)
"""
OF_THE_KERNEL = """C {name}
{{ }}

P0(int *x, int *y) {{
  WRITE_ONCE(*x, 1);
  {write};
}}

P1(int *x, int *y) {{
  int r0; int r1;
  r0 = {read};
  r1 = READ_ONCE(*x);
}}

exists (1:r0=1 /\\ 1:r1=0)
"""


def _message_passing(dialect: str) -> tuple[Requirement, ...]:
    """Allowed without orders, forbidden with release and acquire: what every model of the dialect says."""
    if dialect == "C":
        texts = [
            OF_C.format(name="MP", release="relaxed", acquire="relaxed"),
            OF_C.format(name="MP+rel+acq", release="release", acquire="acquire"),
        ]
    else:
        texts = [
            OF_THE_KERNEL.format(name="MP", write="WRITE_ONCE(*y, 1)", read="READ_ONCE(*y)"),
            OF_THE_KERNEL.format(
                name="MP+rel+acq", write="smp_store_release(y, 1)", read="smp_load_acquire(y)"
            ),
        ]
    tests = [load_test(text, "MP.litmus") for text in texts]
    assert {test.dialect for test in tests} == {dialect}
    return tuple(Requirement(each, each.condition, i == 0, each.name) for i, each in enumerate(tests))


@pytest.mark.parametrize("dialect", ["C", "LKMM"])
@pytest.mark.parametrize(
    ("method", "base"),
    [(Method.ENUMERATE, ()), (Method.ENUMERATE, BASE), (Method.PARTS, ()), (Method.AUTO, BASE)],
)
def test_orders_of_languages_tell_tests_apart(dialect: str, method: Method, base: tuple[str, ...]) -> None:
    """Compiled for hardware these tests are the same: that was called a contradiction."""
    requirements = _message_passing(dialect)
    problem = Problem(dialect, requirements, Space(base=base, method=method, size=2))
    answer = synthesise(problem, Vocabulary(dialect), None, Budget(), lambda _: None)
    assert answer.verdict is not Verdict.FAIL
    if answer.found is None:
        assert (method, base) == (Method.ENUMERATE, ())  # the default base has no accesses with an order
    else:
        assert not judge(answer.found.resolved(), requirements, Budget(), "").wrong


def _letters(dialect: str, model: Model, oracle: Model) -> set[tuple[str, str]]:
    found = alphabet(dialect, model, oracle)
    return {(each.spelling.name, each.spelling.role.value) for each in (*found.accesses, *found.fences)}


@pytest.mark.parametrize(
    ("dialect", "oracle"),
    [
        ("X86", "tso"),
        ("PPC", "power"),
        ("AArch64", "aarch64"),
        ("RISCV", "riscv"),
        ("C", "rc11"),
        ("C", "c11"),
        ("C", "aarch64"),
        ("LKMM", "lkmm"),
    ],
)
def test_models_that_are_learnt_take_all_that_their_oracle_takes(dialect: str, oracle: str) -> None:
    """Otherwise no test of it could be asked for, and a model without it would be called unique."""
    shipped, prelude = load_model(oracle), Vocabulary(dialect).prelude
    wanted = _letters(dialect, shipped, shipped)
    orders = [f"[{name}]; po" for name in ORDERS.get(dialect, ())]
    for term in ("0", *FENCES.get(dialect, ()), *orders):
        learnt = resolve_text(f"{prelude}acyclic po-loc | rf | co | fr\nacyclic rf | {term}\n", "learnt.cat")
        assert wanted <= _letters(dialect, learnt, shipped), term
