"""Lists the candidate executions of a test and keeps those that a compiled model allows.

For each selection of one trace per thread: the static part of the model, the choices per location,
and every combination of those. A candidate whose values justify each other in a cycle (out of thin air) is
no execution at all, whatever the model says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from treville.enumeration.coherence import NO_READ, Access, Choice, choices
from treville.enumeration.compile_model import CompiledModel, compile_model
from treville.enumeration.shapes import Layout
from treville.events.kinds import READ, WRITE
from treville.events.trace import NO_PAIR, Effort, Shape, Trace
from treville.events.traces import Traces, program_traces
from treville.models.implied import implies_atomicity, implies_coherence
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.records import NamedTuple
from treville.results import Budget, TooLarge

MAX_EVENTS = 64
# address -> (index in the trace, is a write, value, index of the read it completes) of each access
Profile: TypeAlias = dict[int, tuple[tuple[int, bool, int, int], ...]]


class Candidate(NamedTuple):
    """A candidate execution: traces, their layout, the packed choices, and the final memory."""

    traces: tuple[Trace, ...]
    layout: Layout
    rf: int
    co: int
    fr: int
    memory: dict[int, int]

    def final(self, observable: Observable) -> FinalValue:
        """The final value of an observable."""
        if isinstance(observable, CellOf):
            return self.memory.get(observable.address, 0)
        if isinstance(observable, ArrayOf):
            return tuple(self.memory.get(address, 0) for address in observable.addresses)
        value = self.traces[observable.thread].registers.get(observable.register)
        return value.number if value is not None else 0


class Enumeration(NamedTuple):
    """The answer: final states with their numbers of executions, flags raised, whether loops were cut, and
    whether one that was cut might end otherwise in a later round."""

    states: dict[tuple[FinalValue, ...], int]
    flags: set[str]
    bound_reached: bool
    candidates: int
    unfinished: bool


@lru_cache(maxsize=64)
def compiled(model: Model) -> tuple[CompiledModel, bool, bool]:
    """The compiled model, and whether it implies coherence and atomicity."""
    return compile_model(model), implies_coherence(model), implies_atomicity(model)


def enumerate_outcomes(
    test: LitmusTest, model: Model, bound: int, budget: Budget, limit: int | None = None
) -> Enumeration:
    """All final states with their numbers of consistent executions.

    Raises `TooLarge` when more than `limit` traces, selections and candidates would have to be listed, so
    that the caller can go on with the symbolic engine."""
    engine = Engine(test, model, bound, budget, Effort(limit))
    states: dict[tuple[FinalValue, ...], int] = {}
    flags: set[str] = set()
    observed = test.observed
    for candidate, statics in engine.consistent():
        if test.filter is not None and not satisfied(test.filter, candidate.final):
            continue
        state = tuple([candidate.final(observable) for observable in observed])
        states[state] = states.get(state, 0) + 1
        if engine.compiled.flags is not None:
            flags.update(engine.compiled.flags(statics, candidate.rf, candidate.co, candidate.fr))
    traces = engine.traces
    return Enumeration(states, flags, traces.bound_reached, engine.examined, traces.was_cut)


class Engine:
    """The candidate executions of one test under one model."""

    def __init__(
        self,
        test: LitmusTest,
        model: Model,
        bound: int,
        budget: Budget,
        effort: Effort | None = None,
        incoherent_too: bool = False,
    ) -> None:
        self.test = test
        self.budget = budget
        self.effort = effort or Effort()
        self.compiled, coherent, atomic = compiled(model)
        self.coherent = coherent and not incoherent_too
        self.atomic = atomic and self.coherent
        self.traces: Traces = program_traces(test.program, bound, budget, self.coherent, self.effort)
        self.observed = frozenset(
            address for o in test.observed if not isinstance(o, RegisterOf) for address in _addresses(o)
        )
        self.layouts: dict[tuple[tuple[Shape, ...], ...], tuple[Layout, Any]] = {}
        self.profiles = [[_profile(trace) for trace in traces] for traces in self.traces.threads]
        self.known_choices: dict[tuple[Any, ...], list[Choice]] = {}
        self.examined = 0

    def consistent(self) -> Iterator[tuple[Candidate, Any]]:
        """The consistent candidates, each with the static values of its shapes."""
        violated = self.compiled.violated
        for traces, profiles in self._selections():
            layout, statics = self._layout(traces)
            if statics is None:
                continue
            origins = _origins(traces, layout)
            for combination in self._combinations(profiles, layout):
                self.examined += 1
                self.effort.spend()
                if self.examined & 255 == 0:
                    self.budget.look(self.examined, "candidates")
                rf = co = fr = 0
                for choice in combination:
                    rf |= choice.rf
                    co |= choice.co
                    fr |= choice.fr
                if violated(statics, rf, co, fr) or (origins and layout.kernel.cyclic(origins | rf)):
                    continue
                yield self._candidate(traces, layout, combination), statics

    def all_candidates(self) -> Iterator[Candidate]:
        """Every candidate, consistent or not (for walking through executions)."""
        for traces, profiles in self._selections():
            layout = self._layout(traces)[0]
            origins = _origins(traces, layout)
            for combination in self._combinations(profiles, layout):
                self.budget.check()
                candidate = self._candidate(traces, layout, combination)
                if not (origins and layout.kernel.cyclic(origins | candidate.rf)):
                    yield candidate

    def _candidate(
        self, traces: tuple[Trace, ...], layout: Layout, combination: tuple[Choice, ...]
    ) -> Candidate:
        rf = co = fr = 0
        memory = dict(self.traces.initial)
        for address, choice in zip(layout.addresses, combination, strict=True):
            rf |= choice.rf
            co |= choice.co
            fr |= choice.fr
            memory[address] = choice.final
        return Candidate(traces, layout, rf, co, fr, memory)

    def _layout(self, traces: tuple[Trace, ...]) -> tuple[Layout, Any]:
        key = tuple([trace.shapes for trace in traces])
        found = self.layouts.get(key)
        if found is None:
            layout = Layout(key, self.observed)
            if layout.n > MAX_EVENTS:
                raise TooLarge("too many events to list executions", "use --engine eager")
            base = layout.everything()
            base.update(layout.upper_bounds(base, self.coherent))
            statics = self.compiled.prepare(layout.kernel, base)
            found = self.layouts[key] = (layout, statics)
        return found

    def _selections(self) -> Iterator[tuple[tuple[Trace, ...], tuple[Profile, ...]]]:
        """One trace per thread such that every read finds its value: in the initial memory, in the thread
        itself or in another one. Prunes as soon as no remaining thread can provide a value."""
        initial = self.traces.initial
        options = [
            [(t, p, _offers(t), _needs(t, initial)) for t, p in zip(traces, profiles, strict=True)]
            for traces, profiles in zip(self.traces.threads, self.profiles, strict=True)
        ]
        possible: list[set[tuple[int, int]]] = [set()]
        for group in reversed(options):
            possible.append(possible[-1].union(*(offer for _, _, offer, _ in group)))
        possible.reverse()
        none: frozenset[tuple[int, int]] = frozenset()
        # Each entry: thread to choose for, traces and profiles so far, values offered, values missing.
        pending: list[Any] = [(0, (), (), none, none)]
        while pending:
            thread, chosen, profiles, offered, needed = pending.pop()
            self.effort.spend()
            if thread == len(options):
                yield chosen, profiles
                continue
            self.budget.check()
            for trace, profile, offer, need in reversed(options[thread]):
                now_offered = offered | offer
                missing = (needed | need) - now_offered
                if missing <= possible[thread + 1]:
                    entry = (thread + 1, (*chosen, trace), (*profiles, profile), now_offered, missing)
                    pending.append(entry)

    def _combinations(self, profiles: tuple[Profile, ...], layout: Layout) -> Iterator[tuple[Choice, ...]]:
        """Every combination of the choices per location."""
        per_location = []
        for number, address in enumerate(layout.addresses):
            key = (id(layout), address, *[profile.get(address) for profile in profiles])
            options = self.known_choices.get(key)
            if options is None:
                threads = [
                    [
                        Access(
                            start + i, is_write, value, thread, NO_READ if read == NO_READ else start + read
                        )
                        for i, is_write, value, read in profile.get(address, ())
                    ]
                    for thread, (start, profile) in enumerate(zip(layout.starts, profiles, strict=True))
                ]
                initial = Access(number, True, self.traces.initial.get(address, 0))
                options = choices(initial, threads, layout.n, self.coherent, self.atomic)
                self.known_choices[key] = options
            if not options:
                return iter(())
            per_location.append(options)
        return product(*per_location)


def _profile(trace: Trace) -> Profile:
    """A trace's accesses by address, so that equal ones share their choices."""
    out: dict[int, list[tuple[int, bool, int, int]]] = {}
    for i, (shape, value) in enumerate(zip(trace.shapes, trace.values, strict=True)):
        if shape.address is not None and value is not None:  # a fence has no value
            read = NO_READ
            if shape.pair != NO_PAIR and trace.shapes[shape.pair].address == shape.address:
                read = shape.pair
            out.setdefault(shape.address, []).append((i, shape.kind is WRITE, value, read))
    return {address: tuple(accesses) for address, accesses in out.items()}


