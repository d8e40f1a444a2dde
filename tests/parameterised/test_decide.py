"""Verdicts: examples, invariants, memory models, the corpus, and random systems against exploration."""

from __future__ import annotations

import csv

import pytest
from tests.parameterised.random_systems import random_litmus, random_system
from tests.parameterised.systems import CORPUS, FLAGS, FLAGS_NO_FENCE, MESSAGE, MUTEX, SPINLOCK, TWO_WRITES

from treville.parameterised.decide import decide
from treville.parameterised.language.resolve import read_system
from treville.parameterised.states.forward import explore
from treville.parameterised.states.machine import Bounds
from treville.results import Budget, Verdict


def _verdict(text: str, model: str | None = None) -> Verdict:
    return decide(read_system(text, "test.cub", model), Budget(30)).verdict


@pytest.mark.parametrize(
    ("text", "model", "verdict"),
    [
        (FLAGS, "sc", Verdict.PASS),
        (FLAGS, "tso", Verdict.PASS),
        (FLAGS, "pso", Verdict.PASS),
        (FLAGS_NO_FENCE, "sc", Verdict.PASS),
        (FLAGS_NO_FENCE, "tso", Verdict.FAIL),
        (FLAGS_NO_FENCE, "pso", Verdict.FAIL),
        (MESSAGE, "tso", Verdict.PASS),
        (MESSAGE, "pso", Verdict.FAIL),
        (SPINLOCK, "tso", Verdict.PASS),
        (TWO_WRITES, "sc", Verdict.PASS),
        (TWO_WRITES, "tso", Verdict.PASS),
        (TWO_WRITES, "pso", Verdict.FAIL),
        (MUTEX, "sc", Verdict.PASS),
        (MUTEX.replace("Free := False", "Free := Free"), "sc", Verdict.FAIL),
    ],
)
def test_examples_have_their_verdicts(text: str, model: str, verdict: Verdict) -> None:
    assert _verdict(text, model) is verdict


def test_a_failure_comes_with_a_run_that_ends_unsafe() -> None:
    system = read_system(FLAGS_NO_FENCE, "test.cub")
    answer = decide(system, Budget(30))
    assert answer.run is not None
    assert answer.machine is not None
    assert answer.machine.violated(system.unsafe[0])(answer.run[-1].state)
    assert [step.text for step in answer.run if step.kind == "step"].count("enter") == 2


def test_an_arbitrary_value_reaches_weak_memory() -> None:
    text = "type t = A | B\nweak var X : t\narray P[proc] : t\ninit (p) { P[p] = A && X = A }\n"
    text += "unsafe (p) { p@X = B }\ntransition t ([p]) requires { P[p] = A } { P[p] := B; X := ? }\n"
    assert _verdict(text, "tso") is Verdict.FAIL
    assert _verdict(text.replace("X := ?", "X := A"), "tso") is Verdict.PASS


def test_invariants_over_constants_are_marked_as_assumed() -> None:
    answer = decide(read_system(MESSAGE, "test.cub"), Budget(30))
    assert answer.assumed == ["invariant[1]"]


def test_what_nothing_assigns_is_as_good_as_a_constant() -> None:
    text = "type t = A | B\narray P[proc] : t\narray Near[proc,proc] : bool\ninit (p) { P[p] = A }\n"
    text += "unsafe (p q) { P[p] = B && Near[q,p] = True }\n"
    text += "transition go (p) requires { forall_other q. Near[p,q] = False } { P[p] := B }\n"
    assert _verdict(text) is Verdict.FAIL
    symmetric = text + "invariant (p q) { Near[p,q] <> Near[q,p] }\n"
    answer = decide(read_system(symmetric, "test.cub"), Budget(30))
    assert (answer.verdict, answer.assumed) == (Verdict.PASS, ["invariant[1]"])


def test_other_invariants_are_proved_and_wrong_ones_are_not_used() -> None:
    right = decide(read_system(MUTEX + "invariant (p) { At[p] = Crit && Free = True }", "m"), Budget(30))
    assert (right.verdict, right.proved) == (Verdict.PASS, ["invariant[1]"])
    broken = MUTEX.replace("Free := False", "Free := Free")
    wrong = decide(read_system(broken + "invariant (p) { At[p] = Crit }", "m"), Budget(30))
    assert (wrong.verdict, wrong.refuted) == (Verdict.FAIL, ["invariant[1]"])


def test_a_budget_that_runs_out_is_unknown() -> None:
    answer = decide(read_system(FLAGS, "test.cub"), Budget(1e-9))
    assert answer.verdict is Verdict.UNKNOWN
    assert "no answer within" in answer.reason


def test_atomic_steps_wait_for_the_buffer_under_tso() -> None:
    """An atomic step on Y drains X, so two processes cannot both miss each other."""
    text = FLAGS_NO_FENCE.replace("weak array", "weak var Turn : bool\nweak array")
    text = text.replace("{ At[p] := Inside }", "{ At[p] := Inside; Turn := True }")
    assert _verdict(text, "tso") is Verdict.PASS


@pytest.mark.parametrize("seed", range(60))
def test_straight_line_programs_agree_with_exploration(seed: int) -> None:
    for model in ("sc", "tso", "pso"):
        system = read_system(random_litmus(seed), f"seed {seed}", model)
        found = explore(system, system.processes, most=60_000, bounds=Bounds(buffer=5))
        is_safe = found.complete and model == "sc"  # elsewhere longer buffers might do more
        if found.unsafe is not None or is_safe:
            answer = decide(system, Budget(60), approximate=seed % 2 == 0)
            assert answer.verdict is (Verdict.PASS if found.unsafe is None else Verdict.FAIL), model


@pytest.mark.parametrize("seed", range(40))
def test_random_protocols_never_pass_what_an_instance_violates(seed: int) -> None:
    for model in ("sc", "tso", "pso"):
        system = read_system(random_system(seed), f"seed {seed}", model)
        answer = decide(system, Budget(2), approximate=seed % 2 == 0)
        found = explore(system, 2, most=3000)
        if found.unsafe is not None:
            assert answer.verdict is not Verdict.PASS, model


def _expected(folder: str, column: str) -> list[tuple[str, str]]:
    path = CORPUS / folder / "expected.csv"
    if not path.is_file():
        return []
    with path.open() as file:
        return [(row["file"], row[column]) for row in csv.DictReader(file)]


# More than two seconds each; bench/param.py has them all.
_SLOW = (
    "arbiter_v3", "flash_nodata", "flash_enum", "german_pfs_data", "german.ctc", "ricart_abdulla_int",
)  # fmt: skip


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize(("folder", "column"), [("weak", "verdict_under_TSO"), ("sc", "verdict")])
def test_the_corpus_has_its_expected_verdicts(folder: str, column: str) -> None:
    checked = 0
    for file, expected in _expected(folder, column):
        if expected == "undecided" or any(part in file for part in _SLOW):
            continue
        verdict = _verdict((CORPUS / folder / file).read_text())
        assert verdict is {"SAFE": Verdict.PASS, "UNSAFE": Verdict.FAIL}[expected], file
        checked += 1
    assert checked > 35
