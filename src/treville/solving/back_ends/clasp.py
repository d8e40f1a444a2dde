"""Formulas -> solutions: the small contract of solver back ends, and clasp behind it.

clasp (in the package `clingo`) is a conflict-driven solver that knows least fixpoints and acyclic graphs
natively; formulas go through its back-end interface, no text is grounded. Budgets are kept by solving
asynchronously and cancelling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.results import Budget, BudgetExceeded

_LOOK_AT_MEMORY_EVERY = 0.25
_ITEMS_BETWEEN_LOOKS = 10_000

Item = TypeVar("Item")

# Literals and what each of them costs.
Weights: TypeAlias = Sequence[tuple[Literal, int]]

# Given a solution (is this literal true?), go on?
OnSolution = Callable[[Callable[[Literal], bool]], bool]


class Solver(ABC):
    """A solver that holds one formula."""

    @abstractmethod
    def enumerate(self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal] = ()) -> None:
        """Call back for every solution that satisfies the assumptions until told to stop. Raises
        `BudgetExceeded`."""

    def look(
        self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal], effort: int | None
    ) -> bool:
        """The same, for about so many conflicts; False if it gave up then. A solver that cannot be limited
        goes on to the end."""
        del effort
        self.enumerate(budget, on_solution, assumptions)
        return True

    def last_conflicts(self) -> int:
        """How many conflicts the last call had, as far as the solver tells."""
        return 0

    def size(self) -> tuple[int, int] | None:
        """Variables and constraints that the solver works with, where they are not those of the formula."""
        return None

    @abstractmethod
    def counted(self) -> dict[str, int]:
        """What the solver counts of its search, over all calls."""


def satisfiable(solver: Solver, budget: Budget, assumptions: Sequence[Literal] = ()) -> bool:
    """Is there a solution?"""
    found = []

    def first(_is_true: Callable[[Literal], bool]) -> bool:
        found.append(True)
        return False

    solver.enumerate(budget, first, assumptions)
    return bool(found)


class Clasp(Solver):
    """The default back end."""

    def __init__(
        self,
        formula: Formula,
        projected: Sequence[int] | None = None,
        rarely_restarts: bool = False,
        preset: str = "",
        budget: Budget | None = None,
        minimised: Sequence[Weights] = (),
    ) -> None:
        """With `projected`, solutions that agree on these literals count as one. Restarting
        rarely halves the time on lock-free structures and costs more on arithmetic (bench/check.py). A
        `preset` is one of clasp's configurations. With a budget, handing over a large formula ends when that
        does. With weights to be `minimised`, the most important ones first, each solution is better than the
        one before, and the last one is the best."""
        import clingo

        # Gates are folded already; looking for equal bodies costs more than it saves on large formulas.
        options = ["--warn=none", "--models=0", "--eq=0"]
        if projected is not None:
            options.append("--project=project")
        if rarely_restarts:
            options.append("--restarts=x,500,1.5")
        if preset:
            options.append(f"--configuration={preset}")
        self.control = clingo.Control(options, logger=lambda *_: None)
        self._judged: Callable[[], int] = lambda: 0
        with self.control.backend() as backend:
            hand_over(formula, backend, budget or Budget())
            if projected is not None:
                backend.add_project(sorted({abs(literal) for literal in projected} - {TRUE}))
            for priority, weights in enumerate(reversed(minimised)):
                backend.add_minimize(priority, [pair for pair in weights if abs(pair[0]) != TRUE])

    def forbid(self, literals: Sequence[Literal]) -> None:
        """From now on not all of the literals hold."""
        with self.control.backend() as backend:
            backend.add_rule([], [literal for literal in literals if literal != TRUE])

    def register(self, propagator: Any) -> None:
        """Let a propagator take part in the search (the lazy engine)."""
        self.control.register_propagator(propagator)
        self._judged = lambda: propagator.checks

    def enumerate(self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal] = ()) -> None:
        """Call back for every solution until told to stop or out of budget."""
        self.look(budget, on_solution, assumptions, None)

    def look(
        self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal], effort: int | None
    ) -> bool:
        """The same, for so many conflicts; False if it gave up then. What was learnt is kept."""
        errors: list[BaseException] = []
        if FALSE in assumptions:
            return True

        truth = _truth_of_literals()

        def on_model(model: Any) -> bool:
            try:
                return on_solution(truth(model))
            except BaseException as error:
                errors.append(error)
                return False

        wanted = [literal for literal in assumptions if literal != TRUE]
        self.control.configuration.solve.solve_limit = "umax,umax" if effort is None else f"{effort},umax"
        result = self._run(budget, on_model, wanted)
        if errors:
            raise errors[0]
        return not result.unknown

    def last_conflicts(self) -> int:
        """See `Solver`."""
        return _counted_conflicts(self.control)

    def counted(self) -> dict[str, int]:
        """See `Solver`."""
        solving = self.control.statistics["solving"]["solvers"]
        return {"conflicts": int(solving["conflicts"]), "choices": int(solving["choices"])}

    def _run(self, budget: Budget, on_model: Callable[[Any], bool], assumptions: list[Literal]) -> Any:
        if budget.seconds is None and budget.memory is None:
            return self.control.solve(assumptions=assumptions, on_model=on_model)
        budget.check()
        with self.control.solve(assumptions=assumptions, on_model=on_model, async_=True) as handle:
            while True:
                remaining = budget.remaining()
                pause = _LOOK_AT_MEMORY_EVERY if remaining is None else min(remaining, _LOOK_AT_MEMORY_EVERY)
                if handle.wait(pause):
                    return handle.get()
                try:
                    budget.look(self._judged(), "candidates")
                except BudgetExceeded:
                    handle.cancel()
                    raise


def _truth_of_literals() -> Callable[[Any], Callable[[Literal], bool]]:
    """From clingo's models to functions that say which literals are true.

    States are read off literal by literal, and tests with thousands of states spend their time there, so
    the C function is called directly where it can be: five times as fast as `Model.is_true`."""
    try:
        from clingo._internal import _ffi, _lib

        ask, answer = _lib.clingo_model_is_true, _ffi.new("bool*")
    except (ImportError, AttributeError):
        return lambda model: model.is_true

    def truth(model: Any) -> Callable[[Literal], bool]:
        handle = model._rep

        def is_true(literal: Literal) -> bool:
            if not ask(handle, literal, answer):
                raise RuntimeError(f"literal {literal} is unknown to the solver")
            return bool(answer[0])

        return is_true

    return truth


def _counted_conflicts(control: Any) -> int:
    """The conflicts of the last call. All statistics as a Python object take milliseconds, so this one number
    is asked for where it is kept, if that can be done."""
    try:
        from clingo._internal import _ffi, _lib

        statistics = _ffi.new("clingo_statistics_t const **")
        key, value = _ffi.new("uint64_t*"), _ffi.new("double*")
        done = _lib.clingo_control_statistics(control._rep, statistics)
        done = done and _lib.clingo_statistics_root(statistics[0], key)
        for name in (b"solving", b"solvers", b"conflicts"):
            done = done and _lib.clingo_statistics_map_at(statistics[0], key[0], name, key)
        if done and _lib.clingo_statistics_value_get(statistics[0], key[0], value):
            return int(value[0])
    except (ImportError, AttributeError, TypeError):
        pass
    return int(control.statistics["solving"]["solvers"]["conflicts"])


def hand_over(formula: Formula, backend: Any, budget: Budget) -> None:
    """Give clasp all atoms, rules, constraints and edges of a formula."""
    add_rule = backend.add_rule
    for _ in range(formula.atoms):
        backend.add_atom()
    add_rule([TRUE])
    if formula.choices:
        add_rule(formula.choices, [], True)
    for head, body in _watched(formula.rules, budget):
        add_rule([head], body)
    for body in _watched(formula.forbidden, budget):
        add_rule([], body)
    for literals in formula.at_most_one_of:
        backend.add_weight_rule([], 2, [(literal, 1) for literal in literals])
    for source, target, condition in _watched(formula.edges, budget):
        backend.add_acyc_edge(source, target, [] if condition == TRUE else [condition])


def _watched(items: Sequence[Item], budget: Budget) -> Iterator[Item]:
    """The items, with a look at the budget now and then."""
    for start in range(0, len(items), _ITEMS_BETWEEN_LOOKS):
        budget.check()
        yield from items[start : start + _ITEMS_BETWEEN_LOOKS]
