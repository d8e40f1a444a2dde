"""A failing execution -> a violation witness in SV-COMP's GraphML format (version 1.0).

The witness is an automaton: one edge for each access in the order of the interleaving, with its line and
thread. Where the execution is no interleaving the edges are thread by thread, which a validator for
sequential consistency cannot follow; the memory model is named in the graph's data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from treville.drawing.markup import escape, quoteattr
from treville.records import dataclass
from treville.results.properties import Error, Property

_KEYS = (
    ("witness-type", "graph"),
    ("sourcecodelang", "graph"),
    ("producer", "graph"),
    ("specification", "graph"),
    ("programfile", "graph"),
    ("programhash", "graph"),
    ("architecture", "graph"),
    ("memorymodel", "graph"),
    ("entry", "node"),
    ("violation", "node"),
    ("originfile", "edge"),
    ("startline", "edge"),
    ("threadId", "edge"),
    ("createThread", "edge"),
    ("enterFunction", "edge"),
)
SPECIFICATIONS = {
    Property.ASSERTION: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
    Property.MEMORY: "CHECK( init(main()), LTL(G valid-free) ) CHECK( init(main()), LTL(G valid-deref) )",
    Property.RACE: "CHECK( init(main()), LTL(G ! data-race) )",
    Property.DEADLOCK: "CHECK( init(main()), LTL(G ! deadlock) )",
    Property.LIVENESS: "CHECK( init(main()), LTL(F end) )",
    Property.VALID_MEMSAFETY: (
        "CHECK( init(main()), LTL(G valid-free) ) CHECK( init(main()), LTL(G valid-deref) )"
        " CHECK( init(main()), LTL(G valid-memtrack) )"
    ),
    Property.VALID_DEREF: "CHECK( init(main()), LTL(G valid-deref) )",
    Property.VALID_FREE: "CHECK( init(main()), LTL(G valid-free) )",
    Property.VALID_MEMTRACK: "CHECK( init(main()), LTL(G valid-memtrack) )",
}
# What `safety` is about, by what was violated.
_OF_ERRORS = {
    Error.ASSERTION: Property.ASSERTION,
    Error.ACCESS: Property.VALID_DEREF,
    Error.FREE: Property.VALID_FREE,
    Error.UNDEFINED: Property.ASSERTION,
    Error.LEAK: Property.VALID_MEMTRACK,
}


def specification(goal: Property, violated: str) -> str:
    """The property of a witness in SV-COMP's language."""
    if goal is not Property.SAFETY:
        return SPECIFICATIONS[goal]
    return SPECIFICATIONS[Property.RACE if violated == Property.RACE else _OF_ERRORS[Error(violated)]]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge: the thread and the line of an access, and its file if that is not the program's own."""

    thread: int
    function: str
    line: int | None
    file: str | None = ""


def draw(
    steps: Sequence[Step],
    file: str,
    source: bytes,
    model: str,
    version: str,
    specified: str = SPECIFICATIONS[Property.ASSERTION],
) -> str:
    """The GraphML text of a violation of what `specification` says."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for name, owner in _KEYS:
        lines.append(f'  <key attr.name="{name}" attr.type="string" for="{owner}" id="{name}"/>')
    lines.append('  <graph edgedefault="directed">')
    facts = {
        "witness-type": "violation_witness",
        "sourcecodelang": "C",
        "producer": f"Treville {version}",
        "specification": specified,
        "programfile": file,
        "programhash": hashlib.sha256(source).hexdigest(),
        "architecture": "64bit",
        "memorymodel": model,
    }
    lines += [_data(name, value, 4) for name, value in facts.items()]
    lines += ['    <node id="N0">', _data("entry", "true", 6), "    </node>"]
    known = {0}
    for number, step in enumerate(steps, 1):
        lines += _node(number, last=number == len(steps))
        lines += _edge(number, step, new=step.thread not in known)
        known.add(step.thread)
    lines += ["  </graph>", "</graphml>", ""]
    return "\n".join(lines)


def _data(key: str, value: str, indent: int) -> str:
    return f"{' ' * indent}<data key={quoteattr(key)}>{escape(value)}</data>"


def _node(number: int, last: bool) -> list[str]:
    if not last:
        return [f'    <node id="N{number}"/>']
    return [f'    <node id="N{number}">', _data("violation", "true", 6), "    </node>"]


def _edge(number: int, step: Step, new: bool) -> list[str]:
    lines = [f'    <edge source="N{number - 1}" target="N{number}">', _data("threadId", str(step.thread), 6)]
    if step.file:
        lines.append(_data("originfile", step.file, 6))
    if step.line is not None:
        lines.append(_data("startline", str(step.line), 6))
    if new:
        lines += [_data("createThread", str(step.thread), 6), _data("enterFunction", step.function, 6)]
    return [*lines, "    </edge>"]
