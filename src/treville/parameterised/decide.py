"""The question as a whole: system -> search (with guesses and without) -> verdict with its evidence.

PASS carries the visited cubes, whose negations are an inductive invariant. FAIL carries a run of the
operational machine. A counterexample that the machine cannot replay, and a budget that runs out, are UNKNOWN.
"""

from __future__ import annotations

from treville.parameterised.backward.approximation import Approximation
from treville.parameterised.backward.search import (
    GuessRefuted,
    NodesExceeded,
    Progress,
    Search,
    new_search,
    roots_of,
)
from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.theory import Theory
from treville.parameterised.states.forward import explore
from treville.parameterised.states.machine import Machine, State, Step
from treville.parameterised.states.replay import RunStep, Trace, replay, trace_of
from treville.parameterised.system import Cube, Property, System, Term, terms_of
from treville.records import dataclass, field
from treville.results import Budget, BudgetExceeded, Verdict

_MOST_RESTARTS = 400
_NODES_BEFORE_GUESSES = 150
_STATES_ELSEWHERE = 20_000
_STATES_AT_FIRST = 1_500
_LARGEST_INSTANCE = 4


@dataclass(slots=True)
class Answer:
    """A verdict with what supports it."""

    system: System
    verdict: Verdict
    reason: str = ""
    advice: str = ""
    # Names of invariants: taken for granted (constants only), proved on the way, wrong.
    assumed: list[str] = field(default_factory=list)
    proved: list[str] = field(default_factory=list)
    refuted: list[str] = field(default_factory=list)
    trace: Trace | None = None
    machine: Machine | None = None
    run: list[RunStep] | None = None
    search: Search | None = None
    guesses: list[Node] = field(default_factory=list)
    restarts: int = 0
    known_states: int = 0
    seconds: float = 0.0

    def cubes(self) -> list[Node]:
        """The cubes whose negations are the invariant, unsafe ones included."""
        return [] if self.search is None else self.search.visited.nodes()


def decide(
    system: System,
    budget: Budget,
    *,
    approximate: bool = True,
    reduce: bool = True,
    progress: Progress | None = None,
) -> Answer:
    """Is an unsafe cube reachable in some instance? Never raises for a budget: that is UNKNOWN."""
    answer = Answer(system, Verdict.UNKNOWN)
    try:
        _Decision(system, budget, answer, reduce=reduce, progress=progress).run(approximate=approximate)
    except BudgetExceeded as error:
        answer.verdict, answer.reason, answer.advice = Verdict.UNKNOWN, error.reason, error.advice
    answer.seconds = budget.elapsed()
    return answer


