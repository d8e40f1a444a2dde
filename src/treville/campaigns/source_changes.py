"""Changes of a source -> what reports say of them."""

from __future__ import annotations

from treville.campaigns.walk import cycle_of
from treville.questions.repair.decide import Change, Forbidden
from treville.results.reports.source_changes import ForbiddenExecution, SourceChange
from treville.witness.linearisation import linearise
from treville.witness.words import execution_text, explanation_text


def source_change(change: Change) -> SourceChange:
    """A change as reports have it."""
    span = change.site.span
    return SourceChange(
        file=span.file,
        line=span.line,
        column=span.column,
        kind=change.site.kind.value,
        before=change.before,
        after=change.after,
        cost=change.cost,
        forbids=forbidden_execution(change.forbids) if change.forbids else None,
    )


def forbidden_execution(found: Forbidden) -> ForbiddenExecution:
    """What a change forbids, as reports have it."""
    explanation = found.explanation
    text = "the racing accesses are ordered"
    if explanation is not None:
        text = explanation_text(explanation, found.execution, found.program, found.model)
    return _told(found, text)


def failing_execution(found: Forbidden) -> ForbiddenExecution:
    """What no change forbids."""
    interleaved = linearise(found.execution) is not None
    return _told(found, "it is an interleaving: sequential consistency allows it, too" if interleaved else "")


def _told(found: Forbidden, text: str) -> ForbiddenExecution:
    explanation = found.explanation
    return ForbiddenExecution(
        model=found.model.name,
        failure=found.what,
        axiom=explanation.axiom.name if explanation else None,
        cycle=cycle_of(explanation) if explanation else None,
        execution=execution_text(found.execution, found.program),
        text=text,
    )
