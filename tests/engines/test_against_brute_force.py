"""Every engine gives the same final states, and the counting ones the same numbers of executions, as the
brute-force oracle, on random small tests and on the shipped examples."""

from pathlib import Path

import pytest
from tests.brute_force import Oracle
from tests.random_litmus import random_test

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget

ROOT = Path(__file__).resolve().parents[2]
FENCES = {
    "sc": ("MFENCE", "SYNC"),
    "tso": ("MFENCE",),
    "pso": ("MFENCE",),
    "rmo": ("MFENCE",),
    "alpha": ("MFENCE",),
    "power": ("SYNC", "LWSYNC", "ISYNC"),
    "armv7": ("DMB", "ISB"),
    "aarch64": ("DMB.SY", "DMB.LD", "ISB"),
    "riscv": ("Fence.rw.rw", "Fence.r.rw"),
    "rc11": (),
    "c11": (),
}
SEEDS = 40


def check(test: LitmusTest, model_name: str) -> None:
    model = load_model(model_name)
    expected = Oracle(test, model, budget=Budget(60)).outcomes()
    counted = outcomes(test, model, engine="enumerate").states
    assert counted == expected
    assert set(outcomes(test, model, engine="eager").states) == set(expected)
    assert set(outcomes(test, model, engine="lazy").states) == set(expected)


@pytest.mark.parametrize("model", FENCES)
def test_random_tests_agree_with_brute_force(model: str) -> None:
    reached = 0
    for seed in range(SEEDS):
        test = random_test(seed, FENCES[model], size=4 if seed % 2 else 5)
        check(test, model)
        reached += 1
    assert reached == SEEDS


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "power", "aarch64"])
def test_shipped_examples_agree_with_brute_force(model: str) -> None:
    examples = sorted((ROOT / "examples" / "litmus").glob("*.litmus"))
    assert examples
    for path in examples:
        if path.name.startswith(("IRIW", "lock", "WRC+fences", "RWC", "ISA2")):
            continue  # too many candidates for an enumeration without any pruning
        check(parse(path.read_text(), path.name), model)
