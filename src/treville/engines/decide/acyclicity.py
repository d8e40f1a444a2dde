"""The default encoding of any cat model, as rules and acyclic graphs, enforced eagerly or lazily.

Eagerly every axiom is part of the formula; lazily only simple ones are, and the others judge the executions
that the solver finds. (Power's preserved program order is recursive over all pairs of events: eagerly minutes
on a mutex, lazily a tenth of a second. Arithmetic is the other way round.)
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from treville.encoding.simplicity import eager_axioms
from treville.engines.contract import YES, Suitability
from treville.engines.decide.formulas import Formulas
from treville.engines.features import OF_KERNELS, OF_MODELS, OF_PROGRAMS, OF_PROPERTIES, OF_THREADS, Feature
from treville.engines.task import ProgramTask
from treville.formulas.formula import TooManyRules
from treville.models.model import Axiom
from treville.results import Budget
from treville.solving.back_ends.by_name import BackEnd

if TYPE_CHECKING:
    from treville.analysis.facts import Facts
    from treville.engines.session import Session

# Beyond this many rules the lazy engine is faster on the mutexes (bench/check.py mutexes).
MAX_RULES = 8_000


class Enforced(StrEnum):
    """How a model is enforced."""

    EAGERLY = "eager"
    LAZILY = "lazy"
    AS_SUITS = "formulas"  # eagerly, where the formula does not become too large


class Acyclicity(Formulas):
    """See the module."""

    supports = (
        OF_THREADS | OF_KERNELS | OF_PROGRAMS | OF_MODELS | OF_PROPERTIES
        | {Feature.EXCLUSIVES, Feature.BEGINNINGS}
    )  # fmt: skip

    def __init__(
        self, enforced: Enforced | str = Enforced.AS_SUITS, back_end: BackEnd = BackEnd.CLASP
    ) -> None:
        super().__init__(back_end)
        self.enforced = Enforced(enforced)
        self.name = str(self.enforced) if back_end is BackEnd.CLASP else f"{self.enforced}:{back_end}"

    def fits(self, task: ProgramTask) -> Suitability:
        """Only clasp lets executions be judged while it searches; only failures are asked of others."""
        if self.back_end is BackEnd.CLASP:
            return YES
        if self.enforced is not Enforced.EAGERLY:
            return Suitability(f"{self.back_end} cannot enforce a model lazily")
        if not task.property.is_about_failures:
            return Suitability(f"{self.back_end} is asked about assertions only")
        return YES

    def session(self, task: ProgramTask, facts: Facts, budget: Budget) -> Session:
        """Eagerly if that is wanted and possible, else lazily; models that cannot be bounded are judged on
        executions alone."""
        from treville.analysis.relations import NotEncodable

        model = task.model
        try:
            if self.enforced is not Enforced.LAZILY:
                limit = MAX_RULES if self.enforced is Enforced.AS_SUITS else None
                try:
                    return self._session(task, facts, budget, list(model.axioms), limit)
                except TooManyRules:
                    pass
            return self._session(task, facts, budget, eager_axioms(model))
        except NotEncodable:
            if self.back_end is not BackEnd.CLASP:
                raise
            return self._session(task, facts, budget, [])

    def _session(
        self, task: ProgramTask, facts: Facts, budget: Budget, axioms: list[Axiom], limit: int | None = None
    ) -> Session:
        from treville.encoding.acyclicity import encode_program
        from treville.engines.session import Session

        encoding = encode_program(facts, task.model, budget, axioms, limit)
        return Session(encoding, task.model, axioms)
