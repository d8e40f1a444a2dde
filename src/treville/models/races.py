"""A model -> the same model with a notion of data races: its own, or that of `library/race.cat`.

Models of C say what a race is (`undefined_unless`, or a `flag`); hardware models do not, and their users ask
for races all the same: conflicting accesses that nothing orders. The flag is added to the model, so that
every engine and the evaluator treat it as one of the model's own.
"""

from __future__ import annotations

from functools import lru_cache

from treville.models.cat.files import LIBRARY
from treville.models.cat.resolve import resolve_file
from treville.models.evaluate import Evaluation, holds
from treville.models.extend import Extension
from treville.models.model import RELATION, SET, Axiom, AxiomKind, Model, Operator
from treville.models.recognise import BLOCK
from treville.records import replace
from treville.relations import Relation, elements

_PART = "PART"


def races_of(model: Model) -> list[Axiom]:
    """The axioms of a model that say what a data race is: undefined behaviour, and flags that are called
    races; in a user's own model without any of these, all flags."""
    flags = [axiom for axiom in model.axioms if axiom.flag]
    undefined = [axiom for axiom in model.axioms if axiom.undefined]
    named = [axiom for axiom in flags if "race" in axiom.name.casefold()]
    return undefined + named or ([] if model.shipped else flags)


def defines_races(model: Model) -> bool:
    """Does the model say by itself what a data race is: by undefined behaviour, or a flag of that name?"""
    return any(axiom.undefined or (axiom.flag and "race" in axiom.name.casefold()) for axiom in model.axioms)


@lru_cache(maxsize=64)
def with_races(model: Model) -> Model:
    """The model with its own notion of a race, or the general one if it has none. What atomic blocks do is
    not interleaved, so two of them never race."""
    return _without_blocks(model) if races_of(model) else _with_flags(model, _general())


@lru_cache(maxsize=64)
def with_races_of_parts(model: Model) -> Model:
    """The model with no races but those of accesses that were taken apart."""
    model = with_races(model)
    build, axioms, races = Extension(model), [], races_of(model)
    part, accesses = build.base(_PART, SET), build.base("M", SET)
    one, other = (build.add(Operator.PRODUCT, *pair) for pair in ((part, accesses), (accesses, part)))
    for axiom in model.axioms:
        node = axiom.node
        if axiom in races and axiom.kind is AxiomKind.EMPTY and build.nodes[node].kind is RELATION:
            node = build.add(Operator.INTERSECTION, node, build.union([one, other]))
        axioms.append(replace(axiom, node=node))
    return build.with_all_axioms(axioms)


def is_about_parts(model: Model) -> bool:
    """Are its races those of accesses that were taken apart?"""
    return _PART in model.base_names()


def races_in(judged: Evaluation) -> list[tuple[int, int]]:
    """The racing pairs of events of an execution that a model was evaluated on."""
    found: list[tuple[int, int]] = []
    for axiom in races_of(judged.model):
        value = judged.values[axiom.node]
        if holds(axiom, value) == axiom.flag:
            found += value.pairs() if isinstance(value, Relation) else [(e, e) for e in elements(value)]
    return found


def _without_blocks(model: Model) -> Model:
    build, axioms, races = Extension(model), [], races_of(model)
    for axiom in model.axioms:
        node = axiom.node
        if axiom in races and axiom.kind is AxiomKind.EMPTY and build.nodes[node].kind is RELATION:
            inside = build.add(Operator.DOMAIN, build.base(BLOCK), kind=SET)
            node = build.add(Operator.DIFFERENCE, node, build.add(Operator.PRODUCT, inside, inside))
        axioms.append(replace(axiom, node=node))
    return build.with_all_axioms(axioms)


@lru_cache(maxsize=1)
def _general() -> Model:
    return resolve_file(LIBRARY / "race.cat")


def _with_flags(model: Model, other: Model) -> Model:
    """The model with the other's flags and what they are defined by."""
    build = Extension(model)
    places = build.copy(other, [axiom.node for axiom in other.axioms])
    return build.with_axioms(*[replace(axiom, node=places[axiom.node]) for axiom in other.axioms])
