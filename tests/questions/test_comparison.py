"""The smallest tests that tell models apart: against all programs one by one, and against the literature."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.questions.comparison_brute_force import Space, separations
from tests.random_models import random_model

from treville.models.cat.resolve import resolve_text
from treville.models.library import STRENGTH, Order, load_model
from treville.models.model import Model
from treville.programs.litmus import parse
from treville.programs.litmus.writing import WRITERS
from treville.questions.comparison import Difference, Scope, all_differences, search, smallest_difference
from treville.questions.comparison.dialects import dialect_for
from treville.questions.comparison.found import Found
from treville.questions.comparison.sketch import Shape
from treville.questions.outcomes import outcomes
from treville.results import Budget, InputError

HARDWARE = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "power2012")
ALL = ("addr", "data", "ctrl")


def difference(allowing: Model, forbidding: Model, scope: Scope) -> Difference | None:
    found = smallest_difference(allowing, forbidding, scope)
    assert found is None or isinstance(found, Difference)
    return found


def smallest(allowing: str, forbidding: str, events: int, dialect: str | None = None) -> Difference | None:
    one, other = load_model(allowing), load_model(forbidding)
    return difference(one, other, Scope(dialect_for(one, other, dialect), events))


def agree(space: Space, models: dict[str, Model], most: int) -> int:
    """Compare with brute force; how many pairs differ."""
    expected = separations(space, models, most)
    for one, other in permutations(models, 2):
        found = difference(models[one], models[other], space.scope(most))
        wanted = expected.get((one, other))
        told = None if found is None else (found.events, found.threads)
        assert told == (wanted and wanted[:2]), (one, other, wanted, found and found.text)
    return len(expected)


# -- brute force -----------------------------------------------------------------------------------------


def test_all_programs_of_four_plain_accesses() -> None:
    models = {name: load_model(name) for name in ("sc", "tso", "pso", "rmo", "power", "riscv")}
    assert agree(Space("AArch64", ("r", "w")), models, 4) == 14


def test_all_programs_of_three_accesses_with_exchanges() -> None:
    """Without atomicity an exchange is only a read and a write."""
    text = '"loose"\ninclude "cos.cat"\nacyclic po-loc | rf | fr | co as coherent\n'
    models = {"tso": load_model("tso"), "loose": resolve_text(text, "loose.cat")}
    assert agree(Space("AArch64", ("r", "w", "swp")), models, 3) == 1


@pytest.mark.parametrize(
    ("dialect", "names"), [("RISCV", ("r", "w", "lrsc")), ("AArch64", ("w", "swp", "ldxr"))]
)
def test_reserved_accesses_are_pairs_of_instructions(dialect: str, names: tuple[str, ...]) -> None:
    """A machine whose pairs are not atomic, though its single instructions are, is told from one without."""
    text = '"loose"\ninclude "cos.cat"\nacyclic po-loc | rf | fr | co as coherent\nempty {0} & (fre; coe)\n'
    models = {name: resolve_text(text.format(name), f"{name}.cat") for name in ("amo", "rmw", "lxsx")}
    models["riscv"] = load_model("riscv")
    found = agree(Space(dialect, names), models, 3)
    assert found > 2
    scope = Space(dialect, names).scope(3)
    assert difference(models["amo"], models["rmw"], scope) is not None


def test_all_programs_of_three_accesses_with_dependencies() -> None:
    """A model for each dependency: what it orders, nothing else does."""
    text = '"{0}"\ninclude "cos.cat"\nacyclic {0} | rfe | fr | co | (po & (W * W)) as order\n'
    models = {name: resolve_text(text.format(name), f"{name}.cat") for name in (*ALL, "po-loc")}
    assert agree(Space("AArch64", ("r", "w"), (), ALL), models, 3) == 9


def test_fences_behind_branches() -> None:
    text = '"{0}"\ninclude "cos.cat"\nacyclic ({1}) | rfe | fr | co | (po & (W * W)) as order\n'
    forms = {"none": "0", "isb": "po; [ISB]; po", "ctrlisb": "ctrlcfence(ISB)", "ctrl": "ctrl"}
    models = {name: resolve_text(text.format(name, form), f"{name}.cat") for name, form in forms.items()}
    assert agree(Space("AArch64", ("r", "w"), ("isb",), ("ctrl",)), models, 3) == 7


def test_all_small_programs_of_power_in_its_own_dialect() -> None:
    models = {name: load_model(name) for name in ("tso", "power", "power2012")}
    assert agree(Space("PPC", ("r", "w", "rmw"), ("lwsync",), ("data",)), models, 3) == 0


def test_all_small_programs_of_c() -> None:
    models = {name: load_model(name) for name in ("c11", "rc11", "power")}
    assert agree(Space("C", ("r", "w", "na"), (), ("ctrl",)), models, 3) == 0
    assert agree(Space("C", ("w", "sc")), models, 3) == 0


@pytest.mark.slow
def test_all_programs_of_four_accesses_of_c() -> None:
    models = {name: load_model(name) for name in ("c11", "rc11", "imm", "sc", "power", "aarch64")}
    assert agree(Space("C", ("r", "w", "sc")), models, 4) > 10


@pytest.mark.slow
def test_all_programs_of_three_accesses_with_everything() -> None:
    models = {name: load_model(name) for name in HARDWARE}
    assert agree(Space("AArch64", ("r", "w", "swp"), ("dmb.sy", "isb"), ALL), models, 3) == 9


@pytest.mark.slow
def test_all_programs_of_five_plain_accesses() -> None:
    models = {name: load_model(name) for name in ("sc", "tso", "power")}
    assert agree(Space("AArch64", ("r", "w")), models, 5) == 3


@pytest.mark.parametrize("seed", range(6))
def test_random_models(seed: int) -> None:
    models = {"one": random_model(2 * seed), "other": random_model(2 * seed + 1)}
    agree(Space("AArch64", ("r", "w"), (), ("data",)), models, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 60))
def test_more_random_models(seed: int) -> None:
    models = {"one": random_model(2 * seed), "other": random_model(2 * seed + 1)}
    agree(Space("AArch64", ("r", "w", "swp"), (), ("data", "ctrl")), models, 3)
    agree(Space("X86", ("r", "w", "xchg"), ("mfence",)), models, 3)


# -- what the literature says ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowing", "forbidding", "name"),
    [
        ("tso", "sc", "SB"),
        ("pso", "tso", "MP"),
        ("rmo", "pso", "CoRR"),
        ("imm", "rc11", "LB"),
        ("c11", "rc11", "LB"),
        ("rc11", "c11", "S+rel+con-data"),
        ("power", "aarch64", "R+dmb.st+dmb.sy"),
        ("lkmm", "sc", "LB"),
        ("sc", "tso", None),
        ("tso", "power", None),
        ("aarch64", "armv7", None),
    ],
)
def test_well_known_differences(allowing: str, forbidding: str, name: str | None) -> None:
    found = smallest(allowing, forbidding, 4)
    assert (found and found.name) == name


@pytest.mark.parametrize("order", STRENGTH, ids=lambda order: f"{order.stronger}-{order.weaker}")
def test_the_expected_order_of_strength(order: Order) -> None:
    """It holds on tests of the dialects that it is meant for, and on no others (rc11 knows C alone)."""
    for dialect in ("C",) if order.weaker == "rc11" else WRITERS:
        found = smallest(order.stronger, order.weaker, 4, dialect)
        assert (found is None) == (dialect in order.dialects), (dialect, found)


def test_what_is_found_is_confirmed_and_explained() -> None:
    found = smallest("power", "tso", 4)
    assert found is not None
    test = parse(found.text, "again.litmus")
    assert outcomes(test, load_model("power")).holds is True
    assert outcomes(test, load_model("tso")).holds is False
    assert found.axiom == "tso"
    assert found.condition == "exists (0:r1=1 /\\ 1:r1=1)"
    assert (found.events, found.threads, found.locations) == (4, 2, 2)


def test_the_families_of_power() -> None:
    """Every test up to six accesses by which Power differs from SC has one of these inside."""
    power, sc = load_model("power"), load_model("sc")
    names = [found.name for found in all_differences(power, sc, Scope("PPC", 5))]
    assert names[:6] == sorted(names[:6], key=names.index)
    assert set(names[:6]) == {"LB", "SB", "MP", "R", "S", "2+2W"}
    assert set(names[6:]) == {"WRC", "RWC", "WWC", "WRR+2W", "WRW+WR", "WRW+2W"}


def test_power_is_not_multi_copy_atomic() -> None:
    power, aarch64 = load_model("power"), load_model("aarch64")
    scope = Scope("AArch64", 6, least=6, instructions=frozenset({"r", "w"}), dependencies=frozenset({"addr"}))
    names = {found.name for found in all_differences(power, aarch64, scope)}
    assert "IRIW+addr+addr" in names


def test_writes_that_nobody_saw_may_come_in_any_order() -> None:
    """With three writes of a location two orders end in one state: all of them have to be forbidden."""
    text = '"{0}"\ninclude "cos.cat"\nacyclic po-loc | rf | fr | co as coherent\n{1}\n'
    weak = resolve_text(text.format("weak", ""), "weak.cat")
    # The execution in which another thread's write comes before both of a thread is forbidden, and the state
    # is reached all the same: by the one in which it comes between them.
    strong = resolve_text(text.format("strong", "empty [W \\ IW]; coe; coi as unseen"), "strong.cat")
    rejected: list[Found] = []
    judged = search.judged

    def watched(asked: search.Search, found: Found, shape: Shape) -> Difference | None:
        difference = judged(asked, found, shape)
        if difference is None:
            rejected.append(found)
        return difference

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "judged", watched)
        writes = Scope("AArch64", 3, instructions=frozenset({"w"}))
        assert difference(weak, strong, writes) is None
        assert [found.pattern.locations for found in rejected] == [(0, 0, 0)]
        seen = difference(weak, strong, Scope("AArch64", 4, instructions=frozenset({"r", "w"})))
    assert seen is not None
    assert agree(Space("AArch64", ("r", "w")), {"weak": weak, "strong": strong}, 4) == 1


def test_models_that_know_final_writes() -> None:
    """Their tests observe every location."""
    text = '"{0}"\ninclude "cos.cat"\nacyclic po-loc | rf | fr | co as coherent\n{1}\n'
    weak = resolve_text(text.format("weak", ""), "weak.cat")
    strong = resolve_text(text.format("strong", "empty [FW]; po; [W \\ FW] as late"), "strong.cat")
    assert agree(Space("AArch64", ("r", "w")), {"weak": weak, "strong": strong}, 3) == 1


def test_racy_tests_are_no_differences() -> None:
    """To c11 and rc11 a race is undefined behaviour, whatever else they say about it."""
    c11, rc11 = load_model("c11"), load_model("rc11")
    for found in all_differences(
        c11, rc11, Scope("C", 4, instructions=frozenset({"na", "r", "w", "acq", "rel"}))
    ):
        assert not outcomes(found.test, c11).undefined
        assert not outcomes(found.test, rc11).undefined


# -- scopes ----------------------------------------------------------------------------------------------


def test_a_search_that_runs_out_of_time_says_so() -> None:
    sc, tso = load_model("sc"), load_model("tso")
    found = smallest_difference(sc, tso, Scope("X86", 8), Budget(0.05))
    assert not isinstance(found, Difference | None)
    assert "no answer within 0.05 s" in found.reason


@pytest.mark.parametrize(
    ("left", "right", "dialect"),
    [
        ("sc", "tso", "X86"),
        ("tso", "power", "PPC"),
        ("power", "aarch64", "AArch64"),
        ("pso", "rmo", "AArch64"),
        ("rc11", "tso", "C"),
        ("lkmm", "sc", "LKMM"),
        ("riscv", "riscv", "RISCV"),
    ],
)
def test_the_dialect_follows_from_the_models(left: str, right: str, dialect: str) -> None:
    assert dialect_for(load_model(left), load_model(right)) == dialect


def test_models_without_a_common_instruction_are_refused() -> None:
    with pytest.raises(InputError, match="C tests have no meaning under lkmm"):
        dialect_for(load_model("lkmm"), load_model("rc11"))
