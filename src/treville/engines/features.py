"""A program, a property and a model -> what an engine must know to answer for them.

Features are computed from the IR by exhaustive matching: an instruction that nobody thought of is an error of
the type checker. An engine declares what it supports, and what it does not declare it refuses
(`engines.contract`), so that something an engine lacks can never become a PASS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from treville.fences import orders
from treville.models.model import Model
from treville.programs import ir
from treville.records import dataclass
from treville.results import Span
from treville.results.properties import Error, Property


class Feature(Enum):
    """What a question may need; each member's value names it in refusals."""

    # of the program
    LOOPS = "loops"
    CHOICES = "values that are chosen freely"
    ANY_NUMBERS = "arbitrary numbers"
    ASSUMPTIONS = "assumptions"
    WAITING_FOR_VALUES = "waiting for a value"
    COMPUTED_ADDRESSES = "pointers and arrays"
    UPDATES = "read-modify-writes"
    CONDITIONAL_STORES = "stores under a condition"
    EXCLUSIVES = "exclusive loads and stores"
    PAIRED_ACCESSES = "accesses without an order inside one instruction"
    FENCES = "fences"
    WRITE_READ_FENCES = "fences that order writes with reads but not with writes"
    LOCATED_FENCES = "fences that belong to a location"
    READ_COPY_UPDATE = "read-copy-update"
    COMPUTED_JUMPS = "jumps to computed addresses"
    ASSERTIONS = "assertions"
    RECURSION = "recursion that was cut"
    THREADS = "threads that are started"
    JOINS = "joins"
    ALLOCATION = "allocated memory"
    FRESH_MEMORY = "memory that is not initialised"
    UNSET_CONTENTS = "copies of what nobody set"
    FREES = "memory that is freed"
    BEGINNINGS = "objects that are handed on without an order"
    PRIVATE_OBJECTS = "objects of one thread"
    ATOMIC_BLOCKS = "atomic blocks"
    # of the property
    FAILURES = "assertions and errors of memory"
    RACES = "data races"
    DEADLOCKS = "deadlocks"
    LIVENESS = "liveness"
    LEAKS = "memory leaks"
    ENDS_AT_ERRORS = "runs that end at errors which are not asked for"
    # of the model
    FLAGS = "flags of the model"
    RECURSIVE_RELATIONS = "recursive definitions"
    NEGATIVE_RECURSION = "recursive definitions below a difference"
    REQUIRED_BEHAVIOUR = "negated axioms"


