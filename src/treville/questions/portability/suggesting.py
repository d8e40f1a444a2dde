"""Which changes would make a program portable? The search of `treville repair`, with another question.

What must not be is an execution that is new on the target; with a fence or an order that the target heeds it
is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from treville.engines.differences.task import NEW, Finding
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.passes.program import Context, map_to_architecture
from treville.programs.ir import Program
from treville.questions.portability.question import Portability
from treville.questions.repair.marking import shows_gaps
from treville.questions.repair.sites import Assignment, Site
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.results import Budget, BudgetExceeded, Unsupported, Verdict
from treville.witness.explanation import Explanation, explain

Ask = Callable[[Program, Budget], Portability]


def explain_finding(finding: Finding) -> Explanation:
    """The shortest evidence against the execution under the model that forbids it."""
    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    found = [explain(execution, model, judged.values, axiom) for axiom in judged.violated]
    return min(found, key=lambda explanation: len(explanation.hops()))


class PortedSubject(Subject):
    """A source that is to be made portable: `ask_port` says whether a program is. The model that is asked
    about is the target's; `dialect` is that of a litmus test."""

    def __init__(self, source: Subject, ask_port: Ask, dialect: str) -> None:
        self.source = source
        self.ask_port = ask_port
        self.dialect = dialect
        self.sites, self.usable, self.needs = source.sites, source.usable, source.needs
        self.texts, self.liked = source.texts, source.liked

    def ask(self, assignment: Assignment, model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        asked, _ = self._asked(self.made(assignment, marked=False), budget)
        if asked.verdict is not Verdict.FAIL or not shows_gaps(model):
            return asked
        program = self.made(assignment, marked=True)
        _, findings = self._asked(program, budget)
        lower = partial(map_to_architecture, context=Context(model, None, self.dialect))
        violations = tuple(
            Violation(finding.allowed, model, assignment, lower, program, "it is new on the target")
            for finding in findings
        )
        return Asked(Verdict.FAIL, violations, asked.reason)

    def _asked(self, program: Program, budget: Budget) -> tuple[Asked, list[Finding]]:
        try:
            found = self.ask_port(program, budget)
        except (BudgetExceeded, Unsupported) as error:
            budget.check()
            return Asked(Verdict.UNKNOWN, reason=str(error)), []
        new = [finding for finding in found.findings if finding.direction == NEW]
        reason = found.reason or ("it is new on the target" if new else "")
        return Asked(found.verdict, reason=reason), new

    def made(self, assignment: Assignment, marked: bool) -> Program:
        """See `Subject`."""
        return self.source.made(assignment, marked)

    def again(self, texts: Mapping[str, str]) -> Program:
        """See `Subject`."""
        return self.source.again(texts)

    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""
        return self.source.patched(assignment)

    def confirm(self, texts: Mapping[str, str], model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        del model
        return self._asked(self.again(texts), budget)[0]

    def written(self, site: Site, level: int) -> tuple[str, str]:
        """See `Subject`."""
        return self.source.written(site, level)
