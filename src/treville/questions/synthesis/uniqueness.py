"""Do the tests determine the model? (paper 004, appendix C; MemSynth's ambiguity check)

Another model that explains the same tests is compared with the one that was found. The smallest test that
tells them apart was missing: its outcome comes from an oracle, and the synthesis goes on. With a model as the
oracle, what was found is compared with that model itself, so that no test is needed to begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from treville.engines.contract import GaveUp
from treville.models.model import Model
from treville.questions.comparison import Difference, Scope, all_differences, smallest_difference
from treville.questions.synthesis.answer import Answer, Found
from treville.questions.synthesis.by_parts import alternatives
from treville.questions.synthesis.decide import synthesise
from treville.questions.synthesis.problem import Method, Problem, Requirement
from treville.questions.synthesis.sketches import Sketch
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.records import dataclass, field, replace
from treville.results import Budget, BudgetExceeded

# Tests that a model is asked for before the synthesis goes on: asking costs little, going on costs more.
_AT_ONCE = 3
# The outcome of a test that nobody has run: True if its condition can be reached, None if nobody knows.
Oracle = Callable[[Difference], bool | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A test that was missing, and its outcome."""

    difference: Difference
    allowed: bool | None


@dataclass(slots=True)
class Learnt:
    """A model, the tests that were missing, and whether nothing that differs from it was left in the end."""

    answer: Answer
    problem: Problem
    asked: list[Asked] = field(default_factory=list)
    unique: bool = False
    alternative: Found | None = None


@dataclass(slots=True)
class Learner:
    """A synthesis that asks for the tests that it misses."""

    problem: Problem
    vocabulary: Vocabulary
    sketch: Sketch | None
    events: int
    budget: Budget
    on_learnt: Callable[[Learnt], None] = lambda _: None
    _scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        """Refuses more events than tests can have."""
        self._scope = Scope(self.problem.dialect, self.events)

    def from_model(self, oracle: Model) -> Learnt:
        """Until the model found and the oracle differ in no test of so many events; small tests first, since
        that there is none takes longer with each event."""
        learnt = Learnt(self._answer(), self.problem)
        events = 1
        while learnt.answer.found is not None:
            model = learnt.answer.found.resolved()
            new = [
                Asked(found, forbidding is model)
                for allowing, forbidding in ((model, oracle), (oracle, model))
                for found in self._differences(allowing, forbidding, events)
            ]
            if new:
                self._take(learnt, new)
            elif events == self.events:
                learnt.unique = True
                break
            else:
                events += 1
        return learnt

    def by_asking(self, oracle: Oracle) -> Learnt:
        """Until no other model that explains the tests differs, or the oracle does not know."""
        learnt = Learnt(self._answer(), self.problem)
        while learnt.answer.found is not None:
            apart = self._ambiguity(learnt.answer.found)
            if apart is None:
                learnt.unique = True
                break
            difference, learnt.alternative = apart
            asked = Asked(difference, oracle(difference))
            if asked.allowed is None:
                learnt.asked.append(asked)
                break
            self._take(learnt, [asked])
        return learnt

    def _answer(self) -> Answer:
        return synthesise(self.problem, self.vocabulary, self.sketch, self.budget, lambda _: None)

    def _take(self, learnt: Learnt, new: list[Asked]) -> None:
        """Go on with more tests."""
        learnt.asked += new
        more = []
        for asked in new:
            test = asked.difference.test
            more.append(Requirement(test, test.condition, bool(asked.allowed), asked.difference.name))
        self.problem = replace(self.problem, requirements=(*self.problem.requirements, *more))
        learnt.problem = self.problem
        learnt.answer = self._answer()
        self.on_learnt(learnt)

    def _ambiguity(self, found: Found) -> tuple[Difference, Found] | None:
        """The smallest test that tells the model apart from another one that explains the tests."""
        model = found.resolved()
        for other in self._others(found):
            alternative = other.resolved()
            for allowing, forbidding in ((model, alternative), (alternative, model)):
                difference = self._difference(allowing, forbidding)
                if difference is not None:
                    return difference, other
        return None

    def _others(self, found: Found) -> Iterator[Found]:
        """Other models that explain the tests, each once."""
        seen = {found.body}
        for other in self._alternatives():
            if other.body not in seen:
                seen.add(other.body)
                yield other

    def _alternatives(self) -> Iterator[Found]:
        yield from alternatives(self.problem, self.vocabulary, self.sketch, self.budget)
        if self.sketch is None:
            space = replace(self.problem.space, method=Method.PARTS)
            other = synthesise(
                replace(self.problem, space=space), self.vocabulary, None, self.budget, lambda _: None
            )
            if other.found is not None:
                yield other.found

    def _differences(self, allowing: Model, forbidding: Model, events: int) -> list[Difference]:
        """A few tests that tell two models apart."""
        scope = replace(self._scope, events=events)
        return list(islice(all_differences(allowing, forbidding, scope, self.budget), _AT_ONCE))

    def _difference(self, allowing: Model, forbidding: Model) -> Difference | None:
        found = smallest_difference(allowing, forbidding, self._scope, self.budget)
        if isinstance(found, GaveUp):
            raise BudgetExceeded(found.reason, found.advice)
        return found
