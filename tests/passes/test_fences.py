"""Fences that a model does not know are errors; full fences are known to every model."""

from __future__ import annotations

import pytest

from treville.fences import FULL_FENCES
from treville.models.base import FENCES
from treville.models.blocks import with_atomic_blocks
from treville.models.cat.resolve import resolve_text
from treville.models.library import MODELS, load_model
from treville.models.model import Operator
from treville.passes.fences import refuse_unknown_fences
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Unsupported

POWER = """PPC MP
{{ 0:r2=x; 0:r4=y; 1:r2=x; 1:r4=y; }}
 P0           | P1           ;
 li r1,1      | lwz r1,0(r4) ;
 stw r1,0(r2) | {fence}       ;
 {fence}       | lwz r5,0(r2) ;
 stw r1,0(r4) |              ;
exists (1:r1=1 /\\ 1:r5=0)
"""
RISCV = """RISCV F
{ 0:x6=x; }
 P0 ;
 fence.i ;
 lw x7,0(x6) ;
exists (0:x7=0)
"""


def understood(test: LitmusTest, model: str) -> None:
    """Raises unless the model understands the test's fences."""
    refuse_unknown_fences(test.program, test.dialect, load_model(model))


@pytest.mark.parametrize("model", ["tso", "pso", "aarch64", "riscv", "rc11"])
def test_a_partial_fence_of_another_architecture_is_refused_at_its_place(model: str) -> None:
    test = parse(POWER.format(fence="lwsync"), "mp.litmus")
    with pytest.raises(Unsupported, match="lwsync") as caught:
        outcomes(test, load_model(model))
    assert caught.value.span is not None
    assert caught.value.span.line == 6


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "power", "aarch64", "riscv"])
def test_a_full_fence_is_one_to_every_model(model: str) -> None:
    test = parse(POWER.format(fence="sync"), "mp.litmus")
    assert outcomes(test, load_model(model)).observation == "Never"


def test_full_fences_are_the_same_in_cat_and_in_programs() -> None:
    full = resolve_text('include "fullfences.cat"\nlet only = fullfence\nempty fullfence')
    needed = full.below([full.definitions["FULL"]])
    assert {full.nodes[node].name for node in needed if full.nodes[node].op is Operator.BASE} == FULL_FENCES
    assert FULL_FENCES <= FENCES


@pytest.mark.parametrize("model", MODELS)
def test_atomic_blocks_are_ordered_by_the_full_fences_of_every_architecture(model: str) -> None:
    """Those of SC and of its model with blocks are ordered by program order anyway."""
    added = with_atomic_blocks(load_model(model)).base_names()
    assert added >= FULL_FENCES or model in ("sc", "svcomp")


def test_a_model_without_fences_takes_all_of_them() -> None:
    understood(parse(POWER.format(fence="lwsync"), "mp.litmus"), "sc")


def test_a_model_takes_the_fences_of_its_own_architecture_even_if_it_ignores_them() -> None:
    understood(parse(RISCV, "f.litmus"), "riscv")
    understood(parse(POWER.format(fence="lwsync"), "mp.litmus"), "power")
