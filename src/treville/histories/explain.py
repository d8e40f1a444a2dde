"""Why a history fails: a minimal failing part of it, and the reason in words.

A part of a history is evidence against the whole when it keeps, with every read, all writes that the
read may have taken its value from: then the views of a passing history, restricted to the part, would
pass as well. Within this rule operations are deleted until every further deletion would pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treville.histories import calls
from treville.histories.check import Answer, check
from treville.histories.history import Events, History, Status, show_value
from treville.histories.levels import Level
from treville.histories.problem import build_problem
from treville.histories.saturation import Conflict, Step, saturate
from treville.records import dataclass
from treville.results import Budget, BudgetExceeded, Verdict

# Conflicts of the solver: some ten seconds for histories that are hard at all.
_CONFLICTS_FOR_ONE_TRY = 5_000


Fails = Callable[[History, Budget], bool]


@dataclass(frozen=True)
class Explanation:
    """A failing part of a history (positions of its operations) and why it fails.

    `minimal` says that no operation of the part can be left out; `cycle` lists pairs of events of the
    part that the reason goes around, with the reason of each step, and `drawn` the same with the paths that
    derived steps rest on in their place.
    """

    part: History
    positions: tuple[int, ...]
    minimal: bool
    words: tuple[str, ...]
    cycle: tuple[Step, ...] = ()
    drawn: tuple[Step, ...] = ()


def explain(history: History, answer: Answer, budget: Budget) -> Explanation:
    """The explanation of a FAIL. When the budget ends early, the part found so far, not minimal."""
    if answer.stuck is not None:
        stuck_part, words = calls.stuck_part(history, answer.stuck)
        return Explanation(stuck_part, answer.stuck.positions, False, words)

    def fails(part: History, limit: Budget) -> bool:
        return check(part, answer.level, limit).verdict is Verdict.FAIL

    core = [history.events.position[e] for e in answer.conflict.events] if answer.conflict else []
    positions, minimal = _Deletion(history, fails, budget).run(core)
    part = history.restricted(positions)
    words, cycle, drawn = _reason(part, answer.level, budget)
    return Explanation(part, tuple(positions), minimal, words, cycle, drawn)


def smallest_failing(history: History, fails: Fails, budget: Budget, words: str) -> Explanation:
    """A failing part for any way to check a history, such as a memory model."""
    positions, minimal = _Deletion(history, fails, budget).run([])
    return Explanation(history.restricted(positions), tuple(positions), minimal, (words,))


class _Deletion:
    """Finds a smallest failing part by deleting reads and writes that nobody needs."""

    def __init__(self, history: History, fails: Fails, budget: Budget) -> None:
        self.history, self.fails, self.budget = history, fails, budget
        self.best: set[int] | None = None
        self.writers: dict[tuple[str, object], list[int]] = {}
        for i, operation in enumerate(history.operations):
            if operation.is_write and operation.status is not Status.FAIL:
                self.writers.setdefault((operation.key, operation.value), []).append(i)

    def run(self, core: list[int]) -> tuple[list[int], bool]:
        """The positions of a failing part, and whether it is minimal; `core` is a first guess."""
        everything = set(range(len(self.history.operations)))
        kept = everything
        try:
            kept = self._first_guess(core, everything)
            while True:
                smaller = self._delete(kept, self._reads(kept))
                smaller = self._delete(smaller, self._unneeded_writes(smaller))
                if smaller == kept:
                    return sorted(kept), True
                kept = smaller
        except BudgetExceeded:
            return sorted(self.best if self.best is not None else kept), False

    def _first_guess(self, core: list[int], everything: set[int]) -> set[int]:
        guess = self._closed(core)
        return guess if len(guess) < len(everything) and self._fails(guess) else everything

    def _closed(self, positions: Iterable[int]) -> set[int]:
        """The positions and all possible sources of the reads among them."""
        closed = set(positions)
        for position in tuple(closed):
            if not self.history.operations[position].is_write:
                closed.update(self.writers.get(self._seen(position), ()))
        return closed

    def _seen(self, position: int) -> tuple[str, object]:
        operation = self.history.operations[position]
        initial = self.history.initial_value(operation.key)
        return operation.key, initial if operation.value is None else operation.value

    def _reads(self, kept: set[int]) -> list[int]:
        return [i for i in sorted(kept) if not self.history.operations[i].is_write]

    def _unneeded_writes(self, kept: set[int]) -> list[int]:
        needed: set[int] = set()
        for read in self._reads(kept):
            needed.update(self.writers.get(self._seen(read), ()))
        return [i for i in sorted(kept) if self.history.operations[i].is_write and i not in needed]

    def _delete(self, kept: set[int], deletable: list[int]) -> set[int]:
        """Delete as many as possible, in large pieces first."""
        size = max(1, len(deletable) // 2)
        while deletable:
            left: list[int] = []
            for start in range(0, len(deletable), size):
                piece = deletable[start : start + size]
                if self._fails(kept - set(piece)):
                    kept = kept - set(piece)
                    self.best = kept
                else:
                    left += piece
            if size == 1:
                return kept
            deletable, size = left, max(1, size // 2)
        return kept

    def _fails(self, kept: set[int]) -> bool:
        self.budget.check()
        if not kept:
            return False
        return self.fails(self.history.restricted(kept), self.budget.slice(_CONFLICTS_FOR_ONE_TRY))


Reason = tuple[tuple[str, ...], tuple[Step, ...], tuple[Step, ...]]


def _reason(part: History, level: Level, budget: Budget) -> Reason:
    events = part.events
    for read, candidates in events.candidates.items():
        if not candidates:
            return (_no_source(part, events, read),), (), ()
    try:
        found = saturate(build_problem(level, events), budget)
    except BudgetExceeded:
        return ("No choice of sources and orders satisfies the level.",), (), ()
    if isinstance(found, Conflict) and found.steps:
        return _cycle_in_words(level, events, found)
    if isinstance(found, Conflict) and found.read is not None:
        label = events.label(found.read)
        return (f"Every possible source of {label} is ruled out by orders that must hold.",), (), ()
    words = "Every choice of sources for the reads and of orders for the writes leads to a contradiction."
    return (words,), (), ()


def _no_source(part: History, events: Events, read: int) -> str:
    operation, label = events.operation(read), events.label(read)
    value = show_value(events.values[read])
    same = [w for w in events.writes_to[events.location_of[read]] if events.values[w] == events.values[read]]
    initial = show_value(part.initial_value(operation.key))
    if same or initial == value:
        return f"{label} cannot see {value}: its own process has overwritten it, or writes it only later."
    return f"{label} has no source: nobody writes {value} to {operation.key}, which starts as {initial}."


def _cycle_in_words(level: Level, events: Events, conflict: Conflict) -> Reason:
    assert conflict.view is not None
    instance = build_problem(level, events).views[conflict.view].instance
    steps = _without_relays(conflict.steps)
    words = _Words(events, conflict)
    of = instance.title(events)
    lines = [f"In the view of {of} each of these must come before the next, and the last before the first:"]
    lines += words.steps(steps, 1)
    return tuple(lines), tuple(steps), tuple(words.expanded(steps))


class _Words:
    """Says why each step of a contradiction holds; the path behind a derived step is told once."""

    def __init__(self, events: Events, conflict: Conflict) -> None:
        self.events, self.conflict = events, conflict
        self.told: set[tuple[int, int]] = set()

    def steps(self, steps: list[Step], depth: int) -> list[str]:
        lines = []
        for before, after, reason in steps:
            label = f"{self.events.label(before)} before {self.events.label(after)}"
            lines.append(f"{'  ' * depth}{label}: {self._because(before, after, reason)}")
            path = self._path(before, after)
            if path and (before, after) not in self.told and depth < _DEEPEST:
                self.told.add((before, after))
                lines += self.steps(path, depth + 1)
        return lines

    def _because(self, before: int, after: int, reason: str) -> str:
        derived = self.conflict.derivations.get((before, after))
        if derived is None or reason not in _DERIVED:
            return _REASONS.get(reason, reason)
        return _DERIVED[reason].format(read=self.events.label(derived[0]))

    def _path(self, before: int, after: int) -> list[Step]:
        """The path behind a derived step, where it says more than the step itself."""
        derived = self.conflict.derivations.get((before, after))
        return _without_relays(derived[1]) if derived else []

    def expanded(self, steps: list[Step], depth: int = 0) -> list[Step]:
        """The steps with paths in place of derived ones."""
        found: list[Step] = []
        for before, after, reason in steps:
            path = self._path(before, after) if reason == "written before" and depth < _DEEPEST else []
            found += self.expanded(path, depth + 1) if path else [(before, after, reason)]
        return list(dict.fromkeys(found))


_DEEPEST = 4
_REASONS = {
    "order of the level": "the level keeps their order",
    "reads": "the read takes its value from the write",
    "written before": "both are writes to one key, and the first precedes a read of the second's value",
    "overwritten later": "the write overwrites the value that the read saw",
    "agreed order": "another view orders these writes so",
    "program order": "the level keeps their order",
    "seen elsewhere": "what other processes saw puts them in this order",
}
_DERIVED = {
    "written before": "{read} sees the second, and the first precedes it",
    "overwritten later": "the write overwrites the value that the read saw",
}


def _without_relays(steps: tuple[Step, ...]) -> list[Step]:
    """Join steps that pass through nodes which stand for no operation."""
    start = next((i for i, (before, _, _) in enumerate(steps) if before >= 0), None)
    if start is None:
        return []
    turned = steps[start:] + steps[:start]
    joined: list[Step] = []
    begin = -1
    reasons: list[str] = []
    for before, after, reason in turned:
        if before >= 0:
            begin, reasons = before, []
        reasons.append(reason)
        if after >= 0:
            chosen = reasons[0] if len(set(reasons)) == 1 else "seen elsewhere"
            joined.append((begin, after, chosen))
    return joined
