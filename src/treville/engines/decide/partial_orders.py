"""The encodings of papers 000 (clocks) and 003 (conflicts), which have their memory models built in."""

from __future__ import annotations

from treville.analysis.facts import Facts
from treville.encoding.encoding import EncodingName
from treville.encoding.partial_orders import architecture_for, encode_partial_orders
from treville.engines.contract import YES, Suitability
from treville.engines.decide.formulas import Formulas
from treville.engines.features import OF_MODELS, OF_PROGRAMS, OF_THREADS, Feature
from treville.engines.session import Session
from treville.engines.task import ProgramTask
from treville.results import Budget, Unsupported
from treville.solving.back_ends.by_name import BackEnd


class PartialOrders(Formulas):
    """Same events, values, lifetimes and fresh memory as every other engine; another formula."""

    supports = (
        OF_THREADS | OF_PROGRAMS | (OF_MODELS - {Feature.FLAGS}) | {Feature.FAILURES, Feature.ENDS_AT_ERRORS}
    )

    def __init__(self, encoding: EncodingName | str, back_end: BackEnd = BackEnd.CLASP) -> None:
        super().__init__(back_end)
        self.encoding = EncodingName(encoding)
        self.name = str(encoding) if back_end is BackEnd.CLASP else f"{encoding}:{back_end}"

    def fits(self, task: ProgramTask) -> Suitability:
        """Does the encoding have the model?"""
        try:
            architecture_for(self.encoding, task.model)
        except Unsupported as error:
            return Suitability(error.message, error.span, error.hint)
        return YES

    def session(self, task: ProgramTask, facts: Facts, budget: Budget) -> Session:
        """See `Formulas`."""
        with budget.stage("encoding"):
            encoding = encode_partial_orders(self.encoding, facts, task.model, budget, complete=False)
        return Session(encoding, task.model)
