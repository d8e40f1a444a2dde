"""Explanations name the violated axiom and a cycle of primitive edges."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from treville.relations import Relation
from treville.witness.explanation import Explanation, explain
from treville.witness.words import execution_text, explanation_text


def _labels(explanation: Explanation) -> list[str]:
    return [hop.label for hop in explanation.hops()]


def test_store_buffering_violates_sc_by_the_cycle_po_fr_po_fr(made: SimpleNamespace) -> None:
    execution, _ = made.store_buffering(fences=False)
    model, axiom = made.sequential_consistency()
    found = explain(execution, model, made.values_of(model, execution), axiom)
    assert _labels(found) == ["po", "fr", "po", "fr"]
    hops = found.hops()
    assert all(a.target == b.source for a, b in zip(hops, [*hops[1:], hops[0]], strict=True))


def test_every_edge_of_a_cycle_is_an_edge_of_the_execution(made: SimpleNamespace) -> None:
    execution, _ = made.store_buffering()
    model, axiom = made.sequential_consistency()
    relations = dict(execution.relations)
    relations["fr"] = relations["rf"].inverse() @ relations["co"]
    for hop in explain(execution, model, made.values_of(model, execution), axiom).hops():
        assert (hop.source, hop.target) in relations[hop.label]


def test_program_order_through_a_fence_names_the_fence(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering()
    build = made.ModelBuilder("fenced")
    po, rf, co = build.base("po"), build.base("rf"), build.base("co")
    fence = build.node("identity", build.base("MFENCE", kind="set"))
    fenced = build.node("seq", build.node("seq", po, fence), po, name="mfence")
    fr = build.node("seq", build.node("inverse", rf), co, name="fr")
    axiom = build.axiom("acyclic", build.node("union", fenced, fr, name="ghb"), "tso")
    found = explain(execution, build.model, made.values_of(build.model, execution), axiom)
    assert _labels(found) == ["po", "fr", "po", "fr"]
    assert [len(hop.through) for hop in found.hops()] == [1, 0, 1, 0]
    text = explanation_text(found, execution, program, build.model)
    assert 'axiom "tso" of fenced: acyclic(ghb)' in text
    assert "-po [MFENCE]-> c" in text
    assert "mfence" in found.hops()[0].via


def test_a_recursive_relation_is_unfolded_down_to_its_base_edges(made: SimpleNamespace) -> None:
    """let rec hb = po | rf | fr | hb; hb has a self-loop only through several rounds."""
    execution, _ = made.store_buffering(fences=False)
    build = made.ModelBuilder("recursive")
    po, rf, co = build.base("po"), build.base("rf"), build.base("co")
    fr = build.node("seq", build.node("inverse", rf), co, name="fr")
    hb = build.node("fixpoint", name="hb")
    body = build.node("union", build.node("union", po, fr), build.node("seq", hb, hb))
    build.fixpoint((hb,), (body,))
    axiom = build.axiom("irreflexive", hb, "loop")
    found = explain(execution, build.model, made.values_of(build.model, execution), axiom)
    assert sorted(_labels(found)) == ["fr", "fr", "po", "po"]


def test_a_transitive_closure_is_walked_by_a_shortest_path(made: SimpleNamespace) -> None:
    execution, _ = made.store_buffering(fences=False)
    build = made.ModelBuilder("closed")
    axiom = made.add_sequential_consistency(build)
    strict = build.axiom("irreflexive", build.node("plus", axiom.node, name="hb"), "hb")
    found = explain(execution, build.model, made.values_of(build.model, execution), strict)
    assert _labels(found) == ["po", "fr", "po", "fr"]


def test_a_non_empty_intersection_shows_both_of_its_sides(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering(fences=False)
    updates = {"rmw": Relation.of(6, [(3, 4)])}
    execution = replace(execution, relations={**execution.relations, **updates})
    build = made.ModelBuilder("atomicity")
    rmw, rf, co = build.base("rmw"), build.base("rf"), build.base("co")
    fr = build.node("seq", build.node("inverse", rf), co, name="fr")
    axiom = build.axiom("empty", build.node("inter", rmw, fr), "atomic")
    found = explain(execution, build.model, made.values_of(build.model, execution), axiom)
    assert [[hop.label for hop in path] for path in found.paths] == [["rmw"], ["fr"]]
    assert not found.cyclic
    assert "atomic" in explanation_text(found, execution, program, build.model)


def test_the_table_of_an_execution_has_a_column_per_thread(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering()
    lines = execution_text(execution, program).splitlines()
    assert lines[0].split() == ["P0", "|", "P1"]
    assert "a: W x=1" in lines[2]
    assert "d: W y=1" in lines[2]
    assert "b: MFENCE" in lines[3]
    assert any(line.strip().startswith("rf: init x=0 -> f") for line in lines)
