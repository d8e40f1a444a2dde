"""Where paths through a thread meet: what is known on each of them -> what is known behind, under guards.

Registers become choices between the paths' values; a dependency counts wherever it counts on the path taken
(paper 004, section 4.5.1).
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.events.symbolic_data import NO_BLOCK, NOTHING, Binding, Sources, SymbolicDraft
from treville.events.symbolic_terms import FALSE, TRUE, Condition
from treville.records import NamedTuple, dataclass, field


@dataclass(slots=True)
class State:
    """What is known before a step: registers, open control scopes, the pending read-modify-write parts."""

    registers: dict[str, Binding]
    control: dict[int | None, Sources] = field(default_factory=dict)  # by the position where it ends
    control_pick: dict[int | None, Sources] = field(default_factory=dict)
    behind: Sources = field(default_factory=dict)  # of branches, open or not (see `ir.Branch`)
    linked: Sources = field(default_factory=dict)
    reserved: Sources = field(default_factory=dict)
    order: int = 0
    last: tuple[int, int] = (-1, -1)
    block: int = NO_BLOCK
    passed: int = 0  # the thread's events on the paths that lead here

    def copy(self) -> State:
        """An independent state; sources themselves are never changed in place."""
        return State(
            self.registers.copy(), self.control.copy(), self.control_pick.copy(),
            self.behind, self.linked, self.reserved, self.order, self.last, self.block, self.passed,
        )  # fmt: skip


class Paths(NamedTuple):
    """Where several paths through a thread meet: when each is taken, and which events are on it."""

    taken: list[Condition]
    passed: list[int]


class Joining:
    """What a walk over the thread with number `index` does where paths meet."""

    def __init__(self, result: SymbolicDraft, index: int) -> None:
        self.result, self.index = result, index
        self.terms = result.terms

    def merge(
        self, arrived: list[tuple[Condition, State]], position: int | None = None
    ) -> tuple[Condition, State]:
        """The guard and the state behind; `position`: of the next instruction."""
        guard, state = arrived[0]
        if len(arrived) == 1:
            return guard, state
        paths = Paths([taken for taken, _ in arrived], [other.passed for _, other in arrived])
        guard = self.terms.either(paths.taken)
        every = dict.fromkeys(name for _, other in arrived for name in other.registers)
        names = every if position is None else self.still_needed(every, position)
        registers = {
            name: self._merge_binding(
                paths, [s.registers.get(name) or self.absent(name) for _, s in arrived], guard
            )
            for name in names
        }
        merged = State(registers)
        merged.control = self._merge_scopes(paths, [s.control for _, s in arrived], guard)
        merged.control_pick = self._merge_scopes(paths, [s.control_pick for _, s in arrived], guard)
        merged.behind = self._merge_sources(paths, [s.behind for _, s in arrived], guard)
        merged.linked = self._merge_sources(paths, [s.linked for _, s in arrived], guard)
        merged.reserved = self._merge_sources(paths, [s.reserved for _, s in arrived], guard)
        merged.order = max(s.order for _, s in arrived)
        merged.block = state.block if all(s.block == state.block for _, s in arrived) else NO_BLOCK
        merged.last = state.last if all(s.last == state.last for _, s in arrived) else (-1, -1)
        for passed in paths.passed:
            merged.passed |= passed
        return guard, merged

    def _merge_binding(self, paths: Paths, bindings: list[Binding], guard: Condition) -> Binding:
        first = bindings[0]
        if all(binding is first for binding in bindings):
            return first
        return Binding(
            self.terms.choose([(path, b.value) for path, b in zip(paths.taken, bindings, strict=True)]),
            self._merge_sources(paths, [binding.data for binding in bindings], guard),
            self._merge_sources(paths, [binding.pick for binding in bindings], guard),
        )

    def _merge_scopes(
        self, paths: Paths, scopes: list[dict[int | None, Sources]], guard: Condition
    ) -> dict[int | None, Sources]:
        ends = dict.fromkeys(end for some in scopes for end in some)
        return {
            end: self._merge_sources(paths, [some.get(end, NOTHING) for some in scopes], guard)
            for end in ends
        }

    def _merge_sources(self, paths: Paths, cases: list[Sources], guard: Condition) -> Sources:
        """Sources where several paths meet. Both events are executed wherever a dependency is asked for, so
        paths that do not pass the source do not count."""
        merged, different = cases[0], set()
        for sources in cases[1:]:
            if sources is not merged:
                different |= merged.items() ^ sources.items()
        if not different:
            return merged
        merged = merged.copy()
        for event in sorted({event for event, _ in different}):
            foreign = self.result.events[event].thread != self.index
            met = [
                (path, sources.get(event, FALSE))
                for path, passed, sources in zip(paths.taken, paths.passed, cases, strict=True)
                if foreign or passed >> event & 1
            ]
            when = met[0][1]
            if any(condition != when for _, condition in met):
                when = self.terms.either([self.terms.both(path, condition) for path, condition in met])
                when = TRUE if when in (guard, self.result.events[event].guard) else when
            merged[event] = when
        return merged

    def still_needed(self, names: Iterable[str], position: int) -> Iterable[str]:
        """The registers whose values can still matter at a position."""
        del position
        return names

    def absent(self, name: str) -> Binding:
        """What a register holds that was never set."""
        del name
        return Binding(self.terms.constant(0))