# What engines declare, in groups that are written out: a new feature belongs to none, and so to no engine.
OF_THREADS = frozenset(
    {
        Feature.LOOPS, Feature.CHOICES, Feature.ASSUMPTIONS, Feature.COMPUTED_ADDRESSES, Feature.UPDATES,
        Feature.CONDITIONAL_STORES, Feature.FENCES, Feature.WRITE_READ_FENCES,
    }
)  # fmt: skip
OF_KERNELS = frozenset({Feature.LOCATED_FENCES, Feature.READ_COPY_UPDATE})
OF_TESTS = frozenset({Feature.EXCLUSIVES, Feature.PAIRED_ACCESSES, Feature.COMPUTED_JUMPS})
OF_PROGRAMS = frozenset(
    {
        Feature.ANY_NUMBERS, Feature.WAITING_FOR_VALUES, Feature.ASSERTIONS, Feature.RECURSION,
        Feature.THREADS, Feature.JOINS, Feature.ALLOCATION, Feature.FRESH_MEMORY, Feature.FREES,
        Feature.UNSET_CONTENTS, Feature.PRIVATE_OBJECTS, Feature.ATOMIC_BLOCKS,
    }
)  # fmt: skip
OF_MODELS = frozenset(
    {
        Feature.FLAGS, Feature.RECURSIVE_RELATIONS, Feature.NEGATIVE_RECURSION, Feature.REQUIRED_BEHAVIOUR,
    }
)  # fmt: skip
OF_PROPERTIES = frozenset(
    {
        Feature.FAILURES, Feature.RACES, Feature.DEADLOCKS, Feature.LIVENESS, Feature.ENDS_AT_ERRORS,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a task, each with the first place that has it, where there is one."""

    places: Mapping[Feature, Span | None]

    def __contains__(self, feature: Feature) -> bool:
        return feature in self.places

    def beyond(self, supported: Collection[Feature]) -> Iterator[tuple[Feature, Span | None]]:
        """The features that are not among the given ones."""
        return ((feature, place) for feature, place in self.places.items() if feature not in supported)


def features_of(program: ir.Program, model: Model, prop: Property | None) -> Features:
    """What a question about the program needs; `prop` None: its final states."""
    places: dict[Feature, Span | None] = {}
    for thread in program.bodies:
        for position, instruction in enumerate(thread.instructions):
            for feature in of_instruction(instruction, position, thread):
                places.setdefault(feature, instruction.span)
    for feature in (*_of_property(prop), *_of_model(model)):
        places.setdefault(feature, None)
    return Features(MappingProxyType(places))


def of_instruction(instruction: ir.Instruction, position: int, thread: ir.Thread) -> Iterator[Feature]:
    """What one instruction of a thread needs."""
    match instruction:
        case ir.Local():
            pass
        case ir.Load() | ir.Store() | ir.StoreExclusive():
            yield from _of_access(instruction)
        case ir.Fence():
            yield Feature.FENCES
            if orders(instruction.tags, "W", "R") and not orders(instruction.tags, "W", "W"):
                yield Feature.WRITE_READ_FENCES
            if instruction.address is not None:
                yield Feature.LOCATED_FENCES
            if instruction.tags & _READ_COPY_UPDATE:
                yield Feature.READ_COPY_UPDATE
        case ir.Branch():
            if thread.labels[instruction.target] <= position:
                yield Feature.LOOPS
        case ir.Havoc():
            yield Feature.CHOICES
        case ir.Nondet():
            yield Feature.ANY_NUMBERS
        case ir.Assume():
            yield Feature.WAITING_FOR_VALUES if instruction.waits else Feature.ASSUMPTIONS
        case ir.Assert():
            yield Feature.ASSERTIONS
        case ir.IndirectBranch():
            yield Feature.COMPUTED_JUMPS
        case ir.Stop():
            if instruction.cut:
                yield Feature.RECURSION
        case ir.Spawn():
            yield Feature.THREADS
        case ir.Join():
            yield Feature.JOINS
        case ir.Allocate():
            yield Feature.ALLOCATION
            if not instruction.zeroed:
                yield Feature.FRESH_MEMORY
            if instruction.begins:
                yield Feature.BEGINNINGS
        case ir.Free():
            yield Feature.FREES
        case ir.ReadPrivate() | ir.WritePrivate():
            yield Feature.PRIVATE_OBJECTS
            if instruction.object in thread.unset:
                yield Feature.FRESH_MEMORY
        case ir.AtomicBegin() | ir.AtomicEnd():
            yield Feature.ATOMIC_BLOCKS
        case _:
            assert_never(instruction)


_READ_COPY_UPDATE = frozenset(
    ("Rcu-lock", "Rcu-unlock", "Sync-rcu", "Srcu-lock", "Srcu-unlock", "Sync-srcu", "After-srcu-read-unlock")
)


def _of_access(access: ir.Load | ir.Store | ir.StoreExclusive) -> Iterator[Feature]:
    if not isinstance(access.address, ir.Const):
        yield Feature.COMPUTED_ADDRESSES
    if access.parallel:
        yield Feature.PAIRED_ACCESSES
    if access.tags & _READ_COPY_UPDATE:
        yield Feature.READ_COPY_UPDATE
    match access:
        case ir.StoreExclusive():
            yield Feature.EXCLUSIVES
        case ir.Load():
            if access.exclusive:
                yield Feature.EXCLUSIVES
            if access.link:
                yield Feature.UPDATES
            if access.unset or access.zeroed:
                yield Feature.UNSET_CONTENTS
        case ir.Store():
            if access.link:
                yield Feature.UPDATES
            if access.when is not None:
                yield Feature.CONDITIONAL_STORES
            if access.unset is not None:
                yield Feature.UNSET_CONTENTS
        case _:
            assert_never(access)


def _of_property(prop: Property | None) -> Iterator[Feature]:
    match prop:
        case None:
            pass
        case Property.RACE:
            yield Feature.RACES
        case Property.DEADLOCK:
            yield Feature.DEADLOCKS
        case Property.LIVENESS:
            yield Feature.LIVENESS
        case Property.SAFETY | Property.ASSERTION | Property.MEMORY | Property.VALID_MEMSAFETY:
            yield from _of_errors(prop.errors)
        case Property.VALID_DEREF | Property.VALID_FREE | Property.VALID_MEMTRACK:
            yield from _of_errors(prop.errors)
        case _:
            assert_never(prop)


def _of_errors(errors: frozenset[Error]) -> Iterator[Feature]:
    yield Feature.FAILURES
    if Error.LEAK in errors:
        yield Feature.LEAKS
    if not errors >= {Error.ACCESS, Error.FREE}:
        yield Feature.ENDS_AT_ERRORS


def _of_model(model: Model) -> Iterator[Feature]:
    if any(not axiom.is_constraint for axiom in model.axioms):
        yield Feature.FLAGS
    if any(axiom.negated for axiom in model.constraints()):
        yield Feature.REQUIRED_BEHAVIOUR
    if model.groups:
        yield Feature.RECURSIVE_RELATIONS
    if any(not group.monotone for group in model.groups):
        yield Feature.NEGATIVE_RECURSION
