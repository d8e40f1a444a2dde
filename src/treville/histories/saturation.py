"""What follows without search: sources that are certain, and orders that every view must have.

With unique values the source of each read is known, and two rules decide most histories (the idea of
saturation, as recent checkers of database histories use it): if read r takes its value from w, then a
write to the same location that precedes r precedes w, and one that follows w follows r. The rules run to
a fixpoint on bit-mask closures of the views' graphs; a cycle means FAIL, and a read left without a
candidate does too. What stays open goes to SAT, with the derived edges as facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treville.histories.graph import Closure, EdgeSet, close
from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.problem import Group, Problem
from treville.histories.view_graphs import ViewGraph
from treville.histories.views import instances
from treville.records import dataclass, field
from treville.relations import elements, mask_of
from treville.results import Budget, TooLarge
from treville.results.errors import RAISE, Limit

_BYTES_FOR_CLOSURES = 1_500_000_000


Step = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why no execution exists: a read without source, or a cycle in one view's graph.

    `events` are the operations that the argument uses, `steps` the cycle's edges with their reasons, and
    `derivations` the paths behind derived edges: for an edge, the read that its rule is about and the steps
    of the path that triggered the rule. A step that touches no operation has -1 there.
    """

    view: int | None
    events: frozenset[int]
    steps: tuple[Step, ...] = ()
    read: int | None = None
    derivations: dict[tuple[int, int], tuple[int, tuple[Step, ...]]] = field(default_factory=dict)


@dataclass
class Facts:
    """Candidates that remain for each read, and for each view the derived edges and, after saturation, the
    nodes that must follow (`closures`) and precede (`ancestors`) each node."""

    candidates: dict[int, tuple[int, ...]]
    derived: list[list[tuple[int, int]]]
    closures: list[list[int]] = field(default_factory=list)
    ancestors: list[list[int]] = field(default_factory=list)
    views: list[ViewGraph] = field(default_factory=list)

    def known(self, group: Group, first: int, second: int) -> bool | None:
        """Whether `first` precedes `second` in the group, as far as it is certain."""
        for index in group.views:
            if not self.closures or not self.closures[index]:
                continue
            node, rows = self.views[index].node, self.closures[index]
            if rows[node[first]] >> node[second] & 1:
                return True
            if rows[node[second]] >> node[first] & 1:
                return False
        return None


def no_facts(problem: Problem) -> Facts:
    """What is known before any saturation."""
    return Facts(dict(problem.events.candidates), [[] for _ in problem.views])


def refuse_too_large(level: Level, events: Events, budget: Budget) -> None:
    """Raise `TooLarge` where the closures of the level's views cannot fit; relays are not counted yet."""
    _refuse(sum(len(instance.events) ** 2 for instance in instances(level, events)), budget)


def _refuse(pairs: int, budget: Budget) -> None:
    needed = pairs // 2
    if needed > (budget.memory or _BYTES_FOR_CLOSURES):
        raise TooLarge(f"closures would take {needed // 1_000_000} MB", RAISE[Limit.MEMORY])


def saturate(problem: Problem, budget: Budget) -> Facts | Conflict:
    """Run the rules to their fixpoint. Each round costs one closure of each changed view."""
    _refuse(sum(view.nodes**2 for view in problem.views), budget)
    return _Saturation(problem, budget).run()


