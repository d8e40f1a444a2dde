"""A memory model -> the model that a program's executions are judged by: a list of passes, run in order.

A property may need notions that the model lacks (what a race is, when an object's life ends), a program's
atomic blocks need an axiom, and flags that have no part in the answer are dropped. Resulting models are
shared: engines keep what they compute for a model by its identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from treville.models.blocks import with_atomic_blocks
from treville.models.model import Axiom, Model
from treville.models.races import races_of, with_races
from treville.models.use_after_free import LIFETIMES, with_beginnings, with_lifetimes
from treville.programs.ir import Allocate, AtomicBegin, Free, Program
from treville.records import NamedTuple, replace
from treville.results.properties import Error, Property


class Needs(NamedTuple):
    """What a program and a property ask of a model."""

    property: Property
    frees: bool = False
    blocks: bool = False
    begins: bool = False


class ModelPass(NamedTuple):
    """A name, what it does in half a sentence, and how."""

    name: str
    does: str
    run: Callable[[Model, Needs], Model]


def model_for(model: Model, program: Program, prop: Property) -> Model:
    """The model after all passes."""
    return _lowered(model, _needs(program, prop))


def steps(model: Model, program: Program, prop: Property | None) -> Iterator[tuple[ModelPass, Model]]:
    """The model after each pass in turn."""
    needs = _needs(program, prop)
    for each in MODEL_PASSES:
        model = each.run(model, needs)
        yield each, model


@lru_cache(maxsize=64)
def _lowered(model: Model, needs: Needs) -> Model:
    for each in MODEL_PASSES:
        model = each.run(model, needs)
    return model


def _needs(program: Program, prop: Property | None) -> Needs:
    begins = any(isinstance(i, Allocate) and i.begins for i in program.instructions())
    return Needs(prop or Property.SAFETY, program.has(Free), program.has(AtomicBegin), begins)


def _races(model: Model, needs: Needs) -> Model:
    return with_races(model) if needs.property is Property.RACE else model


def _lifetimes(model: Model, needs: Needs) -> Model:
    if Error.ACCESS not in needs.property.errors:
        return model
    ends = with_lifetimes(model) if needs.frees else model
    return with_beginnings(ends) if needs.begins else ends


def _atomic_blocks(model: Model, needs: Needs) -> Model:
    return with_atomic_blocks(model) if needs.blocks else model


def _relevant_flags(model: Model, needs: Needs) -> Model:
    kept = tuple(axiom for axiom in model.axioms if _is_relevant(axiom, model, needs.property))
    return model if len(kept) == len(model.axioms) else replace(model, axioms=kept)


def _is_relevant(axiom: Axiom, model: Model, prop: Property) -> bool:
    if axiom.is_constraint:
        return True
    if prop is Property.RACE:
        return axiom in races_of(model)
    return Error.ACCESS in prop.errors and axiom.name in LIFETIMES


MODEL_PASSES = (
    ModelPass("races", "adds what a data race is, for models that do not say", _races),
    ModelPass("lifetimes", "adds flags for accesses not ordered in the life of an object", _lifetimes),
    ModelPass("atomic blocks", "adds that nothing comes between the events of a block", _atomic_blocks),
    ModelPass("flags", "drops flags that the property is not about", _relevant_flags),
)
