"""Two models -> the smallest litmus test that one allows and the other forbids (Memalloy, POPL 2017).

    events, threads -> shapes -> a sketch of all programs of the shape -> seen by both models
      -> a solution: consistent in one view, inconsistent in the other -> a test, written, read, judged again

Sizes grow, so what is found first is smallest; of one size the solver is asked for the simplest. Every test
is judged by `questions.outcomes`, which knows nothing of sketches: the allowing model must reach the state
that the test asks for and the forbidding one must not, whatever the order of writes that nobody saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from treville.engines.contract import GaveUp
from treville.engines.differences.inconsistency import inconsistency, require_consistency
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, Literal
from treville.models.implied import implies_coherence
from treville.models.model import Model
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_satisfies
from treville.programs.litmus.test import LitmusTest
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import WrittenProgram
from treville.questions.comparison.alphabet import Alphabet, alphabet, sets_read
from treville.questions.comparison.found import Found, Reader
from treville.questions.comparison.names import name_of
from treville.questions.comparison.patterns import Inside, Pattern
from treville.questions.comparison.sketch import Shape, Sketch
from treville.questions.comparison.view import ALLOWING, FORBIDDING, View
from treville.questions.executions import Judged, executions
from treville.questions.outcomes import outcomes
from treville.records import dataclass, replace
from treville.results import Budget, BudgetExceeded, InputError
from treville.solving.back_ends.clasp import Clasp, Weights

MOST_THREADS = 4
MOST_EVENTS = 8  # registers of every dialect suffice for so many reads


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: tests of a dialect with so many accesses at most (an exchange counts two), threads and
    locations (None: half as many as accesses, rounded up), of at `least` so many accesses. `instructions` and
    `dependencies` are names of what may occur (`programs.litmus.writing`); None stands for all."""

    dialect: str
    events: int
    threads: int = MOST_THREADS
    locations: int | None = None
    least: int = 1
    instructions: frozenset[str] | None = None
    dependencies: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.events > MOST_EVENTS:
            raise InputError(f"tests of at most {MOST_EVENTS} accesses are looked at, not of {self.events}")

    def shapes(self, events: int, threads: int) -> list[Shape]:
        """The shapes of that many accesses and threads."""
        most = (events + 1) // 2 if self.locations is None else min(self.locations, events)
        return [Shape(sizes, most) for sizes in partitions(events, threads)]


@dataclass(frozen=True, slots=True)
class Difference:
    """A test that tells two models apart: one allows what its condition asks for, the other does not.

    `text` is the test as it is written, `test` as it was read again. `execution` ends in the state that is
    asked for and is consistent under the allowing model; `axiom` is one of the forbidding model that it
    violates."""

    allowed_by: str
    forbidden_by: str
    events: int
    threads: int
    locations: int
    name: str
    text: str
    test: LitmusTest
    execution: Execution
    axiom: str

    @property
    def condition(self) -> str:
        """The condition of the test."""
        return self.test.condition_text


def smallest_difference(
    allowing: Model, forbidding: Model, scope: Scope, budget: Budget | None = None
) -> Difference | GaveUp | None:
    """The smallest test of the scope whose state `allowing` allows and `forbidding` forbids: the fewest
    accesses, then threads, then locations, then of the most even shape the simplest instructions. None if
    there is none."""
    try:
        search = Search(allowing, forbidding, scope, budget or Budget())
        sizes = range(scope.least, scope.events + 1)
        return next((found for size in sizes for found in search.of_size(size)), None)
    except BudgetExceeded as error:
        return GaveUp(error.reason, error.advice, error=error)


def all_differences(
    allowing: Model, forbidding: Model, scope: Scope, budget: Budget | None = None
) -> Iterator[Difference]:
    """Tests of the scope such that every other one that the models disagree about has one of them inside (see
    `patterns`), smallest first. Raises `BudgetExceeded`."""
    search = Search(allowing, forbidding, scope, budget or Budget())
    for size in range(scope.least, scope.events + 1):
        yield from search.of_size(size, minimal=True)