class _Saturation:
    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem, self.events, self.budget = problem, problem.events, budget
        self.candidates = {r: list(c) for r, c in problem.events.candidates.items()}
        self.edges = [EdgeSet(view) for view in problem.views]
        self.sources: dict[int, int] = {}
        self.happened: set[int] = set()
        self.group_of = self._index_groups()
        self.closure: list[Closure | None] = [None] * len(problem.views)
        self.writes_at = [self._write_masks(view) for view in problem.views]
        self.seen_orders: dict[tuple[int, int], int] = {}
        self.shared: dict[int, set[int]] = {}
        self.excluded = False

    def _index_groups(self) -> dict[tuple[int, int], Group]:
        return {(view, group.location): group for group in self.problem.groups for view in group.views}

    def _write_masks(self, view: ViewGraph) -> dict[int, int]:
        location = view.instance.location
        chosen = range(len(self.events.locations)) if location is None else [location]
        return {
            x: mask_of(view.node[w] for w in self.events.writes_to[x] if w not in self.events.optional)
            for x in chosen
        }

    # -- the loop --------------------------------------------------------------------------------

    def run(self) -> Facts | Conflict:
        while True:
            for read, candidates in self.candidates.items():
                if not candidates:
                    return self._unreadable(read)
            self._settle_sources()
            for index, edges in enumerate(self.edges):
                if edges.changed:
                    edges.changed = False
                    self.budget.check()
                    self.closure[index] = closed = close(edges, self.problem.views[index].nodes, self.budget)
                    if closed is None:
                        return self._cycle(index)
            for edges in self.edges:
                edges.round += 1
            self._apply_rules()
            self._share_orders()
            pruned = self._prune()
            if not pruned and not any(edges.changed for edges in self.edges):
                return self._facts()

    def _settle_sources(self) -> None:
        for read, candidates in self.candidates.items():
            if len(candidates) == 1 and read not in self.sources:
                write = candidates[0]
                self.sources[read] = write
                self._source_known(write, read)

    def _source_known(self, write: int, read: int) -> None:
        events = self.events
        if write in events.optional and write not in self.happened:
            self._write_happened(write)
        for index, before, after, conditions in self.problem.source_edges(write, read):
            if all(w in self.happened for _, w in conditions):
                self.edges[index].add(before, after, "reads", (write, read))
        for other in self.shared.get(write, ()):
            group = self.group_of[self.problem.serial_views[read][0], events.location_of[read]]
            self._from_read(group, read, other, (write, read, other))
        if events.is_initial(write):
            location = events.location_of[read]
            groups = {id(g): g for g in (self.group_of[i, location] for i in self.problem.serial_views[read])}
            for group in groups.values():
                for other in group.writes:
                    self._from_read(group, read, other, (write, read, other))

    def _write_happened(self, write: int) -> None:
        self.happened.add(write)
        for index, view in enumerate(self.problem.views):
            for before, after, conditions in view.conditional:
                if all(w in self.happened for _, w in conditions) and ("present", write) in conditions:
                    self.edges[index].add(before, after, "program order", ())
            location = self.events.location_of[write]
            if write in view.node and location in self.writes_at[index]:
                self.writes_at[index][location] |= 1 << view.node[write]
        for source, read, uncertain in self.problem.exclusions:
            if uncertain == write and source in self.candidates[read]:
                self.candidates[read].remove(source)
                self.excluded = True

    def _from_read(self, group: Group, read: int, write: int, why: tuple[int, ...]) -> None:
        for index, before, after in self.problem.from_read_edges(group, read, write):
            self.edges[index].add(before, after, "overwritten later", why)

    # -- the rules -------------------------------------------------------------------------------

    def _apply_rules(self) -> None:
        for read, source in self.sources.items():
            self.budget.check()
            if self.events.is_initial(source):
                continue
            for index in self.problem.serial_views[read]:
                self._rules_for(index, self.problem.views[index], read, source)

    def _rules_for(self, index: int, view: ViewGraph, read: int, source: int) -> None:
        closed = self.closure[index]
        assert closed is not None
        location = self.events.location_of[read]
        at_read, at_source = view.node[read], view.node[source]
        writes = self.writes_at[index][location] & ~(1 << at_source)
        group = self.group_of[index, location]
        names = view.instance.events if len(view.node) == len(view.instance.events) else None
        for node in elements(closed.before[at_read] & writes & ~closed.before[at_source]):
            other = names[node] if names else node
            for where, before, after in self.problem.order_edges(group, other, source):
                self.edges[where].add(before, after, "written before", (source, read, other))
        for node in elements(closed.after[at_source] & writes & ~closed.after[at_read]):
            other = names[node] if names else node
            self._from_read(group, read, other, (source, read, other))

    def _share_orders(self) -> None:
        """Views that agree on write orders learn them from each other; only what is new is passed on."""
        if not self.problem.level.agree:
            return
        readers: dict[int, list[int]] = {}
        for read, source in self.sources.items():
            readers.setdefault(source, []).append(read)
        for group in self.problem.groups:
            for index in group.views:
                for first, second in list(self._fresh_orders(group, index)):
                    self._share(group, first, second, readers.get(first, ()))

    def _fresh_orders(self, group: Group, index: int) -> Iterator[tuple[int, int]]:
        """Pairs of writes that this view orders since the last time it was asked."""
        view, closed = self.problem.views[index], self.closure[index]
        assert closed is not None
        writes = self.writes_at[index][group.location]
        names = view.instance.events if len(view.node) == len(view.instance.events) else None
        for first in group.writes:
            node = view.node[first]
            if writes >> node & 1:
                after = closed.after[node] & writes
                fresh = after & ~self.seen_orders.get((index, first), 0)
                self.seen_orders[index, first] = after
                yield from ((first, names[bit] if names else bit) for bit in elements(fresh))

    def _share(self, group: Group, first: int, second: int, readers: Iterable[int]) -> None:
        if second in self.shared.setdefault(first, set()):
            return
        self.shared[first].add(second)
        for where, before, after in self.problem.order_edges(group, first, second):
            closed = self.closure[where]
            assert closed is not None
            if not closed.after[before] >> after & 1:
                self.edges[where].add(before, after, "agreed order", (first, second))
        for read in readers:
            self._from_read(group, read, second, (first, read, second))

    def _prune(self) -> bool:
        """Drop candidates that come after the read or are overwritten before it in a view of the read. True
        if there are fewer than the last time."""
        changed, self.excluded = self.excluded, False
        for read, candidates in self.candidates.items():
            if len(candidates) > 1:
                self.budget.check()
                kept = [write for write in candidates if self._possible(write, read)]
                if len(kept) < len(candidates):
                    self.candidates[read] = kept
                    changed = True
        return changed

    def _possible(self, write: int, read: int) -> bool:
        location = self.events.location_of[read]
        for index in self.problem.serial_views[read]:
            view, closed = self.problem.views[index], self.closure[index]
            if closed is None:
                continue
            at_read, writes = view.node[read], self.writes_at[index][location]
            before = closed.before[at_read] & writes
            if self.events.is_initial(write):
                if before:
                    return False
                continue
            at_write = view.node[write]
            if closed.after[at_write] & before:
                return False
            own = self.events.thread_of[write] == self.events.thread_of[read]
            forwarded = view.instance.view.forwarding and own
            if not forwarded and closed.after[at_read] >> at_write & 1:
                return False
        return True

    # -- results ---------------------------------------------------------------------------------

    def _facts(self) -> Facts:
        closures = [closed.after if closed is not None else [] for closed in self.closure]
        ancestors = [closed.before if closed is not None else [] for closed in self.closure]
        derived = [edges.derived() for edges in self.edges]
        candidates = {r: tuple(c) for r, c in self.candidates.items()}
        return Facts(candidates, derived, closures, ancestors, self.problem.views)

    def _unreadable(self, read: int) -> Conflict:
        used = {read, *(w for w in self.events.candidates[read] if not self.events.is_initial(w))}
        return Conflict(None, frozenset(used), (), read)

    def _cycle(self, index: int) -> Conflict:
        """The conflict of a cyclic view, with everything that its derivation rests on."""
        view, edges = self.problem.views[index], self.edges[index]
        names = {node: event for event, node in view.node.items()}
        cycle = edges.shortest_cycle()
        around = list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
        used: set[int] = set()
        derivations: dict[tuple[int, int], tuple[int, tuple[Step, ...]]] = {}
        open_edges, done = list(around), set(around)
        while open_edges:
            edge = open_edges.pop()
            used.update(names[node] for node in edge if node in names)
            path = self._reason_path(index, edge, used)
            if path is not None:
                read, behind = path
                pair = (names.get(edge[0], -1), names.get(edge[1], -1))
                derivations[pair] = (read, self._steps(index, behind, names))
                open_edges += [e for e in behind if e not in done]
                done.update(behind)
        return Conflict(index, frozenset(used), self._steps(index, around, names), derivations=derivations)

    def _steps(self, index: int, path: list[tuple[int, int]], names: dict[int, int]) -> tuple[Step, ...]:
        reason = self.edges[index].reason
        return tuple((names.get(u, -1), names.get(v, -1), reason(u, v)[0]) for u, v in path)

    def _reason_path(
        self, index: int, edge: tuple[int, int], used: set[int]
    ) -> tuple[int, list[tuple[int, int]]] | None:
        """The read and the path that made a rule derive this edge, if a rule did."""
        view, edges = self.problem.views[index], self.edges[index]
        reason, why = edges.reason(*edge)
        used.update(event for event in why if not self.events.is_initial(event))
        if len(why) != 3 or self.events.is_initial(why[0]):
            return None
        source, read, other = why
        ends = (other, read) if reason == "written before" else (source, other)
        # What another view contributed is covered by the events named in `why`.
        if any(event not in view.node for event in ends):
            return None
        first, last = (view.node[event] for event in ends)
        return read, edges.path(first, last, edges.round_of(*edge))
