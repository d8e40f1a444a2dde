"""Explanations and executions as text for the terminal."""

from __future__ import annotations

from treville.events.execution import Execution
from treville.models.model import Model
from treville.programs.ir import Program
from treville.witness.explanation import Explanation, Hop
from treville.witness.naming import Names, name_events

# What an edge says about its two events; `{}` stands for the second one.
_MEANING = {
    "rf": "{} reads it",
    "rfe": "{} reads it, in another thread",
    "rfi": "{} reads it, in the same thread",
    "co": "{} overwrites it",
    "coe": "{} overwrites it, from another thread",
    "coi": "{} overwrites it, in the same thread",
    "fr": "it reads before {} overwrites",
    "fre": "it reads before {} of another thread overwrites",
    "fri": "it reads before {} of the same thread overwrites",
    "po": "then {} in program order",
    "po-loc": "then {} in program order, same location",
    "addr": "the address of {} depends on it",
    "data": "the value of {} depends on it",
    "ctrl": "whether {} runs depends on it",
    "loc": "{} accesses the same location",
    "rmw": "one atomic step with {}",
    "rf^-1": "it reads from {}",
    "co^-1": "it overwrites {}",
}


def explanation_text(
    explanation: Explanation, execution: Execution, program: Program, model: Model, indent: str = "  "
) -> str:
    """The axiom and its cycle, an edge a line."""
    names = name_events(execution, program)
    axiom = explanation.axiom
    lines = [f"{indent}{headline(explanation, model)}"]
    for path in explanation.paths:
        lines += _path_lines(path, names, execution, explanation.cyclic, indent + "  ")
    if not explanation.paths and explanation.events:
        lines += [f"{indent}  {names.full(event)}" for event in explanation.events]
    if axiom.negated and not axiom.flag and not explanation.paths and not explanation.events:
        lines.append(f"{indent}  there is none")
    return "\n".join(lines)


def headline(explanation: Explanation, model: Model) -> str:
    """`axiom \"sc\" of sc: acyclic(po | rf | co | fr)` with its place when the model is a file."""
    axiom = explanation.axiom
    what = "flag" if axiom.flag else "axiom"
    negation = "~" if axiom.negated else ""
    name = f' "{axiom.name}"' if axiom.name else ""
    return f"{what}{name} of {model.name}: {negation}{axiom.kind}({_bare(explanation.relation)})"


def _bare(formula: str) -> str:
    """Without the outermost parentheses, where they enclose the whole formula."""
    if not (formula.startswith("(") and formula.endswith(")")):
        return formula
    depth = 0
    for position, character in enumerate(formula):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(formula) - 1:
            return formula
    return formula[1:-1]


def _path_lines(
    path: tuple[Hop, ...], names: Names, execution: Execution, cyclic: bool, indent: str
) -> list[str]:
    if not path:
        return []
    described = [_place(hop.source, names, execution) for hop in path]
    width = max(map(len, described))
    edges = [_edge_label(hop, names) for hop in path]
    edge_width = max(map(len, edges))
    lines = []
    for position, (hop, left, edge) in enumerate(zip(path, described, edges, strict=True)):
        meaning = _meaning(hop, names, execution)
        if cyclic and position == len(path) - 1:
            meaning = f"{meaning}: the cycle closes" if meaning else "the cycle closes"
        lines.append(f"{indent}{left:<{width}}  {edge:<{edge_width}}  {meaning}".rstrip())
    if not cyclic:
        lines.append(f"{indent}{_place(path[-1].target, names, execution)}")
    return lines


def _meaning(hop: Hop, names: Names, execution: Execution) -> str:
    """What the edge says, in words."""
    target = names.label[hop.target] or names.brief[hop.target]
    if hop.through:
        fences = ", ".join(names.brief[event] for event in hop.through)
        return f"then {target} in program order, behind {fences}"
    if hop.label in _MEANING:
        meaning = _MEANING[hop.label].format(target)
        # Which definition keeps program order here is the part that models differ in.
        kept_by = [name for name in hop.via if name != hop.label]
        return f"{meaning} ({kept_by[-1]})" if hop.label == "po" and len(kept_by) > 1 else meaning
    program_order = execution.relations.get("po")
    if program_order is not None and (hop.source, hop.target) in program_order:
        return f"then {target} in program order"
    return ""


def _edge_label(hop: Hop, names: Names) -> str:
    label = hop.label
    if hop.through:
        label = f"{label} [{', '.join(names.brief[event] for event in hop.through)}]"
    target = names.label[hop.target] or names.brief[hop.target]
    return f"-{label}-> {target}"


def _place(event: int, names: Names, execution: Execution) -> str:
    thread = execution.events[event].thread
    return names.full(event) if thread < 0 else f"{names.full(event)} (P{thread})"


def execution_text(execution: Execution, program: Program, indent: str = "  ") -> str:
    """The events as a table, one column per thread, and below it who reads from whom and the coherence."""
    names = name_events(execution, program)
    columns = [
        [f"P{thread}", *(names.full(event) for event in events)] for thread, events in names.column.items()
    ]
    height = max((len(column) for column in columns), default=0)
    widths = [max(map(len, column)) for column in columns]
    rows = [
        " | ".join(
            (column[row] if row < len(column) else "").ljust(width)
            for column, width in zip(columns, widths, strict=True)
        )
        for row in range(height)
    ]
    lines = [f"{indent}{row}".rstrip() for row in rows]
    if lines:
        lines.insert(1, indent + "-+-".join("-" * width for width in widths))
    for name in ("rf", "co"):
        shown = _relation_line(execution, names, name)
        if shown:
            lines.append(f"{indent}{name}: {shown}")
    return "\n".join(lines)


def _relation_line(execution: Execution, names: Names, name: str) -> str:
    relation = execution.relations.get(name)
    if relation is None:
        return ""
    if name == "co":
        relation = relation - (relation @ relation)
    called = [names.label[event] or names.brief[event] for event in range(len(execution.events))]
    return ", ".join(f"{called[source]} -> {called[target]}" for source, target in relation.pairs())
