"""A dialect and two models -> the instructions that tests are made of, and what each is to each model.

What an instruction is to a model is not written down twice: a test of this one instruction is written, read
and lowered for the model as `treville litmus` does it, and its events are looked at. So an instruction that a
model does not understand is no part of the alphabet, and one that is compiled (C on hardware) comes with its
fences. Instructions that neither model can tell from a simpler one are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from treville.engines.task import outcome_task
from treville.events.kinds import FENCE
from treville.events.trace import Effort, Shape
from treville.events.traces import program_traces
from treville.models.model import RELATION, SET, Model, NodeId, Operator
from treville.programs.litmus import parse
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import (
    Access,
    Barrier,
    Item,
    Outcome,
    Role,
    Spelling,
    WrittenProgram,
)
from treville.records import NamedTuple, dataclass
from treville.results import Budget, Unsupported

Tags: TypeAlias = frozenset[str]


class Code(NamedTuple):
    """What an instruction is to a model: the tags of fences that come before, of its accesses (their kinds
    among them), of fences that come after, and the relations from the first access to the second."""

    before: tuple[Tags, ...]
    accesses: tuple[Tags, ...]
    after: tuple[Tags, ...]
    inside: frozenset[str] = frozenset()


class Letter(NamedTuple):
    """An instruction with what it is to the allowing and to the forbidding model."""

    spelling: Spelling
    codes: tuple[Code, Code]


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What tests are made of: accesses (exchanges among them), fences, and the dependencies that matter."""

    dialect: str
    accesses: tuple[Letter, ...]
    fences: tuple[Letter, ...]
    dependencies: frozenset[str]


def alphabet(
    dialect: str, allowing: Model, forbidding: Model, instructions: frozenset[str] | None = None
) -> Alphabet:
    """The alphabet for a comparison; with `instructions` of those alone, by the names of their spellings."""
    letters: list[Letter] = []
    seen: set[object] = set()
    models = (allowing, forbidding)
    races = any(axiom.undefined for model in models for axiom in model.axioms)
    for spelling in sorted(WRITERS[dialect].spellings, key=lambda spelling: spelling.cost):
        if spelling.plain and not races:
            continue
        if instructions is not None and spelling.name not in instructions:
            continue
        codes = tuple(_code(dialect, spelling.name, spelling.role, model) for model in models)
        if codes[0] is None or codes[1] is None:
            continue
        letter = Letter(spelling, (codes[0], codes[1]))
        key = (spelling.role, spelling.plain, _told_apart(letter, models))
        if key not in seen and not (spelling.role is Role.FENCE and _means_nothing(letter, models)):
            letters.append(letter)
        seen.add(key)
    accesses = tuple(letter for letter in letters if letter.spelling.role is not Role.FENCE)
    fences = tuple(letter for letter in letters if letter.spelling.role is Role.FENCE)
    return Alphabet(dialect, accesses, fences, _dependencies(dialect, models, accesses))


def _dependencies(dialect: str, models: tuple[Model, Model], accesses: tuple[Letter, ...]) -> frozenset[str]:
    """Those that the dialect can have and a model looks at. What is not atomic needs branches: without them
    it races."""
    wanted = {name for model in models for name in relations_read(model)}
    if any(letter.spelling.plain for letter in accesses):
        wanted.add("ctrl")
    return WRITERS[dialect].dependencies & wanted


# -- what an instruction is to a model -------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _code(dialect: str, name: str, role: Role, model: Model) -> Code | None:
    """None if the model does not understand the instruction."""
    spelling = next(s for s in WRITERS[dialect].spellings if (s.name, s.role) == (name, role))
    try:
        return _code_of(_alone(dialect, spelling, model))
    except Unsupported:
        return None


def _alone(dialect: str, spelling: Spelling, model: Model) -> tuple[Shape, ...]:
    """The events of a thread that has this instruction alone, where it does most."""
    item: Item = Barrier(spelling) if spelling.role is Role.FENCE else Access(spelling, 0, 1)
    other = Access(next(s for s in WRITERS[dialect].spellings if s.role is Role.WRITE), 1, 1)
    program = WrittenProgram("alone", ((item,), (other,)), Outcome((), ((1, 1),)))
    test = outcome_task(parse(WRITERS[dialect].write(program), "alone.litmus"), model, 1).test
    traces = program_traces(test.program, 1, Budget(), False, Effort())
    return max((trace.shapes for trace in traces.threads[0]), key=len)