class _Decision:
    def __init__(
        self, system: System, budget: Budget, answer: Answer, *, reduce: bool, progress: Progress | None
    ) -> None:
        self.system, self.budget, self.answer = system, budget, answer
        self.reduce, self.progress = reduce, progress
        self.assumptions = tuple(p for p in system.invariants if is_rigid(system, p))
        self.claims = tuple(p for p in system.invariants if not is_rigid(system, p))
        answer.assumed = list(dict.fromkeys(p.name for p in self.assumptions))

    def run(self, *, approximate: bool) -> None:
        guesser = None
        if approximate:
            # Easy systems are done before states for guesses are worth their time.
            if self.attempt(None, nodes=_NODES_BEFORE_GUESSES):
                return
            if self.look_elsewhere((1, 2, 3), _STATES_AT_FIRST):
                self.answer.verdict = Verdict.FAIL
                return
            guesser = Approximation(self.system, self.assumptions, self.budget)
            self.answer.known_states = guesser.known_states()
        self.attempt(guesser, nodes=None)

    def attempt(self, guesser: Approximation | None, nodes: int | None) -> bool:
        """Search until decided, restarting without wrong guesses and claims; False: too many nodes."""
        while True:
            search = self.search(guesser)
            self.answer.search = search
            try:
                found = search.run(self.roots(search.theory), nodes)
            except NodesExceeded:
                return False
            except GuessRefuted as refuted:
                self.refuse(guesser, refuted.guess)
                continue
            if found is None:
                self.passed(search)
                return True
            wrong = _guess_behind(found)
            if wrong is not None and guesser is not None:
                self.refuse(guesser, wrong)
                guesser.learn(wrong, found, tuple(search.initial.at_start(found.literals) or ()))
                if self.answer.restarts > _MOST_RESTARTS:
                    self.answer.restarts = 0
                    guesser = None
                continue
            claim = next((p for p in self.claims if p.name == found.property_name), None)
            if claim is not None:
                self.answer.refuted.append(claim.name)
                self.claims = tuple(p for p in self.claims if p.name != claim.name)
                continue
            self.failed(search, found)
            if self.answer.run is None and self.reduce:
                # Reduced cubes can mix up traces; without them the trace is the search's own.
                self.reduce = False
                continue
            return True

    def refuse(self, guesser: Approximation | None, wrong: Node) -> None:
        if guesser is not None:
            guesser.refuse(wrong)
            self.answer.known_states = guesser.known_states()
            self.answer.restarts += 1

    def search(self, guesser: Approximation | None) -> Search:
        before = self.answer.search
        theory = before.theory if before else Theory(self.system.symbols, named=self.system.named)
        search = new_search(self.system, theory, self.assumptions, self.budget, before)
        search.progress, search.reduce = self.progress, self.reduce
        if guesser is not None:
            guesser.made = []
            search.approximate, search.review = guesser.propose, guesser.review
            self.answer.guesses = guesser.made
        return search

    def roots(self, theory: Theory) -> list[Node]:
        return [
            root
            for unsafe in (*self.claims, *self.system.unsafe)
            for root in roots_of(self.system, theory, unsafe)
        ]

    def passed(self, search: Search) -> None:
        self.answer.verdict, self.answer.reason, self.answer.advice = Verdict.PASS, "", ""
        self.answer.trace = None
        self.answer.proved = list(dict.fromkeys(p.name for p in self.claims))

    def failed(self, search: Search, found: Node) -> None:
        """Replay the trace; where universal guards made it up, look for another in small instances."""
        answer = self.answer
        properties: dict[str, list[Property]] = {}
        for unsafe in self.system.unsafe:
            properties.setdefault(unsafe.name, []).append(unsafe)
        literals = search.initial.at_start(found.literals)
        start: Cube = tuple(literals or ())
        answer.trace = trace_of(self.system, found, properties, start)
        answer.machine, answer.run = replay(self.system, answer.trace, self.assumptions, self.budget)
        if answer.run is None:
            self.look_elsewhere((2, 3, answer.trace.processes), _STATES_ELSEWHERE)
        if answer.run is not None:
            answer.verdict, answer.reason, answer.advice = Verdict.FAIL, "", ""
        else:
            answer.reason = "the search found a trace that no run of the machine follows"
            answer.advice = "universal guards and PSO are approximated"

    def look_elsewhere(self, processes: tuple[int, ...], most: int) -> bool:
        """Explore small instances for an unsafe state."""
        bound = self.system.processes
        sizes = (bound,) if self.system.named else tuple(n for n in processes if not bound or n <= bound)
        for size in dict.fromkeys(sizes):
            if size > _LARGEST_INSTANCE:
                continue
            result = explore(self.system, size, assumptions=self.assumptions, most=most, budget=self.budget)
            if result.unsafe is not None:
                self.answer.machine = result.machine
                self.answer.run = _as_run(result.start(result.unsafe), result.path(result.unsafe))
                return True
        return False


def is_rigid(system: System, claim: Property) -> bool:
    """Does it speak of constants only? Nothing in the system could prove such a claim.

    What no transition assigns and `init` does not mention is as good as a constant.
    """
    names = {_name(term) for literal in claim.cube for term in terms_of(literal)} - {""}
    assigned = {update.symbol.name for transition in system.transitions for update in transition.updates}
    started = {
        _name(term)
        for constraint in system.initial
        for cube in constraint.cubes
        for literal in cube
        for term in terms_of(literal)
    }
    return all(system.symbols[name].rigid or name not in assigned | started for name in names)


def _name(term: Term) -> str:
    return str({"r": term[3:4], "a": term[1:2], "v": term[1:2]}.get(term[0], ("",))[0])


def _guess_behind(found: Node) -> Node | None:
    """The first guess on the way from an initial state: no other guess leads to it, so it is wrong."""
    node: Node | None = found
    while node is not None and not node.guessed:
        node = node.parent
    return node


def _as_run(start: State, path: list[tuple[Step | None, State]]) -> list[RunStep]:
    """A path of the exploration with its first state, in the form of a replayed run."""
    made: list[RunStep] = [RunStep("start", "", -1, start)]
    for step, state in path:
        if step is None:
            before = made[-1].state[1]
            process = next(i for i, (a, b) in enumerate(zip(before, state[1], strict=True)) if a != b)
            made.append(RunStep("flush", "", process, state))
        else:
            made.append(RunStep("step", step.transition.name, step.actor, state, step))
    return made
