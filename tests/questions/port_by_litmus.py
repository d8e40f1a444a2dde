"""What `treville port` says, by what `treville litmus` lists: the states and the executions of a test under
each of two models, compiled for each where it is written in a language."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from tests.random_dialects import DIALECTS, random_text
from tests.seeds import generator

from treville.events.execution import Access, Execution
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.executions import executions
from treville.questions.outcomes import outcomes
from treville.questions.portability import Question, portability
from treville.relations import EventId
from treville.results import Budget, Verdict

MOST_CANDIDATES = 6000


@dataclass(frozen=True, slots=True)
class Asked:
    """A random test and a pair of models."""

    text: str
    test: LitmusTest
    source: Model
    target: Model

    def disagreement(self, trace: bool, engine: str = "auto", seconds: float = 20) -> str:
        """What is wrong with the answers, empty for nothing."""
        expected = self.expected(seconds, trace)
        return "".join(self._compare(notion, right, engine, seconds) for notion, right in expected.items())

    def expected(self, seconds: float = 20, trace: bool = True) -> dict[str, bool]:
        """Is the test portable, by the notions `state` and `trace`?"""
        states = [set(outcomes(self.test, model, budget=Budget(seconds)).states) for model in self.models]
        found = {"state": states[1] <= states[0]}
        if trace:
            seen = [
                {_trace(each.execution) for each in executions(self.test, model, limit=MOST_CANDIDATES)}
                for model in self.models
            ]
            found["trace"] = seen[1] <= seen[0]
        return found

    @property
    def models(self) -> tuple[Model, Model]:
        """Source and target."""
        return self.source, self.target

    def _compare(self, notion: str, expected: bool, engine: str, seconds: float) -> str:
        question = Question(self.source, self.target, notion, engine=engine)
        answer = portability(self.test, question, Budget(seconds))
        if answer.verdict is Verdict.UNKNOWN or (answer.verdict is Verdict.PASS) == expected:
            return ""
        pair = f"{self.source.name} to {self.target.name}"
        return f"{notion} {pair}: {answer.verdict.value}, expected {'PASS' if expected else 'FAIL'}\n"


def random_asked(seed: int | str, size: int = 5) -> Asked:
    """A question for every seed."""
    rng = generator(f"port {seed}")
    name = rng.choice(list(DIALECTS))
    text = random_text(seed, name, size)
    source, target = (load_model(rng.choice(DIALECTS[name].models)) for _ in range(2))
    return Asked(text, parse(text, f"{seed}.litmus"), source, target)


def _trace(execution: Execution) -> Hashable:
    """An execution without its fences: each thread's accesses, reads-from and coherence. Accesses are told by
    their places in the threads, which fences do not change."""
    counts: dict[int, int] = {}
    names: dict[EventId, Hashable] = {}
    accesses = []
    for event in execution.events:
        if isinstance(event, Access):
            counts[event.thread] = place = counts.get(event.thread, 0) + 1
            initial = "IW" in event.tags
            names[event.number] = ("init", event.address) if initial else (event.thread, place)
            accesses.append((names[event.number], event.kind, event.address, event.value))
    pairs = [
        frozenset((names[a], names[b]) for a, b in execution.relations[name].pairs()) for name in ("rf", "co")
    ]
    return frozenset(accesses), *pairs
