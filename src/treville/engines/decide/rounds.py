"""Runs in rounds over a shared memory abstraction: the system of paper 001 with a SAT solver behind it.

The program is unrolled, its threads run in a bounded number of rounds, and what they share is an abstraction
with bounded timestamps and lists; the bounds grow until something goes wrong, or until they are enough. What
the solver finds counts after a machine with store buffers has run it at full width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treville.engines.contract import YES, Decision, Engine, GaveUp, Proved, Refuted, Suitability
from treville.engines.decide.by_states import OF_MACHINES, decided
from treville.engines.depth import Depth
from treville.engines.features import Feature
from treville.engines.task import ProgramTask, RoundBounds
from treville.formulas.formula import FALSE, Literal
from treville.machines.buffers.replay import replay
from treville.machines.buffers.trace import Trace
from treville.machines.by_model import machine_of
from treville.programs.ir import Instruction
from treville.programs.narrow import WIDTH, narrowed
from treville.records import dataclass, replace
from treville.results import Budget, BudgetExceeded
from treville.sequential.plan import Plan, plan_of
from treville.sequential.rounds import Bounds, Rounds, enough
from treville.sequential.schedule import schedule_of
from treville.solving.back_ends.cadical import CaDiCaL

# Rounds, timestamps and nodes, one after the other, where nobody asked for numbers (bench/sequentialise.py).
_LEVELS = (
    Bounds(2, 2, 2), Bounds(3, 3, 2), Bounds(4, 4, 3), Bounds(6, 6, 3), Bounds(8, 8, 4), Bounds(12, 12, 5),
    Bounds(16, 16, 6), Bounds(24, 24, 8), Bounds(32, 32, 10), Bounds(48, 48, 12), Bounds(64, 64, 16),
)  # fmt: skip
# Clauses that cost as much as a conflict, and what finding the smallest bounds may cost.
_SIZE_OF_A_UNIT = 40
_EFFORT_FOR_SMALLEST = 20_000
_LARGEST_FOR_SMALLEST = 400_000


@dataclass(frozen=True, slots=True)
class _Asked:
    """A formula in a solver: the literals that something goes wrong, and that something else does."""

    rounds: Rounds
    solver: CaDiCaL
    wrong: Literal
    otherwise: Literal


class InRounds(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "rounds"
    supports = OF_MACHINES | {
        Feature.FAILURES, Feature.FREES, Feature.ATOMIC_BLOCKS, Feature.ENDS_AT_ERRORS,
    }  # fmt: skip

    def __init__(self) -> None:
        self._depth: Depth | None = None
        self._level = 0
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
        asked, model = task.rounds, machine_of(task.model) or ""
        with task.budget.stage("front end"):
            given = task.with_recursion(depth.recursion)
        program = narrowed(depth.apply(given.program), asked.bits or WIDTH)
        plan = plan_of(program, model, depth.bound, task.budget, task.alias)
        most = enough(plan)
        bounds = _clipped(asked, _LEVELS[min(self._level, len(_LEVELS) - 1)], most, model)
        with task.budget.stage("encoding"):
            encoded = _encoded(plan, bounds, task)
        budget.spend(encoded.solver.clauses // _SIZE_OF_A_UNIT)
        with task.budget.stage("solving"):
            solution = encoded.solver.solve((encoded.wrong, -encoded.otherwise), budget)
        stats = self._stats_of(encoded, bounds, asked, depth)
        if callable(solution):
            return self._refuted(given, encoded, solution, stats, budget)
        self._explored(stats, bounds, depth)
        cut = self._cut(encoded, budget)
        spoilt = not callable(solution) and callable(encoded.solver.solve((encoded.otherwise,), budget))
        if not cut and not spoilt and _covers(bounds, most) and (asked.bits or WIDTH) >= WIDTH:
            return Proved(depth.deepest, self._stats)
        deeper = bool(cut) and depth.deepen(cut, task.program.loop_bounds)
        raised = self._raise(asked, bounds, most, model)
        return None if deeper or raised else self._gave_up(bounds, most, cut, depth, asked)

    def _raise(self, asked: RoundBounds, bounds: Bounds, most: Bounds, model: str) -> bool:
        """Go on with larger bounds, if that makes a difference."""
        while self._level + 1 < len(_LEVELS):
            self._level += 1
            if _clipped(asked, _LEVELS[self._level], most, model) != bounds:
                return True
        return False

    # -- what was found ----------------------------------------------------------------------------------

    def _refuted(
        self,
        task: ProgramTask,
        encoded: _Asked,
        solution: Callable[[Literal], bool],
        stats: dict[str, Any],
        budget: Budget,
    ) -> Decision:
        schedule = schedule_of(encoded.rounds, solution)
        model, errors = machine_of(task.model) or "", task.property.errors
        with task.budget.stage("replay"):
            replayed = replay(task.program, model, schedule, errors)
        if replayed is None:
            bits = task.rounds.bits or WIDTH
            reason = "a run that goes wrong in the formula could not be replayed on the machine"
            if bits < WIDTH:
                reason = f"what goes wrong with {bits} bits does not go wrong with {WIDTH}"
            return GaveUp(reason, "raise --bits" if bits < WIDTH else "use another engine", stats=stats)
        stats["smallest"] = self._smallest(task, encoded, budget)
        execution = Trace(replayed.program, replayed.answer).execution()
        found = decided(task, replayed.answer, execution)
        assert isinstance(found, Refuted)
        return replace(found, bound=stats["bound"], stats=stats)

    def _smallest(self, task: ProgramTask, encoded: _Asked, budget: Budget) -> dict[str, int] | None:
        """The least bounds that show it: rounds first, then timestamps, then nodes. None: too much work."""
        rounds, effort = encoded.rounds, _EFFORT_FOR_SMALLEST
        if encoded.solver.clauses > _LARGEST_FOR_SMALLEST:
            return None
        bounds = rounds.bounds
        least = {"rounds": 1, "timestamps": 1, "nodes": 2}
        for name, start in least.items():
            for number in range(start, getattr(bounds, name)):
                tried = replace(bounds, **{name: number})
                asked = _encoded(rounds.plan, tried, task)
                solution = asked.solver.solve((asked.wrong, -asked.otherwise), budget.slice(None), effort)
                effort -= max(asked.solver.conflicts, asked.solver.clauses // _SIZE_OF_A_UNIT)
                asked.solver.close()
                if solution is None or effort <= 0:
                    return None
                if callable(solution):
                    bounds = tried
                    break
        return {"rounds": bounds.rounds, "timestamps": bounds.timestamps, "nodes": bounds.nodes}

    def _cut(self, encoded: _Asked, budget: Budget) -> list[Instruction]:
        """The loops and calls that some run within the bounds did not do again."""
        solution = encoded.solver.solve((encoded.rounds.cut,), budget)
        if not callable(solution):
            return []
        return [place for literal, place in encoded.rounds.cuts if literal != FALSE and solution(literal)]

    def _stats_of(self, encoded: _Asked, bounds: Bounds, asked: RoundBounds, depth: Depth) -> dict[str, Any]:
        plan, solver = encoded.rounds.plan, encoded.solver
        return {
            "threads": len(plan.threads),
            "steps": sum(len(thread.steps) for thread in plan.threads),
            "locations": len(plan.cells),
            "bound": depth.deepest,
            "rounds": bounds.rounds,
            "timestamps": bounds.timestamps,
            "nodes": bounds.nodes,
            "bits": asked.bits or WIDTH,
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

    def _gave_up(
        self, bounds: Bounds, most: Bounds, cut: list[Instruction], depth: Depth, asked: RoundBounds
    ) -> GaveUp:
        within = f"{bounds.rounds} rounds, {bounds.timestamps} timestamps, {bounds.nodes} nodes"
        reason, advice = f"nothing goes wrong in {within}", []
        for name, own, all_of in (
            ("--rounds", bounds.rounds, most.rounds),
            ("--timestamps", bounds.timestamps, most.timestamps),
            ("--nodes", bounds.nodes, most.nodes),
        ):
            if own < all_of:
                advice.append(f"{name} {all_of}")
        if (asked.bits or WIDTH) < WIDTH:
            reason += f", with {asked.bits} bits"
            advice.append(f"--bits {WIDTH}")
        if cut:
            reason += f", and a loop was cut at the bound {depth.deepest}"
            advice.append("a larger --bound")
        more = f"{' and '.join(advice)} would be enough" if advice else "use another engine"
        only_cut = cut and advice == ["a larger --bound"]
        bound = depth.deepest if only_cut else None
        return GaveUp(reason, more, bound=bound, cut=tuple(cut), stats=self._stats)


def _encoded(plan: Plan, bounds: Bounds, task: ProgramTask) -> _Asked:
    rounds = Rounds(plan, bounds, budget=task.budget)
    wrong, otherwise = rounds.violation(task.property.errors)
    return _Asked(rounds, CaDiCaL(rounds.formula), wrong, otherwise)


def _clipped(asked: RoundBounds, level: Bounds, most: Bounds, model: str) -> Bounds:
    """The bounds that were asked for, or those of a level as far as they make a difference."""
    timestamps = 1 if model == "sc" else asked.timestamps or min(level.timestamps, most.timestamps)
    return Bounds(
        asked.rounds or min(level.rounds, most.rounds),
        timestamps,
        asked.nodes or min(level.nodes, most.nodes),
    )


def _covers(bounds: Bounds, most: Bounds) -> bool:
    """Do the bounds lose no run?"""
    return (
        bounds.rounds >= most.rounds and bounds.timestamps >= most.timestamps and bounds.nodes >= most.nodes
    )
