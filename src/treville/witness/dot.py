"""A scene -> Graphviz's DOT: a cluster per thread, the scene's relations as labelled edges."""

from __future__ import annotations

from treville.witness.scene import Box, Edge, Scene
from treville.witness.style import colour_of


def draw(scene: Scene, name: str = "execution") -> str:
    """The DOT text; `dot -Tpdf` or `neato` draw it."""
    lines = [
        f"digraph {_quoted(name)} {{",
        f"  label={_quoted(_caption(scene))}; labelloc=t; splines=true; rankdir=TB;",
        '  node [shape=box, style=rounded, fontname="monospace", fontsize=11];',
        '  edge [fontname="monospace", fontsize=10];',
    ]
    lines += [f"  {_node(box)}" for box in scene.initial]
    for thread, boxes in scene.columns.items():
        lines.append(f"  subgraph cluster_{thread} {{ label={_quoted(f'P{thread}')}; color=gray;")
        lines += [f"    {_node(box)}" for box in boxes]
        lines.append("  }")
    for position, edge in enumerate(scene.edges):
        lines += [f"  {line}" for line in _edge(edge, position)]
    return "\n".join([*lines, "}"]) + "\n"


def _caption(scene: Scene) -> str:
    return "\n".join(part for part in (scene.title, scene.subtitle, scene.footer) if part)


def _node(box: Box) -> str:
    text = f"{box.label}: {box.brief}" if box.label else box.brief
    extra = ', color="#cf222e", penwidth=2' if box.evidence else ""
    return f"e{box.event} [label={_quoted(text)}{extra}];"


def _edge(edge: Edge, position: int) -> list[str]:
    weight = ", penwidth=2.4" if edge.evidence else ""
    colour = colour_of(edge.label)
    style = f'label={_quoted(edge.label)}, color="{colour}", fontcolor="{colour}"{weight}'
    if edge.source is None:
        return [
            f"i{position} [shape=point, style=invis];",
            f"i{position} -> e{edge.target} [{style}];",
        ]
    layout = "" if edge.label.startswith("po") else ", constraint=false"
    return [f"e{edge.source} -> e{edge.target} [{style}{layout}];"]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
