"""A model -> a conformance suite: few tests that it forbids, so that whoever relaxes an axiom is noticed.

For each relaxation the smallest test that it allows and the model forbids; then tests are left out whose
relaxations others notice as well.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.engines.contract import GaveUp
from treville.models.model import Model
from treville.questions.comparison.relaxations import Relaxation, relaxations
from treville.questions.comparison.search import Difference, Scope, distinctly_named, smallest_difference
from treville.questions.outcomes import outcomes
from treville.records import dataclass, replace
from treville.results import Budget, BudgetExceeded


@dataclass(frozen=True, slots=True)
class Noticed:
    """A relaxation and the tests of the suite that notice it. `given_up`: why nothing is known of it."""

    relaxation: Relaxation
    tests: tuple[str, ...]
    given_up: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests, and what each relaxation is noticed by."""

    tests: tuple[Difference, ...]
    noticed: tuple[Noticed, ...]


def conformance_suite(
    model: Model, scope: Scope, budget: Budget, tell: Callable[[Suite], None] = lambda _: None
) -> Suite:
    """The suite of a model; `tell` gets what there is of it while it grows. Raises `BudgetExceeded`."""
    tests: list[Difference] = []
    noticing: list[tuple[Relaxation, set[int], str]] = []
    for relaxation in relaxations(model):
        seen = {number for number, test in enumerate(tests) if _notices(test, relaxation.model, budget)}
        given_up = ""
        found = smallest_difference(relaxation.model, model, _smaller(scope, seen, tests), budget)
        if isinstance(found, GaveUp):
            if isinstance(found.error, BudgetExceeded) and found.error.limit is not None:
                raise found.error
            given_up = found.reason
        elif found is not None:
            seen = {len(tests)}
            tests.append(found)
        noticing.append((relaxation, seen, given_up))
        tell(_suite(tests, noticing))
    tests = distinctly_named(tests)
    for number, (relaxation, seen, given_up) in enumerate(noticing):
        more = {place for place, test in enumerate(tests) if _notices(test, relaxation.model, budget)}
        noticing[number] = relaxation, seen | more, given_up
    return _suite(tests, noticing)


def _smaller(scope: Scope, seen: set[int], tests: list[Difference]) -> Scope:
    """Only a smaller test than those that are there already is wanted."""
    if not seen:
        return scope
    smallest = min(tests[number].events for number in seen)
    return replace(scope, events=smallest - 1)


def _notices(test: Difference, weaker: Model, budget: Budget) -> bool:
    return outcomes(test.test, weaker, budget=budget).holds is True


def _suite(tests: list[Difference], noticing: list[tuple[Relaxation, set[int], str]]) -> Suite:
    """With as few tests as leaving out one after the other, the largest first, ends in."""
    kept = set(range(len(tests)))
    for number in sorted(kept, key=lambda place: (-tests[place].events, -place)):
        rest = kept - {number}
        if all(not seen & kept or seen & rest for _, seen, _ in noticing):
            kept = rest
    names = {number: tests[number].name for number in kept}
    noticed = [
        Noticed(relaxation, tuple(names[n] for n in sorted(seen & kept)), given_up)
        for relaxation, seen, given_up in noticing
    ]
    return Suite(tuple(tests[number] for number in sorted(kept)), tuple(noticed))
