"""The Python interface: `load_test`, the outcomes of a test under a model, executions that draw themselves.

>>> from treville import load_test
>>> test = load_test('''X86 SB
... { x=0; y=0; }
...  P0          | P1          ;
...  MOV [x],$1  | MOV [y],$1  ;
...  MOV EAX,[y] | MOV EAX,[x] ;
... exists (0:EAX=0 /\\\\ 1:EAX=0)
... ''')
>>> test.outcomes("sc").observation, test.outcomes("tso").observation
('Never', 'Sometimes')
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from treville.campaigns.contrast import Candidate, candidates
from treville.campaigns.inputs import read_text
from treville.campaigns.loading import load_model, own_model
from treville.campaigns.loading import load_test as _parse
from treville.campaigns.vacuity import about_model, about_states, about_test
from treville.campaigns.walk import scene_of
from treville.models.model import Model
from treville.programs.litmus.states import state_object, state_order, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.outcomes import outcomes, outcomes_of_all_runs
from treville.records import dataclass, field
from treville.rendering.herd import herd_block
from treville.results import Budget, as_warnings
from treville.results.defaults import BOUND
from treville.witness import dot, svg
from treville.witness.words import execution_text, explanation_text


@dataclass(slots=True)
class OutcomeSet:
    """The answer for one test and one model. Compares, prints and shows as herd7's answer does."""

    test: str
    model: str
    condition: str
    condition_text: str
    holds: bool | None
    observation: str
    states: list[dict[str, Any]]
    flags: list[str]
    positive: int | None
    negative: int | None
    positive_states: int
    negative_states: int
    states_complete: bool
    bound_reached: bool
    engine: str
    seconds: float = field(compare=False)
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return herd_block(self)

    def _repr_html_(self) -> str:
        names = list(self.states[0]) if self.states else []
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(state[name]))}</td>" for name in names) + "</tr>"
            for state in self.states
        )
        title = escape(f"{self.test} under {self.model}: {self.observation}")
        return f"<table><caption>{title}</caption><tr>{head}</tr>{rows}</table>"


class CandidateExecution:
    """One candidate execution of a test, judged by a model. Draws itself in a notebook."""

    def __init__(self, candidate: Candidate, test: LitmusTest, model: Model) -> None:
        self._candidate = candidate
        self._test = test
        self._model = model

    @property
    def allowed(self) -> bool:
        """Whether the model allows the execution."""
        return self._candidate.consistent

    @property
    def state(self) -> dict[str, Any]:
        """The final state it ends in."""
        return state_object(self._test, self._candidate.execution.final)

    @property
    def violated(self) -> list[str]:
        """The names of the axioms that forbid it."""
        return [axiom.name for axiom in self._candidate.violated]

    @property
    def explanation(self) -> str:
        """Why it is forbidden: the axiom and its cycle in words; empty where it is allowed."""
        found = self._candidate.explanation
        if found is None:
            return ""
        return explanation_text(found, self._candidate.execution, self._test.program, self._model)

    def __str__(self) -> str:
        table = execution_text(self._candidate.execution, self._test.program)
        return f"{table}\n{self.explanation}" if self.explanation else table

    def svg(self, show: tuple[str, ...] = ()) -> str:
        """The picture; `show` names the relations to draw."""
        return svg.draw(scene_of(self._candidate, self._test, self._model, show))

    def dot(self, show: tuple[str, ...] = ()) -> str:
        """The picture as a Graphviz file."""
        return dot.draw(scene_of(self._candidate, self._test, self._model, show))

    def _repr_svg_(self) -> str:
        return self.svg()


class Test:
    """A litmus test, ready to be asked."""

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    def __init__(self, parsed: LitmusTest) -> None:
        self.parsed = parsed

    @property
    def name(self) -> str:
        """The name that the test gives itself."""
        return self.parsed.name

    @property
    def dialect(self) -> str:
        """The language it is written in: `X86`, `PPC`, `AArch64`, ..."""
        return self.parsed.dialect

    def __repr__(self) -> str:
        return f"<litmus test {self.name} ({self.dialect})>"

    def _model(self, model: str | None) -> tuple[str, Model]:
        name = model or own_model(self.parsed)
        return name, load_model(name)

    def outcomes(
        self,
        model: str | None = None,
        *,
        bound: int | None = None,
        timeout: float | None = None,
        engine: str = "auto",
    ) -> OutcomeSet:
        """Every final state under a model (a shipped name or a `.cat` file; default: the dialect's own). With
        a bound of loops the answer is herd7's, for runs within it."""
        name, resolved = self._model(model)
        if bound is None:
            found = outcomes_of_all_runs(self.parsed, resolved, None, Budget(timeout), engine)
        else:
            found = outcomes(self.parsed, resolved, bound, Budget(timeout), engine)
        good = sum(state_satisfies(self.parsed, state) for state in found.states)
        negated = self.parsed.quantifier is Quantifier.NOT_EXISTS
        return OutcomeSet(
            self.name,
            name,
            self.parsed.quantifier,
            self.parsed.condition_text,
            found.holds,
            found.observation,
            [state_object(self.parsed, state) for state in sorted(found.states, key=state_order)],
            list(found.flags),
            found.positive,
            found.negative,
            good if not negated else len(found.states) - good,
            len(found.states) - good if not negated else good,
            found.complete,
            found.bound_reached,
            found.engine,
            found.seconds,
            as_warnings(
                self.parsed.program.notices,
                about_model(resolved),
                about_test(self.parsed),
                about_states(self.parsed, len(found.states)),
            ),
        )

    def executions(
        self,
        model: str | None = None,
        which: str = "all",
        *,
        bound: int = BOUND,
        timeout: float | None = None,
    ) -> Iterator[CandidateExecution]:
        """The candidate executions that the model allows, forbids, or all of them."""
        if which not in ("all", "allowed", "forbidden"):
            raise ValueError(f"which is one of all, allowed, forbidden; not {which!r}")
        _, resolved = self._model(model)
        for candidate in candidates(self.parsed, resolved, which, bound, Budget(timeout)):
            yield CandidateExecution(candidate, self.parsed, resolved)


def load_test(source: str | Path) -> Test:
    """A litmus test from a file, or from its text (anything with a line break)."""
    if isinstance(source, str) and "\n" in source:
        return Test(_parse(source, "<text>"))
    return Test(_parse(read_text(str(source)), str(source)))
