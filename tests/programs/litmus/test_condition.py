"""Conditions, filters and what states show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.initial import apply_initial, read_initial
from treville.programs.litmus.layout import split
from treville.programs.litmus.states import satisfied, state_fields
from treville.programs.litmus.test import (
    TRUE,
    And,
    ArrayOf,
    Equals,
    LitmusTest,
    Not,
    Observable,
    Or,
    SameValue,
)
from treville.results import InputError, Unsupported


def read(clauses: str, initial: str = "") -> LitmusTest:
    sections = split(f"X86 t\n{{{initial}}}\nP0 | P1 ;\n{clauses}", "t.litmus")
    program = ProgramDraft([ThreadDraft("P0"), ThreadDraft("P1")])
    apply_initial(sections, program, read_initial(sections), _register)
    return read_conditions(sections, program, "X86", _register)


def _register(_thread: int, name: str, _offset: int) -> tuple[str, str]:
    return name, name


def shown(test: LitmusTest) -> list[str]:
    return [observable.shown for observable in test.observed]


def holds(clauses: str, **values: int) -> bool:
    """Evaluate a condition over locations with given values."""
    test = read(clauses)
    return satisfied(test.condition, lambda observable: values[observable.shown])


@pytest.mark.parametrize(
    ("clauses", "quantifier"),
    [
        ("exists (x=1)", "exists"),
        ("~exists (x=1)", "~exists"),
        ("~ exists x=1", "~exists"),
        ("forall x=1", "forall"),
        ("final (x=1);\nwith tso: ~exists;", "exists"),
        ("locations [x;]", "forall"),
        ("", "forall"),
    ],
)
def test_quantifiers(clauses: str, quantifier: str) -> None:
    assert read(clauses).quantifier == quantifier


def test_no_condition_means_that_everything_is_right() -> None:
    test = read("locations [x; 0:EAX;]")
    assert test.condition == TRUE
    assert shown(test) == ["0:EAX", "x"]


def test_each_observable_occurs_once_registers_by_thread_and_number_first() -> None:
    clauses = "locations [y; 1:r2] exists ([x]=1 /\\ 1:r10=0 /\\ 1:r2=1 /\\ 0:r1=0 /\\ x=2)"
    assert shown(read(clauses)) == ["0:r1", "1:r2", "1:r10", "x", "y"]


def test_precedence_is_that_of_herd() -> None:
    assert holds("exists x=1 \\/ y=1 /\\ z=1", x=1, y=0, z=0)
    assert not holds("exists (x=1 \\/ y=1) /\\ z=1", x=1, y=0, z=0)
    assert holds("exists x=1 /\\ y=1 => z=1", x=1, y=0, z=0)
    assert not holds("exists x=1 /\\ y=1 => z=1", x=0, y=0, z=0)
    assert holds("exists ~x=1 /\\ not (y=1)", x=0, y=0)
    assert holds("exists x!=1 /\\ y<>1 /\\ z==0", x=0, y=0, z=0)


def test_atoms_of_every_form() -> None:
    test = read(
        "exists (0:EAX=x /\\ 0:EBX=1:EBX /\\ [x]=[y] /\\ t[1]=2 /\\ t={1,2} /\\ true)", "int t[2]={1,2}"
    )
    condition = test.condition
    assert isinstance(condition, And)
    address, same, cells, cell, array, true = condition.operands
    assert isinstance(address, Equals)
    assert address.value == test.program.locations["x"].address
    assert isinstance(same, SameValue)
    assert isinstance(cells, SameValue)
    assert isinstance(cell, Equals)
    assert cell.observable.shown == "t[1]"
    assert isinstance(array, Equals)
    assert isinstance(array.observable, ArrayOf)
    assert array.value == (1, 2)
    assert true == TRUE


def test_a_filter_is_kept_apart_from_what_states_show() -> None:
    test = read("locations [x;] filter (0:EAX=1) exists (y=1)")
    assert test.filter is not None
    assert shown(test) == ["x", "y"]


def test_observed_states_of_a_log() -> None:
    test = read("observed 0:EAX=1; x=2; and 0:EAX=0; x=1;")
    assert test.quantifier == "exists"
    assert isinstance(test.condition, Or)
    assert len(test.condition.operands) == 2


def test_unsigned_types_are_shown_unsigned() -> None:
    test = read("forall [x]=0xffffffffffffffff", "uint64_t x")
    assert isinstance(test.condition, Equals)
    assert test.condition.value == -1
    assert state_fields(test, (-1,)) == [("x", "18446744073709551615")]


@pytest.mark.parametrize(
    "clauses",
    [
        "exists (x=1", "exists", "exists x", "exists x=", "exists (x=1))", "exists 7:EAX=1", "locations [x",
        "exists t[9]=1", "exists t={1}", "exists " + "(" * 5000, "exists " + "~" * 5000,
        "filter x=1 exists", "exists x=1 =>", "exists x={1,2}",
    ],
)  # fmt: skip
def test_wrong_conditions_are_refused_with_their_place(clauses: str) -> None:
    with pytest.raises(InputError) as refused:
        read(clauses, "int t[2]")
    assert refused.value.span is not None


@pytest.mark.parametrize(
    "clauses", ["exists Fault(P0:L0,x)", 'exists 0:EAX=instr:"NOP"', "exists [PTE(x)]=1"]
)
def test_system_level_conditions_are_refused_by_name(clauses: str) -> None:
    with pytest.raises(Unsupported):
        read(clauses)


Proposition = tuple[str, Callable[[dict[str, int]], bool]]


def _binary(
    sign: str, meaning: Callable[[bool, bool], bool]
) -> Callable[[tuple[Proposition, Proposition]], Proposition]:
    def combine(pair: tuple[Proposition, Proposition]) -> Proposition:
        (left, left_meaning), (right, right_meaning) = pair
        return f"({left}) {sign} ({right})", lambda v: meaning(left_meaning(v), right_meaning(v))

    return combine


def _extend(inner: st.SearchStrategy[Proposition]) -> st.SearchStrategy[Proposition]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        inner.map(lambda p: (f"~({p[0]})", lambda v: not p[1](v))),
        pairs.map(_binary("/\\", lambda a, b: a and b)),
        pairs.map(_binary("\\/", lambda a, b: a or b)),
        pairs.map(_binary("=>", lambda a, b: not a or b)),
    )


atoms = st.sampled_from("xyz").map(lambda name: (f"{name}=1", lambda v: v[name] == 1))
propositions = st.recursive(atoms, _extend, max_leaves=8)


def _value(values: dict[str, int], observable: Observable) -> int:
    return values[observable.shown]


@given(propositions)
def test_propositions_mean_what_their_structure_says(proposition: Proposition) -> None:
    text, meaning = proposition
    condition = read(f"exists {text}").condition
    for x, y, z in product((0, 1), repeat=3):
        values = {"x": x, "y": y, "z": z}
        assert satisfied(condition, partial(_value, values)) == meaning(values)


def test_negation_is_a_node_of_its_own() -> None:
    assert isinstance(read("exists ~(x=1)").condition, Not)