class Search:
    """Looks for tests that one model allows and another forbids."""

    def __init__(self, allowing: Model, forbidding: Model, scope: Scope, budget: Budget) -> None:
        self.allowing = allowing
        self.forbidding = forbidding
        self.scope = scope
        self.budget = budget
        letters = alphabet(scope.dialect, allowing, forbidding, scope.instructions)
        if scope.dependencies is not None:
            letters = replace(letters, dependencies=letters.dependencies & scope.dependencies)
        self.alphabet: Alphabet = letters
        self.coherent = implies_coherence(allowing)
        self._known: list[Pattern] = []

    def of_size(self, events: int, *, minimal: bool = False) -> Iterator[Difference]:
        """The simplest tests of so many accesses, one for each number of threads, the fewest first; or all
        `minimal` ones: those that have none inside that was found before (ask for smaller sizes first)."""
        for threads in range(1, min(events, self.scope.threads) + 1):
            self.budget.engine = f"{self.allowing.name} against {self.forbidding.name}"
            with self.budget.stage(f"tests of {events} accesses in {threads} threads"):
                found = list(self._all(events, threads)) if minimal else self._simplest(events, threads)
            yield from found

    def _simplest(self, events: int, threads: int) -> list[Difference]:
        """The simplest test of the most even shape that has one with the fewest locations. Shapes that come
        later are asked for fewer locations only: that there is nothing simpler takes long to show."""
        best: list[Difference] = []
        for shape in self.scope.shapes(events, threads):
            fewer = best[-1].locations - 1 if best else shape.locations
            found = ShapeSearch(self, shape._replace(locations=fewer)).best() if fewer else None
            if found is not None:
                best.append(found[1])
        return best[-1:]

    def _all(self, events: int, threads: int) -> Iterator[Difference]:
        for shape in self.scope.shapes(events, threads):
            shaped = ShapeSearch(self, shape, self._known)
            while (found := shaped.best()) is not None:
                self._known.append(found[0].pattern)
                shaped.leave_out(found[0].pattern)
                yield found[1]


class ShapeSearch:
    """Looks among the programs of one shape; with `known` tests only for those that have none of them
    inside."""

    def __init__(self, search: Search, shape: Shape, known: Sequence[Pattern] | None = None) -> None:
        self.search = search
        self.shape = shape
        self.sketch = Sketch(shape, search.alphabet, search.coherent)
        self.inside = None if known is None else Inside(self.sketch)
        if self.inside is not None:
            for pattern in known or ():
                for literals in self.inside.clauses(pattern):
                    self.sketch.formula.forbid(*literals)
        everything = "FW" in sets_read(search.allowing) | sets_read(search.forbidding)
        self.reader = Reader(self.sketch, everything)
        self.solver = self._solver()

    def leave_out(self, pattern: Pattern) -> None:
        """From now on no test that has this one inside."""
        assert self.inside is not None
        for literals in self.inside.clauses(pattern):
            if self.solver is not None:
                self.solver.forbid(literals)

    def _solver(self) -> Clasp | None:
        """A solver that holds what is consistent for one model and not for the other; None where nothing
        is."""
        search, sketch = self.search, self.sketch
        allowing = View(sketch, search.allowing, ALLOWING)
        forbidding = View(sketch, search.forbidding, FORBIDDING)
        meaningful = [axiom for axiom in search.allowing.axioms if axiom.is_constraint or axiom.undefined]
        require_consistency(allowing, search.allowing, meaningful, search.budget)
        constraints = search.forbidding.constraints()
        violated = inconsistency(forbidding, search.forbidding, constraints, search.budget)
        if violated == FALSE:
            return None
        sketch.formula.require(violated)
        return Clasp(sketch.formula, minimised=self.weights())

    def weights(self) -> list[Weights]:
        """Locations, then what makes a test less simple."""
        sketch = self.sketch
        costs: list[tuple[Literal, int]] = []
        for row in sketch.holds:
            costs += [(each, kind.letter.spelling.cost) for each, kind in zip(row, sketch.kinds, strict=True)]
        for row in sketch.fences.values():
            letters = sketch.alphabet.fences
            costs += [(each, 3 + letter.spelling.cost) for each, letter in zip(row, letters, strict=True)]
        for pairs in sketch.dependencies.values():
            costs += [(each, 2) for each in pairs.values()]
        costs += [(each, 1) for each in sketch.behind.values()]
        costs += [(each, 1) for each in sketch.coherence.values()]  # states with memory in them
        return [[(used, 1) for used in sketch.used], [pair for pair in costs if pair[1]]]

    def best(self) -> tuple[Found, Difference] | None:
        """The simplest test of the shape that tells the models apart."""
        while self.solver is not None:
            found = self._next(self.solver)
            if found is None:
                return None
            difference = judged(self.search, found, self.shape)
            if difference is not None:
                return found, difference
            self.solver.forbid([*found.program, *found.state])
        return None

    def _next(self, solver: Clasp) -> Found | None:
        found: list[Found] = []
        cost_of = self.weights()[1]

        def on_solution(is_true: Callable[[Literal], bool]) -> bool:
            cost = sum(weight for literal, weight in cost_of if is_true(literal))
            found[:] = [replace(self.reader.read(is_true), cost=cost)]
            return True

        solver.enumerate(self.search.budget, on_solution)
        return found[0] if found else None


