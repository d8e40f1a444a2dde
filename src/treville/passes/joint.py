"""Two compilations of one program as one program that each model sees its own way (paper 004, section 5.5.1).

Compilers turn the same accesses into the same reads and writes, with other annotations and other fences in
between. The joint program has the accesses once and the fences of both; annotations carry the name of
the side they belong to. A model's view of it has the other side's fences in no order with anything, so one
execution of the joint program is a pair of equivalent executions of the two compilations. Where only one side
knows that the ways of a branch meet again, what is behind depends on the branch for the other side alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from treville.analysis.facts import Bounds, Facts
from treville.events.execution import Event, Execution
from treville.events.kinds import FENCE
from treville.models.extend import renamed
from treville.models.model import RELATION, SET, Model, Node
from treville.programs.compile_to import (
    LANGUAGE_OF,
    TO_THE_END,
    compile_program,
    target_of,
    without_reservations,
)
from treville.programs.compile_to.mappings import HARDWARE, mapping_of
from treville.programs.ir import Branch, Fence, Instruction, Load, Program, Store, StoreExclusive, Thread
from treville.records import dataclass, replace
from treville.relations import Relation, by_event, elements, mask_of
from treville.results import Unsupported

SOURCE, TARGET = "source", "target"
_COMMON_SETS = frozenset({"R", "W", "M", "IW", "FW"})
_ORDERS = ("po", "int", "ext", "si")
_CONTROL, _BEHIND = "ctrl", "ctrl-behind"


@dataclass(frozen=True, slots=True)
class Side:
    """A model and how it sees the program: `name` is empty where the program is the same to both models,
    and `view` is then the model itself. `to_the_end`: branches control all that follows, although the other
    side knows where their ways meet."""

    model: Model
    view: Model
    name: str = ""
    to_the_end: bool = False

    def prepared(self, facts: Facts) -> Facts:
        """The facts with what the view reads: orders without the other side's fences."""
        if not self.name:
            return facts
        own = facts.sets.get(f"{self.name}:F")
        foreign = facts.sets["F"].may & ~(own.may if own is not None else 0)
        seen = {
            f"{self.name}:{order}": Bounds(_without(bounds.may, foreign), _without(bounds.must, foreign))
            for order in _ORDERS
            for bounds in (facts.relations[order],)
        }
        conditions = facts.conditions
        if self.to_the_end:
            seen[f"{self.name}:{_CONTROL}"] = facts.relations[_BEHIND]
            conditions = {**conditions, f"{self.name}:{_CONTROL}": conditions[_BEHIND]}
        return replace(facts, relations={**facts.relations, **seen}, conditions=conditions)

    def widened(self, execution: Execution) -> Execution:
        """An execution of the joint program with what the view reads."""
        if not self.name:
            return execution
        foreign = execution.sets["F"] & ~execution.sets.get(f"{self.name}:F", 0)
        seen = {f"{self.name}:{order}": _without(execution.relations[order], foreign) for order in _ORDERS}
        if self.to_the_end:
            seen[f"{self.name}:{_CONTROL}"] = execution.relations[_BEHIND]
        return replace(execution, relations={**execution.relations, **seen})

    def seen(self, execution: Execution) -> Execution:
        """The execution of this side's own compilation."""
        if not self.name:
            return execution
        kept = [e for e in execution.events if e.kind is not FENCE or f"{self.name}:F" in e.tags]
        own = restricted(execution, kept)
        events = tuple(self._event(event) for event in own.events)
        sets = {name: own.sets.get(name, 0) for name in (*_COMMON_SETS, "F")}
        for event in events:
            for tag in event.tags - {"IW"}:
                sets[tag] = sets.get(tag, 0) | 1 << event.number
        relations = own.relations
        if self.to_the_end:
            relations = {**relations, _CONTROL: relations[_BEHIND]}
        return replace(own, events=events, sets=sets, relations=relations)

    def _event(self, event: Event) -> Event:
        prefix = f"{self.name}:"
        own = frozenset(tag.removeprefix(prefix) for tag in event.tags if tag.startswith(prefix))
        common = frozenset(tag for tag in event.tags if ":" not in tag)
        return replace(event, tags=own | common)


def restricted(execution: Execution, kept: list[Event]) -> Execution:
    """The execution with these of its events only, numbered anew."""
    place = {event.number: number for number, event in by_event(kept)}
    relations = {
        name: Relation.of(
            len(kept), ((place[a], place[b]) for a, b in relation.pairs() if a in place and b in place)
        )
        for name, relation in execution.relations.items()
    }
    sets = {
        name: mask_of(place[event] for event in elements(mask) if event in place)
        for name, mask in execution.sets.items()
    }
    events = tuple(replace(event, number=place[event.number]) for event in kept)
    return Execution(events, sets, relations, execution.final)


def same_program(model: Model) -> Side:
    """A model that takes the program as it is."""
    return Side(model, model)


def is_compiled(dialect: str, models: tuple[Model, ...]) -> bool:
    """Is the program written in a language (C11, or the Linux kernel's C) that one of the models is not
    about, or that they see with other control dependencies?"""
    own, targets = LANGUAGE_OF.get(dialect), {_target(model) for model in models}
    return own is not None and not (targets <= set(own) and (TO_THE_END not in targets or len(targets) == 1))


