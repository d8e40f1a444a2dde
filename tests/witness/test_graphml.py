"""Witnesses in SV-COMP's format: every property has a specification, and edges name files and threads."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from treville.results.properties import Error, Property
from treville.witness.graphml import Step, draw, specification

_SPACE = "{http://graphml.graphdrawing.org/xmlns}"
STEPS = [Step(0, "main", 3), Step(1, "worker", 7, "lock.h"), Step(1, "worker", None), Step(0, "main", 5)]


def data(parent: ElementTree.Element) -> dict[str, str]:
    return {child.attrib["key"]: child.text or "" for child in parent.findall(f"{_SPACE}data")}


@pytest.mark.parametrize("goal", list(Property))
@pytest.mark.parametrize("violated", [*Error, "race"])
def test_every_property_has_a_specification(goal: Property, violated: str) -> None:
    specified = specification(goal, violated)
    graph = ElementTree.fromstring(draw(STEPS, "a.c", b"source", "tso", "1", specified))[-1]
    assert data(graph)["specification"].startswith("CHECK( init(main()), LTL(")


def test_edges_tell_thread_line_and_other_files() -> None:
    root = ElementTree.fromstring(draw(STEPS, "a <&> b.c", b"source", "tso", "1"))
    keys = {key.attrib["id"] for key in root.findall(f"{_SPACE}key")}
    edges = [data(edge) for edge in root.iter(f"{_SPACE}edge")]
    assert edges == [
        {"threadId": "0", "startline": "3"},
        {"threadId": "1", "originfile": "lock.h", "startline": "7", "createThread": "1",
         "enterFunction": "worker"},
        {"threadId": "1"},
        {"threadId": "0", "startline": "5"},
    ]  # fmt: skip
    assert all(edge.keys() <= keys for edge in edges)
    nodes = list(root.iter(f"{_SPACE}node"))
    assert data(nodes[0]) == {"entry": "true"}
    assert data(nodes[-1]) == {"violation": "true"}
