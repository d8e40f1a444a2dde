"""A model -> the same model with a notion of data races: its own, or that of `library/race.cat`.

Models of C say what a race is (`undefined_unless`, or a `flag`); hardware models do not, and their users ask
for races all the same: conflicting accesses that nothing orders. The flag is added to the model, so that
every engine and the evaluator treat it as one of the model's own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from treville.models.cat.files import LIBRARY
from treville.models.cat.resolve import resolve_file
from treville.models.evaluate import Evaluation, holds
from treville.models.model import RELATION, SET, Axiom, Model, Node
from treville.relations import Relation, elements


def races_of(model: Model) -> list[Axiom]:
    """The axioms of a model that say what a data race is: undefined behaviour, and flags that are called
    races; in a user's own model without any of these, all flags."""
    flags = [axiom for axiom in model.axioms if axiom.flag]
    undefined = [axiom for axiom in model.axioms if axiom.undefined]
    named = [axiom for axiom in flags if "race" in axiom.name.casefold()]
    shipped = model.file.startswith(str(LIBRARY))
    return undefined + named or ([] if shipped else flags)


@lru_cache(maxsize=64)
def with_races(model: Model) -> Model:
    """The model with its own notion of a race, or the general one if it has none. What atomic blocks do is
    not interleaved, so two of them never race."""
    return _without_blocks(model) if races_of(model) else _with_flags(model, _general())


def races_in(judged: Evaluation) -> list[tuple[int, int]]:
    """The racing pairs of events of an execution that a model was evaluated on."""
    found: list[tuple[int, int]] = []
    for axiom in races_of(judged.model):
        value = judged.values[axiom.node]
        if holds(axiom, value) == axiom.flag:
            found += value.pairs() if isinstance(value, Relation) else [(e, e) for e in elements(value)]
    return found


def _without_blocks(model: Model) -> Model:
    nodes, axioms, races = list(model.nodes), [], races_of(model)
    for axiom in model.axioms:
        node = axiom.node
        if axiom in races and axiom.kind == "empty" and nodes[node].kind == RELATION:
            first = len(nodes)
            nodes += [
                Node("base", (), RELATION, "atomicblock"),
                Node("domain", (first,), SET),
                Node("product", (first + 1, first + 1), RELATION),
                Node("diff", (node, first + 2), RELATION),
            ]
            node = first + 3
        axioms.append(replace(axiom, node=node))
    return replace(model, nodes=nodes, axioms=axioms)


@lru_cache(maxsize=1)
def _general() -> Model:
    return resolve_file(LIBRARY / "race.cat")


def _with_flags(model: Model, other: Model) -> Model:
    """The model with the other's flags and what they are defined by. Equal definitions are shared; the other
    model has no recursive ones."""
    nodes = list(model.nodes)
    known = {_key(node): index for index, node in enumerate(nodes) if node.op != "fixpoint"}
    places: dict[int, int] = {}
    needed = other.needed()
    for index, node in enumerate(other.nodes):
        if index in needed:
            moved = Node(node.op, tuple(places[argument] for argument in node.args), node.kind, node.name)
            places[index] = known.setdefault(_key(moved), len(nodes))
            if places[index] == len(nodes):
                nodes.append(moved)
    flags = [replace(axiom, node=places[axiom.node]) for axiom in other.axioms]
    return replace(model, nodes=nodes, axioms=[*model.axioms, *flags])


def _key(node: Node) -> tuple[str, tuple[int, ...], str, str]:
    return node.op, node.args, node.kind, node.name if node.op == "base" else ""
