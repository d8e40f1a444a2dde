"""The shipped models: they resolve fast, are cited, and judge the classical tests as published."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from tests.models.handmade import (
    Candidate,
    independent_reads,
    load_buffering,
    lost_update,
    message_passing,
    store_buffering,
    two_reads_backwards,
)

from treville.models.base import FENCES
from treville.models.cat.files import LIBRARY
from treville.models.cat.resolve import resolve_file, resolve_text
from treville.models.evaluate import evaluate
from treville.models.library import (
    ALIASES,
    MODELS,
    STRENGTH,
    ModelInfo,
    accepted_fences,
    find_model,
    list_models,
    load_model,
)
from treville.relations import Relation
from treville.results import InputError

OWN = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7")

# Which of these executions each model forbids.
TESTS: dict[str, tuple[Candidate, set[str]]] = {
    "SB": (store_buffering(), {"sc"}),
    "SB+mfence+sync": (store_buffering("MFENCE", "SYNC"), set(OWN)),
    "SB+dmb+fence": (store_buffering("DMB.SY", "Fence.rw.rw"), set(OWN)),
    "MP": (message_passing(), {"sc", "tso"}),
    "MP+fences": (message_passing("SYNC", "DMB"), set(OWN)),
    "MP+fence+addr": (message_passing("MFENCE", "", True), set(OWN) - {"alpha"}),
    "MP+membar.ss": (message_passing("MEMBAR.SS"), {"sc", "tso", "pso"}),
    "LB": (load_buffering(), {"sc", "tso", "pso"}),
    "LB+datas": (load_buffering(True), set(OWN)),
    "CoRR": (two_reads_backwards(), set(OWN) - {"rmo"}),
    "IRIW": (independent_reads(), {"sc", "tso", "pso"}),
    "IRIW+fences": (independent_reads("SYNC"), set(OWN)),
    "lost update": (lost_update(), set(OWN)),
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("test", TESTS)
def test_the_classical_tests_are_judged_as_published(name: str, test: str) -> None:
    candidate, forbidden = TESTS[test]
    assert candidate.judge(load_model(name)).consistent == (name not in forbidden)


def test_lwsync_orders_all_but_write_to_read_on_power() -> None:
    power = load_model("power")
    assert store_buffering("LWSYNC", "LWSYNC").judge(power).consistent
    assert not message_passing("LWSYNC", "LWSYNC").judge(power).consistent
    assert independent_reads("LWSYNC").judge(power).consistent
    assert not message_passing("EIEIO", "SYNC").judge(power).consistent


def test_store_barriers_order_writes_on_armv7() -> None:
    arm = load_model("armv7")
    assert not message_passing("DMB.ST", "DMB").judge(arm).consistent
    assert message_passing("DMB", "DMB.ST").judge(arm).consistent
    assert store_buffering("DMB.ST", "DMB.ST").judge(arm).consistent


def test_a_control_dependency_needs_isync_to_order_reads() -> None:
    rows = [(-1, "W", "x"), (-2, "W", "y"), (0, "W", "x"), (0, "F", "SYNC"), (0, "W", "y"), (1, "R", "y")]
    chosen = {"rf": [(4, 5)], "co": [(0, 2), (1, 4)]}
    plain = Candidate([*rows, (1, "R", "x")], [*chosen["rf"], (0, 6)], chosen["co"], {"ctrl": [(5, 6)]})
    fenced = Candidate(
        [*rows, (1, "F", "ISYNC"), (1, "R", "x")],
        [*chosen["rf"], (0, 7)],
        chosen["co"],
        {"ctrl": [(5, 6), (5, 7)]},
    )
    assert plain.judge(load_model("power")).consistent
    assert not fenced.judge(load_model("power")).consistent


def test_locked_accesses_are_fences_on_x86() -> None:
    tso = load_model("tso")
    candidate = store_buffering()
    candidate.tags["X"] = [2, 4]
    assert not candidate.judge(tso).consistent


def test_atomic_blocks_are_not_interrupted_under_svcomp() -> None:
    svcomp = load_model("svcomp")
    # P0: a block that writes x twice; P1 reads the value in between.
    rows = [(-1, "W", "x"), (0, "W", "x"), (0, "W", "x"), (1, "R", "x")]
    candidate = Candidate(rows, [(1, 3)], [(0, 1), (0, 2), (1, 2)])
    assert candidate.judge(svcomp).consistent
    candidate.relations["rmw"] = [(1, 2)]
    assert candidate.violated(svcomp) == {"atomic"}


@pytest.mark.parametrize("name", [info.name for info in list_models()])
def test_every_shipped_model_resolves_within_milliseconds(name: str) -> None:
    path = LIBRARY / f"{name}.cat"
    resolve_file(path)
    best = 1.0
    for _ in range(3):
        start = time.process_time()
        model = resolve_file(path)
        best = min(best, time.process_time() - start)
    assert model.axioms
    assert best < 0.05


@pytest.mark.parametrize("info", list_models(), ids=lambda info: info.name)
def test_every_shipped_model_is_titled_and_cited(info: ModelInfo) -> None:
    assert info.title
    assert info.summary
    assert "manual" in info.citation.lower() or any(str(year) in info.citation for year in range(1979, 2027))


def test_the_list_has_the_promised_models() -> None:
    assert {*OWN, "svcomp"} <= {info.name for info in list_models()} <= set(MODELS)


def test_aliases_and_case_lead_to_the_same_model() -> None:
    assert load_model("x86tso") is load_model("tso") is load_model("TSO")
    assert load_model("ppc") is load_model("power")
    assert load_model("arm.cat") is load_model("armv7")
    assert set(ALIASES.values()) <= set(MODELS)


def test_an_unknown_model_is_an_error_with_the_list() -> None:
    with pytest.raises(InputError) as caught:
        load_model("vax")
    assert "sc, tso" in str(caught.value)
    with pytest.raises(InputError, match=r"no model file no/such/file\.cat"):
        load_model("no/such/file.cat")


def test_parts_of_the_library_are_not_models() -> None:
    with pytest.raises(InputError):
        find_model("stdlib")


def test_own_models_are_reread_when_they_change(tmp_path: Path) -> None:
    path = tmp_path / "m.cat"
    path.write_text("acyclic po as first")
    assert load_model(path).axioms[0].name == "first"
    path.write_text("acyclic po as another")
    assert load_model(str(path)).axioms[0].name == "another"


def test_a_bell_file_beside_the_model_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text("empty Loud as quiet")
    (tmp_path / "m.bell").write_text("enum Volume = 'loud")
    assert "Loud" in load_model(tmp_path / "m.cat").base_names()


def test_models_say_which_fences_they_know() -> None:
    assert accepted_fences(load_model("sc")) is None
    tso = accepted_fences(load_model("tso"))
    assert tso is not None
    assert {"MFENCE", "SFENCE", "SYNC", "DMB.SY", "LWSYNC"} <= tso
    assert "DSB.ST" not in tso
    power = accepted_fences(load_model("power"))
    assert power is not None
    assert {"LWSYNC", "ISYNC", "MFENCE"} <= power
    assert power <= FENCES


def test_stronger_models_allow_less() -> None:
    own = [each for each in STRENGTH if each.stronger in (*OWN, "svcomp") and each.weaker in OWN]
    assert len(own) >= 7
    for stronger, weaker, _ in own:
        for name, (candidate, _) in TESTS.items():
            if candidate.judge(load_model(stronger)).consistent:
                assert candidate.judge(load_model(weaker)).consistent, (stronger, weaker, name)


def test_filters_keep_the_pairs_whose_ends_are_of_their_kinds() -> None:
    names = re.findall(r"^let ([A-Z])([A-Z]) r", (LIBRARY / "filters.cat").read_text(), re.MULTILINE)
    assert len(names) == 15
    text = "\n".join(f"let kept{one}{other} = {one}{other} po" for one, other in names)
    kinds = {"R": 0b0101, "W": 0b1010, "M": 0b1111, "A": 0b1100, "P": 0b0011}  # the last two are exclusive
    sets = {"R": kinds["R"], "W": kinds["W"], "M": kinds["M"], "X": kinds["A"]}
    found = evaluate(resolve_text(f'include "filters.cat"\n{text}'), 4, sets, {"po": Relation.full(4)})
    for one, other in names:
        wanted = Relation.product(4, kinds[one], kinds[other])
        assert found.relation(f"kept{one}{other}") == wanted, one + other
