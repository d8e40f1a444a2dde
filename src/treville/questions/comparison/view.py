"""A sketch as a model sees it: its events, and the literals of all base sets and relations.

Each place is an event, and so is each initial write. Fences of tests stand between places; those that a
compiler makes stand around them, and only where the instruction that needs them does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treville.analysis.facts import Bounds, SetBounds
from treville.encoding.memory import Memory
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.models.model import Model
from treville.questions.comparison.alphabet import Code, Tags, relations_read, sets_read
from treville.questions.comparison.sketch import FIRST, SECOND, Kind, Sketch
from treville.records import NamedTuple, dataclass, field
from treville.relations import EventId, Relation, mask_of

ALLOWING, FORBIDDING = 0, 1


class Option(NamedTuple):
    """What an event may be: its tags if the literal holds."""

    literal: Literal
    tags: Tags


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """An event of a view: its thread, the place that it belongs to (for fences of tests: the gap behind the
    place), and what it may be. `gap`: it is a fence of the test itself; `after`: one that a compiler puts
    behind the access of the place."""

    thread: int
    place: int
    options: tuple[Option, ...]
    access: bool = False
    gap: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ViewFacts:
    """See `analysis.relations.EventFacts`."""

    n: int
    live: int
    always: int
    implied: Sequence[int]
    compatible: Sequence[int]
    sets: Mapping[str, SetBounds] = field(default_factory=dict)
    relations: Mapping[str, Bounds] = field(default_factory=dict)


class View(Memory):
    """The events and literals of a sketch for one of the two models. It is its own `memory`: see
    `encoding.memory.Encoded`."""

    facts: ViewFacts

    def __init__(self, sketch: Sketch, model: Model, side: int) -> None:
        self.sketch = sketch
        self.model = model
        self.side = side
        self.formula: Formula = sketch.formula
        self.events = self._list_events()
        self.of_place = {event.place: EventId(n) for n, event in enumerate(self.events) if event.access}
        self.initial = [EventId(len(self.events) + place) for place in range(sketch.shape.locations)]
        self.n = len(self.events) + len(self.initial)
        self.executed = [self._executed(event) for event in self.events] + list(sketch.used)
        self.pairs: dict[str, dict[tuple[EventId, EventId], Literal]] = {}
        self.members: dict[str, dict[EventId, Literal]] = {}
        self.sources = {
            self.of_place[read]: [(self._source(write), literal) for write, literal in found]
            for read, found in sketch.sources.items()
        }
        self.facts = self._gather()

    @property
    def memory(self) -> Memory:
        """See `encoding.memory.Encoded`."""
        return self

    # -- events ------------------------------------------------------------------------------------------

    def _list_events(self) -> list[SeenEvent]:
        found = []
        for place in self.sketch.places:
            number, thread = place.number, place.thread
            holds = list(zip(self.sketch.holds[number], self.sketch.kinds, strict=True))
            codes = [(literal, kind, kind.letter.codes[self.side]) for literal, kind in holds]
            before = [(literal, code.before) for literal, kind, code in codes if kind.part != SECOND]
            after = [(literal, code.after) for literal, kind, code in codes if kind.part != FIRST]
            accesses = tuple(Option(literal, _tags(kind, code)) for literal, kind, code in codes)
            found += [SeenEvent(thread, number, options) for options in _in_turn(before)]
            found.append(SeenEvent(thread, number, accesses, access=True))
            found += [SeenEvent(thread, number, options, after=True) for options in _in_turn(after)]
            if not place.last:
                fences = zip(self.sketch.fences[number], self.sketch.alphabet.fences, strict=True)
                gap = [(literal, letter.codes[self.side].before) for literal, letter in fences]
                found += [SeenEvent(thread, number, options, gap=True) for options in _in_turn(gap)]
        return found

    def _executed(self, event: SeenEvent) -> Literal:
        return TRUE if event.access else self.formula.either([option.literal for option in event.options])

    def _source(self, write: int) -> EventId:
        return self.of_place[write] if write >= 0 else self.initial[-1 - write]

    # -- facts -------------------------------------------------------------------------------------------

    def _gather(self) -> ViewFacts:
        live = (1 << self.n) - 1
        always = mask_of(number for number, literal in enumerate(self.executed) if literal == TRUE)
        implied = [always | 1 << number for number in range(self.n)]
        sets = {name: self._set(name) for name in sorted(sets_read(self.model) | {"R", "W", "IW"})}
        names = sorted(relations_read(self.model) | {"po", "rf", "co"})
        relations = {name: self._relation(name) for name in names}
        known = {name: bounds for name, bounds in relations.items() if bounds is not None}
        return ViewFacts(self.n, live, always, implied, [live] * self.n, sets, known)

    def _set(self, name: str) -> SetBounds:
        initial = mask_of(self.initial)
        if name == "IW":
            return SetBounds(initial, initial)
        may = must = initial if name in ("W", "M") else 0
        found = self._last_initial() if name == "FW" else {}
        may |= mask_of(found)
        for place, event in enumerate(self.events):
            number = EventId(place)
            literal = self._last(event) if name == "FW" else self._has(event, name)
            if literal == FALSE:
                continue
            may |= 1 << number
            if literal == self.executed[number]:
                must |= 1 << number
            else:
                found[number] = literal
        self.members[name] = found
        return SetBounds(may, must)

    def _last_initial(self) -> dict[EventId, Literal]:
        """The literals that nobody writes to a location: its initial write is the last one."""
        found = {}
        for location, number in enumerate(self.initial):
            written = [
                self.formula.both(self.sketch.writes[place], self.sketch.at[place][location])
                for place in range(self.sketch.n)
            ]
            found[number] = self.formula.both(self.executed[number], *[-literal for literal in written])
        return found

    def _has(self, event: SeenEvent, name: str) -> Literal:
        """The literal that an event carries a tag."""
        wanted = [o.literal for o in event.options if name in o.tags or (name == "M" and event.access)]
        if len(wanted) == len(event.options) and event.access:
            return TRUE
        return self.formula.either(wanted)

    def _last(self, event: SeenEvent) -> Literal:
        return self.sketch.last[event.place] if event.access else FALSE

    # -- relations ---------------------------------------------------------------------------------------

    def _relation(self, name: str) -> Bounds | None:
        """Its bounds; the literals of pairs between them are kept."""
        match name:
            case "po":
                return _fixed([self._later(number) for number in range(self.n)])
            case "int":
                return _fixed([self._with(number) for number in range(self.n)])
            case "ext":
                live = (1 << self.n) - 1
                return _fixed([live & ~self._with(number) for number in range(self.n)])
            case "rf":
                pairs = {
                    (write, read): literal for read, found in self.sources.items() for write, literal in found
                }
            case "co":
                pairs = self._coherence()
            case "fr":
                pairs = self._from_reads()
            case "loc":
                pairs = self._locations()
            case "addr" | "data":
                pairs = self._dependencies(name)
            case "ctrl":
                pairs = self._control()
            case "si":
                pairs = self._instructions()
            case "rmw" | "amo" | "lxsx":
                pairs = self._inside(name)
            case _:
                return None
        return self._bounds(name, pairs)

    def _bounds(self, name: str, pairs: dict[tuple[EventId, EventId], Literal]) -> Bounds:
        kept = {pair: literal for pair, literal in pairs.items() if literal != FALSE}
        sure = [pair for pair, literal in kept.items() if literal == self._both_there(*pair)]
        self.pairs[name] = kept
        return Bounds(Relation.of(self.n, kept), Relation.of(self.n, sure))

    def _both_there(self, one: EventId, other: EventId) -> Literal:
        """The literal that two events are executed, before there are facts."""
        return self.formula.both(self.executed[one], self.executed[other])

    def _later(self, number: int) -> int:
        if number >= len(self.events):
            return 0
        thread = self.events[number].thread
        return mask_of(n for n in range(number + 1, len(self.events)) if self.events[n].thread == thread)

    def _with(self, number: int) -> int:
        if number >= len(self.events):
            return 1 << number
        thread = self.events[number].thread
        return mask_of(n for n, event in enumerate(self.events) if event.thread == thread)

    def _coherence(self) -> dict[tuple[EventId, EventId], Literal]:
        sketch = self.sketch
        found = {
            (self.of_place[one], self.of_place[other]): literal
            for (one, other), literal in sketch.coherence.items()
        }
        for location, number in enumerate(self.initial):
            for place in range(sketch.n):
                literal = self.formula.both(sketch.writes[place], sketch.at[place][location])
                found[number, self.of_place[place]] = literal
        return found

    def _from_reads(self) -> dict[tuple[EventId, EventId], Literal]:
        places = self.of_place.values()
        self.pairs.setdefault("co", self._coherence())
        return {(read, write): self.from_read(read, write) for read in places for write in places}

    def _locations(self) -> dict[tuple[EventId, EventId], Literal]:
        found: dict[tuple[EventId, EventId], Literal] = {}
        for (one, other), literal in self.sketch.same.items():
            found[self.of_place[one], self.of_place[other]] = literal
        for place, number in self.of_place.items():
            found[number, number] = TRUE
            for location, initial in enumerate(self.initial):
                found[initial, number] = found[number, initial] = self.sketch.at[place][location]
        for location, initial in enumerate(self.initial):
            found[initial, initial] = self.sketch.used[location]
        return found

    def _inside(self, name: str) -> dict[tuple[EventId, EventId], Literal]:
        """The pairs of the halves of exchanges."""
        found = {}
        for place in self.sketch.places:
            if place.last:
                continue
            wanted = [
                literal
                for literal, kind in zip(self.sketch.holds[place.number], self.sketch.kinds, strict=True)
                if kind.part == FIRST and name in kind.letter.codes[self.side].inside
            ]
            one, other = self.of_place[place.number], self.of_place[place.number + 1]
            found[one, other] = self.formula.either(wanted)
        return found

    def _instructions(self) -> dict[tuple[EventId, EventId], Literal]:
        """Events of the same instruction; fences of tests are instructions by themselves."""
        found: dict[tuple[EventId, EventId], Literal] = {}
        halves = self._inside("si")
        for one, event in enumerate(self.events):
            for other, second in enumerate(self.events):
                a, b = EventId(one), EventId(other)
                if event.gap != second.gap or event.thread != second.thread:
                    continue
                literal = FALSE
                if event.place == second.place:
                    literal = TRUE
                elif not event.gap and abs(event.place - second.place) == 1:
                    first, last = sorted((event.place, second.place))
                    literal = halves.get((self.of_place[first], self.of_place[last]), FALSE)
                found[a, b] = self.formula.both(literal, self._both_there(a, b))
        found |= {(number, number): self.executed[number] for number in self.initial}
        return found

    def _dependencies(self, name: str) -> dict[tuple[EventId, EventId], Literal]:
        """Those of the program, and those inside exchanges."""
        found = self._inside(name)
        for (one, other), literal in self.sketch.dependencies[name].items():
            pair = self.of_place[one], self.of_place[other]
            found[pair] = self.formula.either([literal, found.get(pair, FALSE)])
        return found

    def _control(self) -> dict[tuple[EventId, EventId], Literal]:
        found = self._inside("ctrl")
        for (read, target), literal in self.sketch.dependencies["ctrl"].items():
            for number, event in enumerate(self.events):
                if event.place == target and not event.gap:
                    pair = (self.of_place[read], EventId(number))
                    behind = self.formula.both(literal, self.executed[number])
                    found[pair] = self.formula.either([behind, found.get(pair, FALSE)])
        for (read, gap), literal in self.sketch.behind.items():
            for number, event in enumerate(self.events):
                if event.place == gap and event.gap:
                    pair = (self.of_place[read], EventId(number))
                    found[pair] = self.formula.both(literal, self.executed[number])
        return found

    # -- what encoders ask -------------------------------------------------------------------------------

    def base_pair(self, name: str, source: EventId, target: EventId) -> Literal:
        """See `Memory`."""
        return self.pairs[name].get((source, target), FALSE)

    def base_member(self, name: str, event: EventId) -> Literal:
        """See `Memory`."""
        return self.members[name].get(event, FALSE)

    def coherence(self, first: EventId, second: EventId) -> Literal:
        """See `Memory`."""
        return self.pairs["co"].get((first, second), FALSE)


def _tags(kind: Kind, code: Code) -> Tags:
    return code.accesses[kind.part == SECOND]


def _in_turn(sequences: list[tuple[Literal, tuple[Tags, ...]]]) -> list[tuple[Option, ...]]:
    """Sequences of fences of which one is chosen -> what the first, the second, ... event may be."""
    longest = max((len(tags) for _, tags in sequences), default=0)
    return [
        tuple(Option(literal, tags[turn]) for literal, tags in sequences if len(tags) > turn)
        for turn in range(longest)
    ]


def _fixed(rows: list[int]) -> Bounds:
    relation = Relation(rows)
    return Bounds(relation, relation)
