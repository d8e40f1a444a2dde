"""Final states by the encodings of papers 000 (clocks) and 003 (conflicts)."""

from __future__ import annotations

from treville.encoding.acyclicity import addresses_of
from treville.encoding.encoding import EncodingName
from treville.encoding.partial_orders import architecture_for, encode_partial_orders
from treville.engines.contract import YES, Engine, GaveUp, State, States, Suitability
from treville.engines.features import OF_MODELS, OF_TESTS, OF_THREADS, Feature
from treville.engines.outcomes.symbolic_search import MAX_STATES
from treville.engines.session import Session
from treville.engines.task import OutcomeTask
from treville.models.implied import implies_coherence
from treville.passes.bounded import facts_of_test
from treville.programs.litmus.states import satisfied
from treville.results import Budget, TooLarge, Unsupported
from treville.solving.back_ends.by_name import BackEnd
from treville.solving.observed_states import Observation
from treville.solving.solution import IsTrue


class PartialOrderStates(Engine[OutcomeTask, States]):
    """See the module."""

    supports = OF_THREADS | OF_TESTS | (OF_MODELS - {Feature.FLAGS})

    def __init__(self, encoding: EncodingName | str, back_end: BackEnd = BackEnd.CLASP) -> None:
        self.encoding = EncodingName(encoding)
        self.back_end = back_end
        self.name = str(encoding) if back_end is BackEnd.CLASP else f"{encoding}:{back_end}"

    def fits(self, task: OutcomeTask) -> Suitability:
        """Does the encoding have the model?"""
        try:
            architecture_for(self.encoding, task.model)
        except Unsupported as error:
            return Suitability(error.message, error.span, error.hint)
        return YES

    def search(self, task: OutcomeTask, budget: Budget) -> States | GaveUp:
        """All final states of the test."""
        test, coherent = task.test, implies_coherence(task.model)
        facts = facts_of_test(
            test.program, task.bound, budget, coherent, addresses_of(test.observed), task.alias
        )
        encoded = encode_partial_orders(self.encoding, facts, task.model, budget, complete=True)
        observation = Observation(encoded, test)
        session = Session(encoded, task.model, readable=False)
        session.open(self.back_end, observation.projected())
        found: set[State] = set()

        def on_solution(is_true: IsTrue) -> bool:
            if test.filter is None or satisfied(test.filter, lambda o: observation.value(o, is_true)):
                found.add(observation.state(is_true))
            return len(found) < MAX_STATES

        session.look([], on_solution, budget)
        if len(found) >= MAX_STATES:
            raise TooLarge(f"more than {MAX_STATES} final states", "use --engine auto")
        return States(
            dict.fromkeys(found),
            cut=encoded.bound_reached,
            unfinished=encoded.unfinished,
            stats=session.stats(),
        )