def compile_both(program: Program, source: Model, target: Model) -> tuple[Program, Side, Side]:
    """The joint program of the compilations for two models, and their views of it."""
    targets = _target(source), _target(target)
    if not all(target in HARDWARE and mapping_of(target).reserves for target in targets):
        program = without_reservations(program)
    one, other = (compile_program(program, target) for target in targets)
    joint = replace(
        program,
        threads=tuple(_joined(a, b) for a, b in zip(one.threads, other.threads, strict=True)),
        functions={name: _joined(thread, other.functions[name]) for name, thread in one.functions.items()},
    )
    known = _control_ends(one, source), _control_ends(other, target)
    scoped, unscoped = True in known, False in known
    if unscoped:
        joint = joint.rewritten(partial(_branches, behind=True) if scoped else partial(_branches, until=None))
    apart = scoped and unscoped
    sides = [
        _side(model, name, apart and ends is False)
        for model, name, ends in zip((source, target), (SOURCE, TARGET), known, strict=True)
    ]
    return joint, sides[0], sides[1]


def _side(model: Model, name: str, to_the_end: bool) -> Side:
    return Side(model, _view(model, name, to_the_end), name, to_the_end)


def _control_ends(program: Program, model: Model) -> bool | None:
    """Do branches of the program know where their ways meet? None if the model does not look at what branches
    control."""
    if _CONTROL not in model.base_names():
        return None
    return any(branch.until is not None for branch in _conditional(program))


def _conditional(program: Program) -> Iterator[Branch]:
    return (i for i in program.instructions() if isinstance(i, Branch) and i.condition is not None)


def _branches(thread: Thread, **changes: Any) -> Thread:
    changed = (replace(i, **changes) if isinstance(i, Branch) else i for i in thread.instructions)
    return replace(thread, instructions=tuple(changed))


def compiled_for(program: Program, model: Model) -> Program:
    """The compilation for one model."""
    return compile_program(program, _target(model))


def _target(model: Model) -> str:
    return target_of(model.shipped, model.base_names())


# -- the joint program -----------------------------------------------------------------------------


def _joined(one: Thread, other: Thread) -> Thread:
    """Both threads have the same instructions beside fences, and the same labels between them."""
    left, right = list(_pieces(one)), list(_pieces(other))
    if [kind for kind, _, _ in left] != [kind for kind, _, _ in right]:
        raise Unsupported(f"the compilations of thread {one.name} differ in more than fences")
    code: list[Instruction] = []
    labels: dict[str, int] = {}
    for (kind, first, fences), (_, second, more) in zip(left, right, strict=True):
        code += [_marked(fence, SOURCE) for fence in fences] + [_marked(fence, TARGET) for fence in more]
        if isinstance(first, str):
            labels[first] = len(code)
        elif kind != "end" and first is not None:
            assert not isinstance(second, str)
            code.append(_both(first, second))
    # Where one side has the weaker dependencies, both have.
    selects, updates = one.selects_pick or other.selects_pick, one.updates_pick or other.updates_pick
    return replace(
        one, instructions=tuple(code), labels=labels, selects_pick=selects, updates_pick=updates
    )


Piece = tuple[str, Instruction | str | None, list[Fence]]


def _pieces(thread: Thread) -> Iterator[Piece]:
    """Labels and instructions in order, each with the fences in front of it."""
    at: dict[int, list[str]] = {}
    for name, position in thread.labels.items():
        at.setdefault(position, []).append(name)
    fences: list[Fence] = []
    for position, instruction in enumerate([*thread.instructions, None]):
        for name in sorted(at.get(position, [])):
            yield f"label {name}", name, fences
            fences = []
        if isinstance(instruction, Fence):
            fences.append(instruction)
        else:
            yield type(instruction).__name__ if instruction else "end", instruction, fences
            fences = []


def _marked(fence: Fence, side: str) -> Fence:
    return replace(fence, tags=frozenset({f"{side}:F", *(f"{side}:{tag}" for tag in fence.tags)}))


def _both(one: Instruction, other: Instruction | None) -> Instruction:
    if isinstance(one, Load | Store | StoreExclusive) and isinstance(other, Load | Store | StoreExclusive):
        marked = {f"{SOURCE}:{tag}" for tag in one.tags} | {f"{TARGET}:{tag}" for tag in other.tags}
        return replace(one, tags=frozenset(marked))
    if isinstance(one, Branch) and isinstance(other, Branch):
        return replace(one, until=one.until or other.until)
    return one


# -- views -----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _view(model: Model, side: str, to_the_end: bool) -> Model:
    own = (*_ORDERS, _CONTROL) if to_the_end else _ORDERS
    return renamed(model, lambda node: _seen_name(node, side, own))


def _seen_name(base: Node, side: str, own: tuple[str, ...]) -> str:
    tagged = base.kind is SET and base.name not in _COMMON_SETS
    ordering = base.kind is RELATION and base.name in own
    return f"{side}:{base.name}" if tagged or ordering else base.name


def _without(relation: Relation, events: int) -> Relation:
    return Relation([0 if events >> k & 1 else row & ~events for k, row in enumerate(relation.rows)])