def judged(search: Search, found: Found, shape: Shape) -> Difference | None:
    """The difference that a solution stands for; None if other executions of the test make it none: the
    forbidding model reaches the state in another way, or the test has no meaning because of a race."""
    dialect = search.scope.dialect
    name = name_of(found.threads, found.outcome)
    program = WrittenProgram(name, found.threads, found.outcome)
    text = WRITERS[dialect].write(program)
    test = parse(text, f"{name}.litmus")
    forbidden = outcomes(test, search.forbidding, budget=search.budget)
    if forbidden.holds is not False:
        return None
    allowed = outcomes(test, search.allowing, budget=search.budget)
    if allowed.undefined:
        return None
    if not allowed.holds:
        raise AssertionError(f"{search.allowing.name} does not allow what was found:\n{text}")
    execution = next(_witnesses(test, search))
    return Difference(
        search.allowing.name, search.forbidding.name, shape.events, len(shape.threads), found.locations,
        name, text, test, execution, _violated(test, search),
    )  # fmt: skip


def distinctly_named(differences: Sequence[Difference]) -> list[Difference]:
    """The same tests; where several have one name, all but the first get a number."""
    taken: dict[str, int] = {}
    found = []
    for each in differences:
        taken[each.name] = number = taken.get(each.name, 0) + 1
        found.append(each if number == 1 else _renamed(each, f"{each.name}-{number}"))
    return found


def _renamed(difference: Difference, name: str) -> Difference:
    first, rest = difference.text.split("\n", 1)
    text = f"{first.removesuffix(difference.name)}{name}\n{rest}"
    return replace(difference, name=name, text=text, test=replace(difference.test, name=name))


def forbidden_execution(difference: Difference, forbidding: Model, budget: Budget) -> Judged:
    """An execution of the test that ends in the state that is asked for, as the forbidding model sees it,
    with what that says about it."""
    test = difference.test
    ending = lambda state: state_satisfies(test, state)  # noqa: E731 - short, and used once
    return next(executions(test, forbidding, "forbidden", budget=budget, ending=ending))


def _witnesses(test: LitmusTest, search: Search) -> Iterator[Execution]:
    ending = lambda state: state_satisfies(test, state)  # noqa: E731
    for each in executions(test, search.allowing, "allowed", budget=search.budget, ending=ending):
        yield each.execution


def _violated(test: LitmusTest, search: Search) -> str:
    ending = lambda state: state_satisfies(test, state)  # noqa: E731
    for each in executions(test, search.forbidding, "forbidden", budget=search.budget, ending=ending):
        return each.evaluation.violated[0].name
    return ""


def partitions(total: int, parts: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of so many positive ones, the largest first.

    >>> list(partitions(4, 2))
    [(2, 2), (3, 1)]
    """
    most = total if most is None else most
    if parts == 1:
        if 0 < total <= most:
            yield (total,)
        return
    for first in range(-(-total // parts), min(most, total - parts + 1) + 1):
        for rest in partitions(total - first, parts - 1, first):
            yield (first, *rest)
