"""Final states by the default encoding: one solution for each, by projected enumeration.

The sentence of the pipeline: encode the executions, ask for all assignments of what the test observes, read
the states off. Axioms that are not encoded are enforced lazily, and flags that are not encoded are evaluated
on every execution, which rules out projection.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.analysis.relations import NotEncodable
from treville.encoding.acyclicity import addresses_of, encode_test
from treville.encoding.simplicity import eager_axioms
from treville.engines.contract import State, States
from treville.engines.session import Session, size_in_units
from treville.engines.task import OutcomeTask
from treville.formulas.formula import FALSE, TRUE
from treville.models.implied import implies_coherence
from treville.models.model import Axiom
from treville.passes.bounded import facts_of_test
from treville.programs.litmus.states import satisfied
from treville.results import Budget, TooLarge
from treville.solving.back_ends.by_name import BackEnd
from treville.solving.observed_states import Observation
from treville.solving.solution import IsTrue

MAX_STATES = 1 << 15


def list_states(task: OutcomeTask, budget: Budget, back_end: BackEnd, *, lazy: bool, count: bool) -> States:
    """All final states of the test."""
    axioms = eager_axioms(task.model) if lazy else list(task.model.axioms)
    try:
        search = _Search(task, axioms, budget)
    except NotEncodable:
        if back_end is not BackEnd.CLASP:
            raise
        search = _Search(task, [], budget)
    return search.run(budget, back_end, count)


class _Search:
    """One search for the outcomes of a test."""

    def __init__(self, task: OutcomeTask, axioms: Sequence[Axiom], budget: Budget) -> None:
        self.test, self.model = task.test, task.model
        observed = addresses_of(task.test.observed)
        coherent = implies_coherence(task.model)
        facts = facts_of_test(task.test.program, task.bound, budget, coherent, observed, task.alias)
        self.encoding = encode_test(facts, task.model, budget, axioms)
        budget.spend(size_in_units(self.encoding))
        self.axioms = axioms
        self.observation = Observation(self.encoding, task.test)
        self.literals = {name: literal for name, literal in self.encoding.flags.items() if literal != FALSE}
        left = [axiom for axiom in task.model.axioms if axiom not in axioms]
        self.evaluate_flags = any(not axiom.is_constraint for axiom in left)
        self.session = Session(self.encoding, self.model, axioms, readable=False)
        self.counts: dict[State, int | None] = {}
        self.flags: set[str] = set()

    def run(self, budget: Budget, back_end: BackEnd, count: bool) -> States:
        """Enumerate states, or executions if they are counted."""
        every_execution = count or self.evaluate_flags
        projected = [*self.observation.projected(), *self.literals.values()]
        self.session.open(back_end, None if every_execution else projected)

        def on_solution(is_true: IsTrue) -> bool:
            self._record(is_true, count)
            return every_execution or len(self.counts) < MAX_STATES

        self.session.look([], on_solution, budget)
        complete = every_execution or len(self.counts) < MAX_STATES
        if not complete and back_end is not BackEnd.CLASP:
            raise TooLarge(f"more than {MAX_STATES} final states", "use --engine auto")
        if not complete:
            self._decide_only(budget)
        flags, encoding = frozenset(self.flags), self.encoding
        return States(self.counts, flags, encoding.bound_reached, complete, encoding.unfinished)

    def _decide_only(self, budget: Budget) -> None:
        """There are too many states to list: find one that satisfies the condition, one that does not, and
        an execution for each flag that was not raised yet."""
        holds = self.observation.condition(self.test.condition)
        filtered = TRUE if self.test.filter is None else self.observation.condition(self.test.filter)
        session = Session(self.encoding, self.model, self.axioms, readable=False)

        def on_solution(is_true: IsTrue) -> bool:
            self._record(is_true, count=False)
            return False

        for wanted in (holds, -holds):
            session.look([wanted, filtered], on_solution, budget)
        for name, literal in self.literals.items():
            if name not in self.flags:
                session.look([literal, filtered], on_solution, budget)

    def _record(self, is_true: IsTrue, count: bool) -> None:
        observation, condition = self.observation, self.test.filter
        if condition is not None and not satisfied(condition, lambda o: observation.value(o, is_true)):
            return
        state = observation.state(is_true)
        self.counts[state] = (self.counts.get(state) or 0) + 1 if count else None
        for name, literal in self.literals.items():
            if name not in self.flags and (literal == TRUE or is_true(literal)):
                self.flags.add(name)
        if self.evaluate_flags and self.session.lazy is not None:
            self.flags.update(self.session.lazy.flags(is_true))
