"""Runs in rounds over a shared memory abstraction: the system of paper 001 with a SAT solver behind it.

The program is unrolled, its threads run in a bounded number of rounds, and what they share is an abstraction
with bounded timestamps and lists; the bounds grow until something goes wrong, or until they are enough. What
the solver finds counts after a machine with store buffers has run it at full width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from treville.engines.contract import YES, Decision, Engine, GaveUp, Proved, Refuted, Suitability
from treville.engines.decide.by_states import OF_MACHINES, decided
from treville.engines.decide.round_levels import LEVELS, clipped, covers, in_vain
from treville.engines.depth import Depth
from treville.engines.features import Feature
from treville.engines.task import ProgramTask, RoundBounds
from treville.formulas.formula import FALSE, Literal
from treville.machines.buffers.replay import replay
from treville.machines.buffers.trace import Trace
from treville.machines.by_model import machine_of
from treville.passes.fresh_memory import with_any_contents
from treville.programs.ir import Instruction
from treville.programs.narrow import WIDTH, narrowed
from treville.records import replace
from treville.results import Budget, BudgetExceeded
from treville.sequential.plan import Plan, moved_unset, plan_of
from treville.sequential.rounds import Bounds, Rounds, enough
from treville.sequential.schedule import schedule_of
from treville.solving.back_ends.cadical import CaDiCaL

# Clauses that cost as much as a conflict, and what finding the smallest bounds may cost.
_SIZE_OF_A_UNIT = 40
_EFFORT_FOR_SMALLEST = 20_000
_LARGEST_FOR_SMALLEST = 400_000

# Which literals are true; False where there is no solution.
Solution: TypeAlias = Callable[[Literal], bool] | bool


class _Asked:
    """A formula in a solver, and what it has answered: something goes wrong (`wrong`, and nothing that was
    not asked for, `otherwise`)."""

    def __init__(self, given: ProgramTask, plan: Plan, bounds: Bounds) -> None:
        self.task, self.rounds = given, Rounds(plan, bounds, budget=given.budget)
        self.wrong, self.otherwise = self.rounds.violation(given.property.errors)
        self.moved, self.doubtful = self.rounds.moved_unset(), self.rounds.doubtful()
        self.solver = CaDiCaL(self.rounds.formula)
        self.most = enough(plan)
        self._answers: dict[tuple[Literal, ...], Solution] = {}

    @property
    def size(self) -> int:
        """How much work it was to make the formula."""
        return self.solver.clauses // _SIZE_OF_A_UNIT

    def ask(self, budget: Budget, *literals: Literal) -> Solution:
        """What the solver says; it is asked once."""
        if literals not in self._answers:
            found = self.solver.solve(literals, budget)
            assert found is not None, "nobody gave up"
            self._answers[literals] = found
        return self._answers[literals]

    def violation(self, budget: Budget) -> Solution:
        """A run that goes wrong as was asked for, if possible without a look at copies of what nobody set."""
        sure = self.ask(budget, self.wrong, -self.otherwise, -self.doubtful)
        return sure or (self.doubtful != FALSE and self.ask(budget, self.wrong, -self.otherwise))

    def spoilt(self, budget: Budget) -> bool:
        """Does some run use memory as it may not, without being asked for?"""
        return bool(self.ask(budget, self.otherwise) or self.ask(budget, self.doubtful))

    def cut(self, budget: Budget) -> list[Instruction]:
        """The loops and calls that some run within the bounds did not do again."""
        solution = self.ask(budget, self.rounds.cut)
        if not callable(solution):
            return []
        return [place for literal, place in self.rounds.cuts if literal != FALSE and solution(literal)]


class InRounds(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "rounds"
    supports = OF_MACHINES | {
        Feature.FAILURES, Feature.FREES, Feature.ATOMIC_BLOCKS, Feature.ENDS_AT_ERRORS,
    }  # fmt: skip

    def __init__(self) -> None:
        self._depth: Depth | None = None
        self._level = 0
        self._filled = False  # does fresh memory hold any numbers?
        self._asked: _Asked | None = None
        self._stats: dict[str, Any] = {}

    def fits(self, task: ProgramTask) -> Suitability:
        """Is there an abstraction that does just what the model says?"""
        if machine_of(task.model) is None:
            because = f"no shared memory abstraction does what {task.model.name} says"
            return Suitability(because, None, "ask for sc, tso or pso")
        return YES

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Search within growing bounds. Where time or memory ends it, what was explored is told."""
        self._depth = self._depth or Depth(task.bound)
        try:
            while True:
                found = self._at(task, self._depth, budget)
                if found is not None:
                    return found
        except BudgetExceeded as error:
            if budget.exhausted() is None:
                raise  # the slice has ended, not the question
            return GaveUp(error.reason, error.advice, error=error, stats=self._stats)

    def _at(self, task: ProgramTask, depth: Depth, budget: Budget) -> Decision | None:
        """The answer at the present bounds; None if larger ones have to follow."""
        budget.bound = depth.deepest
        if self._asked is None:
            self._asked = self._encoded(task, depth)
            budget.spend(self._asked.size)
        asked = self._asked
        bounds, wanted = asked.rounds.bounds, task.rounds
        with task.budget.stage("solving"):
            solution = asked.violation(budget)
        stats = self._stats_of(asked, wanted, depth)
        if callable(solution):
            return self._refuted(asked, solution, stats, budget)
        cut = asked.cut(budget)
        spoilt = asked.spoilt(budget)
        if spoilt and not self._filled and asked.ask(budget, asked.moved):
            self._filled = True
            self._forget()
            return None
        self._explored(stats, bounds, depth)
        whole = covers(bounds, asked.most) and (wanted.bits or WIDTH) >= WIDTH
        if whole and not cut and not spoilt:
            return Proved(depth.deepest, self._stats)
        deeper = bool(cut) and depth.deepen(cut, task.program.loop_bounds)
        if self._raise(wanted, bounds, asked.most, machine_of(task.model) or "") or deeper:
            self._forget()
            return None
        return self._gave_up(asked, cut, spoilt, depth)

    def _forget(self) -> None:
        """Another formula has to be asked."""
        if self._asked is not None:
            self._asked.solver.close()
        self._asked = None

    def _encoded(self, task: ProgramTask, depth: Depth) -> _Asked:
        wanted, model = task.rounds, machine_of(task.model) or ""
        with task.budget.stage("front end"):
            given = task.with_recursion(depth.recursion)
            given = replace(given, program=depth.apply(given.program))
        if self._filled:
            cells = moved_unset(plan_of(given.program, model, depth.bound, task.budget, task.alias))
            given = replace(given, program=with_any_contents(given.program, cells))
        program = narrowed(given.program, wanted.bits or WIDTH)
        plan = plan_of(program, model, depth.bound, task.budget, task.alias)
        bounds = clipped(wanted, LEVELS[min(self._level, len(LEVELS) - 1)], enough(plan), model)
        with task.budget.stage("encoding"):
            return _Asked(given, plan, bounds)

    def _raise(self, asked: RoundBounds, bounds: Bounds, most: Bounds, model: str) -> bool:
        """Go on with larger bounds, if that makes a difference."""
        while self._level + 1 < len(LEVELS):
            self._level += 1
            if clipped(asked, LEVELS[self._level], most, model) != bounds:
                return True
        return False

    # -- what was found ----------------------------------------------------------------------------------

    def _refuted(
        self, asked: _Asked, solution: Callable[[Literal], bool], stats: dict[str, Any], budget: Budget
    ) -> Decision:
        task, schedule = asked.task, schedule_of(asked.rounds, solution)
        model, errors = machine_of(task.model) or "", task.property.errors
        with task.budget.stage("replay"):
            replayed = replay(task.program, model, schedule, errors)
        if replayed is None:
            bits = task.rounds.bits or WIDTH
            reason = "a run that goes wrong in the formula could not be replayed on the machine"
            if bits < WIDTH:
                reason = f"what goes wrong with {bits} bits does not go wrong with {WIDTH}"
            return GaveUp(reason, "raise --bits" if bits < WIDTH else "use another engine", stats=stats)
        stats["smallest"] = self._smallest(asked, budget)
        execution = Trace(replayed.program, replayed.answer).execution()
        found = decided(task, replayed.answer, execution)
        assert isinstance(found, Refuted)
        return replace(found, bound=stats["bound"], stats=stats)

    def _smallest(self, asked: _Asked, budget: Budget) -> dict[str, int] | None:
        """The least bounds that show it: rounds first, then timestamps, then nodes. None: too much work."""
        effort = _EFFORT_FOR_SMALLEST
        if asked.solver.clauses > _LARGEST_FOR_SMALLEST:
            return None
        bounds = asked.rounds.bounds
        least = {"rounds": 1, "timestamps": 1, "nodes": 2}
        for name, start in least.items():
            for number in range(start, getattr(bounds, name)):
                tried = replace(bounds, **{name: number})
                less = _Asked(asked.task, asked.rounds.plan, tried)
                solution = less.solver.solve((less.wrong, -less.otherwise), budget.slice(None), effort)
                effort -= max(less.solver.conflicts, less.size)
                less.solver.close()
                if solution is None or effort <= 0:
                    return None
                if callable(solution):
                    bounds = tried
                    break
        return {"rounds": bounds.rounds, "timestamps": bounds.timestamps, "nodes": bounds.nodes}

    def _stats_of(self, asked: _Asked, wanted: RoundBounds, depth: Depth) -> dict[str, Any]:
        plan, bounds, solver = asked.rounds.plan, asked.rounds.bounds, asked.solver
        return {
            "threads": len(plan.threads),
            "steps": sum(len(thread.steps) for thread in plan.threads),
            "locations": len(plan.cells),
            "bound": depth.deepest,
            "rounds": bounds.rounds,
            "timestamps": bounds.timestamps,
            "nodes": bounds.nodes,
            "bits": wanted.bits or WIDTH,
            "variables": solver.variables,
            "clauses": solver.clauses,
            "conflicts": solver.conflicts,
            "explored": self._stats.get("explored", []),
        }

    def _explored(self, stats: dict[str, Any], bounds: Bounds, depth: Depth) -> None:
        """Note that nothing goes wrong within the bounds."""
        done = {"bound": depth.deepest, "rounds": bounds.rounds, "timestamps": bounds.timestamps,
                "nodes": bounds.nodes}  # fmt: skip
        self._stats = {**stats, "explored": [*stats["explored"], done]}

    def _gave_up(self, asked: _Asked, cut: list[Instruction], spoilt: bool, depth: Depth) -> GaveUp:
        reason, advice = in_vain(asked.rounds.bounds, asked.most, asked.task.rounds.bits or WIDTH)
        if cut:
            reason += f", and a loop was cut at the bound {depth.deepest}"
            advice.append("a larger --bound")
        if spoilt:
            reason += "; some runs use memory as they may not, and what follows in them has no meaning"
        more = f"{' and '.join(advice)} would be enough" if advice else "use another engine"
        bound = depth.deepest if advice == ["a larger --bound"] and not spoilt else None
        return GaveUp(reason, more, bound=bound, cut=tuple(cut), stats=self._stats)
