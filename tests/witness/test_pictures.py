"""SVG and DOT pictures are well formed, stable, and show what was asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

from treville.witness import dot, svg
from treville.witness.explanation import explain
from treville.witness.naming import letters, name_events
from treville.witness.scene import Scene, make_scene

_SVG = "{http://www.w3.org/2000/svg}"


def _scene(made: SimpleNamespace) -> Scene:
    execution, program = made.store_buffering()
    model, axiom = made.sequential_consistency()
    values = made.values_of(model, execution)
    return make_scene(execution, program, explain(execution, model, values, axiom))


def test_an_svg_is_well_formed_and_names_every_event(made: SimpleNamespace) -> None:
    scene = _scene(made)
    scene.title = 'quotes " & <angles>'
    root = ElementTree.fromstring(svg.draw(scene))
    texts = {element.text for element in root.iter(f"{_SVG}text")}
    assert {"a: W x=1", "b: MFENCE", "c: R y=0", "P0", "P1", 'quotes " & <angles>'} <= texts
    assert len(list(root.iter(f"{_SVG}marker"))) > 3


def test_pictures_are_stable(made: SimpleNamespace) -> None:
    assert svg.draw(_scene(made)) == svg.draw(_scene(made))


def test_boxes_of_threads_do_not_overlap(made: SimpleNamespace) -> None:
    places, width, _ = svg._layout(_scene(made))
    boxes = list(places.values())
    assert len(boxes) == 6
    for position, box in enumerate(boxes):
        assert box.x > 0
        assert box.right < width
        assert all(box.overlap(other) == 0 for other in boxes[position + 1 :])


def test_the_edges_of_the_evidence_are_drawn_strong(made: SimpleNamespace) -> None:
    root = ElementTree.fromstring(svg.draw(_scene(made)))
    strong = [
        e.get("class") or "" for e in root.iter(f"{_SVG}path") if "trv-strong" in (e.get("class") or "")
    ]
    assert sum("trv-fr" in kind for kind in strong) == 2
    assert sum("trv-po" in kind for kind in strong) == 2


def test_only_the_chosen_relations_are_shown(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering()
    scene = make_scene(execution, program, show=("co",))
    assert {edge.label for edge in scene.edges} <= {"co"}
    everything = make_scene(execution, program)
    assert {"po", "rf", "fr"} <= {edge.label for edge in everything.edges}


def test_a_read_of_the_initial_state_is_an_arrow_without_a_source(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering()
    stubs = [edge for edge in make_scene(execution, program).edges if edge.source is None]
    assert [edge.label for edge in stubs] == ["rf", "rf"]


def test_a_dot_file_has_a_cluster_per_thread_and_the_same_edges(made: SimpleNamespace) -> None:
    text = dot.draw(_scene(made), 'a "name"')
    assert text.startswith('digraph "a \\"name\\"" {')
    assert text.count("subgraph cluster_") == 2
    assert text.count('label="fr"') == 2
    assert text.count("{") == text.count("}")


def test_events_get_letters_thread_by_thread(made: SimpleNamespace) -> None:
    execution, program = made.store_buffering(fences=False)
    names = name_events(execution, program)
    assert names.label == ["", "", "a", "b", "c", "d"]
    assert [letters(i) for i in (0, 25, 26, 52)] == ["a", "z", "aa", "ba"]
