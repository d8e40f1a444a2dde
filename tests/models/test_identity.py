"""Which shipped model a model is: by what it says, not by what it or its parts are called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from treville.models.blocks import with_atomic_blocks
from treville.models.cat.files import LIBRARY
from treville.models.cat.resolve import resolve_text
from treville.models.fingerprints import shipped_fingerprints
from treville.models.identity import (
    FINGERPRINTS,
    added_axioms,
    fingerprint,
    shipped_name,
)
from treville.models.library import MODELS, load_model
from treville.models.model import Model, Node, NodeId, Operator
from treville.models.races import with_races
from treville.models.recognise import order_of_blocks
from treville.models.use_after_free import with_lifetimes
from treville.programs.compile_to import target_of

WEAK = (
    '"SC"\ninclude "cos.cat"\nacyclic po-loc | rf | co | fr as coherence\nempty rmw & (fre; coe) as atomic\n'
)


def written(path: Path, text: str) -> Model:
    path.write_text(text)
    return load_model(path)


def test_the_file_of_fingerprints_is_that_of_the_library() -> None:
    """Renew it with `python -m treville.models.fingerprints`."""
    assert FINGERPRINTS.read_text() == shipped_fingerprints()


def test_no_two_shipped_models_are_the_same() -> None:
    assert len({line.split()[1] for line in shipped_fingerprints().splitlines()}) == len(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_copy_under_any_name_is_the_shipped_model(name: str, tmp_path: Path) -> None:
    text = (LIBRARY / f"{name}.cat").read_text()
    other = "sc" if name != "sc" else "tso"
    for stem in (name, "mine", other):
        copy = written(tmp_path / f"{stem}.cat", text)
        assert (copy.name, copy.shipped) == (stem, name)
        assert target_of(copy.shipped, copy.base_names()) == target_of(name, copy.base_names())


def test_a_weak_model_in_a_file_called_sc_is_not_sc(tmp_path: Path) -> None:
    assert written(tmp_path / "sc.cat", WEAK).shipped is None


def test_names_and_the_order_of_definitions_and_operands_do_not_matter(tmp_path: Path) -> None:
    text = """