def _code_of(shapes: tuple[Shape, ...]) -> Code:
    places = [place for place, shape in enumerate(shapes) if shape.kind is not FENCE]
    tags = [shape.tags | {shape.kind.value} for shape in shapes]
    if not places:
        return Code(tuple(tags), (), ())
    first, last = places[0], places[-1]
    assert len(places) <= 2
    assert last - first < 2
    inside = _inside(shapes, first, last) if first < last else frozenset()
    return Code(tuple(tags[:first]), tuple(tags[first : last + 1]), tuple(tags[last + 1 :]), inside)


def _inside(shapes: tuple[Shape, ...], first: int, last: int) -> frozenset[str]:
    write = shapes[last]
    found = {name for name in ("addr", "data", "ctrl") if getattr(write, name) >> first & 1}
    if write.instruction == shapes[first].instruction:
        found.add("si")
    if write.pair == first:
        found |= {"rmw", "lxsx" if write.exclusive else "amo"}
    return frozenset(found)


# -- what a model can tell apart -------------------------------------------------------------------------


def looked_at(model: Model) -> set[NodeId]:
    """The definitions that decide what a model forbids, and whether a test has a meaning."""
    return model.below(axiom.node for axiom in model.axioms if axiom.is_constraint or axiom.undefined)


def relations_read(model: Model) -> set[str]:
    """The base relations that they are made of."""
    nodes = [model.nodes[number] for number in looked_at(model)]
    return {node.name for node in nodes if node.op is Operator.BASE and node.kind is RELATION}


def sets_read(model: Model) -> set[str]:
    """The base sets that they are made of."""
    nodes = [model.nodes[number] for number in looked_at(model)]
    return {node.name for node in nodes if node.op is Operator.BASE and node.kind is SET}


def _told_apart(letter: Letter, models: tuple[Model, Model]) -> tuple[object, ...]:
    """What the models see of a letter; letters of the same role for which this is equal are one to both."""
    seen: list[object] = []
    for code, model in zip(letter.codes, models, strict=True):
        groups = [[_sets_of(model, tags) for tags in group] for group in code[:3]]
        seen.append((tuple(map(tuple, groups)), code.inside & relations_read(model)))
    return tuple(seen)


def _means_nothing(letter: Letter, models: tuple[Model, Model]) -> bool:
    """Is a fence like no fence to both models?"""
    return all(
        "F" not in sets_read(model) and _sets_of(model, tags) == _sets_of(model, frozenset("F"))
        for code, model in zip(letter.codes, models, strict=True)
        for tags in code.before
    )


@lru_cache(maxsize=4096)
def _sets_of(model: Model, tags: Tags) -> tuple[bool, ...]:
    """In which of the sets that relations are made of is an event with these tags?"""
    inside = _memberships(model, tags)
    return tuple(bool(inside[number]) for number in _outer_sets(model))


def _memberships(model: Model, tags: Tags) -> dict[NodeId, bool]:
    """The sets that depend on the event alone, and whether it is in them."""
    known: dict[NodeId, bool] = {}
    for number, node in model.numbered():
        if node.kind is not SET or any(argument not in known for argument in node.args):
            continue
        values = [known[argument] for argument in node.args]
        match node.op:
            case Operator.BASE:
                if node.name != "FW":
                    known[number] = node.name in tags or (node.name == "M" and "F" not in tags)
            case Operator.EMPTY | Operator.UNIVERSE:
                known[number] = node.op is Operator.UNIVERSE
            case Operator.UNION:
                known[number] = values[0] or values[1]
            case Operator.INTERSECTION:
                known[number] = values[0] and values[1]
            case Operator.DIFFERENCE:
                known[number] = values[0] and not values[1]
            case Operator.COMPLEMENT:
                known[number] = not values[0]
            case _:
                continue
    return known


@lru_cache(maxsize=64)
def _outer_sets(model: Model) -> tuple[NodeId, ...]:
    """Those of them that something else is made of."""
    known = _memberships(model, frozenset("F"))
    wanted = looked_at(model)
    used = {axiom.node for axiom in model.axioms} & known.keys()
    for number, node in model.numbered():
        if number in wanted and number not in known:
            used |= known.keys() & set(node.args)
    used |= known.keys() & {body for group in model.groups for body in group.bodies}
    return tuple(sorted(used & wanted))