def _addresses(observable: CellOf | ArrayOf) -> tuple[int, ...]:
    return (observable.address,) if isinstance(observable, CellOf) else observable.addresses


def _offers(trace: Trace) -> frozenset[tuple[int, int]]:
    return frozenset(
        (shape.address, value)
        for shape, value in zip(trace.shapes, trace.values, strict=True)
        if shape.kind is WRITE and shape.address is not None and value is not None
    )


def _needs(trace: Trace, initial: dict[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (shape.address, value)
        for shape, value in zip(trace.shapes, trace.values, strict=True)
        if shape.kind is READ and shape.address is not None and value is not None
        if initial.get(shape.address, 0) != value
    )


def _origins(traces: tuple[Trace, ...], layout: Layout) -> int:
    """The packed relation from reads to the events whose value, address or path came from them; zero if
    no write is affected, since then nothing can justify itself."""
    n, out = layout.n, 0
    if not any(
        origin and shape.kind is WRITE
        for trace in traces
        for origin, shape in zip(trace.origins, trace.shapes, strict=True)
    ):
        return 0
    for start, trace in zip(layout.starts, traces, strict=True):
        for i, mask in enumerate(trace.origins):
            while mask:
                low = mask & -mask
                out |= 1 << ((start + low.bit_length() - 1) * n + start + i)
                mask ^= low
    return out
