"""Why no model at all can explain some tests: one execution must be allowed and a like one forbidden.

Relations of cat are preserved by maps between executions that preserve the base relations and sets: if there
is such a map from a forbidden execution into a witness, then every axiom that forbids the one forbids the
other. Relations that may be subtracted have to be the same on both sides. An allowed test all of whose
witnesses are reached by such maps contradicts the tests that these come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.listing import Evidence, Executions, Value
from treville.questions.synthesis.problem import Requirement
from treville.records import dataclass
from treville.results import Budget


@dataclass(frozen=True, slots=True)
class Graph:
    """An execution as base relations: for each of them the successors of each event, as masks."""

    n: int
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    loops: tuple[int, ...]


def contradiction(
    evidence: Evidence, base: Sequence[Known], minus: Sequence[Known], budget: Budget
) -> list[Requirement] | None:
    """A minimal set of requirements that no model over the base explains, or None."""
    if evidence.impossible:
        return [evidence.impossible[0]]
    graphs = graphs_of(evidence.world, [*base, *minus])
    reflected = len(minus)
    forbidden = evidence.world.numbers(evidence.forbidden)
    for requirement, mask in evidence.witnesses.items():
        blamed: list[set[Requirement]] = []
        for witness in evidence.world.numbers(mask):
            sources = _sources(graphs, forbidden, witness, reflected, budget)
            culprits = {owner for number in sources for owner in evidence.blame[number]}
            if not culprits:
                break
            blamed.append(culprits)
        else:
            return [requirement, *_fewest(blamed)]
    return None


def _sources(
    graphs: list[Graph], forbidden: Sequence[int], witness: int, reflected: int, budget: Budget
) -> Iterator[int]:
    """The forbidden executions that have a map into the witness; the first of each test would do."""
    for number in forbidden:
        budget.check()
        if number == witness or _maps(graphs[number], graphs[witness], reflected):
            yield number


def _fewest(blamed: list[set[Requirement]]) -> list[Requirement]:
    """Few requirements that hit all sets, none of them needless."""
    chosen: list[Requirement] = []
    for culprits in sorted(blamed, key=len):
        if culprits.isdisjoint(chosen):
            chosen.append(min(culprits, key=lambda each: each.name))
    for each in list(chosen):
        rest = [other for other in chosen if other is not each]
        if all(not culprits.isdisjoint(rest) for culprits in blamed):
            chosen = rest
    return chosen


def graphs_of(world: Executions, base: Sequence[Known]) -> list[Graph]:
    """The executions over the base relations."""
    fields = [_fields(world, each.value) for each in base]
    out = []
    for number, listed in enumerate(world.listed):
        n, rows, columns = listed.n, [], []
        for per_execution in fields:
            width, packed = per_execution[number]
            row = [(packed >> (i * width)) & ((1 << width) - 1) for i in range(n)]
            rows.append(tuple(row))
            columns.append(tuple(sum((row[i] >> j & 1) << i for i in range(n)) for j in range(n)))
        sources, targets = ([_inhabited(each) for each in side] for side in (rows, columns))
        loops = [sum((row[i] >> i & 1) << i for i in range(n)) for row in rows]
        out.append(Graph(n, tuple(rows), tuple(columns), tuple(sources), tuple(targets), tuple(loops)))
    return out


def _inhabited(rows: Sequence[int]) -> int:
    """The events with a successor."""
    return sum(1 << i for i, row in enumerate(rows) if row)


def _fields(world: Executions, value: Value) -> list[tuple[int, int]]:
    return [
        (group.n, field)
        for group, part in zip(world.groups, value, strict=True)
        for field in group.fields(part)
    ]


def _maps(source: Graph, target: Graph, reflected: int) -> bool:
    """Is there a map that preserves all relations, and reflects the last ones? By backtracking, events with
    the fewest images first."""
    everything = (1 << target.n) - 1
    images = []
    for event in range(source.n):
        mask = everything
        for place in range(len(source.rows)):
            if source.loops[place] >> event & 1:
                mask &= target.loops[place]
            if source.sources[place] >> event & 1:
                mask &= target.sources[place]
            if source.targets[place] >> event & 1:
                mask &= target.targets[place]
        images.append(mask)
    return all(images) and _extend(source, target, images, {}, reflected)


def _extend(source: Graph, target: Graph, images: list[int], done: dict[int, int], reflected: int) -> bool:
    open_events = [event for event in range(source.n) if event not in done]
    if not open_events:
        return True
    event = min(open_events, key=lambda each: images[each].bit_count())
    left = images[event]
    while left:
        low = left & -left
        left ^= low
        image = low.bit_length() - 1
        narrowed = _narrowed(source, target, images, event, image, reflected)
        if narrowed is not None and _extend(source, target, narrowed, {**done, event: image}, reflected):
            return True
    return False


def _narrowed(
    source: Graph,
    target: Graph,
    images: list[int],
    event: int,
    image: int,
    reflected: int,
) -> list[int] | None:
    """The images that are left to the other events once this one has its image."""
    out = list(images)
    out[event] = 1 << image
    first = len(source.rows) - reflected
    for place, (rows, columns) in enumerate(zip(source.rows, source.columns, strict=True)):
        strict = place >= first
        if strict and rows[event] >> event & 1 != target.rows[place][image] >> image & 1:
            return None
        for other in range(source.n):
            if other == event:
                continue
            if rows[event] >> other & 1:
                out[other] &= target.rows[place][image]
            elif strict:
                out[other] &= ~target.rows[place][image]
            if columns[event] >> other & 1:
                out[other] &= target.columns[place][image]
            elif strict:
                out[other] &= ~target.columns[place][image]
            if not out[other]:
                return None
    return out
