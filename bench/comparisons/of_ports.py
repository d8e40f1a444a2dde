"""`port` against the difference of outcomes: random tests in C11, the kernel's C, Power's and AArch64's
assembly between random pairs of models, by states and by executions, with every engine."""

from __future__ import annotations

from counting import Tally
from tests.questions.port_by_litmus import Asked, random_asked

from treville.questions.portability import Question, portability
from treville.results import Budget, BudgetExceeded, InputError, Verdict

ENGINES = ("auto", "enumerate", "eager", "lazy")
SECONDS = 10.0


def compare(seed: str, count: int) -> Tally:
    """So many random questions."""
    tally = Tally(count)
    for number in range(count):
        asked = random_asked(f"{seed}/{number}", 4)
        pair = f"{asked.source.name} to {asked.target.name}"
        try:
            expected = asked.expected()
        except (BudgetExceeded, InputError):
            tally.none["lists"] += 1
            continue
        for notion, portable in expected.items():
            for engine in ENGINES:
                wanted = "PASS" if portable else "FAIL"
                what = f"{number} {pair} by {notion}"
                tally.add(f"{notion} {engine}", what, wanted, _answer(asked, notion, engine))
    return tally


def _answer(asked: Asked, notion: str, engine: str) -> str:
    question = Question(asked.source, asked.target, notion, engine=engine)
    try:
        found = portability(asked.test, question, Budget(SECONDS)).verdict
    except BudgetExceeded as error:
        return f"none: {error}"
    return "none" if found is Verdict.UNKNOWN else found.value
