"""mist's `.spec` files -> `Problem`.

The language is small: `vars`, `rules`, `init`, `target` and optional `invariants`, where line ends mean
nothing and a target's next disjunct starts where a comma is missing. Every refusal points at its token.
Beyond mist, constants other than zero may be assigned (`x' = 1`): their meaning is clear. A rule that assigns
one place different values has no defined meaning; it becomes one transition for each reading, marked so that
a proof (which then holds whichever value wins) counts and a counterexample through it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import product

from treville.petri.net import UNBOUNDED, Bound, Box, Interval, Net, Problem, Transition, Update
from treville.records import dataclass
from treville.results.errors import InputError, Unsupported
from treville.results.source import Source, Span

_TOKEN = re.compile(
    r"(?P<space>\s+|#[^\n]*)|(?P<id>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]+)|(?P<sign>->|>=|[=,;'+\-\[\]])"
)
_RESERVED = frozenset({"vars", "rules", "init", "target", "invariants", "true", "in"})
_MAX_DIGITS = 15
# A rule that assigns a place twice is read in every way, up to so many.
_MAX_READINGS = 8


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "id", "number", "sign", "word" (reserved) or "end"
    text: str
    offset: int


def _tokens(source: Source) -> Iterator[_Token]:
    offset, text = 0, source.text
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise InputError(f"unexpected character {text[offset]!r}", source.span(offset))
        kind, word = str(match.lastgroup), match.group()
        if kind != "space":
            yield _Token("word" if word in _RESERVED else kind, word, offset)
        offset = match.end()
    yield _Token("end", "", len(text))


def parse(text: str, name: str) -> Problem:
    """The problem that a `.spec` text states; raises `InputError` with the place of what is wrong."""
    return _Reader(Source(name, text)).problem()


def parse_target(text: str, places: tuple[str, ...]) -> tuple[Box, ...]:
    """Boxes of a target given on the command line, in the notation of `.spec` files."""
    reader = _Reader(Source("--target", text))
    reader.index = {place: number for number, place in enumerate(places)}
    targets = [reader.conjunction("target")]
    while reader.token.kind == "id":
        targets.append(reader.conjunction("target"))
    reader.expect_end()
    return tuple(targets)


class _Reader:
    """Recursive descent without recursion: the language has no nesting."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._stream = _tokens(source)
        self.index: dict[str, int] = {}
        self.token = next(self._stream)

    # --- tokens

    def _span(self, token: _Token) -> Span:
        return self.source.span(token.offset, max(1, len(token.text)))

    def _advance(self) -> _Token:
        token = self.token
        if token.kind != "end":
            self.token = next(self._stream)
        return token

    def _fail(self, expected: str) -> InputError:
        found = repr(self.token.text) if self.token.text else "the end of the file"
        return InputError(f"expected {expected}, found {found}", self._span(self.token))

    def _at(self, text: str) -> bool:
        return self.token.text == text and self.token.kind in ("sign", "word")

    def _accept(self, text: str) -> bool:
        if self._at(text):
            self._advance()
            return True
        return False

    def _expect(self, text: str, after: str = "") -> None:
        if not self._accept(text):
            raise self._fail(f"'{text}'" + (f" {after}" if after else ""))

    def expect_end(self) -> None:
        """Nothing may follow."""
        if self.token.kind != "end":
            raise self._fail("the end of the input")

    def _number(self, what: str) -> int:
        if self._at("-"):
            raise InputError(f"{what} must be a natural number, not negative", self._span(self.token))
        if self.token.kind != "number":
            raise self._fail(f"a natural number ({what})")
        if len(self.token.text) > _MAX_DIGITS:
            raise Unsupported(f"numbers of more than {_MAX_DIGITS} digits", self._span(self.token))
        return int(self._advance().text)

    def _place(self, expected: str) -> tuple[int, _Token]:
        if self.token.kind != "id":
            raise self._fail(expected)
        token = self._advance()
        if token.text not in self.index:
            close = get_close_matches(token.text, self.index, 1)
            hint = f"did you mean `{close[0]}`?" if close else "declare it after `vars`"
            raise InputError(f"unknown place `{token.text}`", self._span(token), hint)
        return self.index[token.text], token

    # --- sections

    def problem(self) -> Problem:
        self._expect("vars", "(a .spec file starts with its variables)")
        self._variables()
        self._expect("rules", "after the variables")
        transitions: list[Transition] = []
        number = 0
        while not self._at("init"):
            if self.token.kind == "end":
                raise self._fail("a rule or 'init'")
            number += 1
            transitions += self._rule(f"t{number}")
        self._expect("init")
        initial = self.conjunction("init")
        self._expect("target", "after the initial condition")
        targets = [self.conjunction("target")]
        while self.token.kind == "id":
            targets.append(self.conjunction("target"))
        weights = self._invariants() if self._accept("invariants") else ()
        self.expect_end()
        net = Net(tuple(self.index), tuple(transitions))
        return Problem(self.source.name, net, initial, tuple(targets), weights)

    def _variables(self) -> None:
        while self.token.kind == "id":
            token = self._advance()
            if token.text in self.index:
                raise InputError(f"`{token.text}` is declared twice", self._span(token))
            self.index[token.text] = len(self.index)

    def conjunction(self, where: str) -> Box:
        """`x = n, y >= n, z in [a,b]`; a place that is not mentioned is not limited."""
        limits = dict([self._constraint({}, where)])
        while self._accept(","):
            place, interval = self._constraint(limits, where)
            limits[place] = interval
        free = Interval()
        intervals = [limits.get(place, free) for place in range(len(self.index))]
        return Box(tuple(i.low for i in intervals), tuple(i.high for i in intervals))

    def _constraint(self, limits: dict[int, Interval], where: str) -> tuple[int, Interval]:
        place, token = self._place(f"a place ({where})")
        if place in limits:
            raise InputError(f"`{token.text}` is limited twice", self._span(token))
        if self._accept(">="):
            return place, Interval(self._number("lower bound"))
        if self._accept("="):
            value = self._number("value")
            return place, Interval(value, value)
        if not self._accept("in"):
            raise self._fail("'>=', '=' or 'in'")
        return place, self._interval()

    def _interval(self) -> Interval:
        opening = self.token
        self._expect("[")
        low = self._number("lower bound")
        self._expect(",")
        high: Bound = self._number("upper bound")
        self._expect("]")
        if low > high:
            raise InputError(f"the interval [{low},{high}] is empty", self._span(opening))
        return Interval(low, high)

    # --- rules

    def _rule(self, name: str) -> list[Transition]:
        """The transition of a rule; one for each reading when a place is assigned different values."""
        span = self._span(self.token)
        guard: dict[int, Interval] = {}
        while True:
            if not self._accept("true"):
                place, interval = self._constraint(guard, "guard")
                guard[place] = interval
            if not self._accept(","):
                break
        self._expect("->", "after the guard")
        updates = {} if self._at(";") else self._updates(guard)
        self._expect(";", "after the rule")
        limits = {p: i for p, i in guard.items() if i.low > 0 or i.high != UNBOUNDED}
        readings = list(product(*updates.values()))
        transitions = []
        for index, reading in enumerate(readings):
            chosen = dict(zip(updates, reading, strict=True))
            effective = {p: u for p, u in chosen.items() if u != Update((p,), 0)}
            label = name if len(readings) == 1 else f"{name}.{index + 1}"
            transitions.append(Transition(label, limits, effective, span, len(readings) > 1))
        return transitions

    def _updates(self, guard: dict[int, Interval]) -> dict[int, list[Update]]:
        updates: dict[int, list[Update]] = {}
        readings = 1
        while True:
            place, token = self._place("a place to assign to")
            self._expect("'", "after the place to assign to")
            self._expect("=")
            update = self._expression(place, guard)
            values = updates.setdefault(place, [])
            if update not in values:
                readings = readings // max(1, len(values)) * (len(values) + 1)
                values.append(update)
            if readings > _MAX_READINGS:
                raise InputError(
                    f"`{token.text}` is assigned different values in one rule",
                    self._span(token),
                    "updates happen at once, so which value wins is not defined",
                )
            if not self._accept(","):
                return updates

    def _expression(self, place: int, guard: dict[int, Interval]) -> Update:
        if self.token.kind == "number":
            return Update((), self._number("value"))
        start = self.token
        sources, constant = [self._place("a place or a number")[0]], 0
        while self._accept("+"):
            if self.token.kind == "number":
                constant = self._number("constant")
                break
            sources.append(self._place("a place or a number")[0])
        else:
            if self._accept("-"):
                constant = -self._number("constant")
        self._keep_natural(place, sources, constant, guard, start)
        return Update(tuple(sorted(sources)), constant)

    def _keep_natural(
        self, place: int, sources: list[int], constant: int, guard: dict[int, Interval], start: _Token
    ) -> None:
        """Counters are natural numbers: an unguarded `x' = x - n` needs n tokens to fire, as in mist."""
        least = sum(guard[s].low for s in sources if s in guard)
        if least + constant >= 0:
            return
        if len(sources) == 1 and sources[0] not in guard:
            guard[sources[0]] = Interval(-constant)
            return
        name = tuple(self.index)[place]
        message = f"`{name}` could become negative: the guard ensures only {least} of {-constant} tokens"
        raise InputError(message, self._span(start), "guard the rule with enough tokens")

    def _invariants(self) -> tuple[dict[int, int], ...]:
        lines: list[dict[int, int]] = []
        while self.token.kind == "id" or not lines:
            weights: dict[int, int] = {}
            while True:
                place, token = self._place("a place (invariants)")
                if place in weights:
                    raise InputError(f"`{token.text}` is limited twice", self._span(token))
                self._expect("=")
                weights[place] = self._number("weight")
                if not self._accept(","):
                    break
            lines.append(weights)
        return tuple(lines)