include "cos.cat"
empty (fre; coe) & rmw as nothing-between
let mine = (co | rf) | fr
let all-of-it = mine | (rmw | po)
let unused = [MFENCE]; po
acyclic all-of-it as order
acyclic po | rf | fr | co | rmw as once-more
"""
    assert written(tmp_path / "mine.cat", text).shipped == "sc"


def test_names_that_derived_models_look_up_do_matter(tmp_path: Path) -> None:
    """Atomic blocks are ordered by what a model calls `ghb`: without that name it means something else."""
    text = (LIBRARY / "tso.cat").read_text()
    assert (
        written(tmp_path / "same.cat", text.replace("com", "between").replace("locked", "x")).shipped == "tso"
    )
    assert written(tmp_path / "other.cat", text.replace("ghb", "order")).shipped is None


def test_names_and_order_of_a_recursion_do_not_matter() -> None:
    one = "let rec a = po | b; rf and b = co | a; b\nacyclic a as x"
    same = "let rec second = co | first; second and first = second; rf | po\nacyclic first as y"
    assert fingerprint(resolve_text(one)) == fingerprint(resolve_text(same))
    for other in (
        "let rec a = po | b; rf and b = co | a; b\nacyclic b as x",
        "let rec a = po | a; rf and b = co | a; b\nacyclic a | b as x",
        "let rec a = po | b; rf and b = co | b; a\nacyclic a as x",
        "let rec a = po | b; rf and b = rf | a; b\nacyclic a as x",
    ):
        assert fingerprint(resolve_text(one)) != fingerprint(resolve_text(other))


def test_a_variant_that_changes_the_content_is_another_model(tmp_path: Path) -> None:
    text = (LIBRARY / "tso.cat").read_text()
    choosing = text.replace("let ppo = po &", 'let ppo = if "weak" then 0 else po &')
    path = tmp_path / "tso.cat"
    assert written(path, choosing).shipped == "tso"
    assert load_model(path, ["weak"]).shipped is None
    assert load_model("tso", ["no-such-variant"]).shipped == "tso"


@pytest.mark.parametrize("name", MODELS)
def test_every_axiom_counts(name: str) -> None:
    model = load_model(name)
    for number, axiom in enumerate(model.axioms):
        rest = model.axioms[:number] + model.axioms[number + 1 :]
        assert shipped_name(replace(model, axioms=rest)) is None
        assert shipped_name(replace(model, axioms=(*rest, replace(axiom, negated=not axiom.negated)))) is None
        flagged = replace(axiom, flag=not axiom.flag)
        assert shipped_name(replace(model, axioms=(*rest, flagged))) is None


OTHER = {
    Operator.UNION: Operator.INTERSECTION,
    Operator.INTERSECTION: Operator.UNION,
    Operator.DIFFERENCE: Operator.INTERSECTION,
    Operator.COMPOSITION: Operator.UNION,
    Operator.PRODUCT: Operator.UNION,
    Operator.OPTIONAL: Operator.PLUS,
    Operator.PLUS: Operator.STAR,
    Operator.STAR: Operator.OPTIONAL,
    Operator.INVERSE: Operator.PLUS,
    Operator.COMPLEMENT: Operator.INVERSE,
    Operator.DOMAIN: Operator.RANGE,
    Operator.RANGE: Operator.DOMAIN,
}


def changed(node: Node) -> list[Node]:
    """Other definitions that differ from this one in one respect."""
    found = [replace(node, op=OTHER[node.op])] if node.op in OTHER else []
    if node.op in (Operator.DIFFERENCE, Operator.COMPOSITION, Operator.PRODUCT) and len(set(node.args)) == 2:
        found.append(replace(node, args=node.args[::-1]))
    if node.op is Operator.BASE:
        found.append(replace(node, name="some-other-name"))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_every_definition_that_an_axiom_needs_counts(name: str) -> None:
    model = load_model(name)
    for number in model.needed():
        for node in changed(model.nodes[number]):
            nodes = list(model.nodes)
            nodes[number] = node
            assert shipped_name(replace(model, nodes=tuple(nodes))) is None, (number, node)


def test_derived_models_are_still_what_they_were_derived_from() -> None:
    from treville.passes.joint import _view

    model = load_model("rc11")
    for derived in (
        with_atomic_blocks(model),
        with_races(model),
        with_lifetimes(model),
        _view(model, "source", to_the_end=False),
        _view(model, "source", to_the_end=True),
    ):
        assert derived is not model
        assert derived.shipped == "rc11"


def test_what_a_derived_model_demands_beyond_the_shipped_one_is_known(tmp_path: Path) -> None:
    copy = written(tmp_path / "mine.cat", (LIBRARY / "tso.cat").read_text())
    for model in (load_model("tso"), copy):
        assert added_axioms(model, load_model("tso")) == ()
        (axiom,) = added_axioms(with_atomic_blocks(model), load_model("tso"))
        assert order_of_blocks(with_atomic_blocks(model), axiom.node) is not None
    svcomp = with_atomic_blocks(load_model("svcomp"))
    assert len(svcomp.axioms) == len(load_model("svcomp").axioms) + 1
    assert added_axioms(svcomp, load_model("svcomp")) == ()  # it says the same itself


def test_numbers_of_definitions_do_not_matter() -> None:
    """With an unused definition in front, everything has another number."""
    model = load_model("power")
    moved = [replace(node, args=tuple(NodeId(a + 1) for a in node.args)) for node in model.nodes]
    groups = [
        replace(
            group,
            variables=tuple(NodeId(v + 1) for v in group.variables),
            bodies=tuple(NodeId(b + 1) for b in group.bodies),
        )
        for group in model.groups
    ]
    shifted = replace(
        model,
        nodes=(model.nodes[0], *moved),
        groups=tuple(groups),
        axioms=tuple(replace(axiom, node=NodeId(axiom.node + 1)) for axiom in model.axioms),
        definitions={name: NodeId(node + 1) for name, node in model.definitions.items()},
    )
    assert fingerprint(shifted) == fingerprint(model)


@pytest.mark.parametrize("name", ["fullfences", "cos", "cross", "linux-kernel", "stdlib"])
def test_a_file_beside_the_models_is_none_of_them(name: str) -> None:
    assert load_model(LIBRARY / f"{name}.cat").shipped is None
    assert load_model("tso", ["variant"]).shipped == "tso"
